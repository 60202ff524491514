"""Conformal p-values: how unusual a score is among the training scores, whatever their law is."""

import math

import numpy as np

from paiad.shapes import Scores


def p_values(scores: Scores, ordered_normal: Scores) -> Scores:
    """The share of normal scores at least as high, the new one counted in; low is anomalous.

    If a new score is exchangeable with the normal ones, its p-value is at most `a` with probability at most
    `a`. No p-value is below 1 / (n + 1): n normal scores cannot show more.

    >>> p_values(np.array([0.0, 2.5, 9.0]), np.array([1.0, 2.0, 3.0]))
    array([1.  , 0.5 , 0.25])
    """
    at_least = len(ordered_normal) - np.searchsorted(ordered_normal, scores, side="left")
    return np.asarray((1.0 + at_least) / (len(ordered_normal) + 1.0))


def rank_for(level: float, count: int) -> int:
    """Which of `count` normal scores, the highest being 1, a score must exceed for a p-value of at most `level`;
    0 when there are too few to show it.

    >>> rank_for(0.05, 19), rank_for(0.05, 18), rank_for(0.05, 100)
    (1, 0, 5)
    """
    return math.floor(level * (count + 1) + 1e-9)
