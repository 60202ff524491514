"""Ranks and rank correlation; needs NumPy alone, as the measures and their error bars do."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs.

    >>> average_ranks(np.array([3.0, 1.0, 3.0]))
    array([2.5, 1. , 2.5])
    """
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2.0)[place])


def spearman(first: Floats, second: Floats) -> float:
    """Spearman's rank correlation; NaN when either is constant.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([10.0, 100.0, 1000.0]))
    1.0
    """
    a, b = average_ranks(first), average_ranks(second)
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b / norm) if norm > 0 else float("nan")


def auc_roc(positive: Floats, negative: Floats) -> float:
    """Chance that a positive scores above a negative one; ties count half.

    >>> auc_roc(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.875
    """
    ranks = average_ranks(np.concatenate((positive, negative)))
    above = ranks[: len(positive)].sum() - len(positive) * (len(positive) + 1) / 2
    return float(above / (len(positive) * len(negative)))
