"""From patch distances to steps: when a patch speaks, and which of its steps it speaks of."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from paiad.amplitude import Window
from paiad.contracts import Reach
from paiad.shapes import Distances, Scores

PIECE = 2_048  # steps put together at once: what they need stays in the first-level caches


@dataclass(frozen=True)
class Timing:
    """Which patches a step hears: all that cover it (symmetric), or the one that ends with it (trailing).

    Hearing only the newest was better than a mean of the last ones, whatever their number.
    """

    width: int
    window: Window = "symmetric"

    def spread(self, distances: Distances, surprise: Scores, steps: slice | None = None) -> Scores:
        """The mean distance of the patches a step hears, each shared among its steps in proportion to `surprise`.

        A patch that is far from normal because of one step says little about its others: with equal surprise
        every step gets the patch's whole distance, otherwise more than average ones more and the others less.
        NaN where no patch is heard. With `steps`, at these alone.

        >>> Timing(2).spread(np.array([1.0, 3.0]), np.ones(3)).tolist()
        [1.0, 2.0, 3.0]
        >>> Timing(2).spread(np.array([1.0, 3.0]), np.array([1.0, 1.0, 2.0])).tolist()
        [1.0, 1.5, 4.0]
        """
        begin, end = (0, len(surprise)) if steps is None else (steps.start, steps.stop)
        surprise = np.ascontiguousarray(surprise, dtype=np.float64)
        distances = np.ascontiguousarray(distances, dtype=np.float64)
        nearest = 0 if self.window == "symmetric" else self.width - 1
        return np.asarray(_spread(distances, surprise, self.width, nearest, begin, end))

    @property
    def reach(self) -> Reach:
        """Which neighbours a step's value depends on, given the surprise of each."""
        return Reach(self.width - 1, self.width - 1 if self.window == "symmetric" else 0)


@njit(cache=True, nogil=True)
def _spread(distances, surprise, width, nearest, begin, end):  # type: ignore[no-untyped-def]
    out = np.zeros(end - begin)
    for first in range(begin, end, PIECE):
        last = min(end, first + PIECE)
        _spread_piece(out[first - begin : last - begin], distances, surprise, width, nearest, first)
    return out


@njit(cache=True, nogil=True)
def _spread_piece(out, distances, surprise, width, nearest, begin):  # type: ignore[no-untyped-def]
    """Steps from `begin` on; step t hears the patches that start between t - width + 1 and t - nearest."""
    # Sums of their own, not running ones: one enormous distance must not cost its neighbours their digits. All
    # patches take in their next step together, then all steps their next patch: loops that fill vector registers.
    end = begin + len(out)
    first, last = max(0, begin - width + 1), min(len(distances), end - nearest)
    shared = np.zeros(max(0, last - first))
    for offset in range(width):
        _add(shared, surprise[first + offset : last + offset])
    for patch in range(len(shared)):
        shared[patch] = distances[first + patch] * width / shared[patch]
    for offset in range(width - 1, nearest - 1, -1):
        start, stop = max(begin, first + offset), min(end, last + offset)
        if start < stop:
            _add(out[start - begin : stop - begin], shared[start - offset - first : stop - offset - first])
    for step in range(begin, end):
        heard = min(last - 1, step - nearest) - max(first, step - width + 1) + 1
        out[step - begin] = out[step - begin] / heard * surprise[step] if heard > 0 else np.nan


@njit(cache=True, nogil=True, inline="always")
def _add(totals, parts):  # type: ignore[no-untyped-def]
    for place in range(len(totals)):
        totals[place] += parts[place]
