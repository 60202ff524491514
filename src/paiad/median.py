"""Median and MAD of long series in one or two passes, without sorting or copying them."""

import numpy as np
from numba import njit

from paiad.shapes import Values

SMALL = 20_000  # below this, numpy's own median is as fast
SAMPLE = 4_096


def median(values: Values) -> float:
    """Exactly numpy's median of finite values.

    >>> median(np.array([4.0, 1.0, 3.0, 2.0]))
    2.5
    """
    return _middle(np.ascontiguousarray(values, dtype=np.float64), 0.0, False)


def median_deviation(values: Values, centre: float) -> float:
    """Exactly numpy's median of |values - centre|: the raw MAD when `centre` is the median.

    >>> median_deviation(np.array([1.0, 2.0, 9.0]), 2.0)
    1.0
    """
    return _middle(np.ascontiguousarray(values, dtype=np.float64), centre, True)


def _middle(values: Values, centre: float, folded: bool) -> float:
    if len(values) < SMALL:
        return float(np.median(np.abs(values - centre) if folded else values))
    sample = values[np.random.default_rng(0).integers(len(values), size=SAMPLE)]
    ordered = np.sort(np.abs(sample - centre) if folded else sample)
    # The middle of the whole lies inside the middle eighth of the sample, but for odds far below any in practice.
    low, high = ordered[SAMPLE * 7 // 16], ordered[SAMPLE * 9 // 16]
    below, inside = _count(values, centre, folded, low, high)
    first, second = (len(values) - 1) // 2 - below, len(values) // 2 - below
    if first < 0 or second >= inside:
        return float(np.median(np.abs(values - centre) if folded else values))
    if low == high:
        return float(low)
    kept = _collect(values, centre, folded, low, high, inside)
    kept.partition((first, second))
    return float(np.mean(kept[[first, second]]))


@njit(cache=True, nogil=True)
def _count(values, centre, folded, low, high):  # type: ignore[no-untyped-def]
    below, inside = 0, 0
    for step in range(len(values)):
        value = abs(values[step] - centre) if folded else values[step]
        below += value < low
        inside += (value >= low) & (value <= high)
    return below, inside


@njit(cache=True, nogil=True)
def _collect(values, centre, folded, low, high, inside):  # type: ignore[no-untyped-def]
    # Every value is written and only those inside advance the place: a branch here would be mispredicted.
    kept = np.empty(inside + 1)
    place = 0
    for step in range(len(values)):
        value = abs(values[step] - centre) if folded else values[step]
        kept[place] = value
        place += (value >= low) & (value <= high)
    return kept[:inside]
