"""What the measures need of the labels alone: runs, and the unlabelled points near them."""

from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.inputs import MetricInputError, label_array
from paiad.metrics.kernel import Kernel

Integers = NDArray[np.int64]


class Buffer(NamedTuple):
    """Unlabelled points within `reach` of a run, in order of position.

    A buffer of half-width h takes in a point once h >= `enter`, with the weight of `distance`;
    from h >= `full` on a second run reaches it too, and its weight is 1.
    """

    reach: int
    right_lag: int  # 1 when a buffer is one step shorter after a run than before it
    position: Integers
    distance: Integers
    after_run: Integers  # per run: index of the first point behind it
    before_run: Integers  # per run: index of the last point before it
    entering: Integers  # points ordered by `enter`
    entering_end: Integers  # per half-width: where its points end in `entering`
    filling: Integers  # points ordered by `full`
    filling_end: Integers


class LabelContext:
    """Labels prepared once, to evaluate many score arrays against.

    Scores stay as long as the labels given; what lies before `train_end` is cut from both.

    >>> context = LabelContext([0, 1, 1, 0, 0, 1])
    >>> context.starts.tolist(), context.ends.tolist()
    ([1, 5], [2, 5])
    """

    def __init__(self, labels: Any, train_end: int = 0) -> None:
        given = label_array(labels)
        if not isinstance(train_end, int | np.integer) or not 0 <= train_end < given.size:
            raise MetricInputError(
                f"train_end must be a position in the series (0..{given.size - 1}), got {train_end!r}"
            )
        self.given_length = given.size
        self.train_end = int(train_end)
        self.labels = given[train_end:]
        self._buffers: dict[tuple[int, int], Buffer] = {}
        edges = np.flatnonzero(np.diff(self.labels, prepend=False, append=False))
        self.starts: Integers = edges[0::2].astype(np.int64)
        self.ends: Integers = edges[1::2].astype(np.int64) - 1

    @property
    def scope(self) -> Literal["full", "test"]:
        return "test" if self.train_end else "full"

    @property
    def length(self) -> int:
        return self.labels.size

    @cached_property
    def anomalous(self) -> int:
        """Number of points labelled 1."""
        return int((self.ends - self.starts + 1).sum())

    @cached_property
    def labelled_before(self) -> Integers:
        """Per position 0..n, the number of points before it labelled 1."""
        return np.concatenate(([0], np.cumsum(self.labels)))

    @cached_property
    def started_before(self) -> Integers:
        """Per position 0..n, the number of runs that start before it."""
        steps = np.zeros(self.length + 1, np.int64)
        steps[self.starts + 1] = 1
        return np.cumsum(steps)

    @cached_property
    def ended_before(self) -> Integers:
        """Per position 0..n, the number of runs that end before it."""
        steps = np.zeros(self.length + 1, np.int64)
        steps[self.ends + 1] = 1
        return np.cumsum(steps)

    def buffer(self, reach: int, right_lag: int = 0) -> Buffer:
        """Points within `reach` of a run (computed once per reach)."""
        key = (reach, right_lag)
        if key not in self._buffers:
            self._buffers[key] = _buffer(self.starts, self.ends, self.length, reach, right_lag)
        return self._buffers[key]


def _buffer(starts: Integers, ends: Integers, length: int, reach: int, right_lag: int) -> Buffer:
    nearest = _nearest_runs(starts, ends, length, reach, right_lag)
    position, distance, enter, full, after_run, before_run = nearest
    entering, entering_end = _ordered(enter, reach)
    filling, filling_end = _ordered(full, reach)
    return Buffer(
        reach,
        right_lag,
        position,
        distance,
        after_run,
        before_run,
        entering,
        entering_end,
        filling,
        filling_end,
    )


@Kernel
def _nearest_runs(starts, ends, length, reach, right_lag):  # type: ignore[no-untyped-def]
    """Walk the gaps between runs; two runs left and two right hold the two nearest."""
    runs = starts.size
    room = 0
    for gap in range(runs + 1):
        first = ends[gap - 1] + 1 if gap > 0 else 0
        last = starts[gap] - 1 if gap < runs else length - 1
        sides = (1 if gap > 0 else 0) + (1 if gap < runs else 0)
        room += min(last - first + 1, sides * reach)
    position = np.empty(room, np.int64)
    distance = np.empty(room, np.int64)
    enter = np.empty(room, np.int64)
    full = np.empty(room, np.int64)
    after_run = np.empty(runs, np.int64)
    before_run = np.empty(runs, np.int64)
    far = 4 * (length + reach + 2)
    kept = 0
    for gap in range(runs + 1):
        first = ends[gap - 1] + 1 if gap > 0 else 0
        last = starts[gap] - 1 if gap < runs else length - 1
        if gap > 0:
            after_run[gap - 1] = kept
        point = first
        while point <= last:
            left = point - ends[gap - 1] if gap > 0 else far
            right = starts[gap] - point if gap < runs else far
            if left > reach and right > reach:
                if gap == runs:
                    break
                point = starts[gap] - reach
                continue
            second_left = point - ends[gap - 2] if gap > 1 else far
            second_right = starts[gap + 1] - point if gap + 1 < runs else far
            position[kept] = point
            if left + right_lag <= right:
                distance[kept] = left
                enter[kept] = left + right_lag
                full[kept] = min(right, second_left + right_lag)
            else:
                distance[kept] = right
                enter[kept] = right
                full[kept] = min(left + right_lag, second_right)
            kept += 1
            point += 1
        if gap < runs:
            before_run[gap] = kept - 1
    return position[:kept], distance[:kept], enter[:kept], full[:kept], after_run, before_run


@Kernel
def _ordered(step, last_step):  # type: ignore[no-untyped-def]
    """Counting sort of the points by `step`; those beyond `last_step` are left out."""
    ends = np.zeros(last_step + 1, np.int64)
    for value in step:
        if value <= last_step:
            ends[value] += 1
    total = 0
    for value in range(last_step + 1):
        count = ends[value]
        ends[value] = total
        total += count
    order = np.empty(total, np.int64)
    for point in range(step.size):
        value = step[point]
        if value <= last_step:
            order[ends[value]] = point
            ends[value] += 1
    return order, ends
