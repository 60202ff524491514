"""The term that hears silence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from paiad.best.stillness import FLOOR, STEPS, Stillness

series = arrays(np.float64, st.integers(0, 60), elements=st.floats(-1e6, 1e6, allow_subnormal=False))


def slow_term(still, values):
    before, after = still.reach.lookback, still.reach.lookahead
    out = np.full(len(values), np.nan)
    for step in range(before, len(values) - after):
        increments = np.diff(values[step - before : step + after + 1])
        out[step] = -np.log(np.sqrt(np.mean(increments**2)) / still.usual + FLOOR)
    return out


@given(series, st.sampled_from(["symmetric", "trailing"]))
def test_stillness_equals_its_slow_twin(values, window):
    still = Stillness(3.0, window)
    np.testing.assert_allclose(still.term(values), slow_term(still, values), rtol=1e-9, atol=1e-9)


def test_nothing_is_stiller_than_silence(wave):
    still = Stillness.of(wave)
    assert np.nanmax(still.term(wave)) < still.term(np.full(99, 5.0))[50] == pytest.approx(-np.log(FLOOR))


def test_the_unit_of_the_values_does_not_matter(wave):
    np.testing.assert_allclose(
        Stillness.of(wave * 1e6).term(wave * 1e6), Stillness.of(wave).term(wave), rtol=1e-9, atol=1e-9
    )


def test_a_silence_is_as_silent_whatever_went_before(wave):
    flat = np.full(60, 7.0)
    after_a_shock = np.concatenate((wave[:100], [1e200, -1e200], flat))
    assert (Stillness(1.0).term(after_a_shock)[120:150] == -np.log(FLOOR)).all()


@pytest.mark.parametrize(
    "train", [np.full(50, 2.0), np.repeat([1.0, 2.0], 40), np.zeros(STEPS)], ids=["flat", "a step", "short"]
)
def test_flat_and_short_training_parts_still_give_a_unit(train):
    still = Stillness.of(train)
    assert still.usual > 0
    assert np.isfinite(still.term(np.arange(60.0))[STEPS:-STEPS]).all()
