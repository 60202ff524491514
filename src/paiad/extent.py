"""How far an event reaches: its slopes, where the score only fades from the peak, are not part of it."""

import numpy as np

from paiad.shapes import Scores

SHARE = 0.5  # of the way from normal up to a peak; benchmarks/events/extent.py compares others


def without_slopes(scores: Scores, normal: float, share: float = SHARE) -> tuple[int, int]:
    """First and last step, both included, of what is left of a stretch without its outer slopes.

    Windows that look at an anomaly from afar lift the scores around it, so a stretch above a threshold is wider than
    its cause. It is cut back to where the score comes `share` of the way from `normal` up to its peak; a lower peak
    farther out stays when the score falls below the same share of *its* height in between.

    >>> without_slopes(np.array([2.0, 3.0, 4.0, 9.0, 8.0, 4.0, 3.0]), normal=1.0)
    (3, 4)
    >>> without_slopes(np.array([9.0, 4.0, 2.0, 4.0, 3.0]), normal=1.0)
    (0, 4)
    """
    height = np.where(np.isnan(scores), -np.inf, scores) - normal
    if not height.max() > 0:  # a threshold below what is normal: there is no slope to speak of
        return 0, len(scores) - 1
    high = np.flatnonzero(height >= share * height.max())
    first, last = int(high[0]), int(high[-1])
    return first - _farther(height[first::-1], share), last + _farther(height[last:], share)


def _farther(height: Scores, share: float) -> int:
    """How many steps beyond the first of these the last peak of its own goes."""
    end = 0
    while True:
        beyond = height[end:]
        rises = np.flatnonzero((beyond > 0) & (np.minimum.accumulate(beyond) < share * beyond))
        if not len(rises):
            return end
        hill = beyond[rises[0] :]
        end += int(rises[0] + np.flatnonzero(hill >= share * hill.max())[-1])
