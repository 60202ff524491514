"""Bootstrap intervals: what else the answer could have been, had other cases been drawn."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paiad.errors import SettingError
from paiad.significance.few_cases import corrected_p, widening

Floats = NDArray[np.float64]
DRAWS = 10_000
_ROWS_AT_ONCE = 2_000_000  # numbers drawn at a time, to bound memory


@dataclass(frozen=True)
class Interval:
    """An estimate with its bootstrap interval; `p_value` asks whether the true value is 0."""

    estimate: float
    low: float
    high: float
    p_value: float
    level: float
    cases: int
    reason: str | None = None  # why there is no interval

    def __str__(self) -> str:
        return f"{self.estimate:.4f} [{self.low:.4f}, {self.high:.4f}]"


def bootstrap_mean(values: Floats, level: float = 0.95, draws: int = DRAWS, seed: int = 0) -> Interval:
    """The mean over independent cases (series), resampled with replacement.

    >>> bootstrap_mean(np.array([0.1, 0.2, 0.3, 0.2]), seed=1).estimate
    0.2
    """
    check_settings(level, draws)
    cases = len(values)
    if cases < 2:
        mean = float(np.mean(values)) if cases else math.nan
        return without_interval(mean, level, cases, f"needs two cases or more, got {cases}")
    return percentile_interval(float(np.mean(values)), _resampled_means(values, draws, seed), level, cases)


def percentile_interval(estimate: float, resampled: Floats, level: float, cases: int) -> Interval:
    """The middle `level` of the resampled values, and a two-sided p-value from their centred spread.

    The p-value is the share of resamples that stray from the estimate at least as far as 0 lies from
    it, counting the observed one, so it is never 0. Both allow for few cases (`few_cases`).
    """
    tail = (1.0 - level) / 2.0
    wider = widening(level, cases)
    low, high = (
        float(estimate + wider * (end - estimate)) for end in np.quantile(resampled, [tail, 1.0 - tail])
    )
    slack = 1e-12 * max(abs(estimate), float(np.abs(resampled).max()))
    as_far = np.count_nonzero(np.abs(resampled - estimate) >= abs(estimate) - slack)
    p_value = corrected_p((1 + as_far) / (1 + resampled.size), cases)
    return Interval(estimate, low, high, p_value, level, cases)


def check_settings(level: float, draws: int) -> None:
    if not 0.0 < level < 1.0:
        raise SettingError(f"level must lie between 0 and 1, got {level}")
    if draws < 1:
        raise SettingError(f"draws must be 1 or more, got {draws}")


def without_interval(estimate: float, level: float, cases: int, reason: str) -> Interval:
    return Interval(estimate, math.nan, math.nan, math.nan, level, cases, reason)


def _resampled_means(values: Floats, draws: int, seed: int) -> Floats:
    generator = np.random.default_rng(seed)
    means = np.empty(draws)
    step = max(1, _ROWS_AT_ONCE // len(values))
    for first in range(0, draws, step):
        rows = min(step, draws - first)
        means[first : first + rows] = values[generator.integers(0, len(values), (rows, len(values)))].mean(
            axis=1
        )
    return means
