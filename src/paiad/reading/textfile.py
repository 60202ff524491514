"""CSV and its kin: the first lines are judged here, the rest is read by the engine as plain text cells."""

import codecs
import csv
import glob
import gzip
import io
import itertools
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO

from paiad.errors import InputError
from paiad.reading.dialect import DELIMITERS, Dialect, dialect_of
from paiad.reading.engine import connect, quoted
from paiad.reading.relation import Relation

MOST_COLUMNS = 10_000
"""A table with more columns than this is refused: it is nearly always one that lies on its side."""

_SAMPLE_BYTES = 1 << 17
_LONGEST_LINE = 1 << 25
_CHUNK = 1 << 20


@dataclass(frozen=True)
class TextFile:
    """A text file, perhaps compressed with gzip; `name` is what messages call it."""

    path: Path
    name: str
    compressed: bool

    @cached_property
    def first_text(self) -> str:
        """Whole lines from the start of the file, decoded; enough of them to judge its layout."""
        data = self._first_bytes()
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise InputError(
                f"{self.name}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8 text;"
                " convert the file, for example with `iconv -f latin1 -t utf-8`"
            ) from None

    def relation(self) -> Relation:
        """The columns, all as text cells."""
        lines = self._first_lines()
        self._check_width(lines)
        try:
            dialect = dialect_of(lines)
        except csv.Error as error:
            raise InputError(f"{self.name}: {error}; is this a text file of rows and columns?") from None
        if not dialect.names:
            raise InputError(f"{self.name}: the file is empty; expected a header line and rows of numbers")
        cells = {name: f"c{k}" for k, name in enumerate(dialect.names)}
        types = dict.fromkeys(dialect.names, "VARCHAR")
        return Relation(
            connect(), self._sql(dialect), cells, types, self._place(dialect), dialect.decimal_comma
        )

    def _first_lines(self) -> list[str]:
        """The first lines, each with its end: a cell in quotes may go on in the next one."""
        text = self.first_text
        if text.count("\0") > len(text) // 4:
            raise InputError(
                f"{self.name}: is full of zero bytes, as text in UTF-16 is;"
                " convert the file, for example with `iconv -f utf-16le -t utf-8`"
            )
        if "\r" in text and "\n" not in text:
            raise InputError(
                f"{self.name}: the lines end in CR alone; convert the file, for example with `mac2unix`"
            )
        return list(io.StringIO(text, newline=""))

    def _check_width(self, lines: Sequence[str]) -> None:
        """Refuse very wide tables before anything is done cell by cell."""
        last = lines[min(len(lines), 20) - 1] if lines else ""
        width = max(last.count(delimiter) for delimiter in DELIMITERS) + 1
        if width > MOST_COLUMNS:
            raise InputError(
                f"{self.name}: {width} columns, more than the {MOST_COLUMNS} that are read at once;"
                " one row a time step is expected: turn the table round, or cut it into files"
            )

    def _sql(self, dialect: Dialect) -> str:
        # A path is taken for a pattern, so its own brackets and stars are escaped.
        columns = ", ".join(f"'c{k}': 'VARCHAR'" for k in range(len(dialect.names)))
        comment = ", comment='#'" if dialect.comments else ""
        if dialect.comments and self._is_marked():
            comment += ", skip=1"  # behind the mark the engine does not see the comment
        compression = "gzip" if self.compressed else "uncompressed"
        return (
            f"read_csv({quoted(glob.escape(str(self.path)))}, auto_detect=false, columns={{{columns}}},"
            f" delim={quoted(dialect.delimiter)}, quote='\"', escape='\"', header={str(dialect.header).lower()},"
            f" compression={compression!r}, max_line_size={_LONGEST_LINE}{comment})"
        )

    def _place(self, dialect: Dialect) -> Callable[[int], str]:
        return lambda row: f"{self.name}, line {self._line_of(row, dialect)}"

    def _line_of(self, row: int, dialect: Dialect) -> int:
        """Line of the file, counted from 1, on which a row begins; found by reading up to it."""
        with self.open() as file:
            lines = (raw.decode("utf-8-sig", "replace") for raw in file)
            reader = csv.reader(lines, delimiter=dialect.delimiter)
            before = 0
            rows = _data_rows(reader, dialect)
            for _ in itertools.islice(rows, row + dialect.header):
                before = reader.line_num
            next(rows, None)
            return max(before + 1, reader.line_num)

    def _is_marked(self) -> bool:
        with self.open() as file:
            return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8

    def _first_bytes(self) -> bytes:
        try:
            with self.open() as file:
                data = file.read(_SAMPLE_BYTES)
                whole = len(data) < _SAMPLE_BYTES
                if not whole and b"\n" not in data:
                    data += file.readline(_LONGEST_LINE)
                # The engine takes what there is of a cut-off file for the whole; the checksum is at the end.
                while self.compressed and file.read(_CHUNK):
                    pass
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise InputError(
                f"{self.name}: the gzip data end too early or are damaged; copy the file again"
            ) from None
        return data if whole else data[: data.rfind(b"\n") + 1] or data

    def open(self) -> IO[bytes]:
        """The bytes of the text."""
        return gzip.open(self.path, "rb") if self.compressed else self.path.open("rb")  # type: ignore[return-value]


def _data_rows(reader: Iterator[list[str]], dialect: Dialect) -> Iterator[list[str]]:
    for row in reader:
        skipped = not row and len(dialect.names) > 1
        if not skipped and not (dialect.comments and row and row[0].startswith("#")):
            yield row
