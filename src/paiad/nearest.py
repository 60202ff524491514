"""The nearest rows of a bank: exact, in blocks, so that memory does not grow with queries × bank."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit

from paiad.errors import SettingError
from paiad.shapes import Vectors

Metric = Literal["euclidean", "cosine"]

BLOCK_BYTES = 16 * 2**20  # of distances held at once; about a second-level cache or two
FEW = 4  # queries for which one kernel is quicker than a call of BLAS and what it takes around it
COSINE_EPSILON = 1e-8
NOWHERE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class CentredBank:
    """A bank prepared once for many small searches: its rows around their mean, in float32."""

    rows: Vectors
    centre: np.ndarray
    near: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, bank: Vectors) -> "CentredBank":
        centre = np.asarray(np.mean(bank, axis=0, dtype=np.float64))
        # Around the bank's centre the squares are small, so that float32 products lose little in the difference.
        near = np.ascontiguousarray(bank - centre, dtype=np.float32)
        return cls(bank, centre, near, np.einsum("kd,kd->k", near, near))


def nearest(
    queries: Vectors,
    bank: Vectors | CentredBank,
    neighbours: int,
    query_position: np.ndarray | None = None,
    bank_position: np.ndarray | None = None,
    exclusion: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Euclidean distances to the nearest rows of the bank, and which rows, [queries, neighbours], nearest first.

    With positions given, rows whose position differs from the query's by less than `exclusion` are passed
    over: a patch must not match itself or those that overlap it. Where fewer rows than `neighbours` are
    left, the distance is inf and the row -1.

    >>> found, row = nearest(np.array([[0.0]]), np.array([[5.0], [1.0]]), 1)
    >>> float(found[0, 0]), int(row[0, 0])
    (1.0, 1)
    """
    held = len(bank.rows if isinstance(bank, CentredBank) else bank)
    if neighbours < 1 or held < 1:
        raise SettingError(f"a search needs at least 1 neighbour and 1 row, got {neighbours} and {held}")
    centred = bank if isinstance(bank, CentredBank) else CentredBank.of(bank)
    neighbours = min(neighbours, held)
    where_query, where_bank = _positions(query_position), _positions(bank_position)
    excluded = exclusion if len(where_query) and len(where_bank) else 0
    # A few more candidates than asked for are looked at again in float64, so that rounding does not choose.
    candidates = min(held, neighbours + 2)
    if len(queries) <= FEW:
        found, rows = _nearest_of_few(
            np.ascontiguousarray(queries), centred.centre, centred.near, centred.squares, centred.rows,
            where_query, where_bank, excluded, candidates, neighbours,
        )  # fmt: skip
        return found, rows
    found = np.empty((len(queries), neighbours))
    rows = np.empty((len(queries), neighbours), dtype=np.int64)
    block = max(1, BLOCK_BYTES // (4 * held))
    for start in range(0, len(queries), block):
        part = slice(start, start + block)
        near_query = np.ascontiguousarray(queries[part] - centred.centre, dtype=np.float32)
        product = near_query @ centred.near.T
        chosen = _smallest(product, centred.squares, where_query[part], where_bank, excluded, candidates)
        found[part], rows[part] = _measured(queries[part], centred.rows, chosen, neighbours)
    return found, rows


def unit_length(vectors: Vectors) -> Vectors:
    """Rows divided by their length, so that Euclidean neighbours are cosine neighbours."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / (lengths + COSINE_EPSILON))


def cosine_from_euclidean(distances: np.ndarray) -> np.ndarray:
    """1 - cos of two unit vectors, from the Euclidean distance between them.

    >>> float(cosine_from_euclidean(np.array(2.0)))
    2.0
    """
    return np.asarray(distances**2 / 2)


def _positions(given: np.ndarray | None) -> np.ndarray:
    return NOWHERE if given is None else np.asarray(given, dtype=np.int64)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _nearest_of_few(  # type: ignore[no-untyped-def]
    queries, centre, near, squares, bank, where_query, where_bank, exclusion, candidates, neighbours
):
    rows, features = near.shape
    product = np.empty((len(queries), rows), dtype=np.float32)
    asked = np.empty(features, dtype=np.float32)
    for query in range(len(queries)):
        for feature in range(features):
            asked[feature] = queries[query, feature] - centre[feature]
        for row in range(rows):
            total = np.float32(0.0)
            for feature in range(features):
                total += near[row, feature] * asked[feature]
            product[query, row] = total
    chosen = _smallest(product, squares, where_query, where_bank, exclusion, candidates)
    return _measured(queries, bank, chosen, neighbours)


@njit(cache=True, nogil=True)
def _smallest(product, squares, where_query, where_bank, exclusion, wanted):  # type: ignore[no-untyped-def]
    """Rows of the bank with the smallest |m|² - 2 q·m, which orders them as their distance to q does."""
    queries, size = product.shape
    chosen = np.full((queries, wanted), -1, dtype=np.int64)
    best = np.empty(wanted, dtype=np.float32)
    for query in range(queries):
        best[:] = np.inf
        for row in range(size):
            value = squares[row] - np.float32(2.0) * product[query, row]
            if value < best[wanted - 1]:
                if exclusion > 0 and abs(where_query[query] - where_bank[row]) < exclusion:
                    continue
                place = wanted - 1
                while place > 0 and best[place - 1] > value:
                    best[place] = best[place - 1]
                    chosen[query, place] = chosen[query, place - 1]
                    place -= 1
                best[place] = value
                chosen[query, place] = row
    return chosen


@njit(cache=True, nogil=True)
def _measured(queries, bank, chosen, neighbours):  # type: ignore[no-untyped-def]
    """The nearest of the chosen rows by their distances in float64, summed in the same order for one query or many."""
    found = np.full((len(queries), neighbours), np.inf)
    rows = np.full((len(queries), neighbours), -1, dtype=np.int64)
    for query in range(len(queries)):
        for row in chosen[query]:
            if row < 0:
                break
            total = 0.0
            for feature in range(queries.shape[1]):
                total += (np.float64(queries[query, feature]) - np.float64(bank[row, feature])) ** 2
            distance = np.sqrt(total)
            if distance >= found[query, neighbours - 1]:
                continue
            place = neighbours - 1
            while place > 0 and found[query, place - 1] > distance:
                found[query, place] = found[query, place - 1]
                rows[query, place] = rows[query, place - 1]
                place -= 1
            found[query, place] = distance
            rows[query, place] = row
    return found, rows
