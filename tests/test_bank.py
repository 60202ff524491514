import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from paiad import nearest as nearest_module
from paiad.bank import MemoryBank, paper_size
from paiad.kmeans import cluster_centres
from paiad.nearest import cosine_from_euclidean, nearest, unit_length

seeds = st.integers(0, 2**32 - 1)


@given(st.integers(1, 40), st.integers(1, 30), st.integers(1, 6), st.integers(1, 5), seeds)
def test_nearest_equals_its_obvious_twin(
    queries: int, size: int, features: int, neighbours: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    asked, bank = rng.normal(size=(queries, features)), rng.normal(size=(size, features))
    found, rows = nearest(asked, bank, neighbours)
    np.testing.assert_allclose(found, naive.nearest(asked, bank, neighbours), rtol=1e-12)
    again = np.linalg.norm(asked[:, None, :] - bank[rows], axis=2)
    np.testing.assert_allclose(found, again, rtol=1e-12)


def two_states(random: np.random.Generator, size: int, features: int) -> np.ndarray:
    """Rows of tiny differences around two places that lie far apart: float32 cannot tell them apart."""
    return 1e4 * random.integers(0, 2, (size, 1)) + random.normal(scale=0.1, size=(size, features))


def with_an_outlier(random: np.random.Generator, size: int, features: int) -> np.ndarray:
    rows = random.normal(size=(size, features))
    rows[0] = 10.0 ** random.integers(4, 140)
    return rows


def of_few_kinds(random: np.random.Generator, size: int, features: int) -> np.ndarray:
    return random.integers(0, 2, (size, features)).astype(float)


@pytest.mark.parametrize("queries", [1, 40])
@pytest.mark.parametrize("made", [two_states, with_an_outlier, of_few_kinds])
@pytest.mark.parametrize("seed", range(5))
def test_nearest_is_exact_where_float32_cannot_tell_rows_apart(made, queries: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    features = int(random.integers(2, 80))
    bank, asked = made(random, 600, features), made(random, queries, features)
    found, rows = nearest(asked, bank, 3)
    np.testing.assert_allclose(found, naive.nearest(asked, bank, 3), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(
        found, np.linalg.norm(asked[:, None] - bank[rows], axis=2), rtol=1e-12, atol=1e-300
    )


def test_what_is_too_far_to_be_squared_is_farther_than_all_else() -> None:
    bank, asked = np.random.default_rng(0).normal(size=(50, 4)), np.zeros((6, 4))
    asked[0] = 1e300
    for queries in (asked, asked[:1]):  # alone, as in a stream, and among others
        found, _ = nearest(queries, bank, 3)
        assert np.all(found[0] == 1e150)


def test_far_from_zero_nothing_is_lost_to_cancellation() -> None:
    rng = np.random.default_rng(1)
    asked, bank = 1e6 + rng.normal(size=(50, 8)), 1e6 + rng.normal(size=(200, 8))
    np.testing.assert_allclose(nearest(asked, bank, 3)[0], naive.nearest(asked, bank, 3), rtol=1e-9)


@given(st.integers(3, 30), st.integers(1, 8), seeds)
def test_patches_never_match_those_that_overlap_them(length: int, exclusion: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(length, 3))
    where = np.arange(length)
    found, _ = nearest(vectors, vectors, 2, where, where, exclusion)
    np.testing.assert_allclose(found, naive.nearest_outside(vectors, vectors, 2, exclusion), rtol=1e-12)


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    asked, bank = rng.normal(size=(500, 5)), rng.normal(size=(60, 5))
    whole = nearest(asked, bank, 3)
    monkeypatch.setattr(nearest_module, "BLOCK_BYTES", 4 * 60 * 7)
    parts = nearest(asked, bank, 3)
    assert np.array_equal(whole[1], parts[1])
    np.testing.assert_allclose(whole[0], parts[0], rtol=1e-14)


def test_cosine_is_one_minus_the_cosine() -> None:
    rng = np.random.default_rng(3)
    vectors, bank = rng.normal(size=(20, 4)), rng.normal(size=(9, 4))
    cosines = (vectors @ bank.T) / np.outer(np.linalg.norm(vectors, axis=1), np.linalg.norm(bank, axis=1))
    expected = np.sort(1 - cosines, axis=1)[:, :3].mean(axis=1)
    ours = MemoryBank.whole(bank, metric="cosine").distance(vectors)
    np.testing.assert_allclose(ours, expected, atol=1e-6)
    assert float(cosine_from_euclidean(np.linalg.norm(unit_length(vectors)[0] * 2))) == pytest.approx(2.0)


def test_cosine_is_blind_to_amplitude_and_euclidean_is_not() -> None:
    bank = np.random.default_rng(4).normal(size=(30, 6))
    louder = bank[:5] * 10
    assert MemoryBank.whole(bank, "cosine", 1).distance(louder).max() < 1e-6
    assert MemoryBank.whole(bank, "euclidean", 1).distance(louder).min() > 1.0


@pytest.mark.parametrize("reduction", ["medoids", "centroids"])
def test_a_reduced_bank_is_small_seeded_and_stands_for_the_whole(reduction: str) -> None:
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(3000, 4)) * 0.05 + rng.integers(0, 6, size=(3000, 1)) * 3
    banks = [MemoryBank.reduced(vectors, 60, reduction, seed=1) for _ in range(2)]  # type: ignore[arg-type]
    assert np.array_equal(banks[0].prototypes, banks[1].prototypes)
    assert len(banks[0].prototypes) <= 60
    assert banks[0].distance(vectors).max() < 1.0
    far = banks[0].distance(np.full((1, 4), 40.0))
    assert far[0] > 20
    if reduction == "medoids":
        assert np.array_equal(banks[0].prototypes, vectors[banks[0].positions])


def test_kmeans_is_as_good_as_scikit_learns() -> None:
    cluster = pytest.importorskip("sklearn.cluster")
    vectors = np.random.default_rng(6).normal(size=(4000, 5))
    theirs = cluster.MiniBatchKMeans(50, batch_size=8192, max_iter=50, n_init=1, random_state=0).fit(vectors)
    ours = nearest(vectors, cluster_centres(vectors, 50, seed=0), 1)[0]
    assert float((ours**2).sum()) < 1.03 * float(theirs.inertia_)


def test_kmeans_in_true_batches_still_finds_the_clusters() -> None:
    rng = np.random.default_rng(8)
    vectors = rng.normal(size=(30_000, 2)) * 0.1 + rng.integers(0, 5, size=(30_000, 1)) * 10.0
    centres = cluster_centres(vectors, 5, seed=3)
    assert float(nearest(vectors, centres, 1)[0].mean()) < 0.3


@pytest.mark.parametrize(("patches", "size"), [(2, 1), (300, 299), (3000, 500), (100_000, 10_000)])
def test_papers_bank_size(patches: int, size: int) -> None:
    assert paper_size(patches) == size


def test_more_neighbours_than_prototypes_is_fine() -> None:
    assert MemoryBank.whole(np.zeros((1, 2))).distance(np.ones((1, 2)))[0] == pytest.approx(np.sqrt(2))
