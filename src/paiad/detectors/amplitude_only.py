"""The raw-signal terms as detectors of their own: no representation, nothing learnt but a level and a spread."""

from dataclasses import dataclass

import numpy as np

from paiad.amplitude import HALF_WIDTH, Level, Window, deviation, mean_shift, mean_shift_reach
from paiad.contracts import Detector, Reach, Scorer, checked_train
from paiad.fusion import Standardizer
from paiad.series import as_values
from paiad.settings import check_settings
from paiad.shapes import Scores, Values


@dataclass(frozen=True)
class Deviation(Detector):
    """Distance of each value from the training median, in spreads (`magG` in the paper).

    >>> Deviation().fit(np.array([1.0, 2.0, 3.0])).score(np.array([2.0, 7.0]))
    array([0., 5.])
    """

    def fit(self, train: Values) -> "DeviationScorer":
        train = checked_train(train, 2, "Deviation")
        level = Level.of(train)
        return DeviationScorer(level, deviation(train, level))


@dataclass(frozen=True)
class DeviationScorer(Scorer):
    level: Level
    calibration: Scores

    def score(self, values: Values) -> Scores:
        return deviation(as_values(values, "values to score"), self.level)

    @property
    def reach(self) -> Reach:
        return Reach(0, 0)


@dataclass(frozen=True)
class MeanShift(Detector):
    """Distance of the local mean from the training median, in spreads (`T2` in the paper)."""

    half_width: int = HALF_WIDTH
    window: Window = "symmetric"

    def __post_init__(self) -> None:
        check_settings(self, may_be_zero=("half_width",))

    def fit(self, train: Values) -> "MeanShiftScorer":
        train = checked_train(train, 2, "MeanShift")
        level = Level.of(train)
        return MeanShiftScorer(
            level, self.half_width, self.window, mean_shift(train, level, self.half_width, self.window)
        )


@dataclass(frozen=True)
class MeanShiftScorer(Scorer):
    level: Level
    half_width: int
    window: Window
    calibration: Scores

    def score(self, values: Values) -> Scores:
        values = as_values(values, "values to score")
        return mean_shift(values, self.level, self.half_width, self.window)

    @property
    def reach(self) -> Reach:
        return mean_shift_reach(self.half_width, self.window)


@dataclass(frozen=True)
class DeviationAndShift(Detector):
    """Both terms, each standardised on the training data, added with weights (`magG+T2` in the paper: 1, 0.5)."""

    deviation_weight: float = 1.0
    shift_weight: float = 0.5
    half_width: int = HALF_WIDTH
    window: Window = "symmetric"

    def __post_init__(self) -> None:
        check_settings(self, may_be_zero=("half_width",))

    def fit(self, train: Values) -> "DeviationAndShiftScorer":
        deviating = Deviation().fit(train)
        shifting = MeanShift(self.half_width, self.window).fit(train)
        standards = Standardizer.of(deviating.calibration), Standardizer.of(shifting.calibration)
        calibration = _sum(self, standards, deviating.calibration, shifting.calibration)
        return DeviationAndShiftScorer(self, deviating, shifting, standards, calibration)


@dataclass(frozen=True)
class DeviationAndShiftScorer(Scorer):
    recipe: DeviationAndShift
    deviating: DeviationScorer
    shifting: MeanShiftScorer
    standards: tuple[Standardizer, Standardizer]
    calibration: Scores

    def score(self, values: Values) -> Scores:
        return _sum(self.recipe, self.standards, self.deviating.score(values), self.shifting.score(values))

    @property
    def reach(self) -> Reach:
        return self.deviating.reach | self.shifting.reach


def _sum(
    recipe: DeviationAndShift, standards: tuple[Standardizer, Standardizer], far: Scores, shifted: Scores
) -> Scores:
    of_deviation, of_shift = standards
    return np.asarray(recipe.deviation_weight * of_deviation(far) + recipe.shift_weight * of_shift(shifted))
