"""What is known of each row's value, as one small code a row.

A row has one flag: of two that apply, the one with the higher code is kept.
"""

import numpy as np

from paiad.shapes import Quality

OK = 0
"""The value as it was given."""
WARMING_UP = 1
"""Too early in a stream to be judged in full."""
CONSTANT = 2
"""The whole series is one value: there is nothing to compare it with, so it has no score."""
GAP = 3
"""The first row after a hole in time."""
DUPLICATE = 4
"""Shares its time with other rows; they were averaged into one step, and have its score."""
FILLED = 5
"""The value was missing or infinite; scored on a filled-in value, or not at all in a long run of them."""

NAMES = ("ok", "warming_up", "constant", "gap", "duplicate", "filled")
"""Name of each code, by code."""


def names(quality: Quality) -> np.ndarray:
    """The flags in words.

    >>> names(np.array([OK, FILLED, GAP], dtype=np.uint8)).tolist()
    ['ok', 'filled', 'gap']
    """
    return np.array(NAMES, dtype=object)[quality]


def combine(first: Quality, second: Quality) -> Quality:
    """One flag a row out of two.

    >>> names(combine(np.array([OK, GAP], dtype=np.uint8), np.array([WARMING_UP] * 2, dtype=np.uint8))).tolist()
    ['warming_up', 'gap']
    """
    return np.maximum(first, second)


def counts(quality: Quality) -> dict[str, int]:
    """How many rows carry each flag, for the flags that occur.

    >>> counts(np.array([OK, FILLED, OK], dtype=np.uint8))
    {'ok': 2, 'filled': 1}
    """
    found = np.bincount(quality, minlength=len(NAMES))
    return {name: int(count) for name, count in zip(NAMES, found, strict=True) if count}
