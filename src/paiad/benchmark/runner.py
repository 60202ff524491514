"""Runs what is not yet done: the store says what is, the engine does the rest, every end is kept at once."""

import json
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from paiad import __version__
from paiad.benchmark import together
from paiad.benchmark.executors import Engine, Outcome, Shared, Together, Work, gpu_models, run_jobs
from paiad.benchmark.job import Job, Result, data_key, learn, load, neighbours_share, plan, run_job, shares
from paiad.benchmark.lacking import lacks
from paiad.benchmark.sources import Found, find_sources
from paiad.benchmark.store import Store
from paiad.benchmark.suite import Suite
from paiad.errors import InputError
from paiad.progress import track

BATCHES = Together(together.group, together.size, together.begin)
WORK = Work(run_job, load, data_key, BATCHES, Shared(shares, learn))


@dataclass(frozen=True)
class Ended:
    """One job that has just ended."""

    job: Job
    outcome: Outcome


@dataclass(frozen=True)
class Plan:
    """All jobs of a suite over the series that are there, and the names of those that are not.

    `lacking` says of each detector that cannot be run here what it lacks; its jobs wait until it is there.
    """

    jobs: tuple[Job, ...]
    missing: tuple[str, ...]
    lacking: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, suite: Suite, data_root: Path) -> "Plan":
        found: Found = find_sources(suite.data, data_root)
        if not (found.sources or found.missing):
            wanted = f" whose name contains {' or '.join(suite.data.only)}" if suite.data.only else ""
            raise InputError(f"{data_root / suite.data.folder}: the suite asks for no series{wanted}")
        if not found.sources:
            raise InputError(
                f"{data_root / suite.data.folder}: none of the {len(found.missing)} series is here"
            )
        jobs = tuple(plan(suite, found.sources))
        recipes = {job.detector: job.recipe for job in jobs}
        lacking = {name: told for name, recipe in recipes.items() if (told := lacks(recipe))}
        return cls(jobs, found.missing, lacking)


def run(plan: Plan, suite: Suite, store: Store, engine: Engine, again: bool = False) -> Iterator[Ended]:
    """Run every job of the plan that is not done, yielding each as it ends and is stored.

    A job that failed before stays failed unless `again`; a job that is done is never repeated.
    """
    statuses = store.statuses()
    ready = [job for job in plan.jobs if job.detector not in plan.lacking]
    waiting = neighbours_share([job for job in ready if _is_due(statuses.get(job.key), again)])
    outcomes = run_jobs(WORK, waiting, engine, suite.limits)
    for outcome in track(outcomes, "jobs", len(waiting)):
        job = waiting[outcome.index]
        _, attempts = statuses.get(job.key, ("", 0))
        keep(store, suite, job, outcome, attempts + 1)
        yield Ended(job, outcome)


def keep(store: Store, suite: Suite, job: Job, outcome: Outcome, attempts: int) -> None:
    """Store how a job ended; its row is written last."""
    result: Result | None = outcome.value
    if result is not None:
        store.save_measures(job.ruler.digest, {(job.key, ""): result.measures})
    row = row_of(suite, job, outcome, attempts)
    store.save_job(row, result.scores if result else None, result.terms if result else {})


def record_plan(store: Store, plan: Plan, suite_path: Path | None, data_root: Path) -> None:
    """Write down what is asked for, so that tables can say what is missing."""
    jobs = plan.jobs
    columns: dict[str, Any] = {
        "key": [job.key for job in jobs],
        "detector": [job.detector for job in jobs],
        "series": [job.series for job in jobs],
        "seed": [-1 if job.seed is None else job.seed for job in jobs],
        "source": [json.dumps(asdict(job.source)) for job in jobs],
        "missing": [json.dumps(plan.missing)] * len(jobs),
        "data_root": [str(data_root.resolve())] * len(jobs),
        "lacking": [plan.lacking.get(job.detector, "") for job in jobs],
    }
    store.save_plan(columns, suite_path)


def _is_due(status: tuple[str, int] | None, again: bool) -> bool:
    return status is None or (again and status[0] != "done")


def row_of(suite: Suite, job: Job, outcome: Outcome, attempts: int) -> dict[str, Any]:
    """What the store keeps of a job beside its scores and measures."""
    result: Result | None = outcome.value
    return {
        "key": job.key,
        "suite": suite.name,
        "detector": job.detector,
        "series": job.series,
        "family": job.source.family,
        "domain": job.source.domain,
        "seed": -1 if job.seed is None else job.seed,
        "status": outcome.status,
        "reason": outcome.reason,
        "trace": outcome.trace,
        "attempts": attempts,
        "fit_on": job.fit_on,
        "scored": job.scored,
        "fit_seconds": result.fit_seconds if result else np.nan,
        "score_seconds": result.score_seconds if result else np.nan,
        "job_seconds": outcome.seconds,
        "peak_mb": np.nan if result is None or result.peak_mb is None else result.peak_mb,
        "parameters": result.parameters if result else 0,
        "notes": "; ".join(filter(None, (outcome.note, *(result.notes if result else ())))),
        "fitted_together": result.fitted_together if result else 0,
        "weights": json.dumps(list(result.weights)) if result else "[]",
        "constant": bool(result is not None and float(np.ptp(result.scores)) == 0.0),
        "recipe": job.recipe_text,
        "data": job.source.digest,
        "code": job.code,
        "paiad": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": ", ".join((f"{platform.system()} {platform.machine()}", *gpu_models())),
        "ended": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }
