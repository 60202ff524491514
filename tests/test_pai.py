import re

import numpy as np
import pytest

import paiad
from paiad.amplitude import Level, deviation, mean_shift
from paiad.catalog import make
from paiad.contracts import Detector, Reach, Scorer
from paiad.detectors.prototype import NearestPrototype
from paiad.encoders.raw import RawPatches
from paiad.errors import SettingError, TooShortError
from paiad.fusion import PAPER, RELEASE, Evidence, Standardizer, Weights
from paiad.nearest import nearest
from paiad.pai import PAI


def test_score_is_the_papers_formula(wave: np.ndarray) -> None:
    train, test = wave[:600], wave[600:]
    base = NearestPrototype(RawPatches(20))
    scorer = PAI(base, half_width=10).fit(train)
    level, fitted = Level.of(train), base.fit(train)

    def z(of_test: np.ndarray, of_train: np.ndarray) -> np.ndarray:
        return (of_test - of_train.mean()) / (of_train.std() + 1e-9)

    expected = (
        1.0 * z(fitted.score(test), fitted.score(train))
        + 0.6 * z(deviation(test, level), deviation(train, level))
        + 0.4 * z(mean_shift(test, level, 10), mean_shift(train, level, 10))
    )
    np.testing.assert_allclose(scorer.score(test), expected, rtol=1e-9, atol=1e-9)


def test_receipt_sums_to_the_score_exactly(wave: np.ndarray) -> None:
    scorer = paiad.make("pai-raw").fit(wave[:600])
    receipt = scorer.explain(wave)
    assert np.array_equal(receipt.score, scorer.score(wave))
    assert receipt.terms == ("base", "magG", "T2")
    assert set(np.unique(receipt.direction)) <= {-1.0, 0.0, 1.0}
    assert np.array_equal(receipt.expected, np.full(len(wave), np.median(wave[:600])))


def test_other_weights_refit_nothing(wave: np.ndarray) -> None:
    fits = []

    class Counting(Detector):
        def fit(self, train: np.ndarray) -> Scorer:
            fits.append(len(train))
            return NearestPrototype(RawPatches(16)).fit(train)

    scorer = PAI(Counting()).fit(wave[:400])
    other = scorer.weighing(RELEASE)
    expected = scorer.evidence(wave).fuse(RELEASE)
    assert np.array_equal(other.score(wave), expected)
    assert fits == [400]


def test_a_gain_in_test_data_alone_shows_and_a_common_one_does_not(wave: np.ndarray) -> None:
    recipe = PAI(NearestPrototype(RawPatches(32), bank_size=10_000))
    scorer = recipe.fit(wave[:600])
    plain, louder = scorer.score(wave[600:]), scorer.score(10 * wave[600:])
    together = recipe.fit(10 * wave[:600]).score(10 * wave[600:])
    assert np.median(louder) > np.median(plain) + 5
    np.testing.assert_allclose(together, plain, rtol=1e-4, atol=1e-4)


def test_presets() -> None:
    assert tuple(PAPER) == (1.0, 0.6, 0.4)
    assert Weights.named("release") == RELEASE
    with pytest.raises(SettingError, match="paper, release"):
        Weights.named("papre")


def test_what_is_not_finite_says_nothing() -> None:
    evidence = Evidence(("base", "magG", "T2"), np.array([[np.nan], [np.inf], [2.0]]))
    assert evidence.fuse(Weights(1, 1, 1)).tolist() == [2.0]


def test_a_term_that_is_constant_in_training_does_not_drown_the_others() -> None:
    assert Standardizer.of(np.full(10, 4.0))(np.array([5.0])).tolist() == [1.0]
    robust = Standardizer.of(np.r_[np.zeros(90), np.full(10, 50.0)], "median")
    assert robust.scale > 1


def test_a_constant_training_part_gives_finite_scores_that_rise_with_the_deviation() -> None:
    values = np.zeros(400)
    values[300], values[350] = 1.0, 5.0
    score = paiad.make("pai-raw").fit(values[:200]).score(values)
    assert np.isfinite(score).all()
    assert score[350] > score[300] > score[100]


def test_reach_is_that_of_base_and_terms_together(wave: np.ndarray) -> None:
    scorer = PAI(NearestPrototype(RawPatches(10)), half_width=32).fit(wave)
    assert scorer.reach == Reach(32, 32)


def test_too_little_training_data_is_refused() -> None:
    with pytest.raises(TooShortError, match="at least 64 training values, got 10"):
        paiad.make("raw").fit(np.arange(10.0))


def test_catalog_names_the_nearest_known_word() -> None:
    with pytest.raises(SettingError, match="did you mean 'pai-raw'"):
        paiad.make("pai-rew")
    with pytest.raises(SettingError, match="did you mean 'half_width'"):
        paiad.make("pai-raw", {"half_widht": 3})


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("raw", {"neighbours": 0}, "neighbours must be a whole number of at least 1, got 0"),
        ("raw", {"bank_size": 0}, "bank_size must be"),
        ("raw", {"metric": "manhattan"}, "metric must be one of euclidean, cosine, got 'manhattan'"),
        ("raw", {"reduction": "means"}, "reduction must be one of medoids, centroids"),
        ("raw", {"learner.width": 0}, "width must be"),
        ("pai-raw", {"half_width": -500}, "half_width must be a whole number of at least 0, got -500"),
        ("pai-raw", {"window": "ahead"}, "window must be one of symmetric, trailing"),
        ("pai-raw", {"weights": "paper"}, "weights must be of the kind Weights, got 'paper'"),
        ("t2", {"half_width": -1}, "half_width must be"),
        ("best", {"window": "ahead"}, "window must be one of"),
        ("best", {"outline_widths": 8}, "outline_widths must be a list, got 8"),
        ("best", {"outline_widths": (0, 8)}, "outline_widths must be a whole number of at least 1, got"),
    ],
)
def test_settings_without_a_meaning_are_refused_when_the_recipe_is_made(name, settings, message) -> None:
    with pytest.raises(SettingError, match=re.escape(message)):
        make(name, settings)


def test_what_would_read_beyond_an_array_is_refused() -> None:
    with pytest.raises(SettingError, match="half_width of at least 0"):
        mean_shift(np.zeros(10), Level(0.0, 1.0), half_width=-5)
    for neighbours, bank in ((0, np.ones((5, 2))), (1, np.ones((0, 2)))):
        with pytest.raises(SettingError, match="at least 1 neighbour and 1 row"):
            nearest(np.ones((3, 2)), bank, neighbours)


@pytest.mark.parametrize("weight", [np.nan, np.inf, -1.0, "1"])
def test_weights_are_amounts(weight) -> None:
    with pytest.raises(SettingError, match="deviation must be a number of at least 0"):
        Weights(1.0, weight, 0.4)
