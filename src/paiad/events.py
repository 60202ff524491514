"""From scores to events: which stretches are anomalous, how severe each is, and what lifted it."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from paiad.errors import InputError, SettingError
from paiad.extent import without_slopes
from paiad.extremes import MERGE_GAP
from paiad.receipt import Receipt
from paiad.runs import Mask, mask_of, runs_of
from paiad.shapes import Scores, Times
from paiad.thresholds import Threshold

Direction = Literal["above", "below", "level"]


@dataclass(frozen=True)
class Event:
    """A stretch of anomalous steps, `start` to `end`, both included; `peak` is the step with the highest score.

    `severity` has the threshold as its unit (1 just above it, 2 twice as far out), and normal data shows such a
    peak once in `return_period` steps. `terms` are the parts of the score at the peak, the largest first,
    `direction` says on which side of the `expected` value the series ran there. Without a receipt the last
    four are unknown; without a calibrated threshold severity and return period are. `beside` names a hole in the
    data that the event touches, and that may have caused it.
    """

    start: int
    end: int
    peak: int
    score: float
    severity: float | None = None
    return_period: float | None = None
    terms: tuple[tuple[str, float], ...] = ()
    value: float | None = None
    expected: float | None = None
    direction: Direction | None = None
    start_time: Any = None
    end_time: Any = None
    peak_time: Any = None
    beside: str | None = None

    @property
    def length(self) -> int:
        """How many steps it lasts."""
        return self.end - self.start + 1

    @property
    def leading(self) -> str | None:
        """The term that adds most at the peak."""
        return self.terms[0][0] if self.terms else None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for tables and JSON; times as ISO text, the terms as a dictionary.

        JSON knows no infinity: where the threshold is the normal median itself, the severity is None.
        """
        row = asdict(self) | {"length": self.length, "leading": self.leading, "terms": dict(self.terms)}
        if self.severity is not None and not math.isfinite(self.severity):
            row["severity"] = None
        for key in ("start_time", "end_time", "peak_time"):
            row[key] = _plain_time(row[key])
        return row


def find_events(
    scores: Scores,
    threshold: Threshold | float,
    receipt: Receipt | None = None,
    time: Times | None = None,
    merge_gap: int = MERGE_GAP,
    least_length: int = 1,
) -> tuple[Event, ...]:
    """Stretches of scores above the threshold, in order of time.

    Stretches with at most `merge_gap` steps between them are one event. A calibrated threshold knows what normal
    scores are: slopes, where the score only fades from a peak, are then no part of the event (see `paiad.extent`).
    Events shorter than `least_length` steps are dropped.

    >>> scores = np.zeros(100); scores[[40, 41, 44, 90]] = 3.0, 5.0, 4.0, 9.0
    >>> [(event.start, event.end, event.peak) for event in find_events(scores, 2.0)]
    [(40, 44, 41), (90, 90, 90)]
    """
    scores = np.asarray(scores, dtype=np.float64)
    _check_length("receipt", None if receipt is None else receipt.values, len(scores))
    _check_length("time", time, len(scores))
    value = threshold.value if isinstance(threshold, Threshold) else float(threshold)
    if math.isnan(value) or merge_gap < 0 or least_length < 1:
        raise SettingError(
            "events need a threshold that is a number, a merge_gap of at least 0 and a least_length of at least 1; "
            f"got {value}, {merge_gap} and {least_length}"
        )
    stretches = [(int(first), int(last)) for first, last in runs_of(scores > value, merge_gap)]
    if isinstance(threshold, Threshold):
        stretches = [_cut_back(scores, *stretch, threshold) for stretch in stretches]
    return tuple(
        _event(scores, first, last, threshold, receipt, time)
        for first, last in stretches
        if last - first + 1 >= least_length
    )


def events_mask(events: Iterable[Event], length: int) -> Mask:
    """True at every step of every event, `length` steps long."""
    return mask_of(np.array([(event.start, event.end) for event in events]).reshape(-1, 2), length)


def mask_events(mask: Mask, merge_gap: int = 0, least_length: int = 1) -> tuple[Event, ...]:
    """Events of a mask (or of 0/1 labels), which has no scores: each step in it counts 1.

    >>> [(event.start, event.end) for event in mask_events(np.array([0, 1, 1, 0, 1]))]
    [(1, 2), (4, 4)]
    """
    return find_events(
        np.asarray(mask, dtype=np.float64), 0.5, merge_gap=merge_gap, least_length=least_length
    )


def _cut_back(scores: Scores, first: int, last: int, threshold: Threshold) -> tuple[int, int]:
    start, end = without_slopes(scores[first : last + 1], threshold.normal.median)
    return first + start, first + end


def _check_length(what: str, column: np.ndarray | None, length: int) -> None:
    if column is not None and len(column) != length:
        raise InputError(f"events: {what} must have {length} rows as the scores do, got {len(column)}")


def _event(
    scores: Scores,
    first: int,
    last: int,
    threshold: Threshold | float,
    receipt: Receipt | None,
    time: Times | None,
) -> Event:
    peak = first + int(np.nanargmax(scores[first : last + 1]))  # a merged gap may hold unjudged steps
    score = float(scores[peak])
    return Event(
        first,
        last,
        peak,
        score,
        **({} if not isinstance(threshold, Threshold) else _rarity(score, threshold)),
        **({} if receipt is None else _reasons(peak, receipt)),
        **(
            {}
            if time is None
            else {"start_time": time[first], "end_time": time[last], "peak_time": time[peak]}
        ),
    )


def _rarity(score: float, threshold: Threshold) -> dict[str, Any]:
    return {
        "severity": threshold.severity(score),
        "return_period": threshold.normal.return_period(score),
    }


def _reasons(peak: int, receipt: Receipt) -> dict[str, Any]:
    parts = [float(part) for part in receipt.contributions[:, peak]]
    ranked = sorted(zip(receipt.terms, parts, strict=True), key=lambda term: -term[1])
    value, expected = float(receipt.values[peak]), float(receipt.expected[peak])
    direction: Direction = "above" if value > expected else "below" if value < expected else "level"
    return {"terms": tuple(ranked), "value": value, "expected": expected, "direction": direction}


def _plain_time(time: Any) -> Any:
    if time is None:
        return None
    return str(time) if isinstance(time, np.datetime64) else getattr(time, "item", lambda: time)()
