"""From one score a window to one score a step: which step of its window a score belongs to."""

from typing import Literal

import numpy as np

from paiad.shapes import Distances, Scores

Placement = Literal["last", "next", "centre", "first known"]


def centred(scores: Distances, width: int, length: int) -> Scores:
    """Each window's score at its middle; both ends repeat the nearest.

    >>> centred(np.array([1.0, 2.0]), width=4, length=5)
    array([1., 1., 1., 2., 2.])
    """
    before = width // 2
    return np.pad(np.asarray(scores, dtype=np.float64), (before, length - len(scores) - before), mode="edge")
