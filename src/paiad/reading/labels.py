"""A label column: 0 for normal rows, 1 for anomalous ones."""

import numpy as np

from paiad.errors import InputError
from paiad.reading.notes import Note
from paiad.reading.source import Source
from paiad.shapes import Labels

_WORDS = {
    "0": 0,
    "1": 1,
    "0.0": 0,
    "1.0": 1,
    "false": 0,
    "true": 1,
    "no": 0,
    "yes": 1,
    "normal": 0,
    "anomaly": 1,
}


def labels_of(source: Source, name: str | None, asked: bool) -> tuple[Labels | None, list[Note]]:
    """One label a row; a column that was not asked for and holds anything else is left alone."""
    if name is None:
        return None, []
    kind = source.column(name).kind
    cells = source.numbers([name])[name] if kind in ("number", "flag") else _from_words(source, name)
    wrong = ~np.isin(cells, (0.0, 1.0))
    if not wrong.any():
        labels = cells.astype(np.int64)
        return labels, [
            Note(
                "roles",
                f"{labels.sum():,} of {len(labels):,} rows are labelled anomalous in {name!r}",
                int(labels.sum()),
            )
        ]
    if not asked:
        return None, [Note("dropped", f"{name!r} holds more than 0 and 1, so it is not taken for labels", 1)]
    row = int(wrong.argmax())
    got = f"{cells[row]:g}" if kind in ("number", "flag") else repr(source.texts(name)[row])
    raise InputError(
        f"{source.place(row)}, column {name!r}: a label must be 0 or 1, got {got}; "
        "correct it, or choose another label column"
    )


def _from_words(source: Source, name: str) -> np.ndarray:
    return np.array([_WORDS.get(str(word).lower(), -1) for word in source.texts(name)], dtype=np.float64)
