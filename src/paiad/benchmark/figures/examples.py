"""Examples of each kind of anomaly: the event and what is around it."""

from collections.abc import Sequence

import numpy as np

from paiad.benchmark.anomaly_types import KINDS
from paiad.benchmark.facts import facts_of
from paiad.benchmark.figures.svg import COLOURS, INK, box, drawing, path, text
from paiad.benchmark.results import Results
from paiad.benchmark.sources import Source
from paiad.runs import runs_of

WIDE, HIGH, EACH = 230.0, 96.0, 3
STEPS = 400


def kinds(results: Results, footer: Sequence[str]) -> str:
    """Up to three series of each kind, the first event of the test part shaded."""
    facts = facts_of(results.store, results.sources, results.engine)
    parts = []
    for row, kind in enumerate(KINDS):
        members = [source for source in results.sources if facts[source.name].kind == kind]
        parts.append(text(10, 16 + row * (HIGH + 34), f"{kind} ({len(members)} series)", weight="bold"))
        known = [source for source in members if facts[source.name].events]
        chosen = [known[int(place)] for place in np.linspace(0, len(known) - 1, min(EACH, len(known)))]
        for column, source in enumerate(chosen):
            parts.append(_panel(source, 10 + column * (WIDE + 16), 24 + row * (HIGH + 34)))
    note = "Kinds of anomalies by a rule of this library, from values and labels alone."
    return drawing(
        20 + EACH * (WIDE + 16), len(KINDS) * (HIGH + 34) + 10, "Kinds of anomalies", parts, [note, *footer]
    )


def _panel(source: Source, x: float, y: float) -> str:
    series = source.load()
    assert series.labels is not None
    first, last = (int(step) for step in _event(series.labels, series.train_end or 0))
    margin = max(STEPS // 2 - (last - first) // 2, last - first)
    begin, end = max(first - margin, 0), min(last + margin, len(series))
    shown = series.values[begin:end]
    low, high = float(shown.min()), float(shown.max())
    span = (high - low) or 1.0

    def across(step: float) -> float:
        return x + WIDE * (step - begin) / max(end - begin - 1, 1)

    wanted = np.unique(np.linspace(begin, end - 1, 2 * STEPS).astype(int))
    points = [(across(step), y + HIGH * (1 - (series.values[step] - low) / span)) for step in wanted]
    shade = box(across(first) - 1, y, across(last) - across(first) + 2, HIGH, "#f6d5c9")
    return shade + path(points, COLOURS[0]) + text(x, y + HIGH + 10, source.name[:44], colour=INK, size=8)


def _event(labels: np.ndarray, split: int) -> np.ndarray:
    events = runs_of(labels > 0)
    later = [event for event in events if event[0] >= split]
    return later[0] if later else events[0]
