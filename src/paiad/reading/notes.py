"""What was found in the data and what was done about it, in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from paiad.naming import shown

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
        return f"{shown(self.series)}: {self.text}" if self.series else self.text


def gathered(notes: Sequence[Note]) -> tuple[Note, ...]:
    """The notes with what is said of several series in the same words said once.

    >>> [str(note) for note in gathered([Note("time", "one step every 1 h", series=name) for name in "abc"])]
    ['one step every 1 h (3 series)']
    """
    said = Counter((note.kind, note.text) for note in notes if note.series)
    rows = Counter()  # type: Counter[tuple[str, str]]
    for note in notes:
        rows[note.kind, note.text] += note.count
    kept: dict[tuple[str, str, str | None], Note] = {}
    for note in notes:
        times = said[note.kind, note.text]
        shared = Note(note.kind, f"{note.text} ({times} series)", rows[note.kind, note.text])
        whole = shared if times > 1 and note.series else note
        kept.setdefault((whole.kind, whole.text, whole.series), whole)
    return tuple(kept.values())
