"""The benchmark as one HTML page that needs nothing else: table, ranks, cost, and every series with its scores."""

import html
import json
from importlib import resources
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paiad.benchmark.facts import Fact, facts_of
from paiad.benchmark.figures import make_figure
from paiad.benchmark.remeasure import viewed
from paiad.benchmark.render import as_html
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.sources import Source
from paiad.benchmark.tables.main_results import main_results
from paiad.benchmark.tables.variants import methods_of
from paiad.progress import track
from paiad.runs import runs_of

BINS = 600
HEIGHTS = 1000

Values = NDArray[np.float64]


def page(results: Results, metric: str = "VUS-PR") -> str:
    """The whole page as text."""
    read = resources.files("paiad.benchmark") / "page"
    return Template((read / "page.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(f"Benchmark {results.suite.name}"),
        subtitle=html.escape(f"{len(results.sources)} series, {len(results.suite.entries)} detectors"),
        main=as_html(main_results(results)),
        figures="\n".join(make_figure(name, results, footed=False) for name in _figures(results)),
        data=_embedded(_data(results, metric)),
        script=(read / "page.js").read_text(encoding="utf-8"),
    )


def _figures(results: Results) -> list[str]:
    """Those that show more than empty axes; the protocol stands under the table."""
    gains = ["teaser", "by-type"] if methods_of(results) else []
    return ["critical-difference", "cost-quality", *gains, "kinds"]


def _data(results: Results, metric: str) -> dict[str, Any]:
    entries = results.suite.entries
    facts = facts_of(results.store, results.sources, results.engine)
    keys = {(job.detector, job.source.name): job.key for entry in entries for job in results.done(entry)}
    told = {entry.name: results.per_series(Choice(entry), metric) for entry in entries}
    series = []
    for place, source in enumerate(track(results.sources, "series")):
        if not facts[source.name].length:
            continue  # it cannot be read; the notes under the table say so
        scores = [
            _score(results, keys.get((entry.name, source.name)), told[entry.name][place]) for entry in entries
        ]
        series.append({**_shown(source, facts[source.name]), "scores": scores})
    return {"metric": metric, "detectors": [entry.name for entry in entries], "series": series}


def _shown(source: Source, fact: Fact) -> dict[str, Any]:
    series = source.load()
    length = len(series)
    assert series.labels is not None
    spans = runs_of(series.labels > 0, merge_gap=length // BINS)
    return {
        "name": source.name,
        "length": length,
        "kind": f"{fact.kind} anomalies" if fact.kind != "undetermined" else "kind of anomaly undetermined",
        "train": (series.train_end or 0) / length,
        "labels": [[int(first) / length, (int(last) + 1) / length] for first, last in spans],
        "values": band(series.values),
    }


def _score(results: Results, key: str | None, value: float) -> dict[str, Any] | None:
    if key is None:
        return None
    told: dict[str, Any] = {"told": "undefined"}
    if np.isfinite(value):
        told = {"told": f"{value:.3f}", "value": round(value, 4)}
    if results.store.has_scores(key):
        told["band"] = band(viewed(results.store, key, ""))
    return told


def band(values: Values) -> list[list[int]]:
    """Lowest and highest value of each of at most `BINS` bins, from 0 (the lowest of all) to 1000.

    >>> band(np.array([0.0, 5.0, 10.0]))
    [[0, 500, 1000], [0, 500, 1000]]
    """
    low, high = float(values.min()), float(values.max())
    scaled = np.zeros(len(values)) if high <= low else (values - low) / (high - low) * HEIGHTS
    starts = np.unique(np.linspace(0, len(values), min(BINS, len(values)), endpoint=False).astype(np.int64))
    bounds = np.minimum.reduceat(scaled, starts), np.maximum.reduceat(scaled, starts)
    return [np.rint(bound).astype(int).tolist() for bound in bounds]


def _embedded(content: dict[str, Any]) -> str:
    """JSON that cannot end the element it stands in."""
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
