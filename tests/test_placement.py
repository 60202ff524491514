"""Where errors of windows land."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiad.placement import at_last, block_starts, centred, flush_right


@given(width=st.integers(1, 9), more=st.integers(0, 20))
def test_every_placement_is_as_long_as_the_series(width: int, more: int) -> None:
    length = width + more
    errors = np.arange(more + 1.0)
    blocks = np.arange(length)[block_starts(width, length)[:, None] + np.arange(width)]
    assert len(centred(errors, width, length)) == length
    assert len(at_last(errors, length)) == length
    # every step is judged by its own place in a block
    np.testing.assert_array_equal(flush_right(blocks, length), np.arange(length))


def test_centre_of_odd_and_even_windows() -> None:
    np.testing.assert_array_equal(centred(np.array([5.0, 7.0]), 3, 4), [5, 5, 7, 7])
    np.testing.assert_array_equal(centred(np.array([5.0, 7.0]), 2, 3), [5, 5, 7])


def test_steps_before_the_first_window() -> None:
    np.testing.assert_array_equal(at_last(np.array([3.0]), 3, early=1.0), [1, 1, 3])
    assert at_last(np.array([3.0]), 3)[0] == pytest.approx(3.0)
