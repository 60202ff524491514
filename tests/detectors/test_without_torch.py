"""What a user without torch is told."""

import sys

import pytest

from paiad.catalog import make
from paiad.errors import MissingExtraError


def test_a_net_says_which_extra_brings_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    for loaded in [
        name for name in sys.modules if name.startswith(("paiad.detectors.usad", "paiad.scorers"))
    ]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        MissingExtraError, match=r"usad needs the package 'torch': pip install 'paiad\[torch\]'"
    ):
        make("usad")
