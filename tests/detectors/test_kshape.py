"""k-Shape and the distance to its shapes, against slow and obvious twins."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiad.detectors.kshape import KShape, best_match
from paiad.errors import TooShortError
from paiad.kshapes import clusters, refined, shape_distances
from paiad.metrics import evaluate
from paiad.period import dominant_period


def naive_shape_distance(x: np.ndarray, y: np.ndarray) -> tuple[float, int]:
    best, where = -np.inf, 0
    for shift in range(-len(x) + 1, len(x)):
        moved = np.zeros(len(x))
        for step in range(len(x)):
            if 0 <= step - shift < len(x):
                moved[step] = x[step - shift]
        if moved @ y > best + 1e-12:
            best, where = float(moved @ y), shift
    return 1 - best / (np.linalg.norm(x) * np.linalg.norm(y)), where


@given(st.integers(2, 9), st.integers(0, 10_000))
def test_shape_distance_equals_every_shift_tried(width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    stretches, centres = rng.normal(size=(3, width)), rng.normal(size=(2, width))
    distance, shift = shape_distances(stretches, centres)
    for row, stretch in enumerate(stretches):
        for column, centre in enumerate(centres):
            expected = naive_shape_distance(stretch, centre)
            assert distance[row, column] == pytest.approx(expected[0], abs=1e-9)
            assert shift[row, column] == expected[1]


@given(st.integers(3, 8), st.integers(0, 10_000))
def test_best_match_equals_the_nearest_z_normalised_piece(width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    windows, pieces = rng.normal(size=(6, width)), rng.normal(size=(4, width)) * 100

    def z(x: np.ndarray) -> np.ndarray:
        return (x - x.mean()) / x.std()

    expected = [min(np.linalg.norm(z(window) - z(piece)) for piece in pieces) for window in windows]
    np.testing.assert_allclose(best_match(windows, pieces), expected, atol=1e-6)


def test_constant_stretches_are_like_each_other_and_unlike_the_rest() -> None:
    flat, ramp = np.full((1, 4), 3.0), np.arange(4.0)[None]
    assert best_match(flat, flat)[0] == 0
    assert best_match(flat, ramp)[0] == best_match(ramp, flat)[0] == 2


def test_clusters_tell_shapes_apart_whatever_their_phase() -> None:
    """From a random start it may end in a worse optimum, but not often."""
    rng = np.random.default_rng(5)
    steps = np.arange(80)
    sines = [np.sin((steps + rng.integers(20)) * 2 * np.pi / 20) for _ in range(20)]
    pulses = [(steps % 40 == rng.integers(40)) * 5.0 for _ in range(20)]  # as much energy as a sine
    told_apart = 0
    for seed in range(10):
        owner = clusters(np.array(sines + pulses), 2, 50, np.random.default_rng(seed)).owner
        told_apart += (owner[:20] == owner[0]).all() and (owner[20:] == 1 - owner[0]).all()
    assert told_apart >= 7


def test_same_clusters_as_tslearn_from_the_same_start() -> None:
    """tslearn's k-Shape is what the published scores were made with."""
    clustering = pytest.importorskip("tslearn.clustering")
    rng = np.random.default_rng(4)
    for _ in range(5):
        stretches = np.cumsum(rng.normal(size=(40, 30)), axis=1) + 5 * np.sin(
            np.arange(30) / 3 + rng.random()
        )
        start = stretches[rng.choice(40, 3, replace=False)]
        theirs = clustering.KShape(3, max_iter=100, init=start[:, :, None].copy()).fit(stretches[:, :, None])
        ours = refined(stretches, start, 100)
        np.testing.assert_array_equal(ours.owner, theirs.labels_)
        np.testing.assert_allclose(ours.centres, theirs.cluster_centers_[:, :, 0], atol=1e-4)


def test_a_file_of_the_benchmark_scores_as_published(shared) -> None:  # type: ignore[no-untyped-def]
    (path,) = (shared / "data" / "TSB-AD-U").glob("008_NAB_*.csv")
    with open(shared / "data" / "published_vus_pr.csv") as file:
        published = {row["file"]: float(row["KShapeAD"]) for row in csv.DictReader(file)}
    values, labels = np.loadtxt(path, delimiter=",", skiprows=1).T
    for seed in range(2):
        measured = evaluate(
            KShape(seed=seed).fit(values).calibration, labels, dominant_period(values), ["VUS-PR"]
        )
        assert measured["VUS-PR"] == pytest.approx(published[path.name], abs=0.05)


def test_a_warped_period_stands_out(wave: np.ndarray) -> None:
    broken = wave.copy()
    broken[700:750] = np.abs(broken[700:750])
    scorer = KShape().fit(wave)
    assert scorer.score(broken).shape == broken.shape
    assert 680 < int(scorer.score(broken).argmax()) < 770
    np.testing.assert_array_equal(scorer.score(broken), KShape().fit(wave).score(broken))


@pytest.mark.parametrize("values", [np.zeros(200), np.full(200, 1e9), np.r_[np.zeros(199), 1.0]])
def test_degenerate_series_have_finite_scores(values: np.ndarray) -> None:
    assert np.isfinite(KShape().fit(values).score(values)).all()


def test_short_series_get_a_shorter_period_and_very_short_ones_are_refused() -> None:
    assert KShape().fit(np.arange(200.0)).period == 33
    with pytest.raises(TooShortError, match="KShapeAD needs at least 24"):
        KShape().fit(np.arange(10.0))
    with pytest.raises(TooShortError, match="a period of 60"):
        KShape(period=60).fit(np.arange(200.0))
