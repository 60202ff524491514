"""What a run of the command line left: its exit code, output and complaints."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def refused(ran: Ran, *said: str) -> None:
    """It ended with one line that says all of this, and printed nothing else."""
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.startswith("paiad: ")
    assert ran.err.count("\n") == 1, ran.err
    for part in said:
        assert part in ran.err, f"{part!r} not in {ran.err!r}"


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, by column."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
