"""What a detection found: one series, or all series of one source, judged."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paiad.errors import SettingError
from paiad.events import Event
from paiad.reading import Table
from paiad.receipt import Receipt
from paiad.series import Series
from paiad.shapes import Scores
from paiad.thresholds import Threshold


@dataclass(frozen=True, eq=False)
class Detection:
    """One series, judged: a score a step (higher is more anomalous, NaN where there is nothing to judge by),
    the terms it is the sum of, and the stretches that rise above the threshold.

    `training` are the first and one past the last of the steps taken as normal; None when the series was
    compared with itself.
    """

    series: Series
    receipt: Receipt
    threshold: Threshold
    events: tuple[Event, ...]
    training: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()

    @property
    def scores(self) -> Scores:
        return self.receipt.score

    @property
    def worst(self) -> Event | None:
        """The event with the highest score."""
        return max(self.events, key=lambda event: event.score, default=None)


@dataclass(frozen=True, eq=False)
class Detections:
    """All series of one source, judged alike, in the order of the source; `settings` says how."""

    table: Table
    found: tuple[Detection, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Name of the file, or what stands for it."""
        return self.table.name

    def rows(self) -> Any:
        """The rows that came in, in the same order and form, with what was found beside them.

        Columns, of each series: `score` (higher is more anomalous; missing where there is nothing to judge by),
        `event` (the number of the event a step belongs to, 0 for none), `score_…` (the terms the score is the
        sum of), `expected` (the value that would have been normal) and `quality` (see `paiad.quality`).
        """
        return self.table.with_columns({one.series.name: _columns(one) for one in self.found})

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Detection]:
        return iter(self.found)

    def __getitem__(self, name: str) -> Detection:
        for one in self.found:
            if one.series.name == name:
                return one
        raise SettingError(f"{self.source}: no series is called {name!r}; there are {', '.join(self.names)}")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.series.name for one in self.found)

    @property
    def events(self) -> tuple[tuple[str, Event], ...]:
        """Every event with the name of its series, the highest score first."""
        every = [(one.series.name, event) for one in self.found for event in one.events]
        return tuple(sorted(every, key=lambda named: -named[1].score))

    @property
    def only(self) -> Detection:
        """The one series there is."""
        if len(self.found) != 1:
            raise SettingError(f"{self.source}: there are {len(self.found)} series; ask for one by its name")
        return self.found[0]


def _columns(one: Detection) -> dict[str, np.ndarray]:
    event = np.zeros(len(one.series), dtype=np.int64)
    for number, found in enumerate(one.events, start=1):
        event[found.start : found.end + 1] = number
    terms = {
        f"score_{term}": part for term, part in zip(one.receipt.terms, one.receipt.contributions, strict=True)
    }
    return {"score": one.scores, "event": event, **terms, "expected": one.receipt.expected}


def without_score(receipt: Receipt, unjudged: np.ndarray) -> Receipt:
    """The receipt with NaN where a score would be an invention."""
    if not unjudged.any():
        return receipt
    contributions = receipt.contributions.copy()
    contributions[:, unjudged] = np.nan
    return Receipt(receipt.terms, contributions, receipt.expected, receipt.values)
