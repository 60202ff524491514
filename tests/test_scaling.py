"""The training scale at the ends of what a float can hold."""

import warnings

import numpy as np
import pytest

from paiad.scaling import ZScore

WAVE = np.sin(np.arange(200.0) / 3)


@pytest.mark.parametrize("unit", [1e300, 1e-300, 1e308, 1e-305])
def test_values_of_any_size_have_a_scale(unit: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled = ZScore.of(WAVE * unit)(WAVE * unit)
    np.testing.assert_allclose(scaled, ZScore.of(WAVE)(WAVE), atol=1e-9)


def test_a_power_of_two_changes_no_digit() -> None:
    plain = ZScore.of(WAVE)
    assert ZScore.of(WAVE * 2.0**40) == ZScore(plain.mean * 2.0**40, plain.spread * 2.0**40)
    assert plain == ZScore(float(WAVE.mean()), float(WAVE.std()))


@pytest.mark.parametrize("values", [np.zeros(9), np.full(9, 1e300), np.full(9, 0.1)])
def test_constant_values_are_only_centred(values: np.ndarray) -> None:
    assert ZScore.of(values).spread == 1.0
    np.testing.assert_allclose(ZScore.of(values)(values) / max(values[0], 1), 0, atol=1e-15)
