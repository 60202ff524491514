"""What every source of rows can do, whether it is a file or something in memory."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from paiad.shapes import Times, Values


@dataclass(frozen=True)
class Column:
    """One column as found: its name and what its cells are."""

    name: str
    kind: Literal["number", "time", "flag", "text", "empty", "other"]
    why: str = ""
    """For a time column, how it is written; for another kind, what more is known of it."""


class Source(ABC):
    """Rows with named columns; each column is fetched when asked for."""

    name: str
    """File name or what stands for it; every message begins with it."""
    columns: tuple[Column, ...]
    rows: int
    index: str | None = None
    """Name of the column that the source itself holds for its time index, if it does."""

    @abstractmethod
    def numbers(self, names: Sequence[str]) -> dict[str, Values]:
        """Columns as float64, one value a row, NaN where missing; a cell that is no number is an error."""

    @abstractmethod
    def exact(self, name: str) -> np.ndarray:
        """A column of numbers as int64 where all are whole and none is missing, else as float64."""

    @abstractmethod
    def times(self, name: str) -> tuple[Times, str]:
        """A time column as datetime64[ns], NaT where missing, and a word on how it was read."""

    @abstractmethod
    def texts(self, name: str) -> np.ndarray:
        """A column as text, None where missing."""

    @abstractmethod
    def place(self, row: int) -> str:
        """How a user finds that row: a line of a text file, or a row counted from 0."""

    @abstractmethod
    def with_columns(self, added: Mapping[str, np.ndarray]) -> Any:
        """The same rows, in the same form, with columns added."""

    def column(self, name: str) -> Column:
        """The column of that name."""
        return next(column for column in self.columns if column.name == name)
