"""Tests on the signs and ranks of paired differences; they ask no distribution of them."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paiad.ranks import average_ranks

Floats = NDArray[np.float64]
EXACT_UP_TO = (
    200  # differences; beyond, ordinary p-values of the normal approximation are right to a percent or so
)


def wilcoxon_signed_rank(differences: ArrayLike) -> float:
    """Two-sided p-value that the differences are symmetric about 0; zeros are left out.

    Exact for up to 200 differences, ties included; beyond that the normal approximation.

    >>> wilcoxon_signed_rank([1.0, 2.0, 3.0, 4.0, 5.0])
    0.0625
    """
    ranks, positive = _signed_ranks(differences)
    if not ranks.size:
        return 1.0
    if ranks.size <= EXACT_UP_TO:
        return _exact(ranks, positive)
    return _normal(ranks, positive)


def rank_biserial(differences: ArrayLike) -> float:
    """Effect size from -1 to 1: the share of rank weight for, minus the share against.

    >>> rank_biserial([1.0, 2.0, -3.0])
    0.0
    """
    ranks, positive = _signed_ranks(differences)
    return float((2 * positive - ranks.sum()) / ranks.sum()) if ranks.size else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for asking several questions at once; NaN stays NaN and is not counted.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = list(p_values)
    asked = sorted(
        (place for place, p in enumerate(p_values) if not math.isnan(p)), key=lambda place: p_values[place]
    )
    highest = 0.0
    for rank, place in enumerate(asked):
        highest = max(highest, min(1.0, p_values[place] * (len(asked) - rank)))
        adjusted[place] = highest
    return adjusted


def _signed_ranks(differences: ArrayLike) -> tuple[Floats, float]:
    """Ranks of the absolute differences other than 0, and the sum of those of the positive ones."""
    values = np.asarray(differences, np.float64)
    values = values[values != 0]
    if not values.size:
        return values, 0.0
    ranks = average_ranks(np.abs(values))
    return ranks, float(ranks[values > 0].sum())


def _exact(ranks: Floats, positive: float) -> float:
    """Every choice of signs is equally likely: convolve, on ranks doubled so that ties are whole numbers."""
    doubled = np.rint(2 * ranks).astype(int)
    total = int(doubled.sum())
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(chance)
        shifted[rank:] = chance[: total + 1 - rank]
        chance = (chance + shifted) / 2
    smaller = round(min(2 * positive, total - 2 * positive))
    return float(min(1.0, 2 * chance[: smaller + 1].sum()))


def _normal(ranks: Floats, positive: float) -> float:
    """The variance is that of the ranks at hand, so ties are accounted for."""
    deviation = math.sqrt(float((ranks**2).sum()) / 4)
    return math.erfc(abs(positive - float(ranks.sum()) / 2) / deviation / math.sqrt(2))
