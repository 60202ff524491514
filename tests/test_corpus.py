"""Generated series: each known by its number, of all kinds, and fit to be learnt from."""

import numpy as np
import pytest

from paiad.corpus import KINDS, LENGTH, generated, standardised
from paiad.period import dominant_period


def test_a_series_is_known_by_its_number_and_seed():
    np.testing.assert_array_equal(generated(3, seed=1), generated(3, seed=1))
    assert not np.array_equal(generated(3, seed=1), generated(4, seed=1))
    assert not np.array_equal(generated(3, seed=1), generated(3, seed=2))


def test_series_are_finite_and_brought_to_one_scale():
    series = np.array([generated(number) for number in range(200)])
    assert series.shape == (200, LENGTH)
    assert np.isfinite(series).all()
    np.testing.assert_allclose(series.mean(1), 0, atol=1e-9)
    spread = series.std(1)
    np.testing.assert_allclose(spread[spread > 0], 1)
    assert (spread > 0).mean() > 0.98


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [256, 1000])
def test_every_kind_gives_finite_series_that_differ(kind, length):
    series = [KINDS[kind](length, np.random.default_rng(number)) for number in range(20)]
    assert all(one.shape == (length,) and np.isfinite(one).all() for one in series)
    assert len({one.tobytes() for one in series}) > 15


def autocorrelation(values, lag):
    values = standardised(values)
    return float(np.mean(values[lag:] * values[:-lag]))


def many(kind, count=60):
    return [KINDS[kind](LENGTH, np.random.default_rng((9, number))) for number in range(count)]


def test_kinds_are_what_they_are_called():
    assert np.mean([autocorrelation(one, 1) for one in many("noise")]) == pytest.approx(0, abs=0.03)
    assert np.mean([autocorrelation(one, 1) for one in many("random walk")]) > 0.95
    assert np.mean([np.mean(one == 0) for one in many("intermittent")]) > 0.4
    assert np.mean([np.mean(np.diff(one) == 0) for one in many("plateaus")]) > 0.3
    assert min(np.mean(np.diff(one) >= 0) for one in many("ramps")) > 0.9
    beats = [one for one in many("heartbeat") if (period := dominant_period(one)) > 20 and period < 320]
    assert len(beats) > 40


def test_what_does_not_vary_becomes_zero():
    np.testing.assert_array_equal(standardised(np.full(5, 3.0)), np.zeros(5))
