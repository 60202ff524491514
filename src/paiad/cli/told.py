"""What was found, as a few lines of text."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from paiad.detection import Detection, Detections
from paiad.events import Event

EVENTS_SHOWN = 10
SERIES_SHOWN = 20


def told(found: Detections, files: dict[str, Path]) -> str:
    """The events of every series, the highest scores first, and where the files are."""
    lines = [line for one in list(found)[:SERIES_SHOWN] for line in _of_series(one)]
    if len(found) > SERIES_SHOWN:
        lines.append(f"… and {len(found) - SERIES_SHOWN} more series")
    notes = [f"  · {note}" for note in found.notes]
    where = files.get("report") or files["events"]
    return "\n".join([found.source, *notes, *lines, "", f"report: {where}"])


def _of_series(one: Detection) -> Iterable[str]:
    count = len(one.events)
    yield ""
    yield (
        f"{one.series.name}: {count or 'no'} event{'' if count == 1 else 's'} in {len(one.series):,} steps "
        f"(threshold {one.threshold.value:.4g}: {one.threshold.rule})"
    )
    yield from (f"  · {note}" for note in one.notes)
    if count:
        shown = sorted(one.events, key=lambda event: -event.score)[:EVENTS_SHOWN]
        rows = [("start", "end", "steps", "severity", "lifted by", "value", "expected", "ran")]
        yield from _aligned(rows + [_row(event) for event in shown])
    if count > EVENTS_SHOWN:
        yield f"  … and {count - EVENTS_SHOWN} more"


def _row(event: Event) -> tuple[str, ...]:
    return (
        moment(event.start, event.start_time),
        moment(event.end, event.end_time),
        f"{event.length:,}",
        "–" if event.severity is None else f"{event.severity:.2f}",
        event.leading or "–",
        "–" if event.value is None else f"{event.value:.4g}",
        "–" if event.expected is None else f"{event.expected:.4g}",
        event.direction or "–",
    )


def moment(step: int, time: Any) -> str:
    """When a step was, as short as it can be said.

    >>> moment(7, np.datetime64("2026-01-01T12:30:00.000000000")), moment(7, None)
    ('2026-01-01 12:30', 'row 7')
    """
    if time is None:
        return f"row {step:,}"
    if not isinstance(time, np.datetime64):
        return f"{time}"
    day, _, clock = str(np.datetime_as_string(time, unit="ns")).partition("T")
    clock, _, fraction = clock.partition(".")
    fraction = fraction.rstrip("0")
    if fraction:
        return f"{day} {clock}.{fraction}"
    return day if clock == "00:00:00" else f"{day} {clock.removesuffix(':00')}"


def _aligned(rows: list[tuple[str, ...]]) -> Iterable[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
