"""The TSB-AD and TAB benchmarks on disk: their folders, lists and file-name conventions, known only here."""

from paiad.datasets.collection import Collection, Member
from paiad.datasets.tab_folder import read_tab, tab
from paiad.datasets.tsb_ad_folder import read_tsb_ad, tsb_ad

__all__ = ["Collection", "Member", "read_tab", "read_tsb_ad", "tab", "tsb_ad"]
