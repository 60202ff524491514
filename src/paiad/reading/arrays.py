"""Arrays, lists and dictionaries of columns as a source of rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from paiad.errors import InputError
from paiad.reading.memory import MemorySource, as_texts, memory_source


def array_source(data: Any, name: str) -> MemorySource:
    """An array of values over time, a structured array, a list, or a dictionary of columns as a source of rows."""
    arrays = named_arrays(data, name)
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) > 1 or any(array.ndim != 1 for array in arrays.values()):
        raise InputError(f"{name}: the columns differ in length or shape; give one value a time step in each")
    plain = {
        column: array if array.dtype.kind in "biufM" else as_texts(array.tolist())
        for column, array in arrays.items()
    }

    def attach(added: Mapping[str, np.ndarray]) -> Any:
        together = {**arrays, **added}
        return together if isinstance(data, Mapping) else _record_array(together)

    return memory_source(plain, name, attach, None, {}, max(lengths, default=0))


def named_arrays(data: Any, name: str) -> dict[str, np.ndarray]:
    """The columns by name: `value` alone, or `value_0`, `value_1`, ... where they have none."""
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
    got = f"shape {array.shape}" if array.ndim else f"one {type(data).__name__}"
    raise InputError(
        f"{name}: expected values over time, one series or one a column, in an array, list or data frame; got {got}"
    )


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
