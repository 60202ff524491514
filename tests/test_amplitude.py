import logging
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from paiad.amplitude import EPSILON, Level, deviation, mean_shift

finite = st.floats(-1e6, 1e6, allow_nan=False, width=64)
series = arrays(np.float64, st.integers(1, 200), elements=finite)


@given(series, st.integers(0, 80))
def test_both_terms_equal_their_obvious_twins(values: np.ndarray, half_width: int) -> None:
    level = Level.of(values)
    # Where a mean almost equals the median, their difference is known only to the rounding of the values.
    rounding = 2 * np.finfo(float).eps * np.abs(values).max() / level.unit
    np.testing.assert_allclose(
        deviation(values, level), naive.deviation(values, level.median, level.unit), rtol=1e-12
    )
    for window, before, after in (("symmetric", half_width, half_width), ("trailing", 2 * half_width, 0)):
        twin = naive.mean_shift(values, level.median, level.unit, before, after)
        fast = mean_shift(values, level, half_width, window)  # type: ignore[arg-type]
        np.testing.assert_allclose(fast, twin, rtol=1e-12, atol=rounding)


def test_running_sum_does_not_drift_over_a_long_series_with_huge_values_in_it() -> None:
    values = np.random.default_rng(0).normal(size=200_000)
    values[1000] = 1e15
    level = Level(0.0, 1.0)
    fast = mean_shift(values, level)[-500:]
    twin = naive.mean_shift(values[-600:], 0.0, level.unit, 32, 32)[-500:]
    np.testing.assert_allclose(fast, twin, rtol=1e-12)


@pytest.mark.parametrize(
    ("offset", "scale"), [(1e9, 1.0), (1e9, 1e-3), (-1e15, 100.0), (0.0, 1e-13), (0.0, 1e150)]
)
def test_series_far_from_zero_or_in_odd_units_lose_no_digits(offset: float, scale: float) -> None:
    values = offset + scale * np.random.default_rng(0).normal(size=300)
    level = Level.of(values[:150])
    exact = []
    for step in range(len(values)):
        window = [Fraction(float(value)) for value in values[max(0, step - 32) : step + 33]]
        exact.append(float(abs(sum(window) / len(window) - Fraction(level.median)) / Fraction(level.unit)))
    np.testing.assert_allclose(mean_shift(values, level), exact, rtol=1e-12)


def test_trailing_window_never_looks_ahead() -> None:
    values = np.zeros(100)
    later = values.copy()
    later[60:] = 5.0
    level = Level(0.0, 1.0)
    before, after = (mean_shift(v, level, window="trailing") for v in (values, later))
    assert np.array_equal(before[:60], after[:60])


def test_level_is_the_raw_mad_with_the_papers_epsilon() -> None:
    level = Level.of(np.array([0.0, 1.0, 2.0, 3.0, 10.0]))
    assert (level.median, level.spread, level.kind) == (2.0, 1.0, "mad")
    assert level.unit == 1.0 + EPSILON


@pytest.mark.parametrize(
    ("train", "kind"),
    [
        (np.r_[np.zeros(60), np.arange(1.0, 41.0)], "iqr"),
        (np.r_[np.zeros(90), np.arange(1.0, 11.0)], "percentiles"),
        (np.r_[np.zeros(999), 5.0], "standard deviation"),
        (np.full(50, 3.25), "unit"),
        (np.full(50, 0.1), "unit"),
    ],
)
def test_a_mad_of_zero_falls_back_to_the_next_spread_and_says_so(
    train: np.ndarray, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        level = Level.of(train)
    assert level.kind == kind
    assert level.spread > 0
    assert "MAD of 0" in caplog.text


def test_fallback_keeps_the_ranking_of_the_release() -> None:
    train = np.r_[np.zeros(80), np.arange(1.0, 11.0)]
    values = np.array([0.0, 3.0, -7.0, 100.0])
    ours = deviation(values, Level.of(train))
    release = np.abs(values - np.median(train)) / 1e-12
    assert np.array_equal(np.argsort(ours), np.argsort(release))
    assert ours.max() < 1e6


def test_inputs_are_left_alone() -> None:
    values = np.arange(10.0)
    kept = values.copy()
    level = Level.of(values)
    deviation(values, level)
    mean_shift(values, level)
    assert np.array_equal(values, kept)
