"""Measures that are not there yet, taken from the stored scores: another scope, another definition, other weights."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from paiad.benchmark.executors import Engine, Work, run_jobs
from paiad.benchmark.executors.serial import Serial
from paiad.benchmark.measure import Measure, Ruler, measured
from paiad.benchmark.sources import Source
from paiad.benchmark.store import Store
from paiad.errors import PaiadError
from paiad.fusion import Evidence, Weights
from paiad.progress import track
from paiad.series import Series
from paiad.shapes import Scores

FEW = 8  # series; fewer are measured here, without workers


@dataclass(frozen=True)
class Wanted:
    """One view of the stored scores of one job, under a ruler."""

    source: Source
    key: str
    view: str
    ruler: Ruler


def view_of(weights: Weights) -> str:
    """The view of a job's scores in which its terms have these weights.

    >>> view_of(Weights(0.6, 0.4, 0.2))
    'weights 0.6/0.4/0.2'
    """
    return "weights " + "/".join(str(float(weight)) for weight in weights)


def ensure_measured(store: Store, wanted: Iterable[Wanted], engine: Engine) -> None:
    """Measure what has not been measured, series by series, and keep it; scores that are elsewhere are left."""
    known = {}
    missing = []
    for each in wanted:
        ruler = each.ruler.digest
        if ruler not in known:
            known[ruler] = store.measured(ruler)
        if (each.key, each.view) not in known[ruler] and store.has_scores(each.key):
            missing.append(each)
    tasks = list(_tasks(store.folder, missing))
    chosen: Engine = engine if len(tasks) > FEW else Serial()
    for outcome in track(run_jobs(Work.of(_measure), tasks, chosen), "measures", len(tasks)):
        if outcome.status != "done":
            raise PaiadError(f"measuring {tasks[outcome.index].source.name}: {outcome.reason}")
        store.save_measures(tasks[outcome.index].ruler.digest, outcome.value)


@dataclass(frozen=True)
class _Task:
    """All that is missing of one series under one ruler."""

    folder: Path
    source: Source
    ruler: Ruler
    views: tuple[tuple[str, str], ...]


def _tasks(folder: Path, missing: Sequence[Wanted]) -> Iterator[_Task]:
    def of_task(each: Wanted) -> tuple[str, str]:
        return each.source.path, each.ruler.digest

    for _, together in groupby(sorted(missing, key=of_task), of_task):
        several = list(together)
        views = tuple(dict.fromkeys((each.key, each.view) for each in several))
        yield _Task(folder, several[0].source, several[0].ruler, views)


def _measure(task: _Task) -> dict[tuple[str, str], list[Measure]]:
    store = Store(task.folder)
    series: Series = task.source.load()
    return {(key, view): measured(viewed(store, key, view), series, task.ruler) for key, view in task.views}


def viewed(store: Store, key: str, view: str) -> Scores:
    """The scores of a job, or its terms added under other weights."""
    if not view:
        return store.scores(key)
    terms = store.terms(key)
    weights = Weights(*(float(part) for part in view.removeprefix("weights ").split("/")))
    return Evidence(tuple(terms), np.stack(list(terms.values()))).fuse(weights)
