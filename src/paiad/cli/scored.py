"""Score columns and the labels they are held against, out of one file or two."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paiad.errors import InputError
from paiad.reading.files import open_file
from paiad.reading.labels import labels_of
from paiad.reading.roles import assign
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
    """Read score columns from `file`, and labels from there or from a file of their own with as many rows."""
    source = open_file(file)
    labels = _labels(source if labels_file is None else open_file(labels_file), label_column)
    if len(labels) != source.rows:
        raise InputError(
            f"{file} has {source.rows} rows, {labels_file} has {len(labels)} labels; they must be the same rows"
        )
    in_scores = label_column if labels_file is None else None
    roles, _ = assign(source, columns, None, None, in_scores)
    names = [name for name in roles.values if name != values_column]
    if columns is None:
        names = [name for name in names if "score" in name.lower()] or names
    scores = {name: _complete(source, name) for name in names}
    if not scores:
        raise InputError(f"{file}: no score column; name one with --score")
    return Scored(scores, labels, None if values_column is None else _values(source, values_column))


def _labels(source: Source, column: str | None) -> Labels:
    """The labels of a file: the column named, else one that is called so, else its only one."""
    if column is None and len(source.columns) == 1:
        column = source.columns[0].name
    if column is None or column not in [one.name for one in source.columns]:
        roles, _ = assign(source, None, None, None, column)  # names the nearest column when there is none
        column = roles.labels
    if column is None:
        raise InputError(
            f"{source.name}: no label column; name it with --label-column, or its file with --labels"
        )
    labels, _ = labels_of(source, column, asked=True)
    assert labels is not None
    return labels


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
