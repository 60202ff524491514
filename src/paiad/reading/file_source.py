"""A file as a source of rows, and its rows with columns added."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from paiad.errors import InputError
from paiad.reading.engine import named_errors
from paiad.reading.relation import Relation
from paiad.reading.source import Column, Source
from paiad.shapes import Times, Values


@dataclass(frozen=True)
class FileSource(Source):
    """A file seen through the engine; a column is read from disk when it is asked for."""

    name: str
    rows: int
    columns: tuple[Column, ...]
    relation: Relation
    index: str | None = None
    stamp: tuple[int, int] = (0, 0)
    """Size and time of change when the file was opened: it is read several times, and must stay the same."""
    path: Path = Path()
    spool: Any = field(default=None, repr=False)

    def numbers(self, names: Sequence[str]) -> dict[str, Values]:
        with self.reading():
            return self.relation.numbers(names)

    def exact(self, name: str) -> np.ndarray:
        with self.reading():
            return self.relation.exact(name)

    def times(self, name: str) -> tuple[Times, str]:
        with self.reading():
            return self.relation.times(name)

    def texts(self, name: str) -> np.ndarray:
        with self.reading():
            return self.relation.texts(name)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Errors in one line, and none of the file's content if it is no longer what it was."""
        with named_errors(self.name):
            yield
            if _stamp(self.path) != self.stamp:
                raise InputError(
                    f"{self.name}: the file changed while it was read; read it again, or a copy of it"
                )

    def place(self, row: int) -> str:
        return self.relation.place(row)

    def with_columns(self, added: Mapping[str, np.ndarray]) -> "FileRows":
        with self.reading():
            return FileRows(self, dict(added))


@dataclass(frozen=True)
class FileRows:
    """The rows of a file with columns added; the file's own columns are read when the rows are written."""

    source: FileSource
    added: dict[str, np.ndarray]

    def __len__(self) -> int:
        return self.source.rows

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns: the file's, then the added ones."""
        return (*(column.name for column in self.source.columns), *self.added)

    def __getitem__(self, name: str) -> np.ndarray:
        """An added column."""
        return self.added[name]


def file_source(path: Path, name: str, relation: Relation, spool: Any) -> FileSource:
    """The source, with its columns judged."""
    stamp = _stamp(path)
    rows, columns = relation.profile()
    return FileSource(name, rows, columns, relation, None, stamp, path, spool)


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns
