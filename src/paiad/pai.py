"""PAI around any detector: its score, and two raw-signal terms, each calibrated on training data only."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from paiad.amplitude import HALF_WIDTH, Level, Window, deviation, mean_shift, mean_shift_reach
from paiad.contracts import Detector, Reach, Scorer, checked_train
from paiad.fusion import PAPER, Calibration, Evidence, Standardizer, Weights
from paiad.receipt import Receipt
from paiad.series import as_values
from paiad.settings import check_settings
from paiad.shapes import Scores, Terms, Values

TERMS = ("base", "magG", "T2")
LEAST = 1.0  # training standard deviations: less than that above normal is no anomaly


@dataclass(frozen=True)
class Amplitude:
    """The two raw-signal terms of one series, ready to be computed."""

    level: Level
    half_width: int = HALF_WIDTH
    window: Window = "symmetric"

    def terms(self, values: Values) -> tuple[Scores, Scores]:
        """magG and T2 at every step."""
        return deviation(values, self.level), mean_shift(values, self.level, self.half_width, self.window)

    @property
    def reach(self) -> Reach:
        return mean_shift_reach(self.half_width, self.window)


@dataclass(frozen=True)
class PAI(Detector):
    """Amplitude-aware scoring around a base detector.

    >>> from paiad.detectors.prototype import NearestPrototype
    >>> rng = np.random.default_rng(0)
    >>> train, test = rng.normal(size=500), rng.normal(size=200)
    >>> test[120] += 12
    >>> scorer = PAI(NearestPrototype(leave_out=True)).fit(train)
    >>> int(scorer.score(test).argmax()), scorer.explain(test).leading(120)
    (120, 'base')
    """

    base: Detector
    weights: Weights = PAPER
    half_width: int = HALF_WIDTH
    window: Window = "symmetric"
    calibration: Calibration = "mean"

    def __post_init__(self) -> None:
        check_settings(self, may_be_zero=("half_width",))

    def fit(self, train: Values) -> "PAIScorer":
        train = checked_train(train, 2, "PAI")
        return self.around(self.base.fit(train), train)

    def fit_many(self, trains: Sequence[Values]) -> list[Scorer]:
        checked = [checked_train(train, 2, "PAI") for train in trains]
        bases = self.base.fit_many(checked)
        return [self.around(base, train) for base, train in zip(bases, checked, strict=True)]

    def around(self, base: Scorer, train: Values) -> "PAIScorer":
        """The amplitude terms put beside a scorer that has been fitted on `train` already."""
        amplitude = Amplitude(Level.of(train), self.half_width, self.window)
        of_train = (base.calibration, *amplitude.terms(train))
        standardizers = tuple(Standardizer.of(term, self.calibration) for term in of_train)
        evidence = Evidence(TERMS, standardised(of_train, standardizers))
        return PAIScorer(base, amplitude, standardizers, evidence, self.weights)


@dataclass(frozen=True, eq=False)
class PAIScorer(Scorer):
    """A base scorer with the amplitude terms beside it."""

    least: ClassVar[float] = LEAST

    base: Scorer
    amplitude: Amplitude
    standardizers: tuple[Standardizer, ...]
    training_evidence: Evidence
    weights: Weights

    @property
    def calibration(self) -> Scores:  # type: ignore[override]
        return self.training_evidence.fuse(self.weights)

    def evidence(self, values: Values) -> Evidence:
        """The three standardised terms at every step."""
        values = as_values(values, "values to score")
        terms = (self.base.score(values), *self.amplitude.terms(values))
        return Evidence(TERMS, standardised(terms, self.standardizers))

    def score(self, values: Values) -> Scores:
        return self.evidence(values).fuse(self.weights)

    def explain(self, values: Values) -> Receipt:
        return self._receipt(self.evidence(values), values)

    def explain_training(self, train: Values) -> Receipt:
        return self._receipt(self.training_evidence, train)

    def _receipt(self, evidence: Evidence, values: Values) -> Receipt:
        values = np.asarray(values, dtype=np.float64)
        expected = np.full(len(values), self.amplitude.level.median)
        return Receipt(TERMS, evidence.contributions(self.weights), expected, values)

    def weighing(self, weights: Weights) -> "PAIScorer":
        """The same evidence under other weights; nothing is fitted again."""
        return replace(self, weights=weights)

    @property
    def reach(self) -> Reach | None:
        return None if self.base.reach is None else self.base.reach | self.amplitude.reach


def standardised(terms: tuple[Scores, ...], standardizers: tuple[Standardizer, ...]) -> Terms:
    """Each term by its own standardizer, `[terms, time]`."""
    return np.stack([standardize(term) for standardize, term in zip(standardizers, terms, strict=True)])
