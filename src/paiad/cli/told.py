"""What was found, as a few lines of text."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from paiad.detection import Detection, Detections
from paiad.events import Event
from paiad.moment import moment_text

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
        days = all(_is_midnight(time) for event in shown for time in (event.start_time, event.end_time))
        yield from _aligned(rows + [_row(event, days) for event in shown])
    if count > EVENTS_SHOWN:
        yield f"  … and {count - EVENTS_SHOWN} more"


def _row(event: Event, days: bool) -> tuple[str, ...]:
    return (
        _moment(event.start, event.start_time, days),
        _moment(event.end, event.end_time, days),
        f"{event.length:,}",
        "–" if event.severity is None else f"{event.severity:.2f}",
        event.leading or "–",
        "–" if event.value is None else f"{event.value:.4g}",
        "–" if event.expected is None else f"{event.expected:.4g}",
        (event.direction or "–") + (f", beside {event.beside}" if event.beside else ""),
    )


def _moment(step: int, time: Any, days: bool) -> str:
    if time is None:
        return f"row {step:,}"
    return moment_text(time, days) if isinstance(time, np.datetime64) else f"{time}"


def _is_midnight(time: Any) -> bool:
    return isinstance(time, np.datetime64) and time == time.astype("datetime64[D]")


def _aligned(rows: list[tuple[str, ...]]) -> Iterable[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
