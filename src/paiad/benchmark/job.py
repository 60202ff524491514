"""One job: one recipe, one series, one seed. It fits, scores and measures, and says what that cost."""

import math
import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from paiad.benchmark.key import as_text, code_digest, digest, seeded, takes_seed
from paiad.benchmark.learnt import Learnt, fitted_around, learner_of, learnt
from paiad.benchmark.measure import Measure, Ruler, measured
from paiad.benchmark.memory import peak_mb, reset_peak
from paiad.benchmark.notes import notes
from paiad.benchmark.sources import Source
from paiad.benchmark.suite import Entry, Part, Suite
from paiad.contracts import Detector, Scorer
from paiad.errors import InputError
from paiad.pai import PAIScorer
from paiad.series import Series
from paiad.shapes import Scores, Values


@dataclass(frozen=True)
class Job:
    """What to run; two jobs of the same `key` would give the same scores.

    `learner` describes what trains the encoder inside the recipe, "" when there is nothing to train.
    """

    key: str
    detector: str
    recipe: Detector
    recipe_text: str
    code: str
    source: Source
    seed: int | None
    fit_on: str
    scored: Part
    ruler: Ruler
    learner: str = ""

    @property
    def series(self) -> str:
        return self.source.name

    @property
    def shares(self) -> tuple[str, str, str] | None:
        """Jobs for which this is equal train the same encoder on the same values; None trains none."""
        return (self.learner, self.source.digest, self.fit_on) if self.learner else None


@dataclass(frozen=True)
class Result:
    """What a job gives: scores, the separate terms where the detector has them, measures and costs.

    `fit_seconds` are those of the detector on its own, also where another job had trained its encoder already. Of
    `fitted_together` jobs they are an equal share, and nobody knows the memory of one.
    """

    scores: Scores
    terms: dict[str, Scores]
    measures: list[Measure]
    fit_seconds: float
    score_seconds: float
    peak_mb: float | None
    parameters: int
    notes: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    fitted_together: int = 1


def plan(suite: Suite, sources: tuple[Source, ...]) -> list[Job]:
    """All jobs of a suite, series by series, so that neighbouring jobs share their data.

    A detector without a seed is run once, however many seeds the suite has.
    """
    prepared = [prepared for entry in suite.entries for prepared in _prepared(entry, suite)]
    return [_job(suite, source, *each) for source in sources for each in prepared]


def _prepared(entry: Entry, suite: Suite) -> Iterator[tuple[Entry, Detector, str, str, int | None]]:
    recipe = entry.make()
    seeds: tuple[int | None, ...] = suite.seeds if takes_seed(recipe) else (None,)
    for seed in seeds:
        each = recipe if seed is None else seeded(recipe, seed)
        yield entry, each, as_text(each), code_digest(each), seed


def _job(
    suite: Suite, source: Source, entry: Entry, recipe: Detector, text: str, code: str, seed: int | None
) -> Job:
    scored = suite.protocol.scored(entry)
    key = digest(text, source.digest, code, entry.fit_on, scored)
    ruler = Ruler.of(suite.protocol, suite.protocol.part(entry))
    learner = learner_of(recipe)
    described = as_text(learner) if learner is not None and takes_seed(learner) else ""
    return Job(key, entry.name, recipe, text, code, source, seed, entry.fit_on, scored, ruler, described)


def run_job(job: Job, series: Series, trained: Learnt | None = None, fitted: int = 1) -> Result:
    """Fit on what the job may learn from, score, check the scores, measure them.

    `trained` is the encoder of the recipe, where it is there already; it was trained with those of `fitted` - 1 others.
    """
    reset_peak()
    train = train_of(job, series)
    started = time.perf_counter()
    with notes() as heard:
        scorer = fitted_around(job.recipe, trained.encoder, train) if trained else job.recipe.fit(train)
    seconds = time.perf_counter() - started
    if trained is None:
        return finished(job, scorer, series, seconds, tuple(heard))
    told = tuple(dict.fromkeys((*trained.told(job.key), *heard)))
    result = finished(job, scorer, series, seconds + trained.seconds, told, fitted)
    return replace(result, peak_mb=_larger(result.peak_mb, trained.peak_mb))


def learn(job: Job, series: Series) -> Learnt:
    """Train the encoder of a job that `shares` it with others."""
    learner = learner_of(job.recipe)
    assert learner is not None
    return learnt(learner, train_of(job, series), job.key)


def finished(
    job: Job, scorer: Scorer, series: Series, fit_seconds: float, heard: tuple[str, ...], fitted: int = 1
) -> Result:
    """What is left when the detector is fitted, together with those of `fitted` - 1 other jobs."""
    given = series.values if job.scored == "full" else series.values[series.train_end or 0 :]
    with notes() as more:
        started = time.perf_counter()
        scores, terms = _scored(scorer, given)
        score_seconds = time.perf_counter() - started
        _check(scores, given, job.detector)
        measures = measured(scores, series, job.ruler)
    return Result(
        scores,
        terms,
        measures,
        fit_seconds,
        score_seconds,
        peak_mb() if fitted == 1 else None,
        learned_parameters(scorer),
        tuple(dict.fromkeys((*heard, *more))),
        tuple(scorer.weights) if isinstance(scorer, PAIScorer) else (),
        fitted,
    )


def train_of(job: Job, series: Series) -> Values:
    """What the detector may learn from."""
    return series.values if job.fit_on == "whole" else series.train


def _scored(scorer: Scorer, values: Values) -> tuple[Scores, dict[str, Scores]]:
    """The scores; of PAI also its standardised terms, from which any other weights can be tried later."""
    if not isinstance(scorer, PAIScorer):
        return np.asarray(scorer.score(values), dtype=np.float64), {}
    evidence = scorer.evidence(values)
    return evidence.fuse(scorer.weights), dict(zip(evidence.terms, evidence.z, strict=True))


def _check(scores: Scores, values: Values, detector: str) -> None:
    if scores.shape != values.shape:
        raise InputError(f"{detector} gave scores of shape {scores.shape} for {len(values)} values")
    if not math.isfinite(float(scores.sum())):
        step = int(np.flatnonzero(~np.isfinite(scores))[0]) if not np.isfinite(scores).all() else -1
        if step >= 0:
            raise InputError(f"{detector} gave the score {scores[step]} at step {step}")


def learned_parameters(fitted: Any) -> int:
    """Numbers in the weight tables of the networks inside a fitted detector (0 when there are none).

    Networks hold their weights as dictionaries of arrays; banks, levels and calibrations do not count.
    """
    if isinstance(fitted, dict):
        return sum(int(value.size) for value in fitted.values() if isinstance(value, np.ndarray))
    if isinstance(fitted, tuple):
        return sum(learned_parameters(part) for part in fitted)
    if is_dataclass(fitted):
        return sum(learned_parameters(getattr(fitted, field.name)) for field in fields(fitted))
    return 0


def load(job: Job) -> Series:
    """The series of a job, read where the job runs."""
    return job.source.load()


def data_key(job: Job) -> str:
    """Jobs of the same series share their data."""
    return job.source.path


def shares(job: Job) -> tuple[str, str, str] | None:
    """What of a job may have been learnt for another already."""
    return job.shares


def neighbours_share(jobs: Sequence[Job]) -> list[Job]:
    """The jobs in their order, but each moved up to the first it shares an encoder with."""
    first: dict[Hashable, int] = {}
    for number, job in enumerate(jobs):
        first.setdefault(job.shares or number, number)
    return [jobs[i] for i in sorted(range(len(jobs)), key=lambda i: first[jobs[i].shares or i])]


def _larger(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else max(one, other)
