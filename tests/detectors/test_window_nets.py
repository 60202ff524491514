"""What every window net promises, and the numbers of parameters that the literature states."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from paiad.catalog import make  # noqa: E402
from paiad.errors import TooShortError  # noqa: E402
from paiad.pai import PAI  # noqa: E402
from paiad.scorers import NetScorer, WindowNet  # noqa: E402

PARAMETERS = {
    "dlinear": 20_200,
    "nlinear": 10_100,
    "deepant": 7_289,
    "usad": 6_109,
    "tranad": 369,
    "fits": 2 * 624,  # complex ones count twice
    "timesnet": 73_449 - 40,  # without the time embedding, which nothing reads
    "anomaly-transformer": 4_752_409 - 3_072,  # without three layer norms, which nothing reads
    "patchtst": 11_236,
    "itransformer": 113_508,
    "kan-ad": 274,
}
NETS = tuple(PARAMETERS)
SMALLER = {"anomaly-transformer": {"features": 16, "heads": 2, "layers": 2}}


def small(name: str, **changes: object) -> WindowNet:
    recipe = make(name, {"epochs": 1, "device": "cpu", **SMALLER.get(name, {}), **changes})
    assert isinstance(recipe, WindowNet)
    return recipe


@pytest.mark.parametrize("name", NETS)
def test_number_of_parameters(name: str) -> None:
    recipe = make(name)
    assert isinstance(recipe, WindowNet)
    assert sum(weight.numel() for weight in recipe.network().parameters()) == PARAMETERS[name]


@pytest.mark.parametrize("parity", ["none", "published"])
@pytest.mark.parametrize("name", NETS)
def test_one_finite_score_a_step_the_same_for_the_same_seed(name, parity, train_and_test) -> None:  # type: ignore[no-untyped-def]
    train, test = train_and_test
    before = test.copy()
    recipe = small(name, parity=parity)
    scorer = recipe.fit(train)
    scores = scorer.score(test)
    assert scores.shape == test.shape
    assert scorer.calibration.shape == train.shape
    assert np.isfinite(scores).all()
    assert np.isfinite(scorer.calibration).all()
    np.testing.assert_array_equal(before, test)
    np.testing.assert_array_equal(scores, recipe.fit(train).score(test))
    if recipe.placement not in ("blocks", "next"):  # where all scores hang on weights drawn from the seed
        assert (scores != replace(recipe, seed=1).fit(train).score(test)).any()


@pytest.mark.parametrize("name", NETS)
def test_spike_scores_highest_where_it_is(name: str, train_and_test) -> None:  # type: ignore[no-untyped-def]
    train, test = train_and_test
    recipe = small(name, epochs=5, learning_rate=1e-2)
    top = int(recipe.fit(train).score(test).argmax())
    centred = recipe.placement == "mean at centre"
    assert abs(top - 150) <= (recipe.width // 2 if centred else recipe.width // 10)


@pytest.mark.parametrize("name", NETS)
def test_score_depends_on_no_more_than_its_reach(name: str, train_and_test) -> None:  # type: ignore[no-untyped-def]
    train, test = train_and_test
    scorer = small(name).fit(train)
    reach = scorer.reach
    assert reach is not None
    step = 160
    part = test[step - reach.lookback : step + reach.lookahead + 1] if reach.lookahead <= 39 else test
    offset = reach.lookback if len(part) < len(test) else step
    np.testing.assert_allclose(scorer.score(part)[offset], scorer.score(test)[step], rtol=1e-4)


@pytest.mark.parametrize("name", NETS)
def test_pai_takes_its_score_as_base(name: str, train_and_test) -> None:  # type: ignore[no-untyped-def]
    train, test = train_and_test
    scores = PAI(small(name)).fit(train).score(test)
    assert abs(int(scores.argmax()) - 150) <= 60
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", NETS)
def test_odd_values_are_scored_or_refused_but_never_silently_nan(name: str) -> None:
    recipe = small(name)
    steps = np.arange(400.0)
    for values in (np.zeros(400), np.full(400, 5.0), steps * 1e12, 1e9 + np.sin(steps)):
        assert np.isfinite(recipe.fit(values).score(values)).all()
    with pytest.raises(TooShortError, match=type(recipe).__name__):
        recipe.fit(np.arange(5.0))


def test_best_epoch_is_kept_by_default_and_the_last_when_published(train_and_test) -> None:  # type: ignore[no-untyped-def]
    """A learning rate far too large: later epochs get worse, and only keeping the best one hides it."""
    train, _ = train_and_test
    wild = small("nlinear", learning_rate=3.0, epochs=3, patience=9, decay=30.0)
    best = wild.fit(train)
    one = replace(wild, epochs=1).fit(train)
    assert isinstance(best, NetScorer)
    assert isinstance(one, NetScorer)
    np.testing.assert_array_equal(best.weights["linear.weight"], one.weights["linear.weight"])
    wild = small("fits", learning_rate=3.0, epochs=3, patience=9, parity="published")
    last, first = wild.fit(train), replace(wild, epochs=1).fit(train)
    assert any((last.weights[name] != first.weights[name]).any() for name in first.weights)


def test_published_scores_stand_early(train_and_test) -> None:  # type: ignore[no-untyped-def]
    """FITS's window of 100 ends at the spike, and the score stands at its middle: 49 steps early."""
    train, test = train_and_test
    scorer = small("fits", parity="published").fit(train)
    assert int(scorer.score(test).argmax()) == 150 - 49


def test_steps_before_the_first_window_get_the_median_of_training(train_and_test) -> None:  # type: ignore[no-untyped-def]
    train, test = train_and_test
    scorer = small("deepant").fit(train)
    assert (scorer.score(test)[:50] == np.median(scorer.calibration[50:])).all()
