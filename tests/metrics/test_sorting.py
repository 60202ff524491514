"""The grid sort gives what numpy.sort gives, whatever the distribution."""

import numpy as np
import pytest

from paiad.metrics.sorting import ascending

NORMAL = np.random.default_rng(0).normal(size=6000)
DISTRIBUTIONS = {
    "normal": NORMAL,
    "float32": NORMAL.astype(np.float32).astype(float),
    "constant": np.full(6000, 3.0),
    "two values": (NORMAL > 0).astype(float),
    "levels": np.round(NORMAL * 5),
    "relu": np.maximum(NORMAL, 1.0),
    "one outlier": np.append(NORMAL, 1e300),
    "cauchy": 1 / NORMAL,
    "lognormal": np.exp(9 * NORMAL),
    "two clusters": np.where(NORMAL > 0, NORMAL * 1e-9, 1e6 + NORMAL),
    "few ulps": 1 + np.round(NORMAL) * 2**-52,
    "denormal": np.round(NORMAL) * 5e-324,
    "sorted": np.sort(NORMAL),
    "reversed": -np.sort(NORMAL),
    "short": NORMAL[:5],
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_sorts_like_numpy(name):
    values = DISTRIBUTIONS[name]
    before = values.copy()
    np.testing.assert_array_equal(ascending(values), np.sort(values))
    np.testing.assert_array_equal(values, before)
