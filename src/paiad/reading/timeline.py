"""From rows to steps: in time order, rows of the same time made one, holes in time marked."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from paiad import quality
from paiad.errors import InputError
from paiad.reading.notes import Note
from paiad.shapes import Labels, Quality, Times, Values

Rows = Int[np.ndarray, " rows"]

_ALIKE = 0.1
"""Two spacings are alike when they differ by less than this share of the median one."""
_REGULAR = 0.8
"""A series is regular when this share of its spacings is alike."""
_HOLE = 1.5
_HOLE_IRREGULAR = 5.0
"""A spacing of more than this many median ones is a gap, in a regular and in an irregular series."""

_STACKED = "if several series are stacked, name the column that tells them apart (--id, series_id)"


@dataclass(frozen=True)
class Timeline:
    """How the rows of one series become its steps."""

    rows: Rows
    """Rows of the source that belong to the series, in time order."""
    step: Rows
    """For each of these rows, the step that it became part of."""
    time: Times | None
    """Time of each step."""
    quality: Quality
    """Of each step: ok, duplicate or gap."""

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.quality)

    @property
    def at(self) -> Values:
        """Where each step lies, as a number: its time, or its place when there is no time."""
        if self.time is None or not self.steps:
            return np.arange(self.steps, dtype=np.float64)
        return (self.time - self.time[0]).astype(np.float64)

    def of_steps(self, column: Values) -> Values:
        """A column of the source, one value a step: the mean of its finite values, NaN where it has none.

        A lone value is passed on as it is, infinite or not.
        """
        cells = column[self.rows]
        if self.steps == len(self.rows):
            return cells
        known = np.isfinite(cells)
        counts = np.bincount(self.step, weights=known, minlength=self.steps)
        sums = np.bincount(self.step, weights=np.where(known, cells, 0.0), minlength=self.steps)
        return np.divide(sums, counts, out=np.full(self.steps, np.nan), where=counts > 0)

    def labels_of_steps(self, labels: Labels) -> Labels:
        """One label a step: 1 if any of its rows is labelled."""
        found = np.zeros(self.steps, dtype=np.int64)
        np.maximum.at(found, self.step, labels[self.rows])
        return found


def untimed(rows: Rows) -> Timeline:
    """Rows as they come, each a step."""
    return Timeline(rows, np.arange(len(rows)), None, np.full(len(rows), quality.OK, dtype=np.uint8))


def timed(rows: Rows, times: Times, where: str) -> tuple[Timeline, list[Note]]:
    """Rows put in the order of their times, which are those of `rows` alone."""
    notes = []
    order = np.argsort(times, kind="stable")
    if not (order[1:] > order[:-1]).all():
        late = int((times[1:] < times[:-1]).sum())
        notes.append(
            Note("order", f"rows were not in time order ({late} went back in time); sorted for scoring", late)
        )
    ordered = times[order]
    begins = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    step = np.cumsum(begins) - 1
    moments = ordered[begins]
    flags = np.full(len(moments), quality.OK, dtype=np.uint8)
    _check_coarse(len(moments), len(rows), where)
    notes += _mark_gaps(moments, flags)
    notes += _mark_duplicates(step, flags)
    return Timeline(rows[order], step, moments, flags), notes


def _check_coarse(steps: int, rows: int, where: str) -> None:
    if steps < rows / 2:
        raise InputError(
            f"{where}: {rows} rows have only {steps} different times; {_STACKED}, or choose another time column"
        )


def _mark_gaps(moments: Times, flags: Quality) -> list[Note]:
    if len(moments) < 3:
        return []
    spacing = np.diff(moments).astype(np.float64)
    usual = float(np.median(spacing))
    alike = np.abs(spacing - usual) <= _ALIKE * usual
    regular = bool(alike.mean() >= _REGULAR)
    gaps = spacing > usual * (_HOLE if regular else _HOLE_IRREGULAR)
    flags[1:][gaps] = quality.GAP
    unit = _duration(usual) if moments.dtype.kind == "M" else f"{usual:g}"
    notes = [
        Note(
            "time",
            f"one step every {unit}"
            + ("" if regular else f" in the middle, but irregular: {1 - alike.mean():.0%} differ"),
        )
    ]
    if gaps.any():
        widest = spacing.max() / usual
        notes.append(
            Note("gap", f"{_gaps(int(gaps.sum()))} in time, the widest {widest:.1f} steps", int(gaps.sum()))
        )
    return notes


def _gaps(count: int) -> str:
    return f"{count} gap{'' if count == 1 else 's'}"


def _mark_duplicates(step: Rows, flags: Quality) -> list[Note]:
    repeated = np.bincount(step, minlength=len(flags)) > 1
    flags[repeated] = quality.DUPLICATE
    if not repeated.any():
        return []
    rows = int(repeated[step].sum())
    steps = int(repeated.sum())
    text = f"{rows} rows share their time with others; averaged into {steps} step{'' if steps == 1 else 's'}"
    text += f" ({_STACKED})" if repeated.all() else ""
    return [Note("duplicate", text, rows)]


def _duration(nanoseconds: float) -> str:
    """A time span in the largest unit that fits it.

    >>> _duration(300e9), _duration(0.5e9)
    ('5 min', '500 ms')
    """
    units = ((86_400e9, "d"), (3_600e9, "h"), (60e9, "min"), (1e9, "s"), (1e6, "ms"), (1e3, "us"))
    size, unit = next(((s, u) for s, u in units if nanoseconds >= s), (1.0, "ns"))
    return f"{nanoseconds / size:g} {unit}"
