"""What was found in the data and what was done about it, in words."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "roles",  # which columns were taken for what
    "dropped",  # columns or series left out, and why
    "time",  # format, zone, sampling
    "order",  # rows sorted
    "duplicate",
    "gap",
    "filled",
    "constant",
]


@dataclass(frozen=True)
class Note:
    """One thing worth telling; `count` is how many rows, steps or columns it touches."""

    kind: Kind
    text: str
    count: int = 0
    series: str | None = None

    def __str__(self) -> str:
        return f"{self.series}: {self.text}" if self.series else self.text
