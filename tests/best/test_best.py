"""What the default detector promises."""

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from paiad.best import Best
from paiad.best.stretches import LONGEST
from paiad.errors import SettingError, TooShortError
from paiad.persistence import load_scorer, save_scorer
from paiad.progress import listen
from paiad.storable import recipe_as_dict, recipe_from_dict
from paiad.streaming import Stream
from paiad.synthetic import KINDS, inject, seasonal

TRAIN = 1200
SMALL = Best(outline_widths=(8, 32), texture_widths=(16, 32), filters=16)


@pytest.fixture(scope="module")
def values():
    return seasonal(3000, seed=4)


@pytest.fixture(scope="module")
def scorer(values):
    return Best().fit(values[:TRAIN])


@pytest.fixture(scope="module")
def causal(values):
    return Best(window="trailing").fit(values[:TRAIN])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_anomaly_stands_out(kind, values, scorer):
    size = 2.0 if kind == "spike" else 1.5
    found = inject(values[TRAIN:], kind, size, 40, 2, np.random.default_rng(1))
    scores = scorer.score(found.values)
    near = np.convolve(found.labels, np.ones(61), "same") > 0
    highest = scores[near].max()
    assert highest > 1.2 * scores[~near].max(), kind


def test_scores_are_the_sum_of_their_named_terms(values, scorer):
    receipt = scorer.explain(values)
    np.testing.assert_array_equal(receipt.score, scorer.score(values))
    assert receipt.terms[0] == "outline 8"
    assert receipt.terms[-3:] == ("stillness", "magG", "T2")


def test_the_terms_beside_the_patches_say_next_to_nothing_of_what_training_held(values, scorer):
    beside = scorer.contributions(values)[-3:, :TRAIN]
    assert beside[1:].max() < 0.1
    assert (np.mean(beside > 0, axis=1) < 0.02).all()


def test_the_terms_beside_the_patches_only_add(values, scorer):
    parts = scorer.contributions(values * 3)
    assert parts[-3:].min() >= 0
    assert parts[-2:].max() > 0


@pytest.mark.parametrize("window", ["symmetric", "trailing"])
def test_a_stuck_sensor_is_heard_although_its_value_is_a_usual_one(window):
    rng = np.random.default_rng(3)
    noise, wander = rng.normal(size=3000), np.zeros(3000)
    for step in range(1, 3000):
        wander[step] = 0.9 * wander[step - 1] + noise[step]
    values = np.round(20 + 2 * wander + rng.normal(size=3000))
    values[2000:2060] = 20.0
    fitted = Best(window=window).fit(values[:TRAIN])
    deaf = replace(fitted, weights=(0.0, 0.1, 0.1))
    for one, found in ((fitted, True), (deaf, False)):
        scores = one.score(values)
        elsewhere = np.delete(scores, np.s_[1740:2320])[TRAIN:]
        assert (np.median(scores[2020:2050]) > np.quantile(elsewhere, 0.99)) == found


def test_a_spike_is_named_and_its_normal_value_is_known(values, scorer):
    spiked = values[TRAIN:].copy()
    usual = spiked[700]
    spiked[700] += 4.0
    receipt = scorer.explain(spiked)
    assert abs(int(receipt.score.argmax()) - 700) <= 4
    assert receipt.direction[700] == 1
    assert abs(receipt.expected[700] - usual) < 1.0


def test_calibration_does_not_match_patches_with_themselves():
    """Fresh normal data scores as the calibration says; the training data itself, found in the bank, far less."""
    values = np.sin(np.arange(3000) * 2 * np.pi / 50) + np.random.default_rng(3).normal(scale=0.1, size=3000)
    scorer = Best().fit(values[:TRAIN])
    usual, fresh = np.median(scorer.calibration), np.median(scorer.score(values[TRAIN:]))
    assert fresh == pytest.approx(usual, abs=0.5)
    assert np.median(scorer.score(values[:TRAIN])) < min(usual, fresh) - 0.3


def test_scoring_a_series_by_itself_finds_what_happens_once(values):
    odd = values[:2000].copy()
    odd[1400:1430] = odd[1400:1430].mean()
    assert 1380 < Best().fit(odd).calibration.argmax() < 1450


def test_trailing_scores_never_look_ahead(values, causal):
    assert causal.reach.lookahead == 0
    changed = values.copy()
    changed[2000:] += np.random.default_rng(0).normal(scale=5, size=1000)
    np.testing.assert_array_equal(causal.score(changed)[:2000], causal.score(values)[:2000])
    assert causal.score(changed)[2000:2040].max() > causal.score(values)[2000:2040].max() + 1


