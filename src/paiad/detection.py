"""What a detection found: one series, or all series of one source, judged."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from paiad.errors import SettingError
from paiad.events import Event
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

    source: str
    found: tuple[Detection, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

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


def without_score(receipt: Receipt, unjudged: np.ndarray) -> Receipt:
    """The receipt with NaN where a score would be an invention."""
    if not unjudged.any():
        return receipt
    contributions = receipt.contributions.copy()
    contributions[:, unjudged] = np.nan
    return Receipt(receipt.terms, contributions, receipt.expected, receipt.values)
