"""Sorting scores: two counting passes over a fine linear grid, then a few neighbour swaps.

Most of the time of a measure is its sort. Laid on 4 million equal cells, scores are almost in order,
and what is left costs one pass. A sample says where the bulk of the scores lies; what falls outside
the grid is left to NumPy, and so is everything when too many scores share a cell.
"""

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.kernel import Kernel, inline_kernel

Floats = NDArray[np.float64]
_DIGITS = 2048
_CELLS = _DIGITS * _DIGITS
_MOVES_PER_POINT = 6  # beyond this NumPy's sort is the faster one
_SAMPLE = 1000
_TAIL = 10  # of the sample, at each end


def ascending(scores: Floats) -> Floats:
    """Finite scores in rising order, as `numpy.sort` gives them.

    >>> ascending(np.array([3.0, 1.0, 2.0])).tolist()
    [1.0, 2.0, 3.0]
    """
    if scores.size < _SAMPLE:
        return np.sort(scores)
    lowest, scale = _grid(scores)
    if not np.isfinite(scale) or scale <= 0.0:
        return np.sort(scores)
    partly, below, above = _to_cells(scores, lowest, scale)
    partly[:below].sort()
    partly[partly.size - above :].sort()
    return partly if _insertion_sort(partly, _MOVES_PER_POINT * partly.size) else np.sort(scores)


def _grid(scores: Floats) -> tuple[float, float]:
    """Lowest cell's border and cells per unit, for a grid three times as wide as the sample's bulk."""
    sample = np.sort(scores[:: scores.size // _SAMPLE])
    low, high = sample[_TAIL], sample[-1 - _TAIL]
    if low == high:
        low, high = scores.min(), scores.max()
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        return float(low - (high - low)), float(_CELLS / (3 * (high - low)))


@inline_kernel
def _cell(score, lowest, scale):  # type: ignore[no-untyped-def]
    """Never falls as the score rises, because each rounding step keeps order."""
    return np.uint32(min(max((score - lowest) * scale, 0.0), _CELLS - 1.0))


@Kernel
def _to_cells(scores, lowest, scale):  # type: ignore[no-untyped-def]
    """Scores ordered by cell, and how many lie in the first and in the last cell."""
    low_at = np.zeros(_DIGITS + 1, np.uint32)
    high_at = np.zeros(_DIGITS + 1, np.uint32)
    one, low_bits, shift = np.uint32(1), np.uint32(_DIGITS - 1), np.uint32(11)
    below = above = 0
    for score in scores:
        cell = _cell(score, lowest, scale)
        low_at[(cell & low_bits) + one] += one
        high_at[(cell >> shift) + one] += one
        below += cell == 0
        above += cell == _CELLS - 1
    for digit in range(1, _DIGITS):
        low_at[digit] += low_at[digit - 1]
        high_at[digit] += high_at[digit - 1]
    by_low = np.empty_like(scores)
    for score in scores:
        digit = _cell(score, lowest, scale) & low_bits
        by_low[low_at[digit]] = score
        low_at[digit] += one
    by_cell = np.empty_like(scores)
    for score in by_low:
        digit = _cell(score, lowest, scale) >> shift
        by_cell[high_at[digit]] = score
        high_at[digit] += one
    return by_cell, below, above


@Kernel
def _insertion_sort(values, budget):  # type: ignore[no-untyped-def]
    """Sort in place; False when it took more moves than the budget and was given up."""
    for here in range(1, values.size):
        value = values[here]
        place = here
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value
        budget -= here - place
        if budget < 0:
            return False
    return True
