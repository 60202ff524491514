"""The SQL engine that reads files: opening it, and its complaints in one line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

from paiad.errors import InputError

_CAUSES = (
    (
        r"Unexpected end of GZIP|unexpected end of file|Failed to decode gzip",
        "the gzip data end too early or are damaged; copy the file again",
    ),
    (
        r"not utf-8|[Ii]nvalid unicode|Invalid UTF",
        "is not UTF-8 text; convert it, for example with `iconv -f latin1 -t utf-8`",
    ),
    (r"unterminated quote", "a quoted cell is never closed; close or remove the quote"),
    (r"Maximum line size", "a line is too long; does the file have one row a time step?"),
    (r"invalid state", "the lines end in different ways; make them alike, for example with `dos2unix`"),
    (
        r"magic bytes|too small to be a Parquet|Snappy|decompress|Invalid.*[Pp]arquet|[Cc]orrupt|TProtocol",
        "the Parquet data are cut off or damaged; copy or export the file again",
    ),
    (r"Malformed JSON|malformed|parse JSON|JSON transform", "is not JSON, one object a line"),
)


def connect() -> Any:
    """A private, in-memory engine; what it reads comes back in the order of the file."""
    import duckdb

    return duckdb.connect()


def quoted(text: str | PathLike[str]) -> str:
    """A SQL string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A SQL name."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def named_errors(name: str) -> Iterator[None]:
    """Turn what the engine complains of into one line that begins with the file's name."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        message = str(error)
        raise InputError(f"{name}{_line(message)}: {_cause(message)}") from error
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror or error}") from error


def _line(message: str) -> str:
    found = re.search(r"CSV Error on Line: (\d+)|in line (\d+)|, line (\d+)", message)
    return f", line {next(filter(None, found.groups()))}" if found else ""


def _cause(message: str) -> str:
    ragged = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if ragged:
        expected, found = ragged.groups()
        above = " (is there text above the header? remove it)" if expected == "1" else ""
        return f"{found} cells where {expected} {'is' if expected == '1' else 'are'} expected; correct the line{above}"
    for pattern, cause in _CAUSES:
        if re.search(pattern, message):
            return cause
    return message.splitlines()[0].removeprefix("Invalid Input Error: ")
