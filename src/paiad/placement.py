"""From errors of windows to one score a step: which step of its window an error belongs to."""

from typing import Literal

import numpy as np

from paiad.contracts import Reach
from paiad.shapes import Distances, Scores

Placement = Literal["next", "last", "last at centre", "mean at centre", "blocks"]
"""next: the error of forecasting the step after the window, at that step.
last: the error of the window's last step, at that step.
last at centre: the same error, at the window's middle and so too early; as in the published tables.
mean at centre: the mean error over the window, at its middle.
blocks: every step's own error, in windows that do not overlap (the last one ends with the series)."""


def centred(scores: Distances, width: int, length: int) -> Scores:
    """Each window's score at its middle; both ends repeat the nearest.

    >>> centred(np.array([1.0, 2.0]), width=4, length=5)
    array([1., 1., 1., 2., 2.])
    """
    before = width // 2
    return np.pad(np.asarray(scores, dtype=np.float64), (before, length - len(scores) - before), mode="edge")


def at_last(scores: Distances, length: int, early: float | None = None) -> Scores:
    """Scores for the last steps of a series; `early`, or the first of them when None, for those before.

    >>> at_last(np.array([1.0, 2.0]), length=4, early=0.5)
    array([0.5, 0.5, 1. , 2. ])
    """
    scores = np.asarray(scores, dtype=np.float64)
    before = np.full(length - len(scores), scores[0] if early is None else early)
    return np.concatenate((before, scores))


def flush_right(errors: np.ndarray, length: int) -> Scores:
    """Errors `[windows, width]` of windows side by side, the last of which ends with the series.

    >>> flush_right(np.array([[1.0, 2.0], [3.0, 4.0], [8.0, 9.0]]), length=5)
    array([1., 2., 3., 4., 9.])
    """
    whole = length // errors.shape[1]
    tail = errors[-1, errors.shape[1] * (whole + 1) - length :] if len(errors) > whole else errors[-1, :0]
    return np.concatenate((errors[:whole].ravel(), tail)).astype(np.float64)


def block_starts(width: int, length: int) -> np.ndarray:
    """Where the windows of `flush_right` begin.

    >>> block_starts(2, 5)
    array([0, 2, 3])
    """
    whole = np.arange(length // width) * width
    return whole if length % width == 0 else np.append(whole, length - width)


def placement_reach(placement: Placement, width: int, known_start: bool = True) -> Reach | None:
    """Which neighbours a placed error depends on.

    A start that repeats the first window's score (`known_start` false) is only known when that window is.
    """
    if placement == "blocks":
        return None
    if placement in ("last at centre", "mean at centre"):
        return Reach(width - 1, width - 1)
    lookback = width if placement == "next" else width - 1
    return Reach(lookback, 0 if known_start else lookback)
