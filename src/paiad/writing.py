"""Writing, whole or not at all: to a file beside the target, then renamed."""

import csv
import gzip
import io
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from paiad.errors import OutputError, require, writing_to
from paiad.reading.engine import connect, identifier, quoted
from paiad.reading.file_source import FileRows
from paiad.reading.frames import columns_of

_COPY_OPTIONS = {
    ".csv": "FORMAT csv",
    ".txt": "FORMAT csv",
    ".tsv": "FORMAT csv, DELIMITER '\t'",
    ".parquet": "FORMAT parquet",
    ".pq": "FORMAT parquet",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
    ".json": "FORMAT json, ARRAY true",
}
_COMPRESSIBLE = (".csv", ".txt", ".tsv", ".jsonl", ".ndjson", ".json")


def write(path: str | os.PathLike[str], rows: Any) -> None:
    """Write rows (what `Table.with_columns` gives, or any data frame) as CSV, TSV, Parquet, JSON lines or Feather.

    The suffix of the path says which; `.gz` after it compresses text. NaN is written as missing.
    """
    target = Path(path)
    options = _options(target)
    with replacing(target) as temporary, writing_to(target):
        if options is None:
            _write_feather(temporary, rows)
        else:
            _copy(temporary, rows, options)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to that takes the place of `path` when all went well, and is removed when not.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "note.txt") as temporary:
    ...     _ = temporary.write_text("done")
    >>> [file.name for file in folder.iterdir()]
    ['note.txt']
    """
    target = Path(path)
    if target.is_dir():
        raise OutputError(f"{target}: is a directory; give the name of a file in it")
    if target.exists() and not target.is_file():
        yield target  # a device or a pipe cannot be replaced
        return
    target = target.resolve()  # a link keeps pointing where it does
    if not target.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {target.parent}; create it first")
    temporary = target.with_name(f".{target.name[:80]}.{secrets.token_hex(4)}.part")
    try:
        with writing_to(target):
            yield temporary
            os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _options(target: Path) -> str | None:
    """Options of the engine for that suffix; None for Feather."""
    suffixes = [suffix.lower() for suffix in target.suffixes]
    compressed = bool(suffixes) and suffixes[-1] == ".gz"
    kind = (suffixes[-2:-1] if compressed else suffixes[-1:]) or [""]
    if kind[0] in (".feather", ".arrow") and not compressed:
        return None
    if kind[0] not in (_COMPRESSIBLE if compressed else _COPY_OPTIONS):
        known = ", ".join([*_COPY_OPTIONS, ".feather"])
        raise OutputError(f"{target}: the suffix does not say what to write; use one of {known}")
    return _COPY_OPTIONS[kind[0]] + (", COMPRESSION gzip" if compressed else "")


def _copy(temporary: Path, rows: Any, options: str) -> None:
    import duckdb

    if isinstance(rows, FileRows):
        relation = rows.source.relation
        connection = relation.connection
        as_found = options.startswith("FORMAT csv")
        cells = relation.cells if as_found else relation.typed_cells(rows.source.columns)
        own = [f"{cell} AS {identifier(name)}" for name, cell in cells.items()]
        sql = f"{relation.sql} POSITIONAL JOIN added"
        new = rows.added
    else:
        connection, own, new, sql = connect(), [], columns_of(rows), "added"
    places = {f"added{k}": name for k, name in enumerate(new)}
    # The engine takes NaN in an array for null by itself; an expression for each of very many columns is slow.
    connection.register("added", {place: _plain(new[name]) for place, name in places.items()})
    added = [f"{place} AS {identifier(name)}" for place, name in places.items()]
    header = _own_header(rows.columns if isinstance(rows, FileRows) else list(new), options)
    options += f", HEADER {not header}" if options.startswith("FORMAT csv") else ""
    try:
        connection.execute(
            f"COPY (SELECT {', '.join(own + added)} FROM {sql}) TO {quoted(temporary)} ({options})"
        )
    except duckdb.Error as error:
        raise _of_system(str(error)) from error
    finally:
        connection.unregister("added")
    if header:
        temporary.write_bytes(header + temporary.read_bytes())


def _own_header(names: Sequence[str], options: str) -> bytes:
    """The first line of a CSV file, where the engine would rename columns: Load and load are one to it."""
    if not options.startswith("FORMAT csv") or len({name.lower() for name in names}) == len(names):
        return b""
    line = io.StringIO()
    csv.writer(line, delimiter="\t" if "DELIMITER" in options else ",", lineterminator="\n").writerow(names)
    text = line.getvalue().encode()
    return (
        gzip.compress(text) if "gzip" in options else text
    )  # members of one gzip file may follow each other


def _of_system(told: str) -> OSError:
    """The error of the system, out of the engine's words, where it names one."""
    number = re.search(r'"errno":"(\d+)"', told)
    if number is not None:
        return OSError(int(number[1]), os.strerror(int(number[1])))
    first = told.splitlines()[0]
    return OSError(first.rpartition('": ')[2] or first)  # 'Cannot open file "x": Permission denied'


def _plain(column: np.ndarray) -> np.ndarray:
    """A column in a form that the engine can read."""
    return column.astype(object) if column.dtype.kind in "US" else np.ascontiguousarray(column)


def _write_feather(temporary: Path, rows: Any) -> None:
    pyarrow = require("pyarrow", "arrow", "writing Feather")
    feather = require("pyarrow.feather", "arrow", "writing Feather")
    if isinstance(rows, FileRows):
        raise OutputError("rows of a text file are not written as Feather; choose .parquet")
    columns: Mapping[str, np.ndarray] = columns_of(rows)
    arrays = {name: pyarrow.array(column, from_pandas=True) for name, column in columns.items()}
    feather.write_feather(pyarrow.table(arrays), temporary)
