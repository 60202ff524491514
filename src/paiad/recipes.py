"""Named recipes that need no training and no torch."""

from paiad.detectors.prototype import NearestPrototype
from paiad.encoders.raw import RawPatches, ShapePatches
from paiad.pai import PAI


def raw() -> NearestPrototype:
    """Raw patches against a bank of normal ones."""
    return NearestPrototype(RawPatches())


def pai_raw() -> PAI:
    """Raw patches against a bank, with the amplitude terms; distances calibrated without self-matches."""
    return PAI(NearestPrototype(RawPatches(), leave_out=True))


def shape() -> NearestPrototype:
    """Patches stripped of level and amplitude against a bank, calibrated without self-matches."""
    return NearestPrototype(ShapePatches(), leave_out=True)


def pai_shape() -> PAI:
    """Shape alone, and the amplitude terms beside it: what PAI gives back to an amplitude-blind encoder."""
    return PAI(shape())
