"""How many events normal data may raise: bounds that hold with a stated confidence on finite training data.

Let normal data raise events as a Poisson process, at an unknown rate. If the threshold is the k-th highest
peak of the training data, the rate of events above it, times the training time, has a Gamma(k) law, whatever
the scores' own law is. Its upper quantile bounds the rate that new data will show.
"""

import math


def rate_bound(events: int, confidence: float) -> float:
    """The expected number of events, in as much data again, that is not exceeded with this confidence
    after `events` were seen.

    >>> round(rate_bound(0, 0.95), 3), round(rate_bound(3, 0.95), 3)
    (2.996, 7.754)
    """
    low, high = 0.0, events + 10.0
    while _poisson_at_most(events, high) > 1 - confidence:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _poisson_at_most(events, middle) > 1 - confidence else (low, middle)
    return high


def events_allowed(budget: float, confidence: float) -> int | None:
    """How many training events may lie above the threshold so that `budget` expected events (in as much data
    again) are promised with this confidence; None when even none is too many.

    >>> events_allowed(2.9, 0.95), events_allowed(3.0, 0.95), events_allowed(100.0, 0.95)
    (None, 0, 83)
    """
    if rate_bound(0, confidence) > budget:
        return None
    low, high = 0, math.ceil(budget)  # the bound always exceeds the count
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if rate_bound(middle, confidence) <= budget else (low, middle)
    return low


def _poisson_at_most(count: int, mean: float) -> float:
    if mean <= 0:
        return 1.0
    logs = [k * math.log(mean) - math.lgamma(k + 1) - mean for k in range(count + 1)]
    highest = max(logs)
    return min(1.0, math.exp(highest) * math.fsum(math.exp(log - highest) for log in logs))
