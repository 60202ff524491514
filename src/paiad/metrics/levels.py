"""The 100 linear thresholds of TSB-AD, all at once: how many of them each score exceeds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.kernel import Kernel

LINEAR_THRESHOLDS = 100


def linear_thresholds(scores: NDArray[Any]) -> NDArray[np.float64]:
    """100 thresholds from the lowest to the highest score, which predict `score > threshold`.

    They are computed in float64 and then rounded to the type of the scores when that is a narrower
    float, as NumPy 1 does in a comparison; published TSB-AD numbers were made that way.

    >>> linear_thresholds(np.array([0.0, 99.0]))[:3].tolist()
    [0.0, 1.0, 2.0]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        thresholds = np.linspace(np.float64(scores.min()), np.float64(scores.max()), LINEAR_THRESHOLDS)
    if scores.dtype.kind == "f":
        thresholds = thresholds.astype(scores.dtype).astype(np.float64)
    return thresholds


def threshold_levels(scores: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Per score the number of thresholds below it: threshold m predicts the point iff level > m."""
    levels: NDArray[np.int64] = _levels(scores, thresholds)
    return levels


@Kernel
def _levels(scores, thresholds):  # type: ignore[no-untyped-def]
    """Guess the level by division, then let the comparison with the thresholds decide."""
    levels = np.empty(scores.size, np.int64)
    lowest, count = thresholds[0], thresholds.size
    spread = thresholds[count - 1] - lowest
    scale = (count - 1) / spread if spread > 0 and np.isfinite(spread) else 0.0
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
