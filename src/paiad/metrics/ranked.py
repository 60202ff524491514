"""Scores laid against labels, with every step that several measures share done once."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.affiliation import best_affiliation_f1
from paiad.metrics.events import best_event_f1, best_point_adjusted_f1
from paiad.metrics.inputs import MetricInputError, refuse_not_finite, score_array
from paiad.metrics.labels import LabelContext
from paiad.metrics.levels import Levels, linear_thresholds, predicted_runs, threshold_levels, unpredicted_runs
from paiad.metrics.point import PointMeasures, point_measures
from paiad.metrics.ranges import best_range_f1
from paiad.metrics.soft_labels import THRESHOLDS
from paiad.metrics.sorting import ascending
from paiad.metrics.vus import Areas, tsb_ad_areas, vldb_2022_areas

Floats = NDArray[np.float64]
TIED_SHARE = 0.5  # fewer distinct scores than this, among evenly ranked ones, is worth a warning


class RankedScores:
    """Scores, sorted, and what follows from the sort; every measure is one short method."""

    def __init__(self, context: LabelContext, scores: Any) -> None:
        self.context = context
        self.given = score_array(scores, context.given_length)[context.train_end :]
        # a copy when read-only: kernels are compiled for arrays that could be written to
        self.scores: Floats = self.given.astype(np.float64, copy=not self.given.flags.writeable)
        self._refuse_unrankable()
        self._tsb_ad_areas: dict[int, Areas] = {}
        self._vldb_2022_areas: dict[int, Areas] = {}

    @cached_property
    def ascending(self) -> Floats:
        return ascending(self.scores)

    @cached_property
    def linear_thresholds(self) -> Floats:
        return linear_thresholds(self.given)

    @cached_property
    def levels(self) -> Levels:
        return threshold_levels(self.scores, self.linear_thresholds)

    @cached_property
    def point(self) -> PointMeasures:
        return point_measures(self.ascending, ascending(self.scores[self.context.labels]))

    def tsb_ad_areas(self, window: int) -> Areas:
        if window not in self._tsb_ad_areas:
            self._tsb_ad_areas[window] = tsb_ad_areas(self.context, self.scores, self.ascending, window)
        return self._tsb_ad_areas[window]

    def vldb_2022_areas(self, window: int) -> Areas:
        if window not in self._vldb_2022_areas:
            self._vldb_2022_areas[window] = vldb_2022_areas(self.context, self.scores, self.ascending, window)
        return self._vldb_2022_areas[window]

    def event_f1(self) -> float:
        return best_event_f1(self.context.starts, self.context.ends, self.levels)

    def point_adjusted_f1(self) -> float:
        return best_point_adjusted_f1(self.context.starts, self.context.ends, self.levels)

    def range_f1(self) -> float:
        return best_range_f1(self.context, self.levels, predicted_runs(self.levels))

    def affiliation_f1(self) -> float:
        return best_affiliation_f1(self.context, self.levels, unpredicted_runs(self.levels))

    @property
    def is_constant(self) -> bool:
        return bool(self.ascending[0] == self.ascending[-1])

    def warnings(self) -> tuple[str, ...]:
        """What makes these numbers say little: a constant, heavily tied or outlier-ridden score."""
        if self.is_constant:
            return ("the score is constant: it ranks nothing",)
        sampled = self.ascending[:: 1 + self.scores.size // THRESHOLDS]
        distinct = 1 + int(np.count_nonzero(np.diff(sampled)))
        if distinct < TIED_SHARE * sampled.size:
            return (
                f"heavily tied score: {sampled.size} evenly ranked points hold {distinct} distinct values",
            )
        second = self.linear_thresholds[1]
        above = self.scores.size - int(np.searchsorted(self.ascending, second, side="right"))
        if above < self.context.starts.size:
            return (
                f"only {above} points exceed the second of the 100 linear thresholds, fewer than there are events: "
                "an outlier decides the F1 of events and ranges",
            )
        return ()

    def _refuse_unrankable(self) -> None:
        lowest, highest = self.scores.min(), self.scores.max()
        if not (np.isfinite(lowest) and np.isfinite(highest)):
            refuse_not_finite(self.given)
        with np.errstate(over="ignore"):
            if not np.isfinite(highest - lowest):
                raise MetricInputError(
                    f"the range of the scores overflows 64-bit floats, from {lowest} at position "
                    f"{self.scores.argmin()} to {highest} at position {self.scores.argmax()}; rescale them"
                )
