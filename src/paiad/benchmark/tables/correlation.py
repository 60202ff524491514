"""How much base scores already follow raw amplitude: Spearman's rank correlation over the test part."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paiad.amplitude import Level, deviation, mean_shift
from paiad.benchmark.beside import beside
from paiad.benchmark.executors import Work, run_jobs
from paiad.benchmark.footer import problem_notes, protocol_notes
from paiad.benchmark.notes import notes
from paiad.benchmark.paper import printed_rows
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.sources import Source
from paiad.benchmark.stats import common, count, mean
from paiad.benchmark.store import Store
from paiad.benchmark.table import Cell, Column, Table
from paiad.benchmark.tables.variants import methods_of
from paiad.errors import PaiadError
from paiad.fusion import Standardizer
from paiad.progress import track
from paiad.ranks import spearman

TERMS = ("magG", "T2", "magG+T2")


def correlation(results: Results) -> Table:
    """One row a method with a native (or cosine) score: its VUS-PR, the gain by PAI, three correlations."""
    printed = [method for method, _ in printed_rows("correlation")]
    methods = list(dict.fromkeys([*printed, *methods_of(results)]))
    bases = {
        method: results.find(method, "native") or results.find(method, "Euclidean bank") for method in methods
    }
    found = _correlations(results, [base for base in bases.values() if base is not None])
    rows = tuple(_row(results, method, bases[method], found) for method in methods)
    names = ("VUS-PR", "+ PAI Δ", *(f"ρ {term}" for term in TERMS))
    signed = [name != "VUS-PR" for name in names]
    ours = tuple(Column(name, 3, signed=sign) for name, sign in zip(names, signed, strict=True))
    theirs = tuple(
        Column(f"{name} (paper)", 3, signed=sign) for name, sign in zip(names, signed, strict=True)
    )
    columns = (Column("Base method"), Column("n"), Column("n of ρ"), *ours, *theirs)
    told = (
        "ρ: Spearman's rank correlation over the test part, mean over series.",
        *protocol_notes(results),
        *problem_notes(results, [base for base in bases.values() if base is not None]),
    )
    return Table("correlation", "Base scores against raw amplitude", columns, rows, told)


def _row(
    results: Results, method: str, base: Choice | None, found: dict[str, np.ndarray]
) -> tuple[Cell, ...]:
    metrics = ("VUS-PR", "delta", *(f"rho {term}" for term in TERMS))
    theirs = [beside(results, "correlation", method, "native", metric) for metric in metrics]
    if base is None:
        return (method, 0, 0, *(None for _ in metrics), *theirs)
    values = results.per_series(base, "VUS-PR")
    rho = found[base.entry.name]
    return (
        method,
        count(values),
        int(np.isfinite(rho).all(axis=1).sum()),
        mean(values),
        _gain(results, method, base),
        *(mean(one) for one in rho.T),
        *theirs,
    )


def _gain(results: Results, method: str, base: Choice) -> float | None:
    whole = results.find(method, "+ PAI")
    if whole is None:
        return None
    ours, theirs = results.per_series(whole, "VUS-PR"), results.per_series(base, "VUS-PR")
    both = common(ours, theirs)
    return mean((ours - theirs)[both]) if both.any() else None


@dataclass(frozen=True)
class _Task:
    folder: Path
    source: Source
    jobs: tuple[tuple[str, str, bool], ...]


def _correlations(results: Results, bases: list[Choice]) -> dict[str, np.ndarray]:
    """Per detector `[series, terms]`, the mean over seeds."""
    by_source: dict[Source, list[tuple[str, str, bool]]] = {}
    for base in bases:
        for job in results.done(base.entry):
            if not results.store.has_scores(job.key):
                continue  # it was run elsewhere, and only its measures are here
            by_source.setdefault(job.source, []).append((base.entry.name, job.key, bool(base.view)))
    tasks = [_Task(results.store.folder, source, tuple(jobs)) for source, jobs in by_source.items()]
    gathered: dict[tuple[str, int], list[np.ndarray]] = {}
    for outcome in track(run_jobs(Work.of(_rhos), tasks, results.engine), "correlations", len(tasks)):
        if outcome.status != "done":
            raise PaiadError(f"{tasks[outcome.index].source.name}: {outcome.reason}")
        for name, rhos in outcome.value:
            gathered.setdefault((name, results.position[tasks[outcome.index].source.name]), []).append(rhos)
    found = {base.entry.name: np.full((len(results.sources), len(TERMS)), np.nan) for base in bases}
    for (name, place), rhos in gathered.items():
        found[name][place] = np.mean(rhos, axis=0)
    return found


def _rhos(task: _Task) -> list[tuple[str, np.ndarray]]:
    store, series = Store(task.folder), task.source.load()
    with notes():
        level = Level.of(series.train)
    far, shifted = deviation(series.values, level), mean_shift(series.values, level)
    split = series.train_end or 0
    together = Standardizer.of(far[:split])(far) + Standardizer.of(shifted[:split])(shifted)
    told = []
    for name, key, as_term in task.jobs:
        base = store.terms(key)["base"] if as_term else store.scores(key)
        tail = min(len(base), len(series) - split)
        told.append(
            (name, np.array([spearman(base[-tail:], term[-tail:]) for term in (far, shifted, together)]))
        )
    return told
