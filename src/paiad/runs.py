"""Runs of a mask: where they begin and end, how close ones merge, and how many there are at every threshold."""

import numpy as np
from jaxtyping import Bool, Int
from numba import njit

from paiad.shapes import Scores

Mask = Bool[np.ndarray, " time"]
Runs = Int[np.ndarray, "runs 2"]
"""First and last step of each run, both included, in order of time."""


def runs_of(mask: Mask, merge_gap: int = 0, least_length: int = 1) -> Runs:
    """Runs of True; those with at most `merge_gap` steps between them become one, and what is then still
    shorter than `least_length` is dropped.

    >>> runs_of(np.array([1, 1, 0, 1, 0, 0, 0, 1], dtype=bool), merge_gap=1).tolist()
    [[0, 3], [7, 7]]
    """
    edges = np.flatnonzero(np.diff(np.asarray(mask, dtype=bool), prepend=False, append=False))
    starts, ends = edges[0::2], edges[1::2] - 1
    if not len(starts):
        return np.empty((0, 2), dtype=np.int64)
    apart = starts[1:] - ends[:-1] - 1 > merge_gap
    starts, ends = starts[np.append(True, apart)], ends[np.append(apart, True)]
    long_enough = ends - starts + 1 >= least_length
    return np.stack([starts[long_enough], ends[long_enough]], axis=1)


def mask_of(runs: Runs, length: int) -> Mask:
    """The mask, `length` steps long, that is True inside the runs.

    >>> mask_of(np.array([[1, 2]]), 4).tolist()
    [False, True, True, False]
    """
    mask = np.zeros(length, dtype=bool)
    for first, last in runs:
        mask[first : last + 1] = True
    return mask


def run_counts(scores: Scores, merge_gap: int = 0) -> tuple[Scores, np.ndarray]:
    """For every distinct score, highest first: how many runs reach it (runs of scores >= it, close ones merged).

    >>> levels, counts = run_counts(np.array([3.0, 1.0, 2.0, 2.0]))
    >>> levels.tolist(), counts.tolist()
    ([3.0, 2.0, 1.0], [1, 2, 1])
    """
    order = np.argsort(-scores, kind="stable")
    left, right = _higher_neighbours(order)
    near = merge_gap + 1
    joins_left, joins_right = order - left <= near, right - order <= near
    # A step with a higher one near on both sides joins two runs, unless those were one already.
    merges = joins_left & joins_right & (right - left > near)
    change = np.where(merges, -1, 0) + np.where(joins_left | joins_right, 0, 1)
    counts = np.cumsum(change)
    descending = scores[order]
    last_of_level = np.append(descending[1:] != descending[:-1], True)[: len(descending)]
    return descending[last_of_level], counts[last_of_level]


@njit(cache=True, nogil=True)
def _higher_neighbours(order):  # type: ignore[no-untyped-def]
    """For the steps in falling order of score: the nearest step on each side that stands before it in the order."""
    length = len(order)
    far = 4 * length + 4
    previous, following = np.arange(-1, length - 1), np.arange(1, length + 1)
    left, right = np.empty(length, np.int64), np.empty(length, np.int64)
    # Taking the steps out of a chain from the lowest up leaves each one's higher neighbours beside it.
    for place in range(length - 1, -1, -1):
        step = order[place]
        before, after = previous[step], following[step]
        left[place] = before if before >= 0 else -far
        right[place] = after if after < length else far
        if before >= 0:
            following[before] = after
        if after < length:
            previous[after] = before
    return left, right
