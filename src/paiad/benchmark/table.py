"""A table before it has a form: columns that know how to be written, rows of values, notes underneath."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Cell = str | float | int | None
Mark = Literal["", "best", "second"]


@dataclass(frozen=True)
class Column:
    """`digits` None is text or whole numbers; with `marked`, the highest values of each block stand out."""

    name: str
    digits: int | None = None
    marked: bool = False
    signed: bool = False


@dataclass(frozen=True)
class Table:
    """Rows as long as `columns`; `block` names the column whose equal neighbours are compared with each other."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    block: str | None = None

    def written(self) -> list[list[str]]:
        """Every cell as text; what is not there is a dash."""
        return [
            [_text(value, column) for value, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]

    def marks(self) -> list[list[Mark]]:
        """Which cells are the best or second best of their block, judged by what is written.

        >>> t = Table("t", "T", (Column("a", 2, marked=True),), ((0.501,), (0.4,), (0.499,)))
        >>> t.marks()
        [['best'], ['second'], ['best']]
        """
        marks: list[list[Mark]] = [["" for _ in self.columns] for _ in self.rows]
        for index, column in enumerate(self.columns):
            if column.marked:
                for block in self._blocks():
                    self._mark(marks, block, index)
        return marks

    def _blocks(self) -> Iterator[list[int]]:
        names = [column.name for column in self.columns]
        at = None if self.block is None else names.index(self.block)
        groups: dict[Cell, list[int]] = {}
        for number, row in enumerate(self.rows):
            groups.setdefault(None if at is None else row[at], []).append(number)
        yield from groups.values()

    def _mark(self, marks: list[list[Mark]], block: list[int], index: int) -> None:
        digits = self.columns[index].digits or 0
        values = {number: self.rows[number][index] for number in block}
        shown = {number: round(value, digits) for number, value in values.items() if _is_number(value)}  # type: ignore[arg-type]
        ranked = sorted(set(shown.values()), reverse=True)
        for number, value in shown.items():
            if len(shown) > 1 and value in ranked[:2]:
                marks[number][index] = "best" if value == ranked[0] else "second"


def _text(value: Cell, column: Column) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float) and column.digits is not None:
        return f"{value:{'+' if column.signed else ''}.{column.digits}f}"
    return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)
