"""A series cut into windows that do not overlap, and back: what window models score one window at a time."""

import numpy as np

from paiad.shapes import Patches, Scores, Values


def blocks(values: Values, width: int) -> Patches:
    """Non-overlapping windows [windows, width]; the last one is filled up with its last value.

    >>> blocks(np.array([1.0, 2.0, 3.0]), 2)
    array([[1., 2.],
           [3., 3.]])
    """
    missing = -len(values) % width
    return np.pad(np.asarray(values, dtype=np.float64), (0, missing), mode="edge").reshape(-1, width)


def unblocked(steps: np.ndarray, length: int) -> Scores:
    """What was found for each step of each window, [windows, width, ...], as [length, ...]."""
    return steps.reshape(-1, *steps.shape[2:])[:length]
