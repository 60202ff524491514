"""Which column is the time, which tells series apart, which are labels, and which are values."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paiad.errors import InputError
from paiad.naming import shown
from paiad.reading.notes import Note
from paiad.reading.source import Column, Source
from paiad.reading.timestamps import looks_like_epoch

TIME_NAMES = ("timestamp", "time", "datetime", "date", "ds", "date_time", "ts", "t", "index", "unnamed: 0")
ID_NAMES = ("unique_id", "series_id", "item_id")
LABEL_NAMES = ("label", "labels", "is_anomaly", "anomaly_label", "is_outlier", "ground_truth", "anomaly")


@dataclass(frozen=True)
class Roles:
    """What each column that is used is used for."""

    time: str | None
    series_id: str | None
    labels: str | None
    values: tuple[str, ...]


def assign(
    source: Source, values: Sequence[str] | None, time: str | None, series_id: str | None, labels: str | None
) -> tuple[Roles, list[Note]]:
    """Roles as asked for; what was not asked for is found by type and name, and told in the notes."""
    for asked in (*(values or ()), time, series_id, labels):
        _check_known(source, asked)
    series_id = series_id or _by_name(source, ID_NAMES, ("text", "number"))
    time = time or _time(source, {series_id, labels, *(values or ())})
    labels = labels or _labels(source, {series_id, time, *(values or ())})
    taken = {time, series_id, labels}
    chosen = (
        tuple(values)
        if values
        else tuple(c.name for c in source.columns if c.kind == "number" and c.name not in taken)
    )
    if not chosen:
        raise InputError(f"{source.name}: no numeric column; {_described(source)}")
    roles = Roles(time, series_id, labels, chosen)
    return roles, [*_notes(source, roles, asked_values=values is not None), *_unread_time(source, roles)]


def find_labels(source: Source, labels: str | None) -> tuple[str | None, str | None]:
    """Time and label column of rows that need hold no values: as asked for, by name, or the only one left.

    A telling name is enough, words under it will do; what they are is seen when they are read.
    """
    _check_known(source, labels)
    time = _time(source, {labels})
    labels = labels or _by_name(source, LABEL_NAMES, ("number", "flag", "text", "empty"))
    left = [column.name for column in source.columns if column.name != time]
    return time, labels or (left[0] if len(left) == 1 else None)


def _check_known(source: Source, asked: str | None) -> None:
    names = [column.name for column in source.columns]
    if asked is None or asked in names:
        return
    near = difflib.get_close_matches(asked, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {_listed(names)}"
    raise InputError(f"{source.name}: there is no column {asked!r}; {hint}")


def _by_name(source: Source, wanted: Sequence[str], kinds: Sequence[str]) -> str | None:
    by_name = {c.name.lower(): c.name for c in reversed(source.columns) if c.kind in kinds}
    return next((by_name[name] for name in wanted if name in by_name), None)


def _time(source: Source, taken: set[str | None]) -> str | None:
    """The frame's own time index; a column of times, best with a telling name; numbers with a telling name;
    or a first column that rises as a count of seconds (ms, us, ns) since 1970 does."""
    if source.index:
        return source.index
    free = [column for column in source.columns if column.name not in taken]
    times = [column.name for column in free if column.kind == "time"]
    numbers = [column.name for column in free if column.kind == "number"]
    for candidates in (times, numbers):
        by_name = {name.lower(): name for name in reversed(candidates)}
        found = next((by_name[name] for name in TIME_NAMES if name in by_name), None)
        # The only number there is must be the value, whatever it is called.
        if found and not (candidates is numbers and len(numbers) == 1):
            return found
        if candidates is times and times:
            return times[0]
    first = source.columns[0].name if source.columns else None
    if len(numbers) > 1 and first == numbers[0] and looks_like_epoch(source.exact(first)):
        return first
    return None


def _labels(source: Source, taken: set[str | None]) -> str | None:
    """A column with a telling name; whether it holds only 0 and 1 is seen when it is read."""
    name = _by_name(source, LABEL_NAMES, ("number", "flag", "empty"))
    if name is None or name in taken:
        return None
    return name if name.lower() != "anomaly" or source.column(name).kind == "flag" else None


def _notes(source: Source, roles: Roles, asked_values: bool) -> list[Note]:
    notes = []
    used = {roles.time, roles.series_id, roles.labels, *roles.values}
    said = [f"time from {roles.time!r}" if roles.time else "no time column: rows are taken as evenly spaced"]
    said += [f"series told apart by {roles.series_id!r}"] if roles.series_id else []
    said += [f"labels from {roles.labels!r}"] if roles.labels else []
    said += [f"values from {_listed(roles.values)}"]
    notes.append(Note("roles", "; ".join(said), len(roles.values)))
    left = [column for column in source.columns if column.name not in used]
    if left and not asked_values:
        kinds = ", ".join(f"{c.name!r} ({_kind_of(c)})" for c in left[:10])
        more = f" and {len(left) - 10} more" if len(left) > 10 else ""
        notes.append(Note("dropped", f"columns not scored: {kinds}{more}", len(left)))
    return notes


def _kind_of(column: Column) -> str:
    return {"empty": "no values", "flag": "true or false", "other": column.why}.get(column.kind, column.kind)


def _unread_time(source: Source, roles: Roles) -> list[Note]:
    """A text column that is called a time, though no known way of writing one reads it."""
    called = [c for c in source.columns if c.kind == "text" and c.name.lower() in TIME_NAMES]
    if roles.time is not None or not called:
        return []
    how = f" ({called[0].why})" if called[0].why else ""
    remedy = (
        "the order of the rows is taken for it; write times as 2024-01-31 12:00:00 or with an offset, +01:00"
    )
    return [Note("time", f"{called[0].name!r} does not read as a time{how}: {remedy}")]


def _described(source: Source) -> str:
    if not source.columns:
        return "there are no columns"
    kinds = ", ".join(f"{c.name!r} {_holds(c)}" for c in source.columns[:6])
    more = f", and {len(source.columns) - 6} more" if len(source.columns) > 6 else ""
    spaced = len(source.columns) == 1 and " " in source.columns[0].name.strip()
    remedy = (
        "if its columns are cut by spaces, cut them by commas or tabs"
        if spaced
        else "name the column to score, and see that its cells are numbers"
    )
    return f"{kinds}{more}; {remedy}"


def _holds(column: Column) -> str:
    if column.kind == "other":
        return f"holds {column.why}"
    kind = _kind_of(column) if column.kind != "empty" else "empty"
    return f"is {kind}" + (f" ({column.why})" if column.kind == "text" and column.why else "")


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    first = ", ".join(repr(shown(name)) for name in names[:8])
    return first if len(names) <= 8 else f"{first} and {len(names) - 8} more"
