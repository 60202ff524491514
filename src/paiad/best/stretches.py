"""The bank of normal patches: every one of them, searched in two steps.

Patches that start one step apart look alike. So the training part is cut into stretches, and a patch is first
compared with the middle of each, then with everything in the stretches whose middles were the nearest. A training
part of no more patches than stretches has one patch in each: then the search is exact.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

from paiad.bank import mean_of_known
from paiad.nearest import CentredBank, insert, nearest
from paiad.shapes import Distances, Vectors

VISITED = 8  # stretches looked at in full
LONGEST = 16  # patches held of a stretch; of longer ones an even choice


@dataclass(frozen=True, eq=False)
class StretchBank:
    """Normal patches [held, features] in order of time, where each starts, and where each stretch of them begins."""

    vectors: Vectors
    positions: np.ndarray
    begins: np.ndarray
    neighbours: int

    @classmethod
    def of(cls, vectors: Vectors, size: int, neighbours: int) -> "StretchBank":
        """A bank of at most `size` stretches."""
        positions = _evenly(len(vectors), size * LONGEST)
        begins = np.linspace(0, len(positions), min(size, len(positions)) + 1).astype(np.int64)
        held = vectors if len(positions) == len(vectors) else vectors[positions]
        return cls(np.ascontiguousarray(held), positions, begins, neighbours)

    def distance(
        self, vectors: Vectors, positions: np.ndarray | None = None, exclusion: int = 0
    ) -> Distances:
        """Mean distance of each vector to the nearest found; higher is more anomalous.

        With the training positions of the vectors, patches that start less than `exclusion` steps away do not
        count. A vector that is left without any gets the largest distance found.
        """
        return mean_of_known(self.nearest(vectors, self.neighbours, positions, exclusion)[0])

    def nearest(
        self,
        vectors: Vectors,
        neighbours: int,
        positions: np.ndarray | None = None,
        exclusion: int = 0,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the nearest patches found, and which, [vectors, neighbours], nearest first; inf and -1
        where there are fewer."""
        if self.exact:
            return nearest(vectors, self._middles, neighbours, positions, self.positions, exclusion)
        _, visited = nearest(vectors, self._middles, VISITED, positions, self._middle_positions, exclusion)
        where = np.full(len(vectors), -1) if positions is None else positions
        return _within(
            np.ascontiguousarray(vectors),
            self.vectors,
            self.positions,
            self.begins,
            visited,
            where,
            0 if positions is None else exclusion,
            neighbours,
        )

    @property
    def exact(self) -> bool:
        """Whether a search finds the nearest of all that is held."""
        return len(self.begins) - 1 == len(self.positions)

    @cached_property
    def middles(self) -> np.ndarray:
        """Which of the held patches stands in the middle of each stretch."""
        return np.asarray((self.begins[:-1] + self.begins[1:] - 1) // 2)

    @cached_property
    def _middle_positions(self) -> np.ndarray:
        return np.asarray(self.positions[self.middles])

    @cached_property
    def _middles(self) -> CentredBank:
        return CentredBank.of(self.vectors[self.middles])


def _evenly(length: int, size: int) -> np.ndarray:
    """At most `size` positions, evenly over the whole length."""
    return np.unique(np.linspace(0, length - 1, min(size, length)).astype(np.int64))


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def _within(queries, held, where_held, begins, visited, where, exclusion, wanted):  # type: ignore[no-untyped-def]
    """The nearest of all patches in the visited stretches of each query."""
    found = np.full((len(queries), wanted), np.inf)
    rows = np.full((len(queries), wanted), -1, dtype=np.int64)
    for query in range(len(queries)):
        asked, best, chosen = queries[query], found[query], rows[query]
        for stretch in visited[query]:
            if stretch < 0:
                continue
            for row in range(begins[stretch], begins[stretch + 1]):
                if exclusion > 0 and abs(where[query] - where_held[row]) < exclusion:
                    continue
                total = 0.0
                for feature in range(len(asked)):
                    gap = np.float64(asked[feature]) - np.float64(held[row, feature])
                    total += gap * gap
                insert(total, row, best, chosen)
    return np.sqrt(found), rows
