"""The two-step search against a slow twin, and against the exact one where it is exact."""

import numpy as np
import pytest

from paiad.best.stretches import LONGEST, VISITED, StretchBank
from paiad.nearest import nearest

WIDTH = 32


@pytest.fixture(scope="module")
def patches():
    """Overlapping patches of a wave that never quite repeats."""
    step = np.arange(2400)
    values = np.sin(step / 7.0) + np.sin(step / 11.3) + np.random.default_rng(0).normal(0, 0.05, len(step))
    return np.lib.stride_tricks.sliding_window_view(values, WIDTH).astype(np.float32)


def slow_nearest(bank, asked, position, exclusion, wanted):
    """Rank the middles, open the stretches of the nearest, measure everything in them."""
    open_to = np.abs(bank.positions - position) >= exclusion
    stretches = [np.arange(a, b) for a, b in zip(bank.begins[:-1], bank.begins[1:], strict=True)]
    middles = np.array([stretch[(len(stretch) - 1) // 2] for stretch in stretches])
    to_middle = np.linalg.norm(bank.vectors[middles].astype(float) - asked, axis=1)
    to_middle[~open_to[middles]] = np.inf
    visited = [s for s in np.argsort(to_middle)[:VISITED] if np.isfinite(to_middle[s])]
    rows = np.concatenate([stretches[s] for s in visited])
    rows = rows[open_to[rows]]
    distances = np.linalg.norm(bank.vectors[rows].astype(float) - asked, axis=1)
    order = np.argsort(distances)[:wanted]
    return distances[order], rows[order]


@pytest.mark.parametrize("exclusion", [0, WIDTH])
def test_the_search_equals_its_slow_twin(patches, exclusion):
    bank = StretchBank.of(patches, 100, 3)
    where = np.arange(len(patches))
    found, rows = bank.nearest(patches, 3, where, exclusion)
    for query in range(0, len(patches), 37):
        slow, slow_rows = slow_nearest(bank, patches[query].astype(float), query, exclusion, 3)
        np.testing.assert_allclose(found[query], slow, rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal(rows[query], slow_rows)


def test_most_of_what_a_search_of_everything_finds_is_found(patches):
    """Patches that resemble their neighbours in time: a thinned bank of the same cost finds a fraction of it."""
    bank = StretchBank.of(patches[:1600], 200, 1)
    exact = nearest(patches[1700:], patches[:1600], 1)[0][:, 0]
    thinned = nearest(patches[1700:], patches[:1600:8], 1)[0][:, 0]
    found = bank.distance(patches[1700:])
    assert (found >= exact * (1 - 1e-6)).all()
    assert np.mean(found <= exact * 1.02) > 0.8
    assert np.mean(thinned <= exact * 1.02) < 0.5


def test_a_small_bank_is_searched_exactly(patches):
    bank = StretchBank.of(patches[:500], 500, 3)
    found, rows = bank.nearest(patches, 3, np.arange(len(patches)), WIDTH)
    exact, exact_rows = nearest(patches, patches[:500], 3, np.arange(len(patches)), np.arange(500), WIDTH)
    np.testing.assert_array_equal(found, exact)
    np.testing.assert_array_equal(rows, exact_rows)


def test_what_is_held_is_bounded_and_even(patches):
    bank = StretchBank.of(patches, 50, 3)
    assert len(bank.vectors) == 50 * LONGEST
    assert set(np.diff(bank.begins)) == {LONGEST}
    assert np.diff(bank.positions).max() <= -(-len(patches) // (50 * LONGEST)) + 1


def test_a_patch_alone_with_its_own_overlaps_is_left_without_any(patches):
    bank = StretchBank.of(patches[:WIDTH], 4, 2)
    found, rows = bank.nearest(patches[:WIDTH], 2, np.arange(WIDTH), WIDTH)
    assert np.isinf(found).all()
    assert (rows == -1).all()
    np.testing.assert_array_equal(bank.distance(patches[:WIDTH], np.arange(WIDTH), WIDTH), 0.0)


def test_one_query_at_a_time_gives_the_bits_of_all_at_once(patches):
    bank = StretchBank.of(patches[:1500], 100, 3)
    together = bank.distance(patches[1500:1700])
    alone = [bank.distance(patches[row : row + 1])[0] for row in range(1500, 1700)]
    np.testing.assert_array_equal(alone, together)
