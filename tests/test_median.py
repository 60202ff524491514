import numpy as np
import pytest

from paiad.median import SMALL, median, median_deviation

rng = np.random.default_rng(0)
LONG = 3 * SMALL
CASES = {
    "normal": rng.normal(size=LONG),
    "odd length": rng.normal(size=LONG + 1),
    "heavy ties": rng.integers(0, 3, LONG).astype(float),
    "mostly one value": np.where(rng.random(LONG) < 0.9, 5.0, rng.normal(size=LONG)),
    "constant": np.full(LONG, -2.5),
    "heavy tails": rng.standard_cauchy(LONG),
    "periodic": np.sin(np.arange(LONG) / 7.0),
    "two far lumps": np.r_[np.zeros(LONG // 2), np.ones(LONG // 2)],
    "sorted": np.sort(rng.normal(size=LONG)),
    "short": rng.normal(size=11),
    "single": np.array([3.0]),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_numpy_to_the_last_bit(name: str) -> None:
    values = CASES[name]
    kept = values.copy()
    middle = float(np.median(values))
    assert median(values) == middle
    assert median_deviation(values, middle) == float(np.median(np.abs(values - middle)))
    assert np.array_equal(values, kept)
