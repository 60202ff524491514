"""The mean of a sliding window over a stream: a running sum, a constant amount of work and memory a value."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numba import njit

from paiad.amplitude import added
from paiad.shapes import Scores, Values


@dataclass
class RunningMean:
    """Mean over the window from `before` steps back to `after` steps ahead, cut at the start of the stream.

    The sums are added in the order, and with the correction for rounding, of `amplitude.mean_shift`: the
    means are the same to the last bit.

    >>> mean = RunningMean(before=1, after=1)
    >>> mean.push(np.array([0.0, 0.0, 6.0])), mean.tail()
    (array([0., 2.]), array([3.]))
    """

    before: int
    after: int

    def __post_init__(self) -> None:
        self.ring = np.zeros(self.before + self.after + 2)
        self.sums = np.zeros(2)  # the running sum, and what rounding has taken from it
        self.seen = np.zeros(1, dtype=np.int64)

    def push(self, values: Values) -> Scores:
        """The means that have become final with these values."""
        return np.asarray(_advance(values, self.ring, self.sums, self.seen, self.before, self.after))

    def tail(self) -> Scores:
        """The means of the steps that are not final yet, over what has come so far."""
        return np.asarray(_unfinished(self.ring, self.sums, self.seen[0], self.before, self.after))

    def state(self) -> Mapping[str, np.ndarray]:
        """All that is remembered, as named arrays."""
        return {"ring": self.ring, "sums": self.sums, "seen": self.seen}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what `state` gave."""
        if (
            state["ring"].shape != self.ring.shape
            or state["sums"].shape != (2,)
            or state["seen"].shape != (1,)
        ):
            raise ValueError("its parts do not fit together")
        self.ring, self.sums, self.seen = (state[name].copy() for name in ("ring", "sums", "seen"))


@njit(cache=True, nogil=True)
def _advance(values, ring, sums, seen, before, after):  # type: ignore[no-untyped-def]
    size = len(ring)
    count = seen[0]
    settled_before, settled = max(0, count - after), max(0, count + len(values) - after)
    out = np.empty(settled - settled_before)
    total, lost = sums
    for value in values:
        ring[count % size] = value
        total, lost = added(total, lost, value)
        step = count - after
        if step >= 0:
            if step > before:
                total, lost = added(total, lost, -ring[(step - before - 1) % size])
            out[step - settled_before] = (total + lost) / (count + 1 - max(0, step - before))
        count += 1
    sums[0], sums[1] = total, lost
    seen[0] = count
    return out


@njit(cache=True, nogil=True)
def _unfinished(ring, sums, count, before, after):  # type: ignore[no-untyped-def]
    size = len(ring)
    first = max(0, count - after)
    out = np.empty(count - first)
    total, lost = sums
    for step in range(first, count):
        if step > before:
            total, lost = added(total, lost, -ring[(step - before - 1) % size])
        out[step - first] = (total + lost) / (count - max(0, step - before))
    return out
