"""The report as one HTML file that needs nothing else: no library, no network."""

import base64
import hashlib
import html
import json
import math
import platform
from datetime import datetime, timezone
from importlib import metadata, resources
from string import Template
from typing import Any

import numpy as np

from paiad import __version__
from paiad.detection import Detection, Detections
from paiad.events import Event
from paiad.quality import NAMES, OK
from paiad.report.packing import as_axis, packed, packed_positions
from paiad.report.terms import colours, meaning
from paiad.report.thinning import marks_of
from paiad.runs import runs_of

MARKS = 200_000  # of one series; more than ten for every pixel of a wide screen
MARKS_IN_ALL = 1_000_000  # of a whole report
FEWEST = 2_000
SPANS = 2_000  # stretches of one kind (labelled, flagged) that are drawn

_SCRIPTS = ("data.js", "words.js", "draw.js", "navigate.js", "tables.js", "main.js")


def page(found: Detections, title: str | None = None) -> str:
    """The whole page as text.

    What it holds of a series grows with its length up to `MARKS` marks (17 MB by the default); see `thinning`.
    """
    style, script = _asset("style.css"), _script()
    most = int(np.clip(MARKS_IN_ALL // max(len(found), 1), FEWEST, MARKS))
    series = (_json_block(f"series-{i}", series_data(one, found.notes, most)) for i, one in enumerate(found))
    return Template(_asset("page.html")).substitute(
        version=__version__,
        title=html.escape(title or found.source),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        report=_json_text(_overview(found, title or found.source)),
        series="\n".join(series),
    )


def _overview(found: Detections, title: str) -> dict[str, Any]:
    worst = [_number(one.worst.severity) if one.worst else None for one in found]
    made = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    events = sum(len(one.events) for one in found)
    counted = f"{events} event{'' if events == 1 else 's'} in {len(found)} series"
    return {
        "title": title,
        "subtitle": f"{counted} · made by paiad {__version__} on {made}",
        "first": int(np.argmax([-1.0 if severity is None else severity for severity in worst]))
        if worst
        else 0,
        "series": [
            {"name": one.series.name, "length": len(one.series), "events": len(one.events), "worst": severity}
            for one, severity in zip(found, worst, strict=True)
        ],
        "settings": [[name, value] for name, value in found.settings.items()],
        "versions": _versions(),
    }


def series_data(one: Detection, notes: tuple[str, ...], most: int) -> dict[str, Any]:
    """What the page knows of one series."""
    length = len(one.series)
    axis, position = as_axis(one.series.time, length)
    spacing = float(np.median(np.diff(position))) if length > 1 else 1.0
    spacing = spacing if spacing > 0 else 1.0
    edges = np.append(position, position[-1] + spacing)
    marks = marks_of(one, most)
    single = marks.every_step
    return {
        "name": one.series.name,
        "length": length,
        "axis": axis,
        "from": edges[0],
        "to": edges[-1],
        "last": position[-1],
        "spacing": spacing,
        "row": None if single else packed_positions(marks.first),
        "x": None if single and axis == "row" else packed_positions(position[marks.first[:-1]]),
        "low": packed(marks.low),
        "high": None if single else packed(marks.high),
        "scoreHigh": packed(marks.score_high),
        "scoreLow": None if single else packed(marks.score_low),
        "expected": packed(marks.expected),
        "terms": list(one.receipt.terms),
        "meanings": [meaning(term) for term in one.receipt.terms],
        "colours": {theme: colours(one.receipt.terms, theme) for theme in ("light", "dark")},
        "termValues": [packed(term) for term in marks.terms],
        "threshold": _number(one.threshold.value),
        "rule": one.threshold.rule,
        "train": None if one.training is None else [edges[one.training[0]], edges[one.training[1]]],
        "trainSteps": None if one.training is None else one.training[1] - one.training[0],
        "labels": [] if one.series.labels is None else _spans(one.series.labels > 0, edges),
        "flags": _flags(one, edges),
        "events": [_event(event, position, edges) for event in one.events],
        "notes": [*notes, *one.notes],
    }


def _event(event: Event, position: np.ndarray, edges: np.ndarray) -> dict[str, Any]:
    return {
        "start": event.start,
        "end": event.end + 1,
        "peak": event.peak,
        "x0": edges[event.start],
        "x1": edges[event.end + 1],
        "xLast": position[event.end],
        "xPeak": position[event.peak],
        "span": edges[event.end + 1] - edges[event.start],
        "score": _number(event.score),
        "severity": _number(event.severity),
        "endless": event.severity is not None and math.isinf(event.severity),
        "returns": _number(event.return_period),
        "terms": [[term, _number(part)] for term, part in event.terms],
        "value": _number(event.value),
        "expected": _number(event.expected),
        "direction": event.direction,
        "beside": event.beside,
    }


def _flags(one: Detection, edges: np.ndarray) -> list[list[Any]]:
    quality = one.series.quality
    if quality is None:
        return []
    codes = [code for code in range(len(NAMES)) if code != OK]
    return [
        [*span, NAMES[code].replace("_", " ")] for code in codes for span in _spans(quality == code, edges)
    ]


def _spans(mask: np.ndarray, edges: np.ndarray) -> list[list[float]]:
    """Where the mask is true, as stretches of the axis; close ones are drawn as one when there are very many."""
    runs = runs_of(mask)
    if len(runs) > SPANS:
        runs = runs_of(mask, merge_gap=len(mask) // SPANS)
    return [[edges[first], edges[last + 1]] for first, last in runs]


def _versions() -> list[list[str]]:
    known = [["paiad", __version__], ["Python", platform.python_version()]]
    return known + [[package, metadata.version(package)] for package in ("numpy", "numba", "duckdb")]


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _asset(name: str) -> str:
    return (resources.files("paiad.report") / "page" / name).read_text(encoding="utf-8")


def _script() -> str:
    parts = "\n".join(_asset(name) for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();'


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _json_block(name: str, content: dict[str, Any]) -> str:
    return f'<script id="{name}" type="application/json">{_json_text(content)}</script>'


def _json_text(content: dict[str, Any]) -> str:
    """JSON that cannot end the element it stands in, whatever the names in it are."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=float)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
