"""Named recipes that need no training and no torch."""

from paiad.detectors.prototype import NearestPrototype
from paiad.encoders.raw import RawPatches
from paiad.pai import PAI


def raw() -> NearestPrototype:
    """Raw patches against a bank of normal ones."""
    return NearestPrototype(RawPatches())


def pai_raw() -> PAI:
    """Raw patches against a bank, with the amplitude terms; distances calibrated without self-matches."""
    return PAI(NearestPrototype(RawPatches(), leave_out=True))
