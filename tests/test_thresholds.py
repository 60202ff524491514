"""Thresholds: their formulas against scipy, their promises against simulated data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import paiad
from paiad.budget import events_allowed, rate_bound
from paiad.conformal import rank_for, steps_alike
from paiad.errors import SettingError, TooShortError
from paiad.events import find_events
from paiad.extremes import MERGE_GAP, ExcessLaw, Tail
from paiad.judging import Judging
from paiad.normal import NormalScores
from paiad.normal_part import NormalPart
from paiad.receipt import Receipt
from paiad.rules import rule_of
from paiad.runs import runs_of
from paiad.series import Series
from paiad.thresholds import AlertBudget, Conformal, ExtremeValue, Quantile, RobustDeviation

HOURLY = 3600.0
scores_of_any_kind = arrays(np.float64, st.integers(2, 300), elements=st.floats(-1e6, 1e6))


def smooth_noise(seed: int, steps: int) -> np.ndarray:
    """Scores as detectors give them: neighbours alike, a heavy upper tail."""
    noise = np.random.default_rng(seed).normal(size=steps + 15)
    return np.exp(np.convolve(noise, np.ones(16) / 4.0, "valid"))


@pytest.mark.parametrize("shape", [-0.4, -0.1, 0.0, 0.2, 0.45])
def test_the_excess_law_is_scipys_generalised_pareto(shape):
    stats = pytest.importorskip("scipy.stats")
    law = ExcessLaw(shape, 1.7)
    for excess in (0.0, 0.3, 1.0, 3.9):
        assert law.beyond(excess) == pytest.approx(stats.genpareto.sf(excess, shape, scale=1.7), rel=1e-9)
    for chance in (0.9, 0.1, 1e-4):
        assert law.reached_with(chance) == pytest.approx(
            stats.genpareto.isf(chance, shape, scale=1.7), rel=1e-9
        )


@pytest.mark.parametrize("shape", [-0.3, 0.0, 0.3])
def test_the_fit_finds_the_law_that_scipy_drew_from(shape):
    stats = pytest.importorskip("scipy.stats")
    # The quantiles of the law, evenly spaced, are a sample without chance in it.
    sample = stats.genpareto.ppf((np.arange(20_000) + 0.5) / 20_000, shape, scale=2.0)
    law = ExcessLaw.of(sample)
    assert law.shape == pytest.approx(shape, abs=0.02)
    assert law.scale == pytest.approx(2.0, rel=0.02)


def test_the_fit_agrees_with_scipys_likelihood_within_its_noise():
    stats = pytest.importorskip("scipy.stats")
    sample = stats.genpareto.rvs(0.15, scale=3.0, size=4000, random_state=1)
    shape, _, scale = stats.genpareto.fit(sample, floc=0)
    law = ExcessLaw.of(sample)
    assert law.shape == pytest.approx(shape, abs=0.05)
    assert law.scale == pytest.approx(scale, rel=0.05)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_the_rate_bound_is_the_gamma_quantile(confidence):
    stats = pytest.importorskip("scipy.stats")
    for events in (0, 1, 7, 300):
        assert rate_bound(events, confidence) == pytest.approx(
            stats.gamma.ppf(confidence, events + 1), rel=1e-9
        )


@given(st.floats(0.1, 60.0), st.sampled_from([0.8, 0.9, 0.99]))
def test_the_events_allowed_are_the_most_that_keep_the_promise(budget, confidence):
    allowed = events_allowed(budget, confidence)
    if allowed is None:
        assert rate_bound(0, confidence) > budget
    else:
        assert rate_bound(allowed, confidence) <= budget < rate_bound(allowed + 1, confidence)


def test_the_tail_tells_how_rare_a_peak_is():
    scores = np.random.default_rng(3).exponential(size=50_000)
    tail = Tail.of(scores, merge_gap=0)
    assert tail.score_once_in(1e6) == pytest.approx(np.log(1e6), rel=0.15)
    assert tail.steps_between(tail.score_once_in(1e6)) == pytest.approx(1e6)


def test_the_alert_budget_is_kept_as_often_as_promised():
    """The rate of events on fresh data from the same source is above two a week in at most a tenth of the cases."""
    weeks, per_week = 6, 168
    long_run = smooth_noise(10**6, 400 * per_week)
    broken = 0
    for seed in range(200):
        threshold = AlertBudget(2, HOURLY).fit(smooth_noise(seed, weeks * per_week))
        assert threshold.promise.enough
        assert threshold.promise.bound <= 2
        broken += len(runs_of(threshold.mask(long_run), MERGE_GAP)) / 400 > 2
    assert broken <= 0.1 * 200 + 3 * np.sqrt(200 * 0.1 * 0.9)


def test_the_alert_budget_is_not_wasted():
    """With a year of data the promise costs little: at least 1.5 of the 2 alerts are made use of."""
    threshold = AlertBudget(2, HOURLY).fit(smooth_noise(1, 52 * 168))
    assert 1.5 < threshold.promise.expected < threshold.promise.bound <= 2


def test_too_little_data_says_so_and_gives_its_best():
    scores = smooth_noise(0, 50)
    threshold = AlertBudget(1, HOURLY).fit(scores)
    assert not threshold.promise.enough
    assert threshold.promise.bound > 1
    assert threshold.promise.needs == np.ceil(-np.log(0.1) * 168)
    assert "not enough data to promise 1 alerts a week yet" in threshold.caveat
    assert threshold.value == scores.max()
    enough = AlertBudget(1, HOURLY).fit(smooth_noise(0, threshold.promise.needs))
    assert enough.promise.enough
    assert enough.caveat == ""


def test_conformal_flags_no_more_normal_steps_than_its_level():
    """Over many draws of training and new scores: the mean share flagged is at most the level, and near to it."""
    shares = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        threshold = Conformal(0.05).fit(rng.exponential(size=99))
        shares.append(threshold.mask(rng.exponential(size=500)).mean())
    assert 0.04 < np.mean(shares) <= 0.05 + 3 * np.std(shares) / np.sqrt(300)


@pytest.mark.parametrize(("window", "steps"), [(1, 1000), (30, 3000), (64, 6000)])
def test_conformal_keeps_its_level_when_neighbouring_scores_rise_and_fall_together(window, steps):
    shares = []
    for seed in range(60):
        noise = np.abs(np.random.default_rng(seed).normal(size=steps + 4000 + window - 1))
        scores = np.convolve(noise, np.ones(window), mode="valid")
        threshold = Conformal(0.01).fit(scores[:steps])
        shares.append(threshold.mask(scores[steps:]).mean() if threshold.promise.enough else 0.0)
    assert 0.003 < np.mean(shares) <= 0.01 + 2 * np.std(shares) / np.sqrt(60)


def test_conformal_says_when_too_few_separate_scores_were_seen():
    scores = np.convolve(np.random.default_rng(0).normal(size=363), np.ones(64), mode="valid")
    threshold = Conformal(0.01).fit(scores)
    assert "not enough data to promise 0.01 yet: 300 training scores can promise 0.0" in threshold.caveat
    assert threshold.promise.bound > 0.03
    assert threshold.promise.needs > 1000


@given(arrays(np.float64, 60, elements=st.integers(0, 9).map(float)), st.floats(0.001, 0.5))
def test_the_conformal_threshold_and_p_values_agree(normal_scores, level):
    threshold = Conformal(level).fit(normal_scores)
    scores = np.linspace(-1, 11, 200)
    p = threshold.normal.p_values(scores)
    assert p.min() >= 1 / 61
    if threshold.promise.enough:
        rank = rank_for(level, 60, steps_alike(normal_scores))
        np.testing.assert_array_equal(threshold.mask(scores), p <= rank / 61 + 1e-12)
        assert rank / 61 <= level + 1e-9
    else:
        assert "not enough data" in threshold.caveat


RULES = (ExtremeValue(), Quantile(), RobustDeviation(), Conformal(), AlertBudget(2, HOURLY))


@given(scores_of_any_kind, st.sampled_from(RULES))
def test_every_rule_gives_a_finite_threshold_for_any_scores(scores, rule):
    threshold = rule.fit(scores)
    assert np.isfinite(threshold.value)
    assert threshold.rule
    if isinstance(rule, (Quantile, Conformal, AlertBudget)):
        assert threshold.value <= scores.max()


@given(scores_of_any_kind)
def test_rarer_is_never_lower(scores):
    normal = NormalScores.of(scores)
    ladder = [*np.quantile(scores, np.linspace(0.5, 1, 20)), scores.max() + 1.0, scores.max() + 1e3]
    periods = [normal.return_period(score) for score in ladder]
    within_tail = [p for s, p in zip(ladder, periods, strict=True) if normal.tail and s >= normal.tail.start]
    assert within_tail == sorted(within_tail)
    assert all(period >= 1 or period == pytest.approx(1) for period in periods)


def test_the_quantile_and_the_mad_are_what_they_say():
    scores = np.arange(10_001.0)
    assert Quantile(0.999).fit(scores).value == 9990
    assert RobustDeviation(2.0).fit(scores).value == pytest.approx(5000 + 2 * 1.4826 * 2500)


def test_the_extreme_value_rule_keeps_its_rate():
    """Once in a training length: two hundred new stretches of that length raise at most about two hundred events."""
    events = 0
    for seed in range(200):
        threshold = ExtremeValue().fit(smooth_noise(seed, 3000))
        events += len(find_events(smooth_noise(10_000 + seed, 3000), threshold))
    assert 60 <= events <= 260


def test_anomalies_among_the_training_scores_move_the_robust_rule_little():
    clean = smooth_noise(0, 5000)
    dirty = clean.copy()
    dirty[1000:1100] += 500
    rule = RobustDeviation()
    assert rule.fit(dirty).value == pytest.approx(rule.fit(clean).value, rel=0.05)


def test_constant_scores_have_a_threshold_that_they_do_not_exceed():
    constant = np.full(100, 3.0)
    for rule in RULES:
        assert not rule.fit(constant).mask(constant).any()


def test_settings_without_a_meaning_are_refused():
    with pytest.raises(SettingError, match="level must lie between 0 and 1"):
        Quantile(1.0)
    with pytest.raises(SettingError, match="alerts_per_week must be above 0"):
        AlertBudget(0, HOURLY)
    with pytest.raises(TooShortError, match="at least 2 training scores"):
        ExtremeValue().fit(np.array([1.0]))


@pytest.mark.parametrize(
    "rule",
    [
        "extreme-value=0",
        "extreme-value=-5",
        "extreme-value=nan",
        "extreme-value=inf",
        "mad=-3",
        "mad=nan",
        "nan",
        "inf",
    ],
)
def test_numbers_that_no_threshold_can_be_found_with_are_refused(rule):
    with pytest.raises(SettingError):
        rule_of(rule)


@pytest.mark.parametrize("settings", [{"threshold": np.nan}, {"merge_gap": -1}, {"least_length": 0}])
def test_events_without_a_meaning_are_refused(settings):
    with pytest.raises(SettingError, match="events need a threshold that is a number"):
        find_events(np.ones(10), **({"threshold": 0.5} | settings))


@pytest.mark.parametrize("values", [np.arange(400.0), np.tile(np.arange(10.0), 60), np.tile([0.0, 1.0], 300)])
@pytest.mark.parametrize("train_until", [None, "50%"])
def test_a_perfectly_regular_series_has_no_events(values, train_until):
    found = paiad.detect(values, train_until=train_until).only
    assert found.events == ()
    assert "hardly vary" in " ".join(found.notes)


@pytest.mark.parametrize("period", [17.77, 48, 50.3, 25 * np.pi, 100.1])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_wave_without_noise_has_no_events_but_what_was_done_to_it(period, scale):
    """Its phase is sampled a little differently each time, and those differences are all it has."""
    values = scale * np.sin(2 * np.pi * np.arange(3000) / period)
    assert paiad.detect(values).only.events == ()
    values[2000] += 0.5 * scale
    (event,) = paiad.detect(values).only.events
    assert event.start <= 2000 <= event.end


def test_a_trifle_is_told_by_the_term_that_lifted_it_and_by_every_value_of_the_stretch():
    values, expected = np.tile([0.0, 1.0, 2.0, 3.0], 10), np.tile([0.0, 1.0, 2.0, 3.0], 10)
    expected[[10, 30]] += 0.01, 0.2
    scores = np.zeros((2, 40))
    scores[0, [10, 30]] = scores[1, 20] = 5
    receipt = Receipt(("shape", "other"), scores, expected, values)
    series, normal = Series("x", values), NormalPart("none")

    def starts(trifles):
        judging = Judging("1", merge_gap=0)
        found = judging.find(series, receipt, receipt.score, normal, trifles=trifles)
        return [event.start for event in found.events]

    assert starts(None) == [10, 20, 30]
    assert starts({"shape": 0.02}) == [20, 30]  # the range is 1.5
    assert starts({"shape": 0.2}) == [20]
    assert starts({"other": 0.2}) == [10, 30]


def test_one_odd_step_in_a_perfectly_regular_series_is_an_event():
    values = np.tile(np.arange(10.0), 80)
    values[605] = 50
    (event,) = paiad.detect(values, train_until="50%").only.events
    assert event.start <= 605 <= event.end
    assert np.isfinite(event.severity)


def test_a_threshold_given_as_a_number_is_not_raised():
    values = np.arange(400.0)
    assert paiad.detect(values, threshold="0.001").only.threshold.value == 0.001
