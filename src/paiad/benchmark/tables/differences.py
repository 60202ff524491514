"""Is it more than luck: paired bootstrap by file and by recording, signed ranks with Holm, wins and losses."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paiad.benchmark.beside import beside
from paiad.benchmark.facts import facts_of
from paiad.benchmark.footer import problem_notes, protocol_notes
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import common
from paiad.benchmark.table import Cell, Column, Table
from paiad.benchmark.tables.variants import methods_of
from paiad.significance import Comparison, compare, holm
from paiad.significance.bootstrap import Interval, percentile_interval

DRAWS = 2000
SEED = 42
METRICS = ("VUS-PR", "AUC-PR")


@dataclass(frozen=True)
class Pair:
    """Two choices compared under a name."""

    name: str
    first: Choice
    second: Choice


def pai_gains(results: Results) -> Table:
    """Each method with PAI against its native score, or against its representation term where it has none."""
    pairs = []
    for method in methods_of(results):
        whole = results.find(method, "+ PAI")
        base = results.find(method, "native") or results.find(method, "Euclidean bank")
        if whole is not None and base is not None:
            pairs.append(Pair(method, whole, base))
    return differences(results, pairs, "bootstrap", "PAI minus the base score")


def differences(results: Results, pairs: list[Pair], name: str, title: str) -> Table:
    """One row a pair and measure; p-values are adjusted over the rows."""
    results.prepare([choice for pair in pairs for choice in (pair.first, pair.second)])
    recordings = recording_numbers(results)
    measures = [metric for metric in METRICS if metric in results.protocol.measures]
    found = [
        (pair, metric, _compared(results, pair, metric))
        for pair in pairs
        for metric in measures
        if _comparable(results, pair, metric)
    ]
    adjusted = holm([comparison.wilcoxon_p for *_, comparison in found])
    rows = [
        _row(results, pair, metric, comparison, p, recordings)
        for (pair, metric, comparison), p in zip(found, adjusted, strict=True)
    ]
    notes = (
        f"Intervals: 95 %, {DRAWS} paired resamples, seed {SEED}; by file, and by recording where series of a family "
        f"share their labels ({len(set(recordings.tolist()))} recordings). Wilcoxon: two-sided, Holm over the rows. "
        "Effect sizes: rank-biserial (-1 to 1) and mean difference in its standard deviations (d_z).",
        *protocol_notes(results),
        *problem_notes(results, {c.entry.name: c for p in pairs for c in (p.first, p.second)}.values()),
    )
    return Table(name, title, _COLUMNS, tuple(rows), notes)


_COLUMNS = (
    Column("Method"),
    Column("Measure"),
    Column("n"),
    Column("Δ", 3, signed=True),
    Column("low", 3, signed=True),
    Column("high", 3, signed=True),
    Column("low by recording", 3, signed=True),
    Column("high by recording", 3, signed=True),
    Column("Wilcoxon p (Holm)"),
    Column("rank-biserial", 2, signed=True),
    Column("d_z", 2, signed=True),
    Column("wins"),
    Column("ties"),
    Column("losses"),
    Column("Δ (paper)", 3, signed=True),
    Column("low (paper)", 3, signed=True),
    Column("high (paper)", 3, signed=True),
)


def _comparable(results: Results, pair: Pair, metric: str) -> bool:
    return bool(common(*(results.per_series(choice, metric) for choice in (pair.first, pair.second))).any())


def _compared(results: Results, pair: Pair, metric: str) -> Comparison:
    first, second = (results.per_series(choice, metric) for choice in (pair.first, pair.second))
    return compare(first, second, draws=DRAWS, seed=SEED)


def _row(
    results: Results, pair: Pair, metric: str, found: Comparison, p: float, recordings: NDArray[np.int64]
) -> tuple[Cell, ...]:
    gaps = results.per_series(pair.first, metric) - results.per_series(pair.second, metric)
    clustered = bootstrap_by_cluster(gaps, recordings)
    theirs = [_theirs(results, pair, metric, what) for what in ("difference", "low", "high")]
    interval = found.difference
    n = found.wins + found.ties + found.losses
    return (
        pair.name,
        metric,
        n,
        interval.estimate,
        interval.low,
        interval.high,
        clustered.low,
        clustered.high,
        float(f"{p:.2g}"),
        found.rank_biserial,
        found.standardized,
        found.wins,
        found.ties,
        found.losses,
        *theirs,
    )


def _theirs(results: Results, pair: Pair, metric: str, what: str) -> float | None:
    if metric.startswith("VUS") and results.protocol.definition != "tsb-ad":
        return None
    return beside(results, "bootstrap", pair.name, metric, what)


def bootstrap_by_cluster(
    values: NDArray[np.float64], clusters: NDArray[np.int64], draws: int = DRAWS, seed: int = SEED
) -> Interval:
    """The mean over values, resampling whole clusters; with a cluster for every value it is the plain bootstrap.

    >>> bootstrap_by_cluster(np.array([1.0, 1.0, 2.0]), np.array([0, 0, 1])).cases
    2
    """
    known = np.isfinite(values)
    numbers = np.unique(clusters[known], return_inverse=True)[1]
    sums, sizes = np.bincount(numbers, values[known]), np.bincount(numbers)
    drawn = np.random.default_rng(seed).integers(0, len(sums), (draws, len(sums)))
    resampled = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return percentile_interval(float(values[known].mean()), resampled, 0.95, len(sums))


def recording_numbers(results: Results) -> NDArray[np.int64]:
    """One number a recording, in the order of the series."""
    facts = facts_of(results.store, results.sources, results.engine)
    names = [facts[source.name].recording for source in results.sources]
    return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int64)
