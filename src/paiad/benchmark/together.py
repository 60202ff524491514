"""Many jobs of one recipe fitted at once, for the detectors that are faster so."""

import sys
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

from paiad.benchmark.job import Job, Result, finished, run_job, train_of
from paiad.benchmark.learnt import Learnt, learner_of
from paiad.benchmark.notes import notes
from paiad.contracts import Detector, Learner
from paiad.series import Series


def group(job: Job) -> Hashable:
    """Jobs of the same learner or else recipe, seed included, are fitted together, if that gains anything."""
    learner = learner_of(job.recipe) if job.learner else None
    if learner is not None:
        return job.learner if fits_together(learner) else None
    return (job.recipe_text, job.code) if fits_together(job.recipe) else None


def size(job: Job) -> float:
    """About how long its series is: the bytes of its file."""
    return Path(job.source.path).stat().st_size


def fits_together(recipe: Detector | Learner) -> bool:
    """Whether `fit_many` is more than a loop: in the recipe, and where it only hands on, in one it is made of.

    >>> from paiad.recipes import raw
    >>> fits_together(raw())
    False
    """
    if type(recipe).fit_many in (Detector.fit_many, Learner.fit_many):
        return False
    parts = [part for part in _parts(recipe) if isinstance(part, Detector | Learner)]
    return not parts or any(map(fits_together, parts))


def begin(jobs: Sequence[Job], series: Sequence[Series]) -> list[Callable[[], Result]]:
    """Fit all jobs, which have one recipe or one learner; what is left of each is to score and to measure."""
    if jobs[0].learner:
        return _begin_around_encoders(jobs, series)
    trains = [train_of(job, each) for job, each in zip(jobs, series, strict=True)]
    started = time.perf_counter()
    try:
        with notes() as heard:
            scorers = jobs[0].recipe.fit_many(trains)
    finally:
        _release_gpu_memory()
    seconds = (time.perf_counter() - started) / len(jobs)
    return [
        partial(finished, job, scorer, each, seconds, tuple(heard), len(jobs))
        for job, scorer, each in zip(jobs, scorers, series, strict=True)
    ]


def _begin_around_encoders(jobs: Sequence[Job], series: Sequence[Series]) -> list[Callable[[], Result]]:
    """Train each encoder once, all together; what is left of each job is what it puts around its encoder."""
    learner = learner_of(jobs[0].recipe)
    assert learner is not None
    firsts: dict[Hashable, tuple[Job, Series]] = {}
    for job, each in zip(jobs, series, strict=True):
        firsts.setdefault(job.shares, (job, each))
    trains = [train_of(job, each) for job, each in firsts.values()]
    started = time.perf_counter()
    try:
        with notes() as heard:
            # One alone is trained as it would be without a batch.
            encoders = learner.fit_many(trains) if len(trains) > 1 else [learner.fit(trains[0])]
    finally:
        _release_gpu_memory()
    seconds = (time.perf_counter() - started) / len(trains)
    trained: dict[Hashable, Learnt] = {
        shares: Learnt(encoder, seconds, None, tuple(heard), job.key)
        for (shares, (job, _)), encoder in zip(firsts.items(), encoders, strict=True)
    }
    return [
        partial(run_job, job, each, trained[job.shares], len(trains))
        for job, each in zip(jobs, series, strict=True)
    ]


def _parts(recipe: Any) -> list[Any]:
    if not is_dataclass(recipe):
        return []
    held = [getattr(recipe, field.name) for field in fields(recipe)]
    return [part for one in held for part in (one if isinstance(one, tuple) else (one,))]


def _release_gpu_memory() -> None:
    """Give back what torch keeps for next time: other workers use the same GPU."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
