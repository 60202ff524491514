"""Columns in memory as a source of rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paiad.reading.engine import connect
from paiad.reading.relation import Relation
from paiad.reading.source import Column, Source
from paiad.reading.timestamps import to_nanoseconds
from paiad.shapes import Times, Values


@dataclass(frozen=True)
class MemorySource(Source):
    """Columns that are already in memory."""

    name: str
    rows: int
    columns: tuple[Column, ...]
    arrays: Mapping[str, np.ndarray]
    texts_seen: Relation | None
    attach: Callable[[Mapping[str, np.ndarray]], Any]
    index: str | None = None

    def numbers(self, names: Sequence[str]) -> dict[str, Values]:
        text = [name for name in names if self._is_text(name)]
        converted = self.texts_seen.numbers(text) if self.texts_seen and text else {}
        return {
            name: converted[name] if name in converted else np.asarray(self.arrays[name], dtype=np.float64)
            for name in names
        }

    def exact(self, name: str) -> np.ndarray:
        if self._is_text(name) and self.texts_seen:
            return self.texts_seen.exact(name)
        values = self.arrays[name]
        return values.astype(np.int64) if values.dtype.kind in "iu" else values.astype(np.float64)

    def times(self, name: str) -> tuple[Times, str]:
        if self._is_text(name) and self.texts_seen:
            return self.texts_seen.times(name)
        return to_nanoseconds(self.arrays[name], f"{self.name}, column {name!r}"), self.column(name).why

    def texts(self, name: str) -> np.ndarray:
        return as_texts(self.arrays[name].tolist())

    def place(self, row: int) -> str:
        return f"{self.name}, row {row} (counted from 0)"

    def with_columns(self, added: Mapping[str, np.ndarray]) -> Any:
        return self.attach(added)

    def _is_text(self, name: str) -> bool:
        return self.arrays[name].dtype.kind == "O"


def memory_source(
    arrays: Mapping[str, np.ndarray],
    name: str,
    attach: Callable[[Mapping[str, np.ndarray]], Any],
    index: str | None,
    zones: Mapping[str, str],
    rows: int,
) -> MemorySource:
    texts = {column: cells for column, cells in arrays.items() if cells.dtype.kind == "O"}
    relation = _relation(texts, name) if texts and rows else None
    told = {column.name: column for column in relation.profile()[1]} if relation else {}
    columns = tuple(
        told.get(column) or Column(column, _kind(cells), zones.get(column, ""))
        for column, cells in arrays.items()
    )
    return MemorySource(name, rows, columns, arrays, relation, attach, index)


def as_texts(cells: Sequence[Any]) -> np.ndarray:
    """Cells as text; what stands for missing (None, NaN, NaT, NA) becomes None."""
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [None if cell is None or str(cell) in ("nan", "NaT", "<NA>") else str(cell) for cell in cells]
    return texts


def _kind(cells: np.ndarray) -> Any:
    if cells.dtype.kind == "f" and len(cells) and np.isnan(cells).all():
        return "empty"
    return {"b": "flag", "M": "time", "O": "empty"}.get(cells.dtype.kind, "number")


def _relation(texts: Mapping[str, np.ndarray], name: str) -> Relation:
    connection = connect()
    places = {column: f"c{k}" for k, column in enumerate(texts)}
    connection.register("cells", {places[column]: array for column, array in texts.items()})
    types = dict.fromkeys(texts, "VARCHAR")
    cells = {column: f"{place}::VARCHAR" for column, place in places.items()}
    return Relation(connection, "cells", cells, types, lambda row: f"{name}, row {row} (counted from 0)")
