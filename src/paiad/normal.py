"""What normal scores look like: the yardstick that turns a score into a severity, a p-value, a return period."""

from dataclasses import dataclass

import numpy as np

from paiad.conformal import p_values
from paiad.errors import TooShortError
from paiad.extremes import MERGE_GAP, Tail
from paiad.shapes import Scores

TRUST = 100.0  # how many times the training length a return period may reach before it says only "at least"


@dataclass(frozen=True, eq=False)
class NormalScores:
    """Training scores in ascending order, and the law of their tail."""

    ordered: Scores
    tail: Tail | None

    @classmethod
    def of(cls, calibration: Scores, merge_gap: int = MERGE_GAP) -> "NormalScores":
        """Summarise training scores (`Scorer.calibration`); what is not finite is left out."""
        scores = np.asarray(calibration, dtype=np.float64)
        scores = scores[np.isfinite(scores)]
        if len(scores) < 2:
            raise TooShortError(f"a threshold needs at least 2 training scores, got {len(scores)}")
        return cls(np.sort(scores), Tail.of(scores, merge_gap))

    @property
    def count(self) -> int:
        return len(self.ordered)

    @property
    def median(self) -> float:
        return float(np.median(self.ordered))

    @property
    def highest(self) -> float:
        return float(self.ordered[-1])

    def p_values(self, scores: Scores) -> Scores:
        """Conformal p-values, see `paiad.conformal`."""
        return p_values(np.asarray(scores, dtype=np.float64), self.ordered)

    def return_period(self, score: float) -> float:
        """Normal data shows a peak as high as this once in so many steps, on average.

        Within the bulk it is read off the training scores; in the tail it follows the fitted law, and stops at
        100 times the training length: to say more would be to trust the law too far.
        """
        limit = TRUST * self.count
        if self.tail is None or score < self.tail.start:
            at_least = self.count - int(np.searchsorted(self.ordered, score, side="left"))
            return self.count / at_least if at_least else float(self.count)
        return min(self.tail.steps_between(score), limit)
