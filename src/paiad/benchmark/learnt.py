"""What jobs of one series share: an encoder, trained once for all whose recipes hold the same learner."""

import time
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from paiad.benchmark.memory import peak_mb, reset_peak
from paiad.benchmark.notes import notes
from paiad.contracts import Encoder, Learner, Scorer
from paiad.pai import PAI
from paiad.shapes import Values


@dataclass(frozen=True, eq=False)
class Learnt:
    """A trained encoder, what training it cost and said, and the key of the job it was trained in."""

    encoder: Encoder
    seconds: float
    peak_mb: float | None
    heard: tuple[str, ...]
    job: str

    def told(self, job: str) -> tuple[str, ...]:
        """What a job notes that uses it; its `fit_seconds` are those of a detector on its own."""
        if job == self.job:
            return self.heard
        spent = f"{self.seconds:.1f} s of the fit were spent in job {self.job[:12]}"
        return (*self.heard, f"{SHARED}: {spent}")


SHARED = "the encoder of another job was used again"


@runtime_checkable
class OnEncoder(Protocol):
    """A recipe that first trains an encoder, and then puts the rest around it."""

    learner: Learner

    def around(self, encoder: Encoder, train: Values) -> Scorer: ...


def learner_of(recipe: Any) -> Learner | None:
    """The learner a detector trains its encoder with, if it has one.

    >>> from paiad.recipes import pai_raw
    >>> learner_of(pai_raw())
    RawPatches(width=64)
    """
    if isinstance(recipe, PAI):
        return learner_of(recipe.base)
    return recipe.learner if isinstance(recipe, OnEncoder) else None


def fitted_around(recipe: Any, encoder: Encoder, train: Values) -> Scorer:
    """What `recipe.fit(train)` gives, for a recipe whose learner has given this encoder already."""
    if isinstance(recipe, PAI):
        return recipe.around(fitted_around(recipe.base, encoder, train), train)
    assert isinstance(recipe, OnEncoder)
    return recipe.around(encoder, train)


def learnt(learner: Learner, train: Values, job: str) -> Learnt:
    """Train it, for the job with this key and for others."""
    reset_peak()
    started = time.perf_counter()
    with notes() as heard:
        encoder = learner.fit(train)
    return Learnt(encoder, time.perf_counter() - started, peak_mb(), tuple(heard), job)
