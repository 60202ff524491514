"""What was read: the series to score, notes on what was done, and the way back to the rows that came in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paiad import quality
from paiad.errors import InputError
from paiad.reading.notes import Note
from paiad.reading.source import Source
from paiad.reading.timeline import Timeline
from paiad.runs import Mask
from paiad.series import Series
from paiad.shapes import Quality

QUALITY = "quality"


@dataclass(frozen=True)
class Placed:
    """One series found in the source, scored or not: where its steps lie and which of them have no score."""

    name: str
    prefix: str
    """Put before the names of the columns it adds, when several series share the rows."""
    timeline: Timeline
    quality: Quality
    unscored: Mask


@dataclass(frozen=True)
class Table:
    """Series read from one source; `with_columns` gives its rows back with what was computed for each step."""

    name: str
    series: tuple[Series, ...]
    notes: tuple[Note, ...]
    source: Source = field(repr=False)
    placed: tuple[Placed, ...] = field(repr=False)

    def with_columns(self, columns_per_series: Mapping[str, Mapping[str, np.ndarray]]) -> Any:
        """The same rows, in the same order and form, with columns added and a quality flag each.

        `columns_per_series` maps the name of a series to its new columns, one value a step. Rows that became one
        step share its values. A step that was not scored has NaN in columns of floats; so have rows of series
        that are left out. A column "quality" of codes is merged into the flags that reading gave.
        """
        known = {placed.name for placed in self.placed}
        unknown = [name for name in columns_per_series if name not in known]
        if unknown:
            raise InputError(f"{self.name}: there is no series {unknown[0]!r} to add columns to")
        added: dict[str, np.ndarray] = {}
        for placed in self.placed:
            self._add(placed, columns_per_series.get(placed.name, {}), added)
        return self.source.with_columns(self._under_free_names(added))

    def _add(self, placed: Placed, columns: Mapping[str, np.ndarray], added: dict[str, np.ndarray]) -> None:
        flags = placed.quality
        if QUALITY in columns:
            flags = quality.combine(flags, self._checked(placed, QUALITY, columns[QUALITY]).astype(np.uint8))
        for name, values in columns.items():
            if name != QUALITY:
                checked = self._checked(placed, name, values)
                blanked = np.where(placed.unscored, np.nan, checked) if checked.dtype.kind == "f" else checked
                self._put(placed, name, blanked, added)
        self._put(placed, QUALITY, quality.names(flags), added)

    def _checked(self, placed: Placed, name: str, values: np.ndarray) -> np.ndarray:
        values = np.asarray(values)
        if values.shape != (placed.timeline.steps,):
            raise InputError(
                f"{placed.name}: column {name!r} must hold one value for each of {placed.timeline.steps} steps,"
                f" got shape {values.shape}"
            )
        return values

    def _put(self, placed: Placed, name: str, values: np.ndarray, added: dict[str, np.ndarray]) -> None:
        column = placed.prefix + name
        if column not in added:
            blank: Any = {"f": np.nan, "U": "", "O": ""}.get(values.dtype.kind, 0)
            added[column] = np.full(self.source.rows, blank, dtype=values.dtype)
        elif added[column].dtype != values.dtype:
            added[column] = added[column].astype(np.result_type(added[column], values))
        added[column][placed.timeline.rows] = values[placed.timeline.step]

    def _under_free_names(self, added: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Columns the source already has are left as they are: a new one of that name gets a number."""
        taken = {column.name for column in self.source.columns}
        free: dict[str, np.ndarray] = {}
        for name, values in added.items():
            unique, count = name, 1
            while unique in taken or unique in free:
                count += 1
                unique = f"{name}_{count}"
            free[unique] = values
        return free
