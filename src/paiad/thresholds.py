"""From training scores to a threshold; no share of anomalies has to be guessed.

ThresholdRule ──fit──▶ Threshold      training scores in, the score above which a step is anomalous out
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from paiad.budget import events_allowed, rate_bound
from paiad.conformal import rank_for, steps_alike
from paiad.errors import SettingError
from paiad.extremes import MERGE_GAP
from paiad.normal import NormalScores
from paiad.runs import Mask, run_counts
from paiad.settings import check_settings
from paiad.shapes import Scores

SECONDS_PER_WEEK = 7 * 24 * 3600.0
MAD_TO_SIGMA = 1.4826


@dataclass(frozen=True)
class Promise:
    """At most `bound` false alarms in `unit`, with `confidence`; `expected` of them on average.

    `enough` is False when the training data is too little to promise what was asked: `bound` is then the
    best that can be promised, and `needs` says how many training steps the promise would take.
    """

    asked: float
    bound: float
    expected: float
    unit: str
    confidence: float
    enough: bool
    needs: int


@dataclass(frozen=True, eq=False)
class Threshold:
    """Scores above `value` are anomalous; `rule` says in words how the value was found, and `caveat`, if there
    is one, what it cannot promise."""

    value: float
    rule: str
    normal: NormalScores
    caveat: str = ""
    promise: Promise | None = None

    def mask(self, scores: Scores) -> Mask:
        """True where a score is above the threshold."""
        return np.asarray(scores) > self.value

    def at_least(self, above_normal: float) -> "Threshold":
        """This threshold, or one that far above the normal median where this one is lower: training scores that hardly
        vary would make an event of every trifle.

        >>> regular = Quantile(0.9).fit(np.zeros(20)).at_least(1.0)
        >>> regular.value, regular.severity(2.0)
        (1.0, 2.0)
        """
        lowest = self.normal.median + above_normal
        if self.value >= lowest:
            return self
        caveat = f"the training scores hardly vary; raised from {self.value:.3g} to {lowest:.3g}"
        return replace(self, value=lowest, caveat="; ".join(filter(None, (self.caveat, caveat))))

    def severity(self, score: float) -> float:
        """How far above normal, with the threshold as the unit: 0 at the normal median, 1 at the threshold,
        2 twice as far out."""
        unit = self.value - self.normal.median
        return (score - self.normal.median) / unit if unit > 0 else math.inf


class ThresholdRule(ABC):
    """A recipe for a threshold: a frozen dataclass of settings."""

    @abstractmethod
    def fit(self, calibration: Scores) -> Threshold:
        """Find the threshold from training scores (`Scorer.calibration`)."""


@dataclass(frozen=True)
class Quantile(ThresholdRule):
    """The score that this share of the training scores stays below.

    >>> round(Quantile(0.99).fit(np.arange(1001.0)).value)
    990
    """

    level: float = 0.999

    def __post_init__(self) -> None:
        _between_0_and_1(self.level, "Quantile: level")

    def fit(self, calibration: Scores) -> Threshold:
        normal = NormalScores.of(calibration)
        needed = math.ceil(1 / (1 - self.level))
        caveat = ""
        if normal.count < needed:
            caveat = (
                f"{normal.count} training scores cannot show a quantile of {self.level:g} (it takes {needed})"
            )
        value = float(np.quantile(normal.ordered, self.level))
        return Threshold(value, f"quantile {self.level:g} of the training scores", normal, caveat)


@dataclass(frozen=True)
class RobustDeviation(ThresholdRule):
    """So many robust standard deviations (1.4826 MAD) above the median; anomalies among the training data
    hardly move it.

    >>> RobustDeviation(3.0).fit(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 1000.0])).value
    10.17...
    """

    deviations: float = 6.0

    def __post_init__(self) -> None:
        check_settings(self)

    def fit(self, calibration: Scores) -> Threshold:
        normal = NormalScores.of(calibration)
        spread = MAD_TO_SIGMA * float(np.median(np.abs(normal.ordered - normal.median)))
        value = normal.median + self.deviations * spread
        rule = f"median + {self.deviations:g} robust standard deviations of the training scores"
        caveat = "" if spread > 0 else "more than half of the training scores are equal; their spread is 0"
        return Threshold(value, rule, normal, caveat)


@dataclass(frozen=True)
class ExtremeValue(ThresholdRule):
    """The score that normal data rises above at most about once in `steps` steps, by the law of the peaks over a
    threshold (see `paiad.extremes`).

    `steps` None means as many steps as there are training scores: normal data of that length raises about one
    event. A longer time is extrapolated.

    >>> rng = np.random.default_rng(0)
    >>> threshold = ExtremeValue(steps=1e5).fit(rng.exponential(size=5000))
    >>> 11 < threshold.value < 17  # the law that these were drawn from says log(1e5) = 11.5
    True
    """

    steps: float | None = None
    merge_gap: int = MERGE_GAP

    def __post_init__(self) -> None:
        check_settings(self, may_be_zero=("merge_gap",))
        if self.steps is not None and self.steps < 1:
            raise SettingError(f"ExtremeValue: steps must be at least 1, got {self.steps}")

    def fit(self, calibration: Scores) -> Threshold:
        normal = NormalScores.of(calibration, self.merge_gap)
        steps = float(normal.count) if self.steps is None else self.steps
        rule = f"what normal data exceeds once in {steps:,.0f} steps (peaks over a threshold)"
        if normal.tail is None:
            caveat = "the training scores have too few peaks to know their tail; the highest was taken"
            return Threshold(normal.highest, rule, normal, caveat)
        return Threshold(normal.tail.score_once_in(steps), rule, normal)


@dataclass(frozen=True)
class Conformal(ThresholdRule):
    """The lowest threshold at which a normal step is flagged with a chance of at most `level`, by its rank among the
    training scores (see `paiad.conformal`); neighbouring ones that rise and fall together count as fewer.

    >>> Conformal(0.05).fit(np.random.default_rng(0).permutation(100)).value
    95.0
    """

    level: float = 0.001

    def __post_init__(self) -> None:
        _between_0_and_1(self.level, "Conformal: level")

    def fit(self, calibration: Scores) -> Threshold:
        normal = NormalScores.of(calibration)
        alike = steps_alike(np.asarray(calibration, dtype=np.float64)[np.isfinite(calibration)])
        rank = rank_for(self.level, normal.count, alike)
        best = alike / (normal.count + alike)
        needs = math.ceil(alike * (1 / self.level - 1) - 1e-9)
        caveat = ""
        if rank < 1:
            caveat = (
                f"not enough data to promise {self.level:g} yet: {normal.count} training scores can promise {best:.2g} "
                f"at best; it takes {needs}"
            )
        promise = Promise(
            self.level,
            max(self.level, best),
            (max(rank, 1) - 1 + alike) / (normal.count + alike),
            "a step",
            1.0,
            rank >= 1,
            needs,
        )
        value = float(normal.ordered[-max(rank, 1)])
        return Threshold(
            value,
            f"what a normal step exceeds with a chance of at most {self.level:g} (conformal)",
            normal,
            caveat,
            promise,
        )


@dataclass(frozen=True)
class AlertBudget(ThresholdRule):
    """The lowest threshold at which normal data raises at most so many events a week, with this confidence.

    Events are counted as they are reported: runs above the threshold with at most `merge_gap` steps between
    them are one. The promise holds for data that goes on like the training data and raises its events one
    independently of another; see `paiad.budget`.

    >>> hourly = AlertBudget(alerts_per_week=2, seconds_per_step=3600)
    >>> hourly.fit(np.random.default_rng(0).normal(size=100)).caveat
    'not enough data to promise 2 alerts a week yet:
    100 training steps (0.595 weeks) can promise 3.87; it takes 194 steps'
    """

    alerts_per_week: float
    seconds_per_step: float
    confidence: float = 0.9
    merge_gap: int = MERGE_GAP

    def __post_init__(self) -> None:
        check_settings(self, may_be_zero=("merge_gap",))
        _between_0_and_1(self.confidence, "AlertBudget: confidence")
        for name in ("alerts_per_week", "seconds_per_step"):
            if not getattr(self, name) > 0:
                raise SettingError(f"AlertBudget: {name} must be above 0, got {getattr(self, name)}")

    def fit(self, calibration: Scores) -> Threshold:
        normal = NormalScores.of(calibration, self.merge_gap)
        steps_per_week = SECONDS_PER_WEEK / self.seconds_per_step
        weeks = normal.count / steps_per_week
        allowed = events_allowed(self.alerts_per_week * weeks, self.confidence)
        value, seen = _threshold_for(np.asarray(calibration, dtype=np.float64), allowed or 0, self.merge_gap)
        needs = math.ceil(rate_bound(0, self.confidence) / self.alerts_per_week * steps_per_week)
        promise = Promise(
            self.alerts_per_week,
            rate_bound(seen, self.confidence) / weeks,
            seen / weeks,
            "a week",
            self.confidence,
            allowed is not None,
            needs,
        )
        rule = (
            f"at most {self.alerts_per_week:g} alerts a week on normal data, {self.confidence:.0%} confidence"
        )
        return Threshold(value, rule, normal, _shortfall(promise, normal.count, weeks), promise)


def _threshold_for(calibration: Scores, allowed: int, merge_gap: int) -> tuple[float, int]:
    """The lowest threshold that, with all higher ones, at most `allowed` training events exceed; and how many do."""
    levels, counts = run_counts(calibration[np.isfinite(calibration)], merge_gap)
    too_many = np.flatnonzero(counts > allowed)
    # Scores must exceed the threshold, so the first level with too many runs is itself still a good one.
    place = int(too_many[0]) if len(too_many) else len(levels) - 1
    return float(levels[place]), int(counts[:place].max(initial=0))


def _shortfall(promise: Promise, steps: int, weeks: float) -> str:
    if promise.enough:
        return ""
    return (
        f"not enough data to promise {promise.asked:g} alerts a week yet: {steps:,} training steps "
        f"({weeks:.3g} weeks) can promise {promise.bound:.3g}; it takes {promise.needs:,} steps"
    )


def _between_0_and_1(value: float, what: str) -> None:
    if not 0 < value < 1:
        raise SettingError(f"{what} must lie between 0 and 1, got {value}")


DEFAULT = ExtremeValue()
