"""Data frames: their columns as a source of rows, and new columns given back in the form that came in.

pandas, polars and pyarrow are the user's choice and are never imported here; narwhals speaks to all three.
"""

import sys
from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np

from paiad.errors import InputError
from paiad.reading.arrays import array_source, named_arrays
from paiad.reading.memory import MemorySource, as_texts, memory_source
from paiad.reading.roles import ID_NAMES
from paiad.reading.source import Source
from paiad.reading.timestamps import IN_UTC


def frame_source(data: Any, name: str = "data") -> Source:
    """A data frame, a series, an array or a list as a source of rows.

    >>> frame_source(np.array([[1.0, 2.0], [3.0, 4.0]])).columns
    (Column(name='value_0', kind='number', why=''), Column(name='value_1', kind='number', why=''))
    """
    frame = _narwhals(data, name)
    if frame is not None:
        return _from_frame(frame, name)
    return array_source(data, name)


def columns_of(data: Any) -> dict[str, np.ndarray]:
    """All columns of a frame or array, the index of a pandas frame first when it is not a mere count."""
    frame = _narwhals(data, "rows")
    if frame is None:
        return named_arrays(data, "rows")
    index = nw.maybe_get_index(frame)
    own = {_called(column): _as_array(frame.get_column(column)) for column in frame.columns}
    if index is None or type(index).__name__ == "RangeIndex":
        return own
    name = next(n for n in (str(index.name or "index"), "index", "(index)") if n not in own)
    return {name: _as_array(nw.from_native(index.to_frame(index=False).iloc[:, 0], series_only=True)), **own}


def _narwhals(data: Any, name: str) -> "nw.DataFrame[Any] | None":
    if type(data).__name__ == "RecordBatch" and type(data).__module__.startswith("pyarrow"):
        data = sys.modules["pyarrow"].Table.from_batches([data])
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
    series = {_called(column): frame.get_column(column) for column in frame.columns}
    series = {**_levels(frame, series), **series}
    index = _time_index(frame)
    index_name = None
    if index is not None:
        index_name = next(n for n in (str(index.name or "index"), "index", "(index)") if n not in series)
        series = {index_name: index, **series}
    zones = {column: IN_UTC for column, cells in series.items() if getattr(cells.dtype, "time_zone", None)}
    arrays = {column: _as_array(cells) for column, cells in series.items()}
    return memory_source(
        arrays, name, lambda added: _with_series(frame, added), index_name, zones, len(frame)
    )


def _called(column: Any) -> str:
    """The name of a column, which pandas may call by a number, or by several names."""
    return "_".join(map(str, column)) if isinstance(column, tuple) else str(column)


def _levels(frame: "nw.DataFrame[Any]", own: Mapping[str, Any]) -> "dict[str, nw.Series[Any]]":
    """The levels of a pandas index of several that can tell times or series apart, as columns."""
    index = nw.maybe_get_index(frame)
    if index is None or getattr(index, "nlevels", 1) < 2:
        return {}
    levels = index.to_frame(index=False, allow_duplicates=True)
    names = [str(name) if name is not None else f"level_{k}" for k, name in enumerate(index.names)]
    cells = [nw.from_native(levels.iloc[:, k], series_only=True) for k in range(index.nlevels)]
    return {
        name: level
        for name, level in zip(names, cells, strict=True)
        if name not in own and (not level.dtype.is_numeric() or name.lower() in ID_NAMES)
    }


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
    return as_texts(cells.to_list())


def _with_series(frame: "nw.DataFrame[Any]", added: Mapping[str, np.ndarray]) -> Any:
    backend = frame.implementation
    new = [nw.new_series(name, _native_cells(values), backend=backend) for name, values in added.items()]
    # A missing score is null where the frame knows null.
    nulled = [s.fill_nan(None) if s.dtype.is_float() and not backend.is_pandas_like() else s for s in new]
    return frame.with_columns(*nulled).to_native()


def _native_cells(values: np.ndarray) -> Any:
    return values.tolist() if values.dtype.kind in "UO" else values
