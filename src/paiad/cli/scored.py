"""Score columns and the labels they are held against, out of one file or two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paiad.errors import InputError
from paiad.reading.files import open_file
from paiad.reading.labels import labels_of
from paiad.reading.roles import assign, find_labels
from paiad.reading.source import Source
from paiad.shapes import Labels, Scores, Values


@dataclass(frozen=True)
class Scored:
    """Rows with several scores and one label each."""

    scores: dict[str, Scores]
    labels: Labels
    values: Values | None  # the series itself, when asked for


def read_scored(
    file: str,
    labels_file: str | None,
    columns: Sequence[str] | None,
    label_column: str | None,
    values_column: str | None,
) -> Scored:
    """Read score columns from `file`, and labels from there or from a file of their own with the same rows."""
    source = open_file(file)
    labelled = source if labels_file is None else open_file(labels_file)
    label_time, label_column = _label_columns(labelled, label_column)
    in_scores = label_column if labelled is source else None
    roles, _ = assign(source, columns, None, None, in_scores)
    if labelled is not source:
        _refuse_other_rows(source, roles.time, labelled, label_time)
    names = [name for name in roles.values if name != values_column]
    if columns is None:
        names = [name for name in names if "score" in name.lower()] or names
    scores = {name: _complete(source, name) for name in names}
    if not scores:
        raise InputError(f"{file}: no score column; name one with --score")
    labels, _ = labels_of(labelled, label_column, asked=True)
    assert labels is not None
    return Scored(scores, labels, None if values_column is None else _values(source, values_column))


def _label_columns(source: Source, column: str | None) -> tuple[str | None, str]:
    """The column of times, if there is one, and that of the labels."""
    time, found = find_labels(source, column)
    if found is None:
        raise InputError(
            f"{source.name}: no label column; name it with --label-column, or its file with --labels"
        )
    return time, found


def _refuse_other_rows(source: Source, time: str | None, labelled: Source, label_time: str | None) -> None:
    """Scores and labels must be as many, and where both files tell the time, of the same times."""
    if labelled.rows != source.rows:
        raise InputError(
            f"{source.name} has {source.rows} rows, {labelled.name} has {labelled.rows} labels; "
            "they must be the same rows"
        )
    if time is None or label_time is None or source.column(time).kind != labelled.column(label_time).kind:
        return
    times, label_times = _moments(source, time), _moments(labelled, label_time)
    apart = np.flatnonzero((times != label_times) & ~(_missing(times) & _missing(label_times)))
    if apart.size:
        row = int(apart[0])
        ours, theirs = _said(times[row]), _said(label_times[row])
        raise InputError(
            f"{source.place(row)}, column {time!r}: {ours}, but {labelled.name} has {theirs} in that row "
            f"({apart.size} of {times.size} rows differ); join both files by time, or drop a time column to "
            "pair them row by row"
        )


def _moments(source: Source, name: str) -> np.ndarray:
    return source.times(name)[0] if source.column(name).kind == "time" else source.exact(name)


def _missing(times: np.ndarray) -> np.ndarray:
    return np.isnat(times) if times.dtype.kind == "M" else np.isnan(times)


def _said(moment: Any) -> str:
    return np.datetime_as_string(moment, unit="auto") if isinstance(moment, np.datetime64) else str(moment)


def _complete(source: Source, name: str) -> Scores:
    scores = source.numbers([name])[name]
    wrong = np.flatnonzero(~np.isfinite(scores))
    if wrong.size:
        row = int(wrong[0])
        raise InputError(
            f"{source.place(row)}, column {name!r}: a score must be a finite number, got {scores[row]} "
            f"({wrong.size} of {scores.size} rows); fill it, or cut these rows from scores and labels"
        )
    return scores


def _values(source: Source, name: str) -> Values:
    assign(source, [name], None, None, None)  # refuses an unknown column
    return source.numbers([name])[name]
