"""What was found, as a few lines of text."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paiad.detection import Detection, Detections
from paiad.events import Event
from paiad.moment import moment_text
from paiad.naming import shown

EVENTS_SHOWN = 10
SERIES_SHOWN = 20
NAMES_SHOWN = 8
_ARROWS = {"above": " ↑", "below": " ↓"}


def told(found: Detections, files: dict[str, Path]) -> str:
    """The events of every series, those with the highest scores first, and where the files are.

    No line of a table is longer than 80 characters, unless the data ask for it.
    """
    in_all = [note for note in found[found.names[0]].notes if all(note in one.notes for one in found)]
    lines = [shown(found.source), *(f"  · {note}" for note in (*found.notes, *in_all))]
    with_events = sorted((one for one in found if one.events), key=_severity, reverse=True)
    for one in with_events[:SERIES_SHOWN] if len(found) > 1 else found:
        lines += ["", *_of_series(one, in_all)]
    if len(with_events) > SERIES_SHOWN:
        lines += ["", f"… and {len(with_events) - SERIES_SHOWN} more series with events"]
    if len(found) > max(len(with_events), 1):
        lines += ["", _without_events([one.series.name for one in found if not one.events])]
    return "\n".join([*lines, "", f"report: {files.get('report') or files['events']}"])


def _severity(one: Detection) -> float:
    severity = one.worst.severity if one.worst is not None else None
    return 0.0 if severity is None else severity


def _without_events(names: list[str]) -> str:
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return f"no events in {len(names):,} series: {', '.join(map(shown, names[:NAMES_SHOWN]))}{more}"


def _of_series(one: Detection, said: Sequence[str]) -> Iterable[str]:
    count = len(one.events)
    yield f"{shown(one.series.name)}: {count or 'no'} event{'' if count == 1 else 's'} in {len(one.series):,} steps"
    yield f"  · threshold {one.threshold.value:.4g}: {one.threshold.rule}"
    yield from (f"  · {note}" for note in one.notes if note not in said)
    if count:
        worst = sorted(one.events, key=lambda event: -event.score)[:EVENTS_SHOWN]
        days = all(_is_midnight(time) for event in worst for time in (event.start_time, event.end_time))
        yield from _aligned([_HEADS, *(_row(event, days) for event in worst)])
    if count > EVENTS_SHOWN:
        yield f"  … and {count - EVENTS_SHOWN} more"


_HEADS = ("start", "end", "severity", "lifted by", "value", "expected", "")


def _row(event: Event, days: bool) -> tuple[str, ...]:
    arrow = _ARROWS.get(event.direction or "", "")
    return (
        _moment(event.start, event.start_time, days),
        _moment(event.end, event.end_time, days),
        "–" if event.severity is None else f"{event.severity:.2f}",
        event.leading or "–",
        "–" if event.value is None else f"{event.value:.4g}{arrow}",
        "–" if event.expected is None else f"{event.expected:.4g}",
        f"beside {event.beside}" if event.beside else "",
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
