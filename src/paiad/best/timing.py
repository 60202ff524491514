"""From patch distances to steps: when a patch speaks, and which of its steps it speaks of."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from paiad.amplitude import Window
from paiad.contracts import Reach
from paiad.shapes import Distances, Scores


@dataclass(frozen=True)
class Timing:
    """Which patches a step hears: all that cover it (symmetric), or the one that ends with it (trailing).

    Hearing only the newest was better than a mean of the last ones, whatever their number.
    """

    width: int
    window: Window = "symmetric"

    def spread(self, distances: Distances, surprise: Scores) -> Scores:
        """The mean distance of the patches a step hears, each shared among its steps in proportion to `surprise`.

        A patch that is far from normal because of one step says little about its others: with equal surprise
        every step gets the patch's whole distance, otherwise more than average ones more and the others less.
        NaN where no patch is heard.

        >>> Timing(2).spread(np.array([1.0, 3.0]), np.ones(3)).tolist()
        [1.0, 2.0, 3.0]
        >>> Timing(2).spread(np.array([1.0, 3.0]), np.array([1.0, 1.0, 2.0])).tolist()
        [1.0, 1.5, 4.0]
        """
        if len(distances) == 0:
            return np.full(len(surprise), np.nan)
        surprise = np.ascontiguousarray(surprise, dtype=np.float64)
        distances = np.ascontiguousarray(distances, dtype=np.float64)
        nearest = 0 if self.window == "symmetric" else self.width - 1
        return np.asarray(_spread(distances, surprise, self.width, nearest))

    @property
    def reach(self) -> Reach:
        """Which neighbours a step's value depends on, given the surprise of each."""
        return Reach(self.width - 1, self.width - 1 if self.window == "symmetric" else 0)


@njit(cache=True, nogil=True)
def _spread(distances, surprise, width, nearest):  # type: ignore[no-untyped-def]
    """Step t hears the patches that start between t - width + 1 and t - nearest."""
    # Sums of their own, not running ones: one enormous distance must not cost its neighbours their digits.
    steps, patches = len(surprise), len(distances)
    shared = np.empty(patches)
    for patch in range(patches):
        total = 0.0
        for offset in range(width):
            total += surprise[patch + offset]
        shared[patch] = distances[patch] * width / total
    out = np.full(steps, np.nan)
    for step in range(steps):
        first, last = max(0, step - width + 1), min(patches - 1, step - nearest)
        if last >= first:
            total = 0.0
            for patch in range(first, last + 1):
                total += shared[patch]
            out[step] = total / (last - first + 1) * surprise[step]
    return out
