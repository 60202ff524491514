"""The same recipe by torch, in batches: the same scores, whatever else is in the batch."""

import numpy as np
import pytest

pytest.importorskip("torch")

from paiad.best import Best
from paiad.best.fleet import Fleet
from paiad.persistence import load_scorer, save_scorer
from paiad.synthetic import inject, seasonal

CLOSE = {"rtol": 1e-4, "atol": 1e-4}


@pytest.fixture(scope="module")
def fleet_of_series():
    """Series of many lengths, some with anomalies; a short one, a long one, one in large units."""
    made = [seasonal(length, seed=length) for length in (300, 700, 1000, 700)]
    made[1] = inject(made[1], "spike", 2.0, 30, 2, np.random.default_rng(0)).values
    made[3] = made[3] * 1e5 + 1e6
    return made


def trains(series):
    return [values[: max(30, len(values) // 3)] for values in series]


@pytest.mark.parametrize(
    "recipe",
    [
        Best(),
        Best(bank_size=60),
        Best(window="trailing", neighbours=1),
        Best(calibration="median", filters=10),
    ],
    ids=["default", "stretches", "trailing", "median"],
)
def test_a_fleet_gives_the_scores_of_one_at_a_time(recipe, fleet_of_series):
    fleet = Fleet(recipe, device="cpu", at_once=1500)
    scorers = fleet.fit_many(trains(fleet_of_series))
    together = fleet.score_many(scorers, fleet_of_series)
    for train, values, scorer, scores in zip(
        trains(fleet_of_series), fleet_of_series, scorers, together, strict=True
    ):
        alone = recipe.fit(train)
        assert scorer.names == alone.names
        np.testing.assert_allclose(scorer.calibration, alone.calibration, **CLOSE)
        np.testing.assert_allclose(scores, alone.score(values), **CLOSE)


def test_the_batch_does_not_matter(fleet_of_series):
    recipe = Best(filters=8)
    small, large = Fleet(recipe, device="cpu", at_once=1), Fleet(recipe, device="cpu", at_once=10**6)
    scorers = large.fit_many(trains(fleet_of_series))
    one, other = (fleet.score_many(scorers, fleet_of_series) for fleet in (small, large))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


def test_blocks_do_not_matter(fleet_of_series, monkeypatch):
    fleet = Fleet(Best(bank_size=60, filters=8), device="cpu")
    whole = fleet.fit(fleet_of_series[2]).calibration
    monkeypatch.setattr("paiad.best.on_device.BLOCK_BYTES", 2**18)
    np.testing.assert_allclose(fleet.fit(fleet_of_series[2]).calibration, whole, rtol=1e-6, atol=1e-6)


def test_few_and_no_values_are_scored_too(fleet_of_series):
    fleet = Fleet(device="cpu")
    scorer = fleet.fit(fleet_of_series[2][:600])
    pieces = [fleet_of_series[2][600 : 600 + length] for length in (0, 1, 5, 40, 300)]
    for piece, scores in zip(pieces, fleet.score_many([scorer] * 5, pieces), strict=True):
        np.testing.assert_allclose(scores, scorer.score(piece), **CLOSE)


def test_what_a_fleet_fitted_can_be_stored_and_used_without_torch(fleet_of_series, tmp_path):
    values = fleet_of_series[0]
    scorer = Fleet(device="cpu").fit(values[:300])
    loaded = load_scorer(save_scorer(scorer, tmp_path / "one", probe=values[:200]))
    np.testing.assert_array_equal(loaded.score(values), scorer.score(values))


def test_scorers_and_series_must_pair_up(fleet_of_series):
    fleet = Fleet(device="cpu")
    scorer = fleet.fit(fleet_of_series[0][:300])
    with pytest.raises(ValueError, match="as many series as scorers"):
        fleet.score_many([scorer], fleet_of_series[:2])
