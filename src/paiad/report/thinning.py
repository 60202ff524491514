"""Fewer marks than steps, without losing an extreme: what a report keeps of a very long series.

Around events every step is kept; elsewhere a mark stands for several neighbours and keeps their lowest and
highest value and score, and the terms at the step of the highest score, so that they still sum to it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from paiad.detection import Detection
from paiad.shapes import Scores, Terms, Values

MARGIN = 300  # steps kept one by one on each side of an event


@dataclass(frozen=True, eq=False)
class Marks:
    """What is drawn, one entry a mark; mark i stands for the steps first[i] … first[i + 1] - 1."""

    first: np.ndarray
    low: Values
    high: Values
    score_low: Scores
    score_high: Scores
    expected: Values
    terms: Terms

    @property
    def every_step(self) -> bool:
        """Whether each mark is a single step."""
        return len(self.first) == len(self.low) + 1 and self.first[-1] == len(self.low)


def marks_of(found: Detection, most: int) -> Marks:
    """At most about `most` marks for one series."""
    spans = [(event.start, event.end) for event in sorted(found.events, key=lambda event: -event.score)]
    first = mark_starts(len(found.series), spans, most)
    begins = first[:-1]
    peak = _highest_step(found.scores, first)
    values, scores = found.series.values, found.scores
    return Marks(
        first,
        np.fmin.reduceat(values, begins),
        np.fmax.reduceat(values, begins),
        np.fmin.reduceat(scores, begins),
        scores[peak],
        found.receipt.expected[peak],
        found.receipt.contributions[:, peak],
    )


def mark_starts(length: int, spans: Iterable[tuple[int, int]], most: int) -> np.ndarray:
    """First step of every mark, and the length at the end.

    `spans` (first and last step, the most important first) get single steps around them as long as half of
    the marks suffice.

    >>> mark_starts(12, [(5, 5)], most=100).tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    >>> mark_starts(4000, [(2000, 2001)], most=1300)[[0, 1, -2, -1]].tolist()
    [0, 6, 3996, 4000]
    """
    if length <= most:
        return np.arange(length + 1)
    kept = np.zeros(length, dtype=bool)
    room = most // 2
    for begin, end in spans:
        around = slice(max(begin - MARGIN, 0), end + MARGIN + 1)
        new = int((~kept[around]).sum())
        if new <= room:
            kept[around] = True
            room -= new
    several = math.ceil(length / (most - int(kept.sum())))
    step = np.arange(length)
    starts = kept | (step % several == 0)
    starts[1:] |= kept[:-1]  # the first step after a kept stretch begins a mark of its own
    return np.append(step[starts], length)


def _highest_step(scores: Scores, first: np.ndarray) -> np.ndarray:
    """The step of the highest score of each mark; its first one where nothing was scored."""
    begins, sizes = first[:-1], np.diff(first)
    highest = np.repeat(np.fmax.reduceat(scores, begins), sizes)
    candidates = np.where(scores == highest, np.arange(len(scores)), len(scores))
    found = np.minimum.reduceat(candidates, begins)
    return np.where(found < len(scores), found, begins)
