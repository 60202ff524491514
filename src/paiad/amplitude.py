"""The two raw-signal terms: how far a value, and a local mean, lie from the training median.

Both are measured in units of the training data's own spread, so they mean the same on every series.
"""

import logging
import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numba import njit

from paiad.contracts import Reach
from paiad.errors import SettingError
from paiad.median import median, median_deviation
from paiad.shapes import Scores, Values

_log = logging.getLogger(__name__)

EPSILON = 1e-12  # added to the spread, as in the paper
HALF_WIDTH = 32  # W in the paper

Window = Literal["symmetric", "trailing"]
Spread = Literal["mad", "iqr", "percentiles", "standard deviation", "unit"]


@dataclass(frozen=True)
class Level:
    """What normal amplitude is: a median, a spread around it, and how the spread was found.

    The spread is the raw MAD. Where that is zero (more than half of the training values are equal) the next
    robust spread that is not zero takes its place, each scaled to agree with the MAD on Gaussian data:
    the interquartile range, the range from the 1st to the 99th percentile, the standard deviation. Constant
    training data has no spread at all: its deviations are counted in the data's own units.

    >>> Level.of(np.array([1.0, 2.0, 3.0, 4.0, 100.0]))
    Level(median=3.0, spread=1.0, kind='mad')
    """

    median: float
    spread: float
    kind: Spread = "mad"

    @classmethod
    def of(cls, train: Values) -> "Level":
        middle = median(train)
        mad = median_deviation(train, middle)
        if mad > 0:
            return cls(middle, mad)
        spread, kind = _fallback_spread(train)
        _log.warning(
            "the training values have a MAD of 0; measuring deviations by %s (%g) instead", kind, spread
        )
        return cls(middle, spread, kind)

    @property
    def unit(self) -> float:
        """One unit of deviation, never zero."""
        return self.spread + EPSILON


def _fallback_spread(train: Values) -> tuple[float, Spread]:
    low, first, third, high = np.percentile(train, [1, 25, 75, 99])
    candidates: tuple[tuple[float, Spread], ...] = (
        ((third - first) / 2.0, "iqr"),
        ((high - low) * 0.6745 / (2 * 2.3263), "percentiles"),
        (float(np.std(train)) * 0.6745, "standard deviation"),
    )
    # A spread below the rounding of the values themselves is no spread.
    rounding = float(np.finfo(np.float64).eps * np.max(np.abs(train)) * 4)
    for spread, kind in candidates:
        if math.isfinite(spread) and spread > rounding:
            return float(spread), kind
    return 1.0, "unit"


def deviation(values: Values, level: Level) -> Scores:
    """Distance of each value from the median, in spreads (`magG` in the paper); catches spikes.

    >>> deviation(np.array([3.0, 9.0]), Level(median=3.0, spread=2.0))
    array([0., 3.])
    """
    return _deviation(np.ascontiguousarray(values, dtype=np.float64), level.median, level.unit)


def mean_shift(
    values: Values, level: Level, half_width: int = HALF_WIDTH, window: Window = "symmetric"
) -> Scores:
    """Distance of the local mean from the median, in spreads (`T2` in the paper); catches level shifts.

    The symmetric window reaches `half_width` steps to both sides, the trailing one the same number of
    steps in all, back from the step itself; both are cut at the ends of `values`.

    >>> mean_shift(np.array([0.0, 0.0, 6.0]), Level(median=0.0, spread=1.0), half_width=1)
    array([0., 2., 3.])
    """
    reach = mean_shift_reach(half_width, window)
    values = np.ascontiguousarray(values, dtype=np.float64)
    return _mean_shift(values, level.median, level.unit, reach.lookback, reach.lookahead)


def mean_shift_reach(half_width: int = HALF_WIDTH, window: Window = "symmetric") -> Reach:
    """Which neighbours the local mean is taken over."""
    if half_width < 0 or window not in get_args(Window):
        raise SettingError(
            f"T2 needs a window of {' or '.join(get_args(Window))} and a half_width of at least 0"
        )
    return Reach(half_width, half_width) if window == "symmetric" else Reach(2 * half_width, 0)


@njit(cache=True, nogil=True)
def _deviation(values, median, unit):  # type: ignore[no-untyped-def]
    out = np.empty(len(values))
    for step in range(len(values)):
        out[step] = abs(values[step] - median) / unit
    return out


@njit(cache=True, nogil=True)
def _mean_shift(values, median, unit, before, after):  # type: ignore[no-untyped-def]
    # Deviations are added up, not values, so that series far from zero lose no digits. The running sum is kept in
    # two parts (the second holds what the first rounds away), so that after millions of additions and removals it
    # still is the sum of the window alone.
    length = len(values)
    out = np.empty(length)
    total, lost = 0.0, 0.0
    begin, end = 0, 0
    for step in range(length):
        while end < min(length, step + after + 1):
            total, lost = added(total, lost, values[end] - median)
            end += 1
        while begin < step - before:
            total, lost = added(total, lost, median - values[begin])
            begin += 1
        out[step] = abs((total + lost) / (end - begin)) / unit
    return out


@njit(cache=True, nogil=True, inline="always")
def added(total, lost, value):  # type: ignore[no-untyped-def]
    """A sum with one more value in it, and all that rounding has taken from it so far."""
    summed = total + value
    shadow = summed - total
    return summed, lost + ((total - (summed - shadow)) + (value - shadow))
