"""The fitted default detector."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paiad.best.combining import sharpness, strongest, tempered
from paiad.best.expectation import expected
from paiad.best.stillness import Stillness
from paiad.best.term import PatchTerm
from paiad.contracts import Reach, Scorer
from paiad.fusion import Standardizer
from paiad.pai import Amplitude
from paiad.progress import track
from paiad.receipt import Receipt, summed
from paiad.series import as_values
from paiad.shapes import Distances, Scores, Terms, Values

SHARP_FROM = 3.0  # from so many units on, the finest term tells which steps of a patch are at fault
SHARP_SLOPE = 0.1
TRIFLE = 0.002  # of the interquartile range; a wave without noise repeats itself to less than half of that


@dataclass(frozen=True, eq=False)
class BestScorer(Scorer):
    """Outlines and textures of several widths, and beside them stillness and PAI's two amplitude terms.

    The first of `outlines` is the finest. The score is the strongest tempered outline, plus the strongest
    tempered texture, plus the tempered terms beside them with their weights, where they exceed what is usual.
    """

    least: ClassVar[float] = math.log(2.0)  # one term, one unit above usual

    outlines: tuple[PatchTerm, ...]
    textures: tuple[PatchTerm, ...]
    stillness: Stillness
    amplitude: Amplitude
    standardizers: tuple[Standardizer, Standardizer, Standardizer]  # of the terms beside, as are the weights
    weights: tuple[float, float, float]
    training_contributions: Terms

    @property
    def names(self) -> tuple[str, ...]:
        return (*(term.name for term in self.patch_terms), "stillness", "magG", "T2")

    @property
    def patch_terms(self) -> tuple[PatchTerm, ...]:
        return (*self.outlines, *self.textures)

    @property
    def calibration(self) -> Scores:  # type: ignore[override]
        return summed(self.training_contributions)

    def score(self, values: Values) -> Scores:
        return summed(self.contributions(values))

    def contributions(self, values: Values) -> Terms:
        """What every term adds to the score, `[terms, time]`."""
        values = as_values(values, "values to score") if np.size(values) else np.empty(0)
        terms = track(self.patch_terms, "comparing outlines and textures")
        return self.contributions_of([term.distances(values) for term in terms], values)

    def contributions_of(
        self, distances: list[Distances], values: Values, steps: slice | None = None
    ) -> Terms:
        """The same from patch distances that are known already, one array a patch term; at all steps, or some."""
        steps = steps or slice(0, len(values))
        z = self.tempered_terms(distances, values, steps)
        split = len(self.outlines)
        beside = [
            weight * tempered(np.fmax(0.0, standardizer(term[steps])))
            for term, standardizer, weight in zip(
                self.beside(values), self.standardizers, self.weights, strict=True
            )
        ]
        return np.concatenate((strongest(z[:split]), strongest(z[split:]), beside))

    def tempered_terms(self, distances: list[Distances], values: Values, steps: slice | None = None) -> Terms:
        """Every patch term, tempered, `[terms, time]`, before the strongest are chosen."""
        steps = steps or slice(0, len(values))
        finest = self.patch_terms[0].z(distances[0], np.ones(len(values)))
        surprise = sharpness(finest, SHARP_FROM, SHARP_SLOPE)
        coarser = [
            term.z(away, surprise, steps)
            for term, away in zip(self.patch_terms[1:], distances[1:], strict=True)
        ]
        return tempered(np.stack([finest[steps], *coarser]))

    def beside(self, values: Values) -> tuple[Scores, ...]:
        """The raw terms that are no distances of patches; NaN where one has nothing to say."""
        return (self.stillness.term(values), *self.amplitude.terms(values))

    def explain(self, values: Values) -> Receipt:
        values = np.asarray(values, dtype=np.float64)
        return Receipt(self.names, self.contributions(values), expected(self.outlines, values), values)

    def explain_training(self, train: Values) -> Receipt:
        train = np.asarray(train, dtype=np.float64)
        return Receipt(
            self.names, self.training_contributions, expected(self.outlines, train, own=True), train
        )

    @property
    def trifles(self) -> Mapping[str, float]:
        return {term.name: TRIFLE for term in self.patch_terms}

    @property
    def reach(self) -> Reach:
        finest = self.patch_terms[0].timing.reach
        reach = self.stillness.reach | self.amplitude.reach | finest
        for term in self.patch_terms[1:]:
            # A step hears patches, and a patch asks the finest term about each of its steps.
            own = term.timing.reach
            reach |= Reach(own.lookback + finest.lookback, own.lookahead + finest.lookahead)
        return reach
