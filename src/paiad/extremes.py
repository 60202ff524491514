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
# A bounded tail (a shape below 0) is what few peaks often look like and what scores seldom have: believing it
# let simulated normal data raise 3 to 6 times the events asked for. Above 0.5 the moments are not reliable.
SHAPE_LIMITS = (0.0, 0.5)
CAUTION = 0.5  # the shape is raised by this over the root of the peaks, so that few peaks promise less


@dataclass(frozen=True)
class ExcessLaw:
    """Generalised Pareto law of how far peaks rise above the start of the tail."""

    shape: float
    scale: float

    @classmethod
    def of(cls, excesses: Scores) -> "ExcessLaw":
        """By probability-weighted moments (Hosking and Wallis, 1987), steadier than likelihood on few peaks."""
        ordered = np.sort(np.asarray(excesses, dtype=np.float64))
        count = len(ordered)
        mean = float(ordered.mean())
        if count < 2 or ordered[-1] <= ordered[0]:
            return cls(0.0, max(mean, np.finfo(np.float64).tiny))
        above = (count - 1 - np.arange(count)) / (count - 1)
        weighted = float((above * ordered).mean())
        shape = 2.0 - mean / (mean - 2.0 * weighted)
        return cls(shape, mean * (1.0 - shape))

    @classmethod
    def cautious(cls, excesses: Scores) -> "ExcessLaw":
        """The law with a shape that is kept from being lighter than scores are, or lighter than so few can tell."""
        shape = float(np.clip(cls.of(excesses).shape, *SHAPE_LIMITS))
        scale = max(float(np.mean(excesses)) * (1.0 - shape), float(np.finfo(np.float64).tiny))
        return cls(shape + CAUTION / math.sqrt(len(excesses)), scale)

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
        return cls(start, len(peaks), len(scores), ExcessLaw.cautious(peaks - start))

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
