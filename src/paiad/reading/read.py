"""Reading, from whatever holds rows to series that can be scored."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from paiad.errors import InputError
from paiad.missing import Missing, check_policy
from paiad.moment import moment_text
from paiad.reading.files import open_file
from paiad.reading.frames import frame_source
from paiad.reading.labels import labels_of
from paiad.reading.notes import Note, gathered
from paiad.reading.placing import Candidate, place
from paiad.reading.roles import Roles, assign
from paiad.reading.source import Source
from paiad.reading.table import Placed, Table
from paiad.reading.timeline import Timeline, timed, untimed
from paiad.reading.timestamps import IN_UTC, times_of_numbers
from paiad.reading.train_part import Until
from paiad.series import Series
from paiad.shapes import Times


def read(
    source: Any,
    *,
    values: str | Sequence[str] | None = None,
    time: str | None = None,
    series_id: str | None = None,
    labels: str | None = None,
    missing: Missing = "interpolate",
    train_until: Until | None = None,
) -> Table:
    """Read a file ("-" for the standard input), a data frame, an array or a list into series.

    Every column of numbers is a series, or those named in `values`; with `series_id`, every value of that column
    is one. What is not said is found out and told in the notes of the table.

    >>> table = read(np.array([1.0, 2.0, np.nan, 4.0]))
    >>> table.series[0].values
    array([1., 2., 3., 4.])
    >>> table.with_columns({"value": {"score": np.array([0.1, 0.2, 0.3, 0.4])}})["quality"].tolist()
    ['ok', 'ok', 'filled', 'ok']
    """
    check_policy(missing)
    rows = open_file(source) if isinstance(source, str | os.PathLike) else frame_source(source)
    if not rows.rows:
        raise InputError(
            f"{rows.name}: there is a header but no rows; at least two rows of numbers are needed"
        )
    values = [values] if isinstance(values, str) else values
    roles, notes = assign(rows, values, time, series_id, labels)
    moments, told = _moments(rows, roles)
    notes += told
    row_labels, told = labels_of(rows, roles.labels, asked=labels is not None)
    notes += told
    series: list[Series] = []
    placed: list[Placed] = []
    for candidate in _candidates(rows, roles, moments, notes):
        found, where, told = place(candidate, rows, row_labels, missing, train_until)
        notes += told
        placed.append(where)
        series += [found] if found is not None else []
    if not series:
        raise InputError(_why_none(rows, placed, notes))
    return Table(os.path.basename(rows.name), tuple(series), gathered(notes), rows, tuple(placed))


def _moments(rows: Source, roles: Roles) -> tuple[Times | None, list[Note]]:
    """Time of every row; a row without one cannot be put in order and is refused."""
    if roles.time is None:
        return None, []
    if rows.column(roles.time).kind == "number":
        moments, how = times_of_numbers(rows.exact(roles.time))
    else:
        moments, how = rows.times(roles.time)
    unknown = np.isnat(moments) if moments.dtype.kind == "M" else np.isnan(moments.astype(np.float64))
    if unknown.any():
        row = int(unknown.argmax())
        raise InputError(
            f"{rows.place(row)}, column {roles.time!r}: the time is missing"
            f" ({unknown.sum()} such rows); fill it, drop the rows, or choose another time column"
        )
    return moments, _about_time(moments, roles.time, how)


def _about_time(moments: Times, name: str, how: str) -> list[Note]:
    notes = (
        [Note("time", f"{name!r} read as {how}" if how != IN_UTC else f"{name!r} taken in UTC")]
        if how
        else []
    )
    if moments.dtype.kind == "M":
        ahead = int((moments > np.datetime64("now", "ns")).sum())
        if ahead:
            lie = "row lies" if ahead == 1 else "rows lie"
            notes.append(
                Note("time", f"{ahead} {lie} in the future, up to {moment_text(moments.max())}", ahead)
            )
    return notes


def _candidates(rows: Source, roles: Roles, moments: Times | None, notes: list[Note]) -> Iterator[Candidate]:
    """Every series there may be, each with its timeline."""
    groups = _groups(rows, roles.series_id)
    columns = rows.numbers(roles.values)
    many_columns = len(roles.values) > 1
    for series_id, members in groups:
        where = rows.name if series_id is None else f"{rows.name}, series {series_id!r}"
        timeline, told = _timeline(members, moments, where)
        notes += [Note(n.kind, n.text, n.count, series_id) for n in told]
        for column in roles.values:
            name = column if series_id is None else f"{series_id}/{column}" if many_columns else series_id
            yield Candidate(name, column, f"{column}_" if many_columns else "", timeline, columns[column])


def _groups(rows: Source, series_id: str | None) -> list[tuple[str | None, np.ndarray]]:
    everything = np.arange(rows.rows)
    if series_id is None:
        return [(None, everything)]
    names = rows.texts(series_id)
    if any(name is None for name in names):
        row = next(row for row, name in enumerate(names) if name is None)
        raise InputError(
            f"{rows.place(row)}, column {series_id!r}: the name of the series is missing; fill it"
        )
    distinct, group = np.unique(names.astype(str), return_inverse=True)
    order = np.argsort(group, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(group))[:-1])
    return [(str(name), part) for name, part in zip(distinct, parts, strict=True)]


def _timeline(members: np.ndarray, moments: Times | None, where: str) -> tuple[Timeline, list[Note]]:
    if moments is None:
        return untimed(members), []
    return timed(members, moments[members], where)


def _why_none(rows: Source, placed: Sequence[Placed], notes: Sequence[Note]) -> str:
    left_out = [note for note in notes if note.kind in ("dropped", "constant") and note.series]
    if len(placed) == 1:
        return f"{rows.name}, column {left_out[0].series!r}: {left_out[0].text}"
    return f"{rows.name}: none of the {len(placed)} series can be scored; the first, {left_out[0]}"
