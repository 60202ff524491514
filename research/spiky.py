"""A guard set of our own: short seasonal series with trend, noise and single-point outliers, labels known.

No family of the choice half looks like it (short, smooth but for spikes of one step), yet such series are common.
"""

import numpy as np
from series import Case

COUNT = 16


def spiky(number: int) -> Case:
    rng = np.random.default_rng([77, number])
    n, train = 1680, 500
    t = np.arange(n)
    values = rng.uniform(-1, 1) * t * 0.5
    for period in (12, 24, 168):
        values = values + rng.uniform(0, 200) * np.sin(2 * np.pi * (t / period + rng.uniform()))
    noise = rng.uniform(3, 40)
    if number % 4 == 0:  # bursty counts instead of a smooth season
        values = rng.gamma(2.0, 50.0, n) + 100 * np.sin(2 * np.pi * t / 24).clip(0)
    values = values + noise * rng.standard_normal(n)
    labels = np.zeros(n, np.int64)
    for at in rng.choice(np.arange(50, n - 5), rng.integers(4, 10), replace=False):
        values[at] += rng.choice([-1, 1]) * rng.uniform(6, 14) * noise
        labels[at] = 1
    if number % 4 == 3:  # a change of the season's size, unlabelled but for its first step
        at = rng.integers(900, 1500)
        values[at:] *= 1.3
        labels[at] = 1
    return Case(f"spiky-{number:02d}", "SPIKY", train, values, labels)
