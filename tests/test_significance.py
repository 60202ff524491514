"""Intervals cover what they should, tests agree with scipy and with counting by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiad.errors import InputError, SettingError
from paiad.significance import (
    bootstrap_mean,
    compare,
    compare_on_series,
    holm,
    measure_interval,
    rank_biserial,
    wilcoxon_signed_rank,
)
from paiad.significance.few_cases import corrected_p, widening


def signs_by_hand(differences):
    """The exact two-sided p-value by trying all 2^n signs."""
    values = [value for value in differences if value != 0]
    order = np.abs(values)
    ranks = [(order < own).sum() + ((order == own).sum() + 1) / 2 for own in order]
    observed = sum(rank for rank, value in zip(ranks, values, strict=True) if value > 0)
    middle = sum(ranks) / 2
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product([False, True], repeat=len(ranks))
    ]
    return np.mean([abs(total - middle) >= abs(observed - middle) - 1e-9 for total in sums])


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_wilcoxon_is_exact_with_ties_and_zeros(differences):
    expected = signs_by_hand(differences) if any(differences) else 1.0
    assert wilcoxon_signed_rank(differences) == pytest.approx(expected)


@pytest.mark.parametrize("size", [8, 30, 49, 500])
def test_wilcoxon_agrees_with_scipy(size):
    stats = pytest.importorskip("scipy.stats")
    differences = np.random.default_rng(size).normal(0.2, 1, size)
    assert wilcoxon_signed_rank(differences) == pytest.approx(stats.wilcoxon(differences).pvalue, rel=1e-9)


def test_wilcoxon_of_many_ties_is_close_to_its_exact_value():
    differences = np.random.default_rng(1).integers(-3, 4, 200).astype(float)
    exact = wilcoxon_signed_rank(differences)
    approximate = wilcoxon_signed_rank(np.repeat(differences, 2))
    assert exact > approximate  # twice the evidence
    assert exact == pytest.approx(math.erfc(_z(differences) / math.sqrt(2)), rel=0.05)


def _z(differences):
    stats = pytest.importorskip("scipy.stats")
    ranks = stats.rankdata(np.abs(differences[differences != 0]))
    positive = ranks[differences[differences != 0] > 0].sum()
    return abs(positive - ranks.sum() / 2) / math.sqrt((ranks**2).sum() / 4)


def test_holm_keeps_order_and_ignores_what_was_not_asked():
    assert holm([0.01, math.nan, 0.04, 0.03])[0] == pytest.approx(0.03)
    assert math.isnan(holm([0.01, math.nan])[1])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_rank_biserial_ends():
    assert rank_biserial([1, 2, 3]) == 1.0
    assert rank_biserial([-1, -2]) == -1.0
    assert rank_biserial([0, 0]) == 0.0


def test_interval_covers_the_true_mean_about_as_often_as_it_says():
    generator = np.random.default_rng(0)
    covered = 0
    for trial in range(300):
        interval = bootstrap_mean(generator.normal(0.3, 1.0, 60), level=0.9, draws=400, seed=trial)
        covered += interval.low <= 0.3 <= interval.high
    assert 0.84 <= covered / 300 <= 0.94


@pytest.mark.parametrize("cases", [3, 5, 12])
def test_few_cases_cover_as_often_and_err_as_rarely(cases):
    """The plain percentile interval covers 74 % with 3 cases and 82 % with 5."""
    generator = np.random.default_rng(cases)
    found = [bootstrap_mean(generator.normal(0.0, 1.0, cases), draws=400, seed=trial) for trial in range(400)]
    assert 0.91 <= np.mean([one.low <= 0.0 <= one.high for one in found]) <= 0.99
    assert np.mean([one.p_value < 0.05 for one in found]) <= 0.08


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 10, 28])
def test_student_as_scipy_has_it(freedom):
    student = pytest.importorskip("scipy.stats").t
    normal = pytest.importorskip("scipy.stats").norm
    cases = freedom + 1
    for level in (0.5, 0.9, 0.95, 0.99):
        expected = (
            student.ppf((1 + level) / 2, freedom) / normal.ppf((1 + level) / 2) * (cases / freedom) ** 0.5
        )
        assert widening(level, cases) == pytest.approx(expected, rel=1e-9)
    for p_value in (1.0, 0.5, 0.05, 1e-4):
        distance = normal.ppf(1 - p_value / 2) * (freedom / cases) ** 0.5
        assert corrected_p(p_value, cases) == pytest.approx(2 * student.sf(distance, freedom), abs=1e-12)


def test_from_thirty_cases_on_it_is_the_plain_percentile_interval():
    values = np.random.default_rng(2).normal(size=30)
    interval = bootstrap_mean(values, draws=500, seed=7)
    drawn = values[np.random.default_rng(7).integers(0, 30, (500, 30))].mean(axis=1)
    assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))


def test_settings_and_values_that_mean_nothing_are_refused():
    for level in (0.0, 1.0, 95):
        with pytest.raises(SettingError, match="level must lie between 0 and 1"):
            compare([0.1, 0.2], [0.2, 0.1], level=level)
    with pytest.raises(SettingError, match="draws must be 1 or more"):
        measure_interval([0, 1, 0, 1], [0, 1, 0, 1], draws=0)
    with pytest.raises(InputError, match="finite or NaN, got -inf at position 1 of the second"):
        compare([0.1, 0.2], [0.2, -math.inf])
    with pytest.raises(InputError, match="scores are masked at position 0"):
        measure_interval(np.ma.array([0, 1, 0, 1], mask=[1, 0, 0, 0]), [0, 1, 0, 1])


def test_identical_methods_differ_by_nothing():
    result = compare([0.5, 0.6, 0.7], [0.5, 0.6, 0.7])
    assert (result.difference.low, result.difference.high, result.difference.p_value) == (0.0, 0.0, 1.0)
    assert (result.wilcoxon_p, result.rank_biserial, result.ties) == (1.0, 0.0, 3)
    assert math.isnan(result.standardized)


def test_p_value_is_rarely_small_without_a_difference_and_small_with_one():
    generator = np.random.default_rng(3)
    small = [bootstrap_mean(generator.normal(0, 1, 50), draws=400, seed=t).p_value < 0.05 for t in range(300)]
    assert 0.02 <= np.mean(small) <= 0.10
    assert bootstrap_mean(generator.normal(1, 1, 50)).p_value < 0.001


def test_compare_pairs_by_name_and_counts_what_it_drops():
    result = compare({"x": 0.9, "y": 0.5, "z": math.nan, "only a": 1.0}, {"y": 0.5, "x": 0.4, "z": 0.1})
    assert (result.wins, result.ties, result.losses, result.dropped) == (1, 1, 0, 2)
    assert result.mean_a - result.mean_b == pytest.approx(result.difference.estimate)


def test_compare_is_antisymmetric():
    generator = np.random.default_rng(5)
    a, b = generator.random(40), generator.random(40)
    one, other = compare(a, b, draws=500), compare(b, a, draws=500)
    assert one.difference.low == pytest.approx(-other.difference.high)
    assert (one.wins, one.losses, one.wilcoxon_p) == (other.losses, other.wins, other.wilcoxon_p)


def test_compare_of_one_series_has_no_interval_but_a_reason():
    result = compare([0.5], [0.4])
    assert math.isnan(result.difference.low)
    assert "two cases" in result.difference.reason


@pytest.mark.parametrize(("a", "b"), [([1.0], [1.0, 2.0]), ({"x": 1.0}, [1.0]), ([math.nan], [1.0])])
def test_compare_refuses_what_has_no_pairs(a, b):
    with pytest.raises(InputError):
        compare(a, b)


@pytest.fixture
def detected():
    """Twelve events, of which a good score finds every second one."""
    labels = np.zeros(2400, int)
    good = np.random.default_rng(2).random(2400)
    for event in range(12):
        labels[100 + 200 * event : 120 + 200 * event] = 1
        if event % 2:
            good[100 + 200 * event : 120 + 200 * event] += 1
    return good, labels


def test_measure_interval_holds_the_measure_and_widens_with_its_level(detected):
    good, labels = detected
    narrow = measure_interval(good, labels, window=20, level=0.5, draws=100)
    wide = measure_interval(good, labels, window=20, level=0.95, draws=100)
    assert wide.low < narrow.low < narrow.estimate < narrow.high < wide.high
    assert wide.cases == 12


def test_compare_on_series_sees_a_real_difference_and_none_with_itself(detected):
    good, labels = detected
    blind = np.random.default_rng(9).random(labels.size)
    assert compare_on_series(good, blind, labels, window=20, draws=100).low > 0
    same = compare_on_series(good, good, labels, window=20, draws=20)
    assert (same.low, same.high, same.p_value) == (0.0, 0.0, 1.0)


def test_one_event_cannot_be_resampled():
    interval = measure_interval([0.0, 1.0, 0.0], [0, 1, 0], "AUC-ROC")
    assert interval.estimate == 1.0
    assert math.isnan(interval.low)
    assert "one event" in interval.reason


def test_seeds_decide_the_draws(detected):
    good, labels = detected
    assert measure_interval(good, labels, draws=30, seed=1) == measure_interval(
        good, labels, draws=30, seed=1
    )
    assert measure_interval(good, labels, draws=30, seed=1) != measure_interval(
        good, labels, draws=30, seed=2
    )
