"""Rows of the benchmarks' own CSV files, with what is wrong in them named."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from paiad.datasets.collection import PathLike
from paiad.errors import InputError
from paiad.shapes import Labels


def rows_of(path: Path, needed: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a list or meta file, by column name."""
    with opened(path) as file:
        reader = csv.DictReader(file)
        lacking = [name for name in needed if name not in (reader.fieldnames or ())]
        if lacking:
            raise InputError(f"{path}: there is no column {lacking[0]!r}; is this the list of the benchmark?")
        rows = list(reader)
    names = [row["file_name"] for row in rows]
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise InputError(f"{path}: {repeated!r} is listed twice; remove one of the two lines")
    return rows


def labels_of(cells: np.ndarray, path: Path) -> Labels:
    wrong = ~np.isin(cells, (0.0, 1.0))
    if wrong.any():
        first = int(wrong.argmax())
        raise InputError(f"{path}: label {first} (counted from 0) is {cells[first]:g}; labels must be 0 or 1")
    return cells.astype(np.int64)


def checked_folder(folder: PathLike) -> Path:
    path = Path(folder)
    if not path.is_dir():
        raise InputError(f"{folder}: no such folder; give the one that holds the series")
    return path


@contextmanager
def opened(path: Path) -> Iterator[IO[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text; convert it, or download the data again") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
