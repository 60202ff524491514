"""The bank's two heavy steps, k-means and the search, on a GPU: as `kmeans.py` and `nearest.py` do them.

Everything is in float64, which a GPU for computing does fast enough that the bank is no longer what one waits
for, and the random draws are numpy's, in the same order; so both ways choose the same rows, but for ties.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from paiad.kmeans import ITERATIONS, LEAST_BATCH, REASSIGNMENT
from paiad.shapes import Vectors

BLOCK_BYTES = 512 * 2**20  # of distances held at once


def nearest(
    queries: Vectors | Tensor,
    bank: Vectors | Tensor,
    neighbours: int,
    query_position: np.ndarray | None = None,
    bank_position: np.ndarray | None = None,
    exclusion: int = 0,
    *,
    place: torch.device,
) -> tuple[np.ndarray, np.ndarray]:
    """As `paiad.nearest.nearest`: distances to the nearest rows of the bank, and which rows.

    >>> found, row = nearest(np.array([[0.0]]), np.array([[5.0], [1.0]]), 1, place=torch.device("cpu"))
    >>> float(found[0, 0]), int(row[0, 0])
    (1.0, 1)
    """
    rows = _on(bank, place)
    where_query = None if query_position is None or exclusion < 1 else _on(query_position, place)
    where_bank = None if bank_position is None or exclusion < 1 else _on(bank_position, place)
    centre = rows.mean(0)
    near = rows - centre
    squares = near.square().sum(1)
    neighbours = min(neighbours, len(rows))
    found, chosen = [], []
    block = max(1, BLOCK_BYTES // (8 * len(rows)))
    for start in range(0, len(queries), block):
        asked = _on(queries[start : start + block], place)
        order = torch.addmm(squares, asked - centre, near.T, alpha=-2.0)  # as squared distances, but for |q|²
        if where_query is not None and where_bank is not None:
            apart = (where_query[start : start + block, None] - where_bank).abs()
            order.masked_fill_(apart < exclusion, torch.inf)
        values, picked = order.topk(neighbours, dim=1, largest=False)
        # Measured again as a difference: the products above lose what is small against the centre's distance.
        distances = (rows[picked] - asked[:, None]).square().sum(2).sqrt()
        unknown = values.isinf()
        distances, turn = distances.masked_fill(unknown, torch.inf).sort(dim=1, stable=True)
        found.append(distances.cpu())
        chosen.append(picked.masked_fill(unknown, -1).gather(1, turn).cpu())
    return torch.cat(found).numpy(), torch.cat(chosen).numpy()


def cluster_centres(vectors: Vectors, count: int, seed: int, place: torch.device) -> np.ndarray:
    """As `paiad.kmeans.cluster_centres`: centres [count, features] of mini-batch k-means started by k-means++.

    >>> points = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> np.sort(cluster_centres(points, 2, 0, torch.device("cpu")).ravel()).round(2)
    array([0.05, 9.05])
    """
    rng = np.random.default_rng(seed)
    held = _on(vectors, place)
    batch = min(len(held), max(LEAST_BATCH, count))
    whole = batch == len(held)
    sample = held if whole else held[_on(rng.choice(len(held), 3 * count, replace=True), place)]
    centres = _spread_out_start(sample if len(sample) >= count else held, count, rng)
    counts = torch.zeros(count, dtype=torch.float64, device=place)
    still = 1e-6 * (float(held.std(correction=0)) + 1e-300)
    for _ in range(ITERATIONS):
        part = held if whole else held[_on(rng.integers(len(held), size=batch), place)]
        moved = _step(centres, counts, part, rng, whole)
        settled = bool((moved - centres).abs().max() <= still)
        centres = moved
        if settled:
            break
    return centres.cpu().numpy()


def _on(array: np.ndarray | Tensor, place: torch.device) -> Tensor:
    tensor = array if isinstance(array, Tensor) else torch.from_numpy(np.ascontiguousarray(array))
    return tensor.to(place).to(torch.float64) if tensor.is_floating_point() else tensor.to(place)


def _spread_out_start(vectors: Tensor, count: int, rng: np.random.Generator) -> Tensor:
    """k-means++, without waiting for a draw before the next is launched."""
    near = vectors - vectors.mean(0)
    squares = near.square().sum(1)
    first = int(rng.integers(len(vectors)))
    chance = torch.from_numpy(rng.random(count - 1)).to(vectors.device)
    picks = torch.empty(count, dtype=torch.int64, device=vectors.device)
    picks[0] = first
    gap = torch.full_like(squares, torch.inf)
    for step in range(count):
        pick = picks[step : step + 1]
        to_pick = torch.addmv(squares + squares[pick], near, near[pick][0], alpha=-2.0).clamp_(min=0.0)
        gap = torch.minimum(gap, to_pick).index_fill_(0, pick, 0.0)
        if step + 1 < count:
            growing = gap.cumsum(0)
            drawn = torch.searchsorted(growing, chance[step : step + 1] * growing[-1])
            picks[step + 1 : step + 2] = drawn.clamp_(max=len(vectors) - 1)
    return vectors[picks]


def _step(centres: Tensor, counts: Tensor, part: Tensor, rng: np.random.Generator, whole: bool) -> Tensor:
    """Centres moved towards the points of one batch; `counts` is updated in place."""
    centre = centres.mean(0)
    near = centres - centre
    owner = torch.addmm(near.square().sum(1), part - centre, near.T, alpha=-2.0).argmin(1)
    owned = F.one_hot(owner, len(centres)).to(torch.float64)
    size = owned.sum(0)
    total = owned.T @ part  # a product, because adding up by index has no fixed order on a GPU
    if whole:
        counts.copy_(size)
        moved = torch.where(size[:, None] > 0, total / size.clamp(min=1)[:, None], centres)
    else:
        counts += size
        moved = centres + (total - size[:, None] * centres) / counts.clamp(min=1)[:, None]
    return _redraw_lonely(moved, counts, part, rng)


def _redraw_lonely(centres: Tensor, counts: Tensor, part: Tensor, rng: np.random.Generator) -> Tensor:
    held = counts.cpu().numpy()
    lonely = np.flatnonzero(held < REASSIGNMENT * held.max())[: len(part) // 2]
    if len(lonely):
        where = _on(lonely, centres.device)
        centres[where] = part[_on(rng.choice(len(part), len(lonely), replace=False), centres.device)]
        counts[where] = max(1.0, float(np.min(np.delete(held, lonely), initial=1.0)))
    return centres
