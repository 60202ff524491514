"""How a text file is laid out, judged on its first lines: delimiter, header, comments, decimal comma."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

DELIMITERS = ("\t", ";", ",", "|")
_DECIMAL_COMMA = re.compile(r"\s*[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+([eE][+-]?\d+)?\s*")
_TIME = re.compile(r"\s*\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?([T ].*)?\s*|.*\d:\d\d.*")
_MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "none", "nil", "-", "?"}
_SHARE_ALIKE = 0.9
_SHARE_VALUES = 0.5
"""A first cell that is no value is a name, when this share of the cells below it are values; others may be wrong."""


@dataclass(frozen=True)
class Dialect:
    """How a text file is laid out."""

    delimiter: str
    names: tuple[str, ...]
    header: bool
    """Whether the first line that is no comment names the columns."""
    comments: bool
    decimal_comma: bool


def dialect_of(lines: Sequence[str]) -> Dialect:
    """Judge the layout on the first lines of a file.

    >>> dialect_of(["time;load", "2024-01-01;1,5", "2024-01-02;1,7"])
    Dialect(delimiter=';', names=('time', 'load'), header=True, comments=False, decimal_comma=True)
    """
    comments = bool(lines) and lines[0].startswith("#")
    body = [line for line in lines if line.strip() and not (comments and line.startswith("#"))]
    delimiter = _delimiter(body)
    table = list(csv.reader(body, delimiter=delimiter))
    decimal_comma = delimiter != "," and _has_decimal_comma(table)
    header = bool(table) and _names_columns(table)
    names = [name.strip() for name in table[0]] if header else []
    if not header and comments:
        names = _names_in_comment([line for line in lines if line.startswith("#")][-1], delimiter, table)
    if not names and table:
        names = [f"column_{k}" for k in range(1, len(table[0]) + 1)] if len(table[0]) > 1 else ["value"]
    return Dialect(delimiter, _distinct(names), header, comments, decimal_comma)


def _delimiter(lines: Sequence[str]) -> str:
    """The delimiter that cuts nearly all lines into the same number of cells, more than one."""
    for delimiter in (delimiter for delimiter in DELIMITERS if lines and delimiter in lines[0]):
        widths = Counter(len(row) for row in csv.reader(lines[:200], delimiter=delimiter))
        width, count = widths.most_common(1)[0]
        if width > 1 and count >= _SHARE_ALIKE * sum(widths.values()):
            return delimiter
    # One column, or too ragged to tell: a comma makes the reader name the first line that differs.
    return ","


def _has_decimal_comma(table: Sequence[Sequence[str]]) -> bool:
    return any(_DECIMAL_COMMA.fullmatch(cell) for row in table for cell in row)


def _names_columns(table: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names columns: over a column of numbers or times stands something that is neither."""
    first, rest = table[0], table[1:]
    if not any(_is_value(cell) for row in rest for cell in row):
        return not any(_is_value(cell) for cell in first)
    for place, cell in enumerate(first):
        below = [row[place] for row in rest if place < len(row) and not _is_missing(row[place])]
        named = not _is_value(cell) and not _is_missing(cell)
        if named and below and sum(map(_is_value, below[:20])) > _SHARE_VALUES * len(below[:20]):
            return True
    return False


def _names_in_comment(comment: str, delimiter: str, table: Sequence[Sequence[str]]) -> list[str]:
    names = [name.strip() for name in next(csv.reader([comment.lstrip("# ")], delimiter=delimiter), [])]
    return names if table and len(names) == len(table[0]) > 1 else []


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Names with none empty and none twice.

    >>> _distinct(["", "a", "a", ""])
    ('index', 'a', 'a_2', 'column_4')
    """
    distinct: list[str] = []
    taken: set[str] = set()
    for place, name in enumerate(names):
        wanted = name or ("index" if place == 0 else f"column_{place + 1}")
        unique, count = wanted, 1
        while unique in taken:
            count += 1
            unique = f"{wanted}_{count}"
        taken.add(unique)
        distinct.append(unique)
    return tuple(distinct)


def _is_value(cell: str) -> bool:
    return _is_number(cell) or bool(_TIME.fullmatch(cell))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return bool(_DECIMAL_COMMA.fullmatch(cell))
    return not _is_missing(cell)


def _is_missing(cell: str) -> bool:
    return cell.strip().lower() in _MISSING
