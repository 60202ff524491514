"""Peaks over a threshold: how often normal data goes how high, beyond what was seen (extreme value theory)."""

import math
from dataclasses import dataclass

import numpy as np

from paiad.runs import runs_of
from paiad.shapes import Scores

MERGE_GAP = 16  # steps below the threshold that two events need between them to be two
STARTS = (0.98, 0.95, 0.9, 0.8, 0.5)  # quantiles where the tail may begin, the farthest out first
ENOUGH_PEAKS = 30  # fewer make the shape of the tail a guess
LEAST_PEAKS = 5
SHAPE_LIMITS = (-0.5, 0.5)  # outside, the estimate says more about the few peaks than about the tail


@dataclass(frozen=True)
class ExcessLaw:
    """Generalised Pareto law of how far peaks rise above the start of the tail."""

    shape: float
    scale: float

    @classmethod
    def of(cls, excesses: Scores) -> "ExcessLaw":
        """By probability-weighted moments (Hosking and Wallis, 1987), which are steadier than likelihood on few peaks.

        >>> ExcessLaw.of(np.array([0.1, 0.4, 0.7, 1.2, 2.6]))
        ExcessLaw(shape=..., scale=...)
        """
        ordered = np.sort(np.asarray(excesses, dtype=np.float64))
        count = len(ordered)
        mean = float(ordered.mean())
        if count < 2 or ordered[-1] <= ordered[0]:
            return cls(0.0, max(mean, np.finfo(np.float64).tiny))
        above = (count - 1 - np.arange(count)) / (count - 1)
        weighted = float((above * ordered).mean())
        shape = 2.0 - mean / (mean - 2.0 * weighted)
        shape = float(np.clip(shape, *SHAPE_LIMITS))
        # With a shape that was cut, the scale is what keeps the mean.
        scale = mean * (1.0 - shape)
        if shape < 0:  # the law must reach as far as the peaks do
            scale = max(scale, -shape * float(ordered[-1]) * (1 + 1e-9))
        return cls(shape, scale)

    def beyond(self, excess: float) -> float:
        """The probability that a peak rises higher than this.

        >>> ExcessLaw(shape=0.0, scale=2.0).beyond(2.0) == math.exp(-1.0)
        True
        """
        if abs(self.shape) < 1e-9:
            return math.exp(-excess / self.scale)
        base = 1.0 + self.shape * excess / self.scale
        return 0.0 if base <= 0 else float(base ** (-1.0 / self.shape))

    def reached_with(self, probability: float) -> float:
        """The excess that a peak rises above with this probability; the inverse of `beyond`."""
        if abs(self.shape) < 1e-9:
            return -self.scale * math.log(probability)
        return float(self.scale * (probability**-self.shape - 1.0) / self.shape)


@dataclass(frozen=True)
class Tail:
    """The upper tail of normal scores: where it starts, how many separate peaks rise above it, and their law."""

    start: float
    peaks: int
    steps: int
    law: ExcessLaw

    @classmethod
    def of(cls, scores: Scores, merge_gap: int = MERGE_GAP) -> "Tail | None":
        """The tail of these scores; None where there are too few peaks to know one (say, constant scores).

        Scores of neighbouring steps are alike, so peaks are counted once a run: what is nearer than
        `merge_gap` steps belongs together.
        """
        best: tuple[float, Scores] | None = None
        for quantile in STARTS:
            start = float(np.quantile(scores, quantile))
            peaks = run_peaks(scores, start, merge_gap)
            if best is None or len(peaks) > len(best[1]):
                best = start, peaks
            if len(peaks) >= ENOUGH_PEAKS:
                break
        if best is None or len(best[1]) < LEAST_PEAKS:
            return None
        start, peaks = best
        return cls(start, len(peaks), len(scores), ExcessLaw.of(peaks - start))

    def steps_between(self, score: float) -> float:
        """How many normal steps pass, on average, between peaks higher than this score."""
        chance = self.law.beyond(max(score - self.start, 0.0))
        return math.inf if chance <= 0 else self.steps / (self.peaks * chance)

    def score_once_in(self, steps: float) -> float:
        """The score that normal data rises above once in so many steps; never below the start of the tail."""
        chance = self.steps / (self.peaks * steps)
        return self.start if chance >= 1 else self.start + self.law.reached_with(chance)


def run_peaks(scores: Scores, start: float, merge_gap: int) -> Scores:
    """The highest score of every run above `start`, close runs merged."""
    runs = runs_of(scores > start, merge_gap)
    return np.array([scores[first : last + 1].max() for first, last in runs], dtype=np.float64)
