"""The nearest rows of a bank: exact, in blocks, so that memory does not grow with queries × bank.

float32 products order the rows roughly and bound how wrong they can be; whatever that bound does not rule out is
measured in float64. So the result is exact however far apart the rows lie, at the cost of the rough order.
"""

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
ROUNDING = 2.0**-24  # of a float32
PIECE = 256  # rows ruled out at once
SPARE = 2  # rows chosen by float32 beyond those wanted: mostly enough to see that no other can be nearer
LONGEST = np.float32(1e18)  # what float32 can square, multiply and add; beyond it every row is measured
FARTHEST = 1e150  # what lies too far to be squared counts as this far
NOWHERE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class CentredBank:
    """A bank prepared once for many small searches: its rows around their mean, in float32, and how long they are."""

    rows: Vectors
    centre: np.ndarray
    near: np.ndarray
    squares: np.ndarray
    lengths: np.ndarray
    farthest: np.float32

    @classmethod
    def of(cls, bank: Vectors) -> "CentredBank":
        centre = np.asarray(np.mean(bank, axis=0, dtype=np.float64))
        # Around the bank's centre the squares are small, so that float32 products lose little in the difference.
        with np.errstate(over="ignore"):
            near = np.ascontiguousarray(bank - centre, dtype=np.float32)
            squares = np.einsum("kd,kd->k", near, near)
        return cls(bank, centre, near, squares, np.sqrt(squares), np.sqrt(squares.max(initial=0.0)))


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
    found = np.empty((len(queries), neighbours))
    rows = np.empty((len(queries), neighbours), dtype=np.int64)
    if len(queries) <= FEW:
        _search_few(
            np.ascontiguousarray(queries), centred.centre, centred.near, centred.squares, centred.lengths,
            centred.farthest, centred.rows, where_query, where_bank, excluded, found, rows,
        )  # fmt: skip
        return found, rows
    block = max(1, BLOCK_BYTES // (4 * held))
    for start in range(0, len(queries), block):
        part = slice(start, start + block)
        with np.errstate(over="ignore", invalid="ignore"):
            asked = np.ascontiguousarray(queries[part] - centred.centre, dtype=np.float32)
            product = asked @ centred.near.T
        _search(
            np.ascontiguousarray(queries[part]), asked, product, centred.squares, centred.lengths,
            centred.farthest, centred.rows, where_query[part], where_bank, excluded, found[part], rows[part],
        )  # fmt: skip
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
def _search_few(  # type: ignore[no-untyped-def]
    queries, centre, near, squares, lengths, farthest, bank, where_query, where_bank, exclusion, found, rows
):
    held, features = near.shape
    product = np.empty((len(queries), held), dtype=np.float32)
    asked = np.empty((len(queries), features), dtype=np.float32)
    for query in range(len(queries)):
        for feature in range(features):
            asked[query, feature] = queries[query, feature] - centre[feature]
        for row in range(held):
            total = np.float32(0.0)
            for feature in range(features):
                total += near[row, feature] * asked[query, feature]
            product[query, row] = total
    _search(
        queries,
        asked,
        product,
        squares,
        lengths,
        farthest,
        bank,
        where_query,
        where_bank,
        exclusion,
        found,
        rows,
    )


@njit(cache=True, nogil=True)
def _search(  # type: ignore[no-untyped-def]
    queries, asked, product, squares, lengths, farthest, bank, where_query, where_bank, exclusion, found, rows
):
    """Fills `found` and `rows`, nearest first.

    |m|² - 2 q·m orders the rows m as their distance to the query q does. In float32 it is wrong by at most `doubt`
    times |m|² + 2 |q| |m|: the products' own rounding, that of what enters them, and of the difference.
    """
    doubt = np.float32(ROUNDING * (asked.shape[1] + 8))
    wanted = found.shape[1]
    chosen, rough = np.empty(wanted + SPARE, dtype=np.int64), np.empty(wanted + SPARE, dtype=np.float32)
    for query in range(len(queries)):
        where = where_query[query] if exclusion > 0 else 0
        size = np.float32(0.0)
        for feature in range(asked.shape[1]):
            size += asked[query, feature] * asked[query, feature]
        spread = np.float32(2.0) * doubt * np.sqrt(size)
        known = farthest < LONGEST and size < LONGEST * LONGEST
        limit, least = np.float32(np.inf), np.float32(-np.inf)
        if known:
            _smallest(product[query], squares, where, where_bank, exclusion, chosen, rough)
            # As many rows as are wanted surely have no more than the limit, those not chosen no less than the least.
            limit = np.float32(-np.inf)
            for place in range(wanted):
                row = chosen[place]
                limit = max(limit, rough[place] + doubt * squares[row] + spread * lengths[row])
            least = rough[-1] - farthest * (doubt * farthest + spread)
        found[query, :] = np.inf
        rows[query, :] = -1
        if least > limit:
            for row in chosen:
                if row >= 0:
                    insert(_apart(queries[query], bank[row]), row, found[query], rows[query])
            continue
        for start in range(0, len(squares), PIECE):
            part = slice(start, start + PIECE)
            near, near_squares, near_lengths = product[query, part], squares[part], lengths[part]
            if known and _lowest(near, near_squares, near_lengths, doubt, spread) > limit:
                continue
            for place in range(len(near)):
                row = start + place
                about = near_squares[place] - np.float32(2.0) * near[place]
                if known and about - doubt * near_squares[place] - spread * near_lengths[place] > limit:
                    continue
                if exclusion > 0 and abs(where - where_bank[row]) < exclusion:
                    continue
                insert(_apart(queries[query], bank[row]), row, found[query], rows[query])


@njit(cache=True, nogil=True)
def _smallest(product, squares, where, where_bank, exclusion, chosen, best):  # type: ignore[no-untyped-def]
    """Fills in the rows with the smallest |m|² - 2 q·m; -1 and infinite where there are fewer."""
    wanted = len(best)
    chosen[:] = -1
    best[:] = np.inf
    for row in range(len(squares)):
        value = squares[row] - np.float32(2.0) * product[row]
        if value < best[wanted - 1]:
            if exclusion > 0 and abs(where - where_bank[row]) < exclusion:
                continue
            insert(value, row, best, chosen)


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "reassoc", "contract"})
def _lowest(product, squares, lengths, doubt, spread):  # type: ignore[no-untyped-def]
    """The least that any of these rows may have in truth."""
    lowest, sure = np.float32(np.inf), np.float32(1.0) - doubt
    for row in range(len(product)):
        least = sure * squares[row] - np.float32(2.0) * product[row] - spread * lengths[row]
        if least < lowest:
            lowest = least
    return lowest


@njit(cache=True, nogil=True)
def _apart(query, row):  # type: ignore[no-untyped-def]
    """The distance in float64, summed in the same order for one query or many."""
    total = 0.0
    for feature in range(len(query)):
        total += (np.float64(query[feature]) - np.float64(row[feature])) ** 2
    return min(np.sqrt(total), FARTHEST)


@njit(cache=True, nogil=True, inline="always")
def insert(distance, row, found, rows):  # type: ignore[no-untyped-def]
    """Puts a row among the nearest so far, which stand in order, if it is nearer than the last of them."""
    place = len(found) - 1
    if distance >= found[place]:
        return
    while place > 0 and found[place - 1] > distance:
        found[place] = found[place - 1]
        rows[place] = rows[place - 1]
        place -= 1
    found[place] = distance
    rows[place] = row
