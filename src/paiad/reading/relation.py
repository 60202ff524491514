"""Columns that a SQL engine can see: text cells are told apart, counted and converted there.

Every cell that is not missing must convert; the first one that does not is named in the error.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paiad.errors import InputError
from paiad.reading.source import Column
from paiad.reading.timestamps import FORMATS, IN_UTC, ISO, nanoseconds_sql, recognise, zoned_sql
from paiad.shapes import Times, Values

_MISSING_WORDS = "'', 'na', 'n/a', '#n/a', '<na>', 'nan', '-nan', 'nat', 'null', 'none', 'nil', '-', '?'"
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_NUMBER_TYPES = (*_WHOLE, *(f"U{kind}" for kind in _WHOLE), "FLOAT", "DOUBLE", "DECIMAL")
_TEXT_TYPES = ("VARCHAR", "ENUM", "JSON")
_SAMPLE = 500


@dataclass(frozen=True)
class Relation:
    """A FROM clause with the SQL name and type of each column; names given outside are the user's."""

    connection: Any
    sql: str
    cells: Mapping[str, str]
    types: Mapping[str, str]
    place: Callable[[int], str]
    decimal_comma: bool = False

    def profile(self) -> tuple[int, tuple[Column, ...]]:
        """How many rows there are, and what each column holds, judged on all of them."""
        text = [name for name in self.types if self._is_text(name)]
        counts = self._row(
            ["count(*)"]
            + [f"count({self.cells[name]})" for name in self.cells]
            + [f"count({self._number(name)})" for name in text]
        )
        rows, filled = counts[0], dict(zip(self.cells, counts[1:], strict=False))
        numeric = dict(zip(text, counts[1 + len(self.cells) :], strict=True))
        unclear = [name for name in text if numeric[name] != filled[name]]
        told = {name: self._told_apart(name, none=not numeric[name]) for name in unclear}
        columns = [told[name] if name in told else self._typed(name, filled[name]) for name in self.cells]
        return rows, tuple(columns)

    def numbers(self, names: Sequence[str]) -> dict[str, Values]:
        """Columns as float64, NaN where missing; a cell that is no number is an error."""
        fetched = dict(zip(names, self._columns([self._number(name) for name in names]), strict=True))
        for name, values in fetched.items():
            # Without a null there is nothing to look for, which saves reading the file once more.
            if np.ma.is_masked(values) and self._is_text(name):
                self._refuse_any(name, self._number(name), "is not a number", "correct or empty it")
        return {name: np.ma.filled(np.ma.asarray(v, dtype=np.float64), np.nan) for name, v in fetched.items()}

    def exact(self, name: str) -> np.ndarray:
        """A column of numbers as int64 where all are whole and none is missing, else as float64."""
        (whole,) = self._columns([f"TRY_CAST({self._trimmed(name)} AS BIGINT)"])
        (values,) = self.numbers([name]).values()
        if np.ma.is_masked(whole) or not np.array_equal(np.asarray(whole, dtype=np.float64), values):
            return values
        return np.asarray(whole, dtype=np.int64)

    def times(self, name: str) -> tuple[Times, str]:
        """A time column as datetime64[ns], NaT where missing, and a word on how it was read."""
        cell, kind = self.cells[name], self.types[name]
        if not self._is_text(name):
            zoned = "WITH TIME ZONE" in kind
            moment = f"{cell} AT TIME ZONE 'UTC'" if zoned else cell
            return self._times(f"epoch_ns(TRY_CAST({moment} AS TIMESTAMP_NS))"), IN_UTC if zoned else ""
        candidates = recognise(self.connection, self._sample(name))
        if not candidates:
            self._refuse_any(
                name, "NULL", "is not a time", "write it as 2024-01-31 12:00:00, or choose another column"
            )
        read = {written: self._times(nanoseconds_sql(cell, written)) for written in candidates}
        written = _surest(read, f"{self.place(0)}, column {name!r}")
        if np.isnat(read[written]).any():
            sql = nanoseconds_sql(cell, written)
            self._refuse_any(
                name,
                sql,
                f"is not a time ({written}) from 1678 to 2261",
                "correct it, or choose another time column",
            )
        return read[written], written + (self._zone(name) if written == ISO else "")

    def texts(self, name: str) -> np.ndarray:
        """A column as text, None where missing."""
        cell = self.cells[name]
        (texts,) = self._columns([f"CASE WHEN {self._present(name)} THEN trim({cell}::VARCHAR) END"])
        absent = np.ma.getmaskarray(texts)
        texts = np.array(np.ma.getdata(texts), dtype=object)
        texts[absent] = None
        return texts

    def typed_cells(self, columns: Sequence[Column]) -> dict[str, str]:
        """SQL of every column: as numbers or times where all of its cells are, else as they were found."""
        converted = {column.name: self._converted(column) for column in columns}
        changed = [name for name in converted if converted[name] != self.cells[name]]
        lost = [
            f"count(*) FILTER (WHERE {self._present(name)} AND {converted[name]} IS NULL)" for name in changed
        ]
        losing = [name for name, count in zip(changed, self._row(lost) if lost else (), strict=True) if count]
        return {**converted, **{name: self.cells[name] for name in losing}}

    def _converted(self, column: Column) -> str:
        cell = self.cells[column.name]
        if not self._is_text(column.name):
            return cell
        if column.kind == "time" and column.why in FORMATS:
            return f"make_timestamp_ns({nanoseconds_sql(cell, column.why)})"
        return self._number(column.name) if column.kind == "number" else cell

    def _typed(self, name: str, filled: int) -> Column:
        kind = self.types[name]
        if not filled:
            return Column(name, "empty")
        if kind.endswith("]"):
            return Column(name, "other", "lists")
        if kind.startswith((*_NUMBER_TYPES, *_TEXT_TYPES)):
            return Column(name, "number")
        if kind.startswith(("TIMESTAMP", "DATE")):
            return Column(name, "time")
        return Column(name, "flag") if kind == "BOOLEAN" else Column(name, "other", _in_words(kind))

    def _told_apart(self, name: str, none: bool) -> Column:
        """A text column in which something, or everything, is no number."""
        sample = self._sample(name)
        if not sample:
            return Column(name, "empty")
        if not none:
            is_number = f"count({self._number(name)}) FILTER (WHERE {self._present(name)})"
            present, numbers = self._row([f"count(*) FILTER (WHERE {self._present(name)})", is_number])
            if numbers >= present / 2:
                return Column(name, "number")
        written = recognise(self.connection, sample)
        return (
            Column(name, "time", " or ".join(written)) if written else Column(name, "text", _shown(sample[0]))
        )

    def _is_text(self, name: str) -> bool:
        kind = self.types[name]
        return kind.startswith(_TEXT_TYPES) and not kind.endswith("]")

    def _present(self, name: str) -> str:
        cell = self.cells[name]
        return f"({cell} IS NOT NULL AND lower(trim({cell}::VARCHAR)) NOT IN ({_MISSING_WORDS}))"

    def _trimmed(self, name: str) -> str:
        cell = self.cells[name]
        return f"trim({cell})" if self._is_text(name) else cell

    def _number(self, name: str) -> str:
        cell = self.cells[name]
        if not self._is_text(name):
            return f"TRY_CAST({cell} AS DOUBLE)"
        if not self.decimal_comma:
            # A bare TRY_CAST is moved into the engine's CSV reader, and becomes a CAST that fails there.
            return f"TRY_CAST(trim({cell}) AS DOUBLE)"
        # With a decimal comma a dot can only group thousands; anything else is refused rather than guessed.
        shape = r"\s*[+-]?(\d{1,3}(\.\d{3})+|\d*)(,\d*)?([eE][+-]?\d+)?\s*|\s*[+-]?(nan|inf)\s*"
        plain = f"replace(replace({cell}, '.', ''), ',', '.')"
        return f"CASE WHEN regexp_full_match({cell}, '{shape}', 'i') THEN TRY_CAST({plain} AS DOUBLE) END"

    def _sample(self, name: str) -> list[str]:
        query = (
            f"SELECT {self.cells[name]}::VARCHAR FROM {self.sql} WHERE {self._present(name)} LIMIT {_SAMPLE}"
        )
        return [cell for (cell,) in self.connection.execute(query).fetchall()]

    def _zone(self, name: str) -> str:
        """A word on the zone of a column of times, which is the same for all or none."""
        zoned = zoned_sql(self.cells[name])
        count, present = self._row(
            [f"count(*) FILTER (WHERE {zoned})", f"count(*) FILTER (WHERE {self._present(name)})"]
        )
        if 0 < count < present:
            remedy = "give every time its offset, or none"
            self._refuse_any(
                name, f"CASE WHEN {zoned} THEN 1 END", "has no time zone while others have one", remedy
            )
        return ", in UTC" if count else ""

    def _refuse_any(self, name: str, converted: str, what: str, remedy: str) -> None:
        """Raise, naming the first cell that is present but does not convert, if there is one."""
        bad = f"{self._present(name)} AND ({converted}) IS NULL"
        (count,) = self._row([f"count(*) FILTER (WHERE {bad})"])
        if not count:
            return
        ((row, cell),) = self.connection.execute(
            f"SELECT row, cell FROM (SELECT row_number() OVER () - 1 AS row, {self.cells[name]}::VARCHAR AS cell,"
            f" {bad} AS bad FROM {self.sql}) WHERE bad LIMIT 1"
        ).fetchall()
        more = f" (and {count - 1} more like it)" if count > 1 else ""
        raise InputError(f"{self.place(row)}, column {name!r}: {_shown(cell)} {what}{more}; {remedy}")

    def _times(self, nanoseconds: str) -> Times:
        (counted,) = self._columns([nanoseconds])
        masked = np.ma.asarray(counted, dtype=np.int64)
        return np.ma.filled(masked, np.iinfo(np.int64).min).astype("datetime64[ns]")

    def _row(self, expressions: Sequence[str]) -> tuple[Any, ...]:
        return self.connection.execute(f"SELECT {', '.join(expressions)} FROM {self.sql}").fetchall()[0]

    def _columns(self, expressions: Sequence[str]) -> list[np.ndarray]:
        named = ", ".join(f"{expression} AS c{k}" for k, expression in enumerate(expressions))
        return list(self.connection.execute(f"SELECT {named} FROM {self.sql}").fetchnumpy().values())


def _surest(read: Mapping[str, Times], where: str) -> str:
    """Of several ways to read a column, the one that reads all of it, or puts it in order."""
    known = {written: int((~np.isnat(times)).sum()) for written, times in read.items()}
    best = [written for written in read if known[written] == max(known.values())]
    if len(best) > 1:
        in_order = [w for w in best if (np.diff(read[w]) >= np.timedelta64(0)).all()]
        best = in_order or best
    if len(best) > 1:
        raise InputError(
            f"{where}: the times may be {' or '.join(best)}; write them as 2024-01-31 to make it certain"
        )
    return best[0]


def _in_words(kind: str) -> str:
    """A type that is neither number, time nor text."""
    return "nested fields" if kind.startswith(("STRUCT", "MAP", "UNION")) else kind.lower()


def _shown(cell: str) -> str:
    return repr(cell if len(cell) <= 40 else cell[:37] + "...")
