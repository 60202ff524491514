"""What a bootstrap over few cases lacks: width, as much as Student's t has more of it than the normal curve.

Resampled means of n cases spread sqrt((n-1)/n) too little, and the spread itself is only an estimate. So
the percentile interval of 5 cases covers 82 % where it says 95 (`benchmarks/metrics/coverage.py`).
"""

import math
from statistics import NormalDist

FEW = 30  # from here on it is the plain percentile interval, so that numbers compare with those of others
_NORMAL = NormalDist()


def widening(level: float, cases: int) -> float:
    """How much farther from the estimate the ends of a percentile interval belong.

    >>> round(widening(0.95, 5), 2), widening(0.95, 30)
    (1.58, 1.0)
    """
    if cases >= FEW:
        return 1.0
    return _student_quantile(level, cases - 1) / _normal_quantile(level) * math.sqrt(cases / (cases - 1))


def corrected_p(p_value: float, cases: int) -> float:
    """The p-value at which the widened interval would just reach what the p-value asks about.

    >>> round(corrected_p(0.01, 5), 3), corrected_p(0.01, 30)
    (0.083, 0.01)
    """
    if cases >= FEW:
        return p_value
    distance = _normal_quantile(1.0 - p_value) * math.sqrt((cases - 1) / cases)
    return 1.0 - _student_within(distance, cases - 1)


def _normal_quantile(level: float) -> float:
    """How far from 0 a standard normal number stays with this chance."""
    return _NORMAL.inv_cdf((1.0 + level) / 2.0)


def _student_within(distance: float, freedom: int) -> float:
    """Chance that Student's t with this freedom stays within `distance` of 0 (its finite series in an angle)."""
    angle = math.atan2(distance, math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(1, (freedom - odd) // 2):
        term *= square * (2 * step if odd else 2 * step - 1) / (2 * step + odd)
        total += term
    total *= math.sin(angle)
    return 2.0 / math.pi * (angle + total) if odd else total


def _student_quantile(level: float, freedom: int) -> float:
    """How far from 0 Student's t stays with this chance, by bisection."""
    low, high = 0.0, 1.0
    while _student_within(high, freedom) < level:
        high *= 2.0
    for _ in range(60):
        middle = (low + high) / 2.0
        if _student_within(middle, freedom) < level:
            low = middle
        else:
            high = middle
    return high
