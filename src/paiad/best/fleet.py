"""The default detector for many series at once, on a GPU; needs torch.

Only what takes the time is done there: vectors of patches and their distances to the banks, for a batch of series
together. All that follows is little, and is the code of the one-series way; so is what comes out: scorers that can
be saved, streamed and explained as ever.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import torch

from paiad.best.on_device import Banks, encoded, side_by_side
from paiad.best.recipe import LEAST, Best
from paiad.best.scorer import BestScorer
from paiad.best.stretches import StretchBank
from paiad.best.term import PatchTerm, exclusion
from paiad.best.timing import Timing
from paiad.contracts import Detector, Scorer, checked_train
from paiad.devices import choose_device
from paiad.placing import Device
from paiad.receipt import summed
from paiad.shapes import Distances, Scores, Values

Given = TypeVar("Given")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Fleet(Detector):
    """`recipe`, computed with torch in batches of at most about `at_once` values.

    >>> wave = np.sin(np.arange(900) / 9)
    >>> fleet = Fleet(device="cpu")
    >>> scorers = fleet.fit_many([wave[:300], wave[:500]])
    >>> [len(scores) for scores in fleet.score_many(scorers, [wave, wave[500:]])]
    [900, 400]
    """

    recipe: Best = field(default_factory=Best)
    device: Device = "auto"
    at_once: int = 2**19

    def fit(self, train: Values) -> Scorer:
        return self.fit_many([train])[0]

    def fit_many(self, trains: Sequence[Values]) -> list[Scorer]:
        checked = [checked_train(train, LEAST, "Best") for train in trains]
        out: list[Scorer | None] = [None] * len(checked)
        for batch in _batches([len(train) for train in checked], self.at_once):
            of_batch = [checked[number] for number in batch]
            for number, scorer in zip(batch, self._fitted(of_batch), strict=True):
                out[number] = scorer
        return [scorer for scorer in out if scorer is not None]

    def score_many(self, scorers: Sequence[Scorer], series: Sequence[Values]) -> list[Scores]:
        """The scores of each series by its own scorer, as `scorer.score` gives them but for rounding."""
        fitted = [scorer for scorer in scorers if isinstance(scorer, BestScorer)]
        if not len(fitted) == len(scorers) == len(series):
            raise ValueError(
                "score_many takes as many series as scorers, each scorer one that this detector fitted"
            )
        values = [np.asarray(one, dtype=np.float64) for one in series]
        out: list[Scores] = [np.empty(0)] * len(values)
        for batch in _batches([len(one) for one in values], self.at_once):
            of_batch = [(fitted[number], values[number]) for number in batch]
            for number, scores in zip(batch, self._scored(of_batch), strict=True):
                out[number] = scores
        return out

    def _fitted(self, trains: list[Values]) -> list[BestScorer]:
        place = choose_device(self.device)
        side = side_by_side(trains, place)
        learners = [self.recipe.learners(len(train)) for train in trains]
        jobs = [(number, *learner) for number, of_one in enumerate(learners) for learner in of_one]
        encoders = _in_threads(lambda job: job[3].fit(trains[job[0]]), jobs)
        measured: list[list[tuple[PatchTerm, Distances]]] = [[] for _ in trains]
        for name in dict.fromkeys(job[1] for job in jobs):
            of_name = [
                (job[0], encoder) for job, encoder in zip(jobs, encoders, strict=True) if job[1] == name
            ]
            numbers = [number for number, _ in of_name]
            width = of_name[0][1].cover.width
            with torch.inference_mode():
                vectors = encoded([encoder for _, encoder in of_name], side[numbers])
                counts = [len(trains[number]) - width + 1 for number in numbers]
                banks = [
                    StretchBank.of(
                        some[:count].cpu().numpy(), self.recipe.bank_size, self.recipe.neighbours_at(width)
                    )
                    for some, count in zip(vectors, counts, strict=True)
                ]
                apart = [exclusion(width, count) for count in counts]
                found = _distances(banks, vectors, counts, apart)
            timing = Timing(width, self.recipe.window)
            for (number, encoder), bank, away in zip(of_name, banks, found, strict=True):
                measured[number].append((PatchTerm(name, encoder, bank, timing), away))
        return _in_threads(lambda job: self.recipe.assembled(*job), list(zip(measured, trains, strict=True)))

    def _scored(self, of_batch: list[tuple[BestScorer, Values]]) -> list[Scores]:
        place = choose_device(self.device)
        side = side_by_side([values for _, values in of_batch], place)
        found: list[list[Distances]] = [[np.empty(0) for _ in scorer.patch_terms] for scorer, _ in of_batch]
        terms = [
            (number, turn, term)
            for number, (scorer, values) in enumerate(of_batch)
            for turn, term in enumerate(scorer.patch_terms)
            if term.timing.width <= len(values)
        ]
        for alike in _grouped(terms, lambda one: one[2].kind):
            numbers = [number for number, _, _ in alike]
            width = alike[0][2].timing.width
            counts = [len(of_batch[number][1]) - width + 1 for number in numbers]
            with torch.inference_mode():
                vectors = encoded([term.encoder for *_, term in alike], side[numbers])
                distances = _distances([term.bank for *_, term in alike], vectors, counts)
            for (number, turn, _), away in zip(alike, distances, strict=True):
                found[number][turn] = away
        return _in_threads(
            lambda job: summed(job[0][0].contributions_of(job[1], job[0][1])),
            list(zip(of_batch, found, strict=True)),
        )


def _distances(
    banks: list[StretchBank], vectors: torch.Tensor, counts: list[int], apart: list[int] | None = None
) -> list[Distances]:
    """One array a series; a patch that is left without neighbours gets the largest distance found."""
    out: list[Distances] = [np.empty(0)] * len(banks)
    for alike in _grouped(range(len(banks)), lambda number: banks[number].exact):
        held = Banks([banks[number] for number in alike], vectors.device)
        some = vectors if len(alike) == len(banks) else vectors[alike]
        found = (
            held.distances(some, None if apart is None else [apart[number] for number in alike]).cpu().numpy()
        )
        for number, away in zip(alike, found, strict=True):
            away = away[: counts[number]]
            known = away[np.isfinite(away)]
            out[number] = np.where(np.isfinite(away), away, known.max(initial=0.0))
    return out


def _batches(lengths: Sequence[int], at_once: int) -> Iterator[list[int]]:
    """Numbers of series of similar length, together at most about `at_once` values when filled up.

    >>> list(_batches([5, 1, 5, 1, 100], 10))
    [[4], [0, 2], [1, 3]]
    """
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda one: -lengths[one]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > at_once:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _grouped(things: Iterable[Given], key: Callable[[Given], object]) -> list[list[Given]]:
    groups: dict[object, list[Given]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return list(groups.values())


def _in_threads(function: Callable[[Given], Made], jobs: Sequence[Given]) -> list[Made]:
    """Numpy and the compiled kernels let go of the interpreter, so threads do run side by side."""
    if len(jobs) < 2:
        return [function(job) for job in jobs]
    with ThreadPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
        return list(pool.map(function, jobs))
