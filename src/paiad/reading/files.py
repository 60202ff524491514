"""Files: what kind each one is by its first bytes, and its columns as a source of rows."""

import glob
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any

from paiad.errors import InputError, require
from paiad.reading.engine import connect, identifier, named_errors, quoted
from paiad.reading.file_source import file_source
from paiad.reading.jsonfile import broken_line, place_of
from paiad.reading.relation import Relation
from paiad.reading.source import Source
from paiad.reading.textfile import MOST_COLUMNS, TextFile

_SIGNATURES = {
    b"PAR1": "Parquet",
    b"ARROW1": "Feather",
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x89HDF": "an HDF5 file",
    b"SQLite format 3": "a SQLite database",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"FEA1": "Feather of version 1",
    b"\xff\xff\xff\xff": "an Arrow stream",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}
_READABLE = "CSV or TSV in UTF-8 (also .gz), Parquet, Feather or JSON lines"
_READ = ("Parquet", "Feather", "gzip", "text")
_BY_SUFFIX = {".parquet": "Parquet", ".pq": "Parquet", ".feather": "Feather", ".arrow": "Feather"}


def open_file(path: str | os.PathLike[str]) -> Source:
    """A file as a source of rows; "-" is the standard input."""
    if str(path) == "-":
        spool = _Spool(sys.stdin.buffer)
        return _opened(spool.path, "standard input", spool)
    if Path(path).is_fifo():  # as in `paiad detect <(zcat data.gz)`: it can be read but once
        with open(path, "rb") as pipe:
            spool = _Spool(pipe)
        return _opened(spool.path, str(path), spool)
    return _opened(Path(path), str(path), None)


class _Spool:
    """A stream copied to a file of its own, which goes when nothing needs it any more."""

    def __init__(self, stream: IO[bytes]) -> None:
        handle, path = tempfile.mkstemp(prefix="paiad-input-")
        self.path = Path(path)
        weakref.finalize(self, os.unlink, path)
        with os.fdopen(handle, "wb") as copy:
            shutil.copyfileobj(stream, copy)


def _opened(path: Path, name: str, spool: Any) -> Source:
    head = _head(path, name)
    if not head:
        raise InputError(f"{name}: the file is empty; expected a header line and rows of numbers")
    kind = next((kind for signature, kind in _SIGNATURES.items() if head.startswith(signature)), "text")
    if kind not in _READ:
        raise InputError(f"{name}: this is {kind}; export it as {_READABLE}")
    expected = _BY_SUFFIX.get(path.suffix.lower(), kind)
    if expected != kind:
        raise InputError(f"{name}: does not begin as a {expected} file does; copy or export it again")
    if kind == "Feather":
        return _feather(path, name)
    with named_errors(name):
        if kind == "Parquet":
            return file_source(path, name, _typed(f"read_parquet({_literal(path)})", name), spool)
        text = TextFile(path, name, kind == "gzip")
        if text.first_text.lstrip()[:1] in ("{", "["):
            return file_source(path, name, _json(text), spool)
        return file_source(path, name, text.relation(), spool)


def _head(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(64)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{name}: is a directory; give a file, or a pattern such as {name}/*.csv") from None
    except PermissionError:
        raise InputError(f"{name}: no permission to read it") from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror}") from None


def _literal(path: Path) -> str:
    return quoted(glob.escape(str(path)))


def _typed(sql: str, name: str) -> Relation:
    """A relation whose columns have the types that the file states."""
    connection = connect()
    described = connection.execute(f"DESCRIBE SELECT * FROM {sql}").fetchall()
    if len(described) > MOST_COLUMNS:
        raise InputError(
            f"{name}: {len(described)} columns, more than the {MOST_COLUMNS} that are read at once"
        )
    types = {column: kind for column, kind, *_ in described}
    return Relation(
        connection, sql, {column: identifier(column) for column in types}, types, _counted_from_0(name)
    )


def _json(text: TextFile) -> Relation:
    """JSON objects; what is neither number nor nested is kept as text, so that times are read by our rules."""
    options = f"sample_size=-1, compression='{'gzip' if text.compressed else 'uncompressed'}'"
    try:
        with named_errors(text.name):
            guessed = _typed(f"read_json({_literal(text.path)}, {options})", text.name)
    except InputError as refused:
        line = broken_line(text)
        if line is None:
            raise
        remedy = "is not JSON; correct it: one object a line, or an array of objects"
        raise InputError(f"{text.name}, line {line}: {remedy}") from refused
    kept = {
        column: "VARCHAR" if kind.startswith(("TIME", "DATE", "JSON", "UUID")) else kind
        for column, kind in guessed.types.items()
    }
    columns = ", ".join(f"{quoted(column)}: {quoted(kind)}" for column, kind in kept.items())
    sql = f"read_json({_literal(text.path)}, {options}, columns={{{columns}}})"
    return Relation(guessed.connection, sql, guessed.cells, kept, partial(place_of, text))


def _feather(path: Path, name: str) -> Source:
    feather = require("pyarrow.feather", "arrow", f"{name}: reading Feather")
    from paiad.reading.frames import frame_source

    try:
        table = feather.read_table(path, memory_map=False)
    except (OSError, ValueError) as error:
        remedy = "the Feather data are cut off or damaged; copy or export it again"
        raise InputError(f"{name}: {remedy}") from error
    return frame_source(table, name)


def _counted_from_0(name: str) -> Callable[[int], str]:
    return lambda row: f"{name}, row {row} (counted from 0)"
