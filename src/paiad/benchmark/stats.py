"""Means over the series that have a value, and over how many that is."""

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
