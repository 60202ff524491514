"""Mini-batch k-means, as the bank needs it: few iterations, many clusters, one start, seeded."""

import numpy as np

from paiad.nearest import nearest
from paiad.shapes import Vectors

ITERATIONS = 50
LEAST_BATCH = 8192
REASSIGNMENT = 0.01  # centres with fewer than this share of the largest count are drawn anew


def cluster_centres(vectors: Vectors, count: int, seed: int) -> Vectors:
    """Centres [count, features] of mini-batch k-means started by k-means++.

    >>> points = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> np.sort(cluster_centres(points, 2, seed=0).ravel()).round(2)
    array([0.05, 9.05])
    """
    rng = np.random.default_rng(seed)
    vectors = np.asarray(vectors, dtype=np.float64)
    batch = min(len(vectors), max(LEAST_BATCH, count))
    sample = vectors if batch == len(vectors) else vectors[rng.choice(len(vectors), 3 * count, replace=True)]
    centres = _spread_out_start(sample if len(sample) >= count else vectors, count, rng)
    counts = np.zeros(count)
    for _ in range(ITERATIONS):
        part = vectors if batch == len(vectors) else vectors[rng.integers(len(vectors), size=batch)]
        moved = _step(centres, counts, part, rng, whole=batch == len(vectors))
        if np.allclose(moved, centres, rtol=0, atol=1e-6 * (np.std(vectors) + 1e-300)):
            return moved
        centres = moved
    return centres


def _spread_out_start(vectors: Vectors, count: int, rng: np.random.Generator) -> Vectors:
    """k-means++: each next centre is drawn with a chance that grows with its squared distance to the others."""
    # Only the chances depend on these distances, so float32 will do; around the mean it loses little.
    near = (vectors - vectors.mean(axis=0)).astype(np.float32)
    squares = np.einsum("nd,nd->n", near, near)
    chosen: list[int] = []
    gap = np.full(len(vectors), np.inf)
    while len(chosen) < count:
        total = float(gap.sum())
        pick = _draw(gap, total, rng) if chosen and total > 0 else int(rng.integers(len(vectors)))
        chosen.append(pick)
        to_pick = squares + squares[pick] - 2 * (near @ near[pick])
        np.minimum(gap, np.maximum(to_pick, 0.0), out=gap)
        gap[pick] = 0.0
    return np.asarray(vectors[chosen])


def _draw(gap: np.ndarray, total: float, rng: np.random.Generator) -> int:
    return min(int(np.searchsorted(np.cumsum(gap), rng.random() * total)), len(gap) - 1)


def _step(
    centres: Vectors, counts: np.ndarray, part: Vectors, rng: np.random.Generator, whole: bool
) -> Vectors:
    """Centres moved towards the points of one batch; `counts` is updated in place."""
    owner = nearest(part, centres, 1)[1][:, 0]
    size = np.bincount(owner, minlength=len(centres)).astype(np.float64)
    total = np.zeros_like(centres)
    np.add.at(total, owner, part)
    if whole:
        counts[:] = size
        moved = np.where(size[:, None] > 0, total / np.maximum(size, 1)[:, None], centres)
    else:
        counts += size
        # The mean of all points a centre has ever owned, updated by this batch's share.
        moved = centres + (total - size[:, None] * centres) / np.maximum(counts, 1)[:, None]
    return _redraw_lonely(moved, counts, part, rng)


def _redraw_lonely(centres: Vectors, counts: np.ndarray, part: Vectors, rng: np.random.Generator) -> Vectors:
    lonely = np.flatnonzero(counts < REASSIGNMENT * counts.max())
    lonely = lonely[: len(part) // 2]
    if len(lonely):
        centres = centres.copy()
        centres[lonely] = part[rng.choice(len(part), len(lonely), replace=False)]
        counts[lonely] = max(1.0, float(np.min(np.delete(counts, lonely), initial=1.0)))
    return centres
