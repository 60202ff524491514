"""Conformal p-values: how unusual a score is among the training scores, whatever their law is.

They promise something of scores that are exchangeable. Neighbouring scores of a series are not: they rise and fall
together, so a rank is chosen as if there were fewer of them.
"""

import math

import numpy as np

from paiad.shapes import Scores

HIGH = 0.9  # the quantile above which scores are looked at
FADED = 0.05  # a correlation not worth adding
CLEARLY = 1.5  # less is what independent scores show by chance


def p_values(scores: Scores, ordered_normal: Scores) -> Scores:
    """The share of normal scores at least as high, the new one counted in; low is anomalous.

    If a new score is exchangeable with the normal ones, its p-value is at most `a` with probability at most
    `a`. No p-value is below 1 / (n + 1): n normal scores cannot show more.

    >>> p_values(np.array([0.0, 2.5, 9.0]), np.array([1.0, 2.0, 3.0]))
    array([1.  , 0.5 , 0.25])
    """
    at_least = len(ordered_normal) - np.searchsorted(ordered_normal, scores, side="left")
    return np.asarray((1.0 + at_least) / (len(ordered_normal) + 1.0))


def rank_for(level: float, count: int, alike: float = 1.0) -> int:
    """Which of `count` normal scores, the highest being 1, a score must exceed for a chance of at most `level`;
    0 when there are too few to show it. `alike` neighbouring scores count as one, see `steps_alike`.

    >>> rank_for(0.05, 19), rank_for(0.05, 18), rank_for(0.05, 100), rank_for(0.05, 100, alike=4.0)
    (1, 0, 5, 2)
    """
    return max(0, math.floor(level * (count + alike) - alike + 1.0 + 1e-9))


def steps_alike(scores: Scores) -> float:
    """How many neighbouring scores are as good as one, where it matters: among the high ones.

    Scores of windows that overlap rise and fall together, so that n of them show no more than n / `steps_alike`
    separate ones. It is the correlation time of "among the highest tenth"; 1 for scores that come independently.

    >>> noise = np.random.default_rng(0).normal(size=5000)
    >>> steps_alike(noise), round(steps_alike(np.convolve(noise, np.ones(30), mode="valid")))
    (1.0, 18)
    """
    high = (scores > np.quantile(scores, HIGH)).astype(np.float64)
    high -= high.mean()
    spectrum = np.abs(np.fft.rfft(high, 2 * len(high))) ** 2
    correlation = np.fft.irfft(spectrum)[: len(high)]
    if not correlation[0] > 0:
        return 1.0
    correlation /= correlation[0]
    faded = np.flatnonzero(correlation <= FADED)
    together = 1.0 + 2.0 * float(correlation[1 : faded[0] if len(faded) else None].sum())
    return together if together >= CLEARLY else 1.0
