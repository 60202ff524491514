"""Data frames and arrays: their columns as a source of rows, and new columns given back in the form that came in.

pandas, polars and pyarrow are the user's choice and are never imported here; narwhals speaks to all three.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from paiad.errors import InputError
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
        return _as_texts(self.arrays[name].tolist())

    def place(self, row: int) -> str:
        return f"{self.name}, row {row} (counted from 0)"

    def with_columns(self, added: Mapping[str, np.ndarray]) -> Any:
        return self.attach(added)

    def _is_text(self, name: str) -> bool:
        return self.arrays[name].dtype.kind == "O"


def frame_source(data: Any, name: str = "data") -> Source:
    """A data frame, a series, an array or a list as a source of rows.

    >>> frame_source(np.array([[1.0, 2.0], [3.0, 4.0]])).columns
    (Column(name='value_0', kind='number', why=''), Column(name='value_1', kind='number', why=''))
    """
    frame = _narwhals(data, name)
    if frame is not None:
        return _from_frame(frame, name)
    return _from_arrays(_named_arrays(data, name), name, data)


def columns_of(data: Any) -> dict[str, np.ndarray]:
    """All columns of a frame or array, the index of a pandas frame first when it is not a mere count."""
    frame = _narwhals(data, "rows")
    if frame is None:
        return _named_arrays(data, "rows")
    index = nw.maybe_get_index(frame)
    own = {str(column): _as_array(frame[column]) for column in frame.columns}
    if index is None or type(index).__name__ == "RangeIndex":
        return own
    name = next(n for n in (str(index.name or "index"), "index", "(index)") if n not in own)
    return {name: _as_array(nw.from_native(index.to_frame(index=False).iloc[:, 0], series_only=True)), **own}


def _narwhals(data: Any, name: str) -> "nw.DataFrame[Any] | None":
    try:
        native = nw.from_native(data, allow_series=True, pass_through=True)
    except Exception as error:  # narwhals passes on whatever the frame's own library raises
        raise InputError(f"{name}: the frame cannot be used: {str(error).splitlines()[0]}") from error
    if isinstance(native, nw.LazyFrame):
        raise InputError(f"{name}: this frame is lazy; give data.collect()")
    if isinstance(native, nw.Series):
        return native.rename(native.name or "value").to_frame()
    return native if isinstance(native, nw.DataFrame) else None


def _from_frame(frame: "nw.DataFrame[Any]", name: str) -> MemorySource:
    series = {str(column): frame[column] for column in frame.columns}
    index = _time_index(frame)
    index_name = None
    if index is not None:
        index_name = next(n for n in (str(index.name or "index"), "index", "(index)") if n not in series)
        series = {index_name: index, **series}
    zones = {column: "in UTC" for column, cells in series.items() if getattr(cells.dtype, "time_zone", None)}
    arrays = {column: _as_array(cells) for column, cells in series.items()}
    return _source(arrays, name, lambda added: _with_series(frame, added), index_name, zones, len(frame))


def _with_series(frame: "nw.DataFrame[Any]", added: Mapping[str, np.ndarray]) -> Any:
    backend = frame.implementation
    new = [nw.new_series(name, _native_cells(values), backend=backend) for name, values in added.items()]
    # A missing score is null where the frame knows null.
    nulled = [s.fill_nan(None) if s.dtype.is_float() and not backend.is_pandas_like() else s for s in new]
    return frame.with_columns(*nulled).to_native()


def _native_cells(values: np.ndarray) -> Any:
    return values.tolist() if values.dtype.kind in "UO" else values


def _time_index(frame: "nw.DataFrame[Any]") -> "nw.Series[Any] | None":
    """The index of a pandas frame, when it holds times."""
    index = nw.maybe_get_index(frame)
    if index is None or getattr(index, "nlevels", 1) > 1:
        return None
    if hasattr(index, "to_timestamp"):
        index = index.to_timestamp()
    cells = nw.from_native(index.to_series(), series_only=True)
    return cells if cells.dtype in (nw.Datetime, nw.Date) else None


def _as_array(cells: "nw.Series[Any]") -> np.ndarray:
    kind = cells.dtype
    if kind == nw.Boolean and not cells.null_count():
        return np.asarray(cells.to_numpy(), dtype=bool)
    if kind.is_numeric():
        exact = kind.is_integer() and not cells.null_count()
        return np.asarray((cells if exact else cells.cast(nw.Float64)).to_numpy())
    if kind == nw.Date:
        cells, kind = cells.cast(nw.Datetime("us")), nw.Datetime("us")
    if kind == nw.Datetime:
        zone = getattr(kind, "time_zone", None)
        return np.asarray(
            (cells.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zone else cells).to_numpy()
        )
    return _as_texts(cells.to_list())


def _as_texts(cells: Sequence[Any]) -> np.ndarray:
    """Cells as text; what stands for missing (None, NaN, NaT, NA) becomes None."""
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [None if cell is None or str(cell) in ("nan", "NaT", "<NA>") else str(cell) for cell in cells]
    return texts


def _named_arrays(data: Any, name: str) -> dict[str, np.ndarray]:
    if isinstance(data, Mapping):
        return {str(key): np.asarray(column) for key, column in data.items()}
    try:
        array = (
            np.ma.filled(data.astype(float), np.nan)
            if isinstance(data, np.ma.MaskedArray)
            else np.asarray(data)
        )
    except ValueError as error:
        raise InputError(
            f"{name}: the rows differ in length; expected one value, or one row, a time step"
        ) from error
    if array.dtype.names:
        return {column: array[column] for column in array.dtype.names}
    if array.ndim == 1:
        return {"value": array}
    if array.ndim == 2:
        return {f"value_{k}": column for k, column in enumerate(array.T)}
    raise InputError(
        f"{name}: expected values over time, one series or one a column; got shape {array.shape}"
    )


def _from_arrays(arrays: Mapping[str, np.ndarray], name: str, data: Any) -> MemorySource:
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) > 1 or any(array.ndim != 1 for array in arrays.values()):
        raise InputError(f"{name}: the columns differ in length or shape; give one value a time step in each")
    plain = {
        column: array if array.dtype.kind in "biufM" else _as_texts(array.tolist())
        for column, array in arrays.items()
    }

    def attach(added: Mapping[str, np.ndarray]) -> np.ndarray:
        return _record_array({**arrays, **added})

    if isinstance(data, Mapping):
        return _source(plain, name, lambda added: {**arrays, **added}, None, {}, max(lengths, default=0))
    return _source(plain, name, attach, None, {}, max(lengths, default=0))


def _record_array(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Columns side by side in one structured array, so that `array["score"]` is the score."""
    columns = {name: c.astype(str) if _holds_text(c) else c for name, c in columns.items()}
    first = next(iter(columns.values()))
    joined = np.empty(len(first), dtype=[(name, column.dtype) for name, column in columns.items()])
    for name, column in columns.items():
        joined[name] = column
    return joined


def _holds_text(column: np.ndarray) -> bool:
    return column.dtype.kind == "O" and all(isinstance(cell, str) for cell in column)


def _source(
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