@pytest.mark.parametrize("window", ["symmetric", "trailing"])
def test_reach_is_the_whole_truth(window, values, scorer, causal):
    one = scorer if window == "symmetric" else causal
    step, reach = 2000, one.reach
    changed = values.copy()
    changed[: step - reach.lookback] = 9.0
    changed[step + reach.lookahead + 1 :] = -9.0
    assert one.score(changed)[step] == pytest.approx(one.score(values)[step], rel=1e-9)


def test_a_stream_gives_the_scores_of_the_batch(values):
    one = SMALL.fit(values[:TRAIN])
    stream, fresh = Stream(one), values[TRAIN : TRAIN + 500]
    settled = [stream.push(block).scores for block in np.array_split(fresh, 7)]
    scores = np.concatenate([*settled, stream.provisional().scores])
    np.testing.assert_allclose(scores, one.score(fresh), rtol=1e-9, atol=1e-9)


def test_the_same_bits_every_time(values, scorer):
    np.testing.assert_array_equal(Best().fit(values[:TRAIN]).score(values), scorer.score(values))


def test_the_number_of_threads_does_not_matter(values):
    long = np.concatenate([values, seasonal(9000, seed=9)])  # more training patches than stretches
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(Best(texture_widths=(64,), outline_widths=(8, 128)).fit(long[:6000]).score(long))
    np.testing.assert_allclose(*found, rtol=1e-6, atol=1e-9)


def test_nothing_given_is_changed(values):
    train, scored = values[:TRAIN].copy(), values.copy()
    SMALL.fit(train).score(scored)
    np.testing.assert_array_equal(train, values[:TRAIN])
    np.testing.assert_array_equal(scored, values)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_the_values_does_not_matter(unit, values, scorer):
    other = Best().fit(values[:TRAIN] * unit + 7 * unit)
    np.testing.assert_allclose(
        other.score(values * unit + 7 * unit), scorer.score(values), rtol=1e-3, atol=1e-3
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("train", [np.full(300, 3.0), np.tile([0.0, 1.0], 150), np.repeat([1.0, 2.0], 150)])
def test_constant_and_two_valued_training_data_give_finite_scores_that_find_a_change(train):
    scored = train.copy()
    scored[200:210] = 7.0
    scores = Best().fit(train).score(scored)
    assert np.isfinite(scores).all()
    assert 190 <= scores.argmax() <= 220


@pytest.mark.parametrize("length", [0, 1, 5, 8, 20, 100])
def test_few_values_get_as_many_finite_scores(length, values, scorer, causal):
    for one in (scorer, causal):
        scores = one.score(values[TRAIN : TRAIN + length])
        assert scores.shape == (length,)
        assert np.isfinite(scores).all()


def test_a_short_training_part_uses_the_widths_that_fit(values):
    assert SMALL.fit(values[:60]).names == ("outline 8", "texture 16", "stillness", "magG", "T2")
    assert SMALL.fit(values[:30]).names == ("outline 8", "stillness", "magG", "T2")


def test_too_little_and_wrong_settings_are_refused_in_plain_words(values):
    with pytest.raises(TooShortError, match="at least 24 training values, got 10"):
        Best().fit(values[:10])
    with pytest.raises(SettingError, match="outlines of 64 steps need 192 training values, got 100"):
        Best(outline_widths=(64,)).fit(values[:100])
    with pytest.raises(SettingError, match="the finest first"):
        Best(outline_widths=(32, 8))


def test_progress_is_told_term_by_term(values):
    told = []
    with listen(lambda what, done, total: told.append((what, done, total))):
        scorer = SMALL.fit(values[:TRAIN])
        scorer.score(values)
    terms = len(scorer.patch_terms)
    for what in ("learning outlines and textures", "comparing outlines and textures"):
        assert [(done, total) for name, done, total in told if name == what] == [
            (done, terms) for done in range(terms + 1)
        ]


def test_a_capped_bank_is_spread_over_the_whole_training_part(values):
    small = Best(bank_size=20).fit(values[:TRAIN])
    for term in small.patch_terms:
        assert len(term.bank.positions) == 20 * LONGEST
        assert term.bank.positions[0] == 0
        assert term.bank.positions[-1] == TRAIN - term.timing.width


def test_recipe_and_scorer_can_be_stored(values, scorer, tmp_path):
    assert recipe_from_dict(recipe_as_dict(Best(filters=8))) == Best(filters=8)
    path = save_scorer(scorer, tmp_path / "best", probe=values[:400])
    np.testing.assert_array_equal(load_scorer(path).score(values), scorer.score(values))
