"""Means over series that say over how many, and rank correlation."""

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def mean(values: Values) -> float | None:
    """Mean over the series that have a value; None when none has.

    >>> mean(np.array([1.0, np.nan, 3.0]))
    2.0
    """
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else None


def count(values: Values) -> int:
    """How many series have a value."""
    return int(np.isfinite(values).sum())


def common(*several: Values) -> NDArray[np.bool_]:
    """Series on which all have a value."""
    return np.asarray(np.isfinite(np.stack(several)).all(axis=0))


def spearman(first: Values, second: Values) -> float:
    """Spearman's rank correlation, tied values sharing their mean rank; NaN when either is constant.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0]))
    0.5
    """
    one, other = ranks(first), ranks(second)
    one, other = one - one.mean(), other - other.mean()
    scale = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / scale if scale > 0 else float("nan")


def ranks(values: Values) -> Values:
    """Ranks from 1, lowest first; tied values share the mean of their ranks.

    >>> ranks(np.array([5.0, 1.0, 5.0]))
    array([2.5, 1. , 2.5])
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2.0)[place], dtype=np.float64)
