"""The bank of normal embeddings: what is kept of the training data, and the distance to it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numba import njit

from paiad.kmeans import cluster_centres
from paiad.nearest import CentredBank, Metric, cosine_from_euclidean, nearest, unit_length
from paiad.placing import Device, meant
from paiad.shapes import Distances, Vectors

NEIGHBOURS = 3
SHARE, LEAST = 0.1, 500  # the paper's bank: a tenth of the patches, but no fewer than 500

Reduction = Literal["medoids", "centroids"]


def paper_size(patches: int) -> int:
    """How many prototypes the paper keeps of so many training patches.

    >>> paper_size(300), paper_size(3_000), paper_size(20_000)
    (299, 500, 2000)
    """
    most = max(patches - 1, 1)
    return int(np.clip(round(SHARE * patches), min(LEAST, most), most))


@dataclass(frozen=True, eq=False)
class MemoryBank:
    """Prototypes of normal, [prototypes, features], and where in the training data each stood (-1: nowhere).

    `device` is where the bank is made and searched: a GPU is worth it for many or wide vectors, and needs torch.
    """

    prototypes: Vectors
    positions: np.ndarray
    metric: Metric = "euclidean"
    neighbours: int = NEIGHBOURS
    device: Device = "cpu"

    @classmethod
    def whole(
        cls,
        vectors: Vectors,
        metric: Metric = "euclidean",
        neighbours: int = NEIGHBOURS,
        device: Device = "cpu",
    ) -> "MemoryBank":
        """A bank of all training vectors."""
        return cls(_measured(vectors, metric), np.arange(len(vectors)), metric, neighbours, device)

    @classmethod
    def reduced(
        cls,
        vectors: Vectors,
        size: int | None = None,
        reduction: Reduction = "medoids",
        metric: Metric = "euclidean",
        neighbours: int = NEIGHBOURS,
        seed: int = 0,
        device: Device = "cpu",
    ) -> "MemoryBank":
        """A bank of `size` prototypes (None: as many as the paper keeps): centres, or the vectors nearest to them."""
        size = paper_size(len(vectors)) if size is None else size
        if size >= len(vectors):
            return cls.whole(vectors, metric, neighbours, device)
        space = _measured(vectors, metric)
        centres = _clustered(space, size, seed, device)
        if reduction == "centroids":
            return cls(_measured(centres, metric), np.full(size, -1), metric, neighbours, device)
        kept = np.unique(_searched(centres, space, 1, device=device)[1][:, 0])
        return cls(space[kept], kept, metric, neighbours, device)

    def distance(
        self, vectors: Vectors, positions: np.ndarray | None = None, exclusion: int = 0
    ) -> Distances:
        """Mean distance of each vector to its nearest prototypes; higher is more anomalous.

        With the training positions of the vectors, prototypes taken from less than `exclusion` steps away
        do not count. A vector that is left without any gets the largest distance found.
        """
        where = None if positions is None or exclusion < 1 else positions
        found, _ = _searched(
            _measured(vectors, self.metric),
            self.prototypes if meant(self.device) == "cuda" else self._centred,
            self.neighbours,
            where,
            self.positions,
            exclusion,
            device=self.device,
        )
        if self.metric == "cosine":
            found = cosine_from_euclidean(found)
        return np.asarray(mean_of_known(found))

    @cached_property
    def _centred(self) -> CentredBank:
        return CentredBank.of(self.prototypes)


def _clustered(vectors: Vectors, count: int, seed: int, device: Device) -> Vectors:
    if meant(device) == "cpu":
        return cluster_centres(vectors, count, seed)
    from paiad import bank_torch
    from paiad.devices import choose_device

    return bank_torch.cluster_centres(vectors, count, seed, choose_device(device))


def _searched(
    queries: Vectors,
    bank: Vectors | CentredBank,
    neighbours: int,
    query_position: np.ndarray | None = None,
    bank_position: np.ndarray | None = None,
    exclusion: int = 0,
    *,
    device: Device,
) -> tuple[np.ndarray, np.ndarray]:
    where = query_position, bank_position, exclusion
    if meant(device) == "cpu":
        return nearest(queries, bank, neighbours, *where)
    from paiad import bank_torch
    from paiad.devices import choose_device

    held = bank.rows if isinstance(bank, CentredBank) else bank
    return bank_torch.nearest(queries, held, neighbours, *where, place=choose_device(device))


def _measured(vectors: Vectors, metric: Metric) -> Vectors:
    """The vectors in the space where Euclidean neighbours are the metric's."""
    return unit_length(vectors) if metric == "cosine" else np.asarray(vectors)


@njit(cache=True, nogil=True)
def mean_of_known(found):  # type: ignore[no-untyped-def]
    mean, largest = np.empty(len(found)), 0.0
    for query in range(len(found)):
        total, known = 0.0, 0
        for distance in found[query]:
            if np.isfinite(distance):
                total += distance
                known += 1
        mean[query] = total / known if known else np.inf
        if known:
            largest = max(largest, mean[query])
    for query in range(len(found)):
        if np.isinf(mean[query]):
            mean[query] = largest
    return mean
