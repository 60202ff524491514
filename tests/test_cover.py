import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from paiad.cover import Cover
from paiad.errors import TooShortError


@given(
    st.integers(1, 12), st.integers(1, 15), st.integers(1, 40), st.integers(0, 10), st.integers(0, 2**32 - 1)
)
def test_spread_equals_its_obvious_twin(width: int, stride: int, patches: int, tail: int, seed: int) -> None:
    cover = Cover(width, stride)
    length = (patches - 1) * stride + width + min(tail, stride - 1)
    distances = np.random.default_rng(seed).exponential(size=patches)
    assert cover.count(length) == patches
    twin = naive.spread(distances, width, stride, length)
    np.testing.assert_allclose(cover.spread(distances, length), twin, rtol=1e-12, atol=1e-12)


def test_patches_are_views() -> None:
    values = np.arange(10.0)
    patches = Cover(4).extract(values)
    assert patches.shape == (7, 4)
    assert np.shares_memory(patches, values)
    assert not patches.flags.writeable


def test_a_series_shorter_than_a_patch_is_refused() -> None:
    with pytest.raises(TooShortError, match="needs 4 values, got a series of 3"):
        Cover(4).extract(np.zeros(3))
