"""The 100 linear thresholds of TSB-AD, all at once: levels of scores, runs of predicted points."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.kernel import Kernel

LINEAR_THRESHOLDS = 100
Levels = NDArray[np.int8]


class Runs(NamedTuple):
    """Row k: for every threshold low <= m < high, the points start..end are one maximal predicted run."""

    start: NDArray[np.int32]
    end: NDArray[np.int32]
    low: Levels
    high: Levels


def linear_thresholds(scores: NDArray[Any]) -> NDArray[np.float64]:
    """100 thresholds from the lowest to the highest score, which predict `score > threshold`.

    They are computed in float64 and then rounded to the type of the scores when that is a narrower
    float, as NumPy 1 does in a comparison; published TSB-AD numbers were made that way.

    >>> linear_thresholds(np.array([0.0, 99.0]))[:3].tolist()
    [0.0, 1.0, 2.0]
    """
    with np.errstate(under="ignore"):  # a caller may have asked NumPy to raise
        thresholds = np.linspace(np.float64(scores.min()), np.float64(scores.max()), LINEAR_THRESHOLDS)
        if scores.dtype.kind == "f":
            thresholds = thresholds.astype(scores.dtype).astype(np.float64)
    return thresholds


def threshold_levels(scores: NDArray[np.float64], thresholds: NDArray[np.float64]) -> Levels:
    """Per score the number of thresholds below it: threshold m predicts the point iff level > m."""
    levels: Levels = _levels(scores, thresholds)
    return levels


def predicted_runs(levels: Levels) -> Runs:
    """Every maximal run of points above every threshold, at most one row a point.

    >>> runs = predicted_runs(np.array([0, 2, 1, 0], np.int8))
    >>> [tuple(int(value) for value in row) for row in zip(*runs)]
    [(1, 1, 1, 2), (1, 2, 0, 1)]
    """
    return Runs(*_runs(levels))


def unpredicted_runs(levels: Levels) -> Runs:
    """Every maximal run of points at or below every threshold."""
    start, end, low, high = _runs((LINEAR_THRESHOLDS - levels).astype(np.int8))
    return Runs(start, end, LINEAR_THRESHOLDS - high, LINEAR_THRESHOLDS - low)


@Kernel
def _levels(scores, thresholds):  # type: ignore[no-untyped-def]
    """Guess the level by division, then let the comparison with the thresholds decide."""
    levels = np.empty(scores.size, np.int8)
    lowest, count = thresholds[0], thresholds.size
    spread = thresholds[count - 1] - lowest
    scale = (count - 1) / spread if spread > 0 else 0.0
    if not np.isfinite(scale):  # subnormal scores: walk from the lowest threshold
        scale = 0.0
    for point in range(scores.size):
        score = scores[point]
        guess = int((score - lowest) * scale)
        level = min(max(guess, 0), count)
        while level < count and thresholds[level] < score:
            level += 1
        while level > 0 and not thresholds[level - 1] < score:
            level -= 1
        levels[point] = level
    return levels


@Kernel
def _runs(levels):  # type: ignore[no-untyped-def]
    """A stack of open runs: a rise opens one, a fall closes those it undercuts."""
    start, end = np.empty(levels.size, np.int32), np.empty(levels.size, np.int32)
    low, high = np.empty(levels.size, np.int8), np.empty(levels.size, np.int8)
    open_start = np.empty(LINEAR_THRESHOLDS + 1, np.int32)
    open_top = np.zeros(LINEAR_THRESHOLDS + 2, np.int8)  # open run k spans thresholds top[k-1]..top[k]
    depth = rows = 0
    for point in range(levels.size + 1):
        level = levels[point] if point < levels.size else np.int8(0)
        oldest = point
        while open_top[depth] > level:
            bottom = max(open_top[depth - 1], level)
            oldest = open_start[depth]
            start[rows], end[rows] = oldest, point - 1
            low[rows], high[rows] = bottom, open_top[depth]
            rows += 1
            depth -= 1
        if level > open_top[depth]:
            depth += 1
            open_start[depth] = oldest
            open_top[depth] = level
    return start[:rows], end[:rows], low[:rows], high[:rows]
