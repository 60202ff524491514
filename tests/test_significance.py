"""Intervals cover what they should, tests agree with scipy and with counting by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiad.errors import InputError
from paiad.significance import (
    bootstrap_mean,
    compare,
    compare_on_series,
    holm,
    measure_interval,
    rank_biserial,
    wilcoxon_signed_rank,
)


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
