"""What the names of benchmark files say about a series: its family, its domain, its recording."""

import re
from dataclasses import dataclass

_TSB_AD = re.compile(
    r"^(?P<index>\d+)_(?P<family>.+?)_id_(?P<id>\d+)_(?P<domain>.+?)_tr_(?P<train>\d+)_1st_(?P<first>\d+)$"
)


@dataclass(frozen=True)
class Origin:
    """Where a series comes from; empty when its name does not tell."""

    family: str = ""
    domain: str = ""


def origin_in_tsb_ad(stem: str) -> Origin:
    """From a file name of TSB-AD.

    >>> origin_in_tsb_ad("001_NAB_id_1_Facility_tr_1007_1st_2014")
    Origin(family='NAB', domain='Facility')
    """
    found = _TSB_AD.match(stem)
    return Origin(found["family"], found["domain"]) if found else Origin()
