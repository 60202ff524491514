"""Where in a file of JSON objects something stands; the engine that reads them counts lines differently."""

import json
from collections.abc import Iterator
from itertools import islice

from paiad.reading.textfile import TextFile


def broken_line(file: TextFile) -> int | None:
    """The first line, counted from 1, that is not JSON; in an array, the line at which it stops to be."""
    if file.first_text.lstrip().startswith("["):
        with file.open() as content:
            try:
                json.loads(content.read().decode("utf-8-sig"))
            except json.JSONDecodeError as error:
                return error.lineno
            return None
    return next((number for number, line in _objects(file) if not _is_json(line)), None)


def place_of(file: TextFile, row: int) -> str:
    """How a user finds the row: its line, where each object has one."""
    if file.first_text.lstrip().startswith("["):
        return f"{file.name}, row {row} (counted from 0)"
    number, _ = next(islice(_objects(file), row, None), (row + 1, b""))
    return f"{file.name}, line {number}"


def _objects(file: TextFile) -> Iterator[tuple[int, bytes]]:
    with file.open() as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, line


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line.decode("utf-8-sig"))
    except ValueError:
        return False
    return True
