"""The bank on torch is the bank on numpy: same draws, the same centres and distances but for rounding."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from paiad import bank, bank_torch, kmeans, nearest  # noqa: E402
from paiad.bank import MemoryBank  # noqa: E402

CPU = torch.device("cpu")
seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 30), st.integers(1, 6), st.integers(1, 5), st.integers(0, 9), seeds)
def test_search_equals_numpys(queries, size, features, neighbours, exclusion, seed):
    rng = np.random.default_rng(seed)
    asked, held = rng.normal(size=(queries, features)), rng.normal(size=(size, features))
    where = rng.integers(50, size=queries), rng.integers(50, size=size), exclusion
    found, rows = bank_torch.nearest(asked, held, neighbours, *where, place=CPU)
    expected, expected_rows = nearest.nearest(asked, held, neighbours, *where)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.array_equal(rows, expected_rows)


def test_search_in_blocks_and_far_from_zero(monkeypatch):
    rng = np.random.default_rng(1)
    asked, held = 1e6 + rng.normal(size=(70, 8)), 1e6 + rng.normal(size=(90, 8))
    monkeypatch.setattr(bank_torch, "BLOCK_BYTES", 8 * 90 * 7)
    found, _ = bank_torch.nearest(asked, held, 3, place=CPU)
    np.testing.assert_allclose(found, nearest.nearest(asked, held, 3)[0], rtol=1e-9)


@pytest.mark.parametrize(("points", "count"), [(300, 40), (700, 60)])
def test_k_means_takes_the_same_way(monkeypatch, points, count):
    """Both with every point at every step, and (700) in mini-batches."""
    monkeypatch.setattr(kmeans, "LEAST_BATCH", 500)
    monkeypatch.setattr(bank_torch, "LEAST_BATCH", 500)
    vectors = np.random.default_rng(4).normal(size=(points, 5))
    ours = bank_torch.cluster_centres(vectors, count, 7, CPU)
    np.testing.assert_allclose(ours, kmeans.cluster_centres(vectors, count, 7), atol=1e-5)


def test_fewer_different_points_than_centres():
    vectors = np.repeat(np.arange(3.0), 20)[:, None]
    centres = bank_torch.cluster_centres(vectors, 10, 0, CPU)
    assert set(np.unique(centres.round(6))) == {0.0, 1.0, 2.0}


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("reduction", ["medoids", "centroids"])
def test_a_whole_bank_made_and_searched_on_torch(monkeypatch, metric, reduction):
    vectors = np.random.default_rng(2).normal(size=(900, 6)).astype(np.float32)
    made = MemoryBank.reduced(vectors, 80, reduction, metric)
    expected = made.distance(vectors, np.arange(900), 20)
    monkeypatch.setattr(bank, "meant", lambda device: "cuda")  # the torch way, on whatever there is
    np.testing.assert_allclose(made.distance(vectors, np.arange(900), 20), expected, atol=1e-6)
    # Rounding may turn a draw of the start, and a few prototypes with it; what the bank tells stays.
    again = MemoryBank.reduced(vectors, 80, reduction, metric, device="auto")
    assert np.corrcoef(again.distance(vectors), made.distance(vectors))[0, 1] > 0.98
    assert again.distance(vectors).mean() == pytest.approx(made.distance(vectors).mean(), rel=0.02)
