"""How patches are brought to a common size without blowing up the noise of flat ones."""

import numpy as np
from numba import njit

from paiad.shapes import Values

FLOOR = 1.0  # in standard deviations of the training part


def patch_gains(scaled: Values, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean of every patch, and the factor 1 / √(variance + FLOOR²) that is put on what deviates from it.

    `scaled` has training mean 0 and standard deviation 1. A wild patch is shrunk to about the common size; a
    flat one keeps its smallness instead of having its noise magnified. So both shape and amplitude stay visible.

    >>> mean, gain = patch_gains(np.array([0.0, 0.0, 8.0]), 2)
    >>> mean.tolist(), [round(float(g), 3) for g in gain]
    ([0.0, 4.0], [1.0, 0.243])
    """
    means, gains = _patch_gains(np.ascontiguousarray(scaled, dtype=np.float64), width, FLOOR**2)
    return means, gains


@njit(cache=True, nogil=True)
def _patch_gains(values, width, floor):  # type: ignore[no-untyped-def]
    # Sums of each patch on its own, not running ones: the same bits wherever a series is cut.
    count = len(values) - width + 1
    means, gains = np.empty(count), np.empty(count)
    for patch in range(count):
        total = 0.0
        for offset in range(width):
            total += values[patch + offset]
        mean = total / width
        squares = 0.0
        for offset in range(width):
            squares += (values[patch + offset] - mean) ** 2
        means[patch] = mean
        gains[patch] = 1.0 / np.sqrt(squares / width + floor)
    return means, gains
