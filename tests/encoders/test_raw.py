"""Patches as they are: what is taken off them, and that no size of values gets in the way."""

import numpy as np
import pytest

from paiad.encoders.raw import RawPatches, ShapePatches
from paiad.errors import SettingError, TooShortError


def wave(length=200, seed=0):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(length) / 5) + rng.normal(scale=0.1, size=length)


def test_raw_patches_are_in_units_of_the_training_part():
    train = 5 + 3 * wave()
    vectors = RawPatches(8).fit(train).encode(2 * train)
    np.testing.assert_allclose(vectors[3], (2 * train[3:11] - train.mean()) / train.std())
    assert RawPatches(8).fit(train).ignores == frozenset()


def test_raw_patches_of_a_constant_training_part_are_only_centred():
    assert RawPatches(2).fit(np.full(9, 7.0)).encode(np.array([7.0, 9.0])).tolist() == [[0.0, 2.0]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("power", [-900, 900])
def test_raw_patches_of_values_near_the_ends_of_what_a_float_holds(power):
    train = wave()
    vectors = RawPatches(8).fit(np.ldexp(train, power)).encode(np.ldexp(train, power))
    np.testing.assert_array_equal(vectors, RawPatches(8).fit(train).encode(train))


def test_shape_patches_keep_neither_level_nor_scale_and_do_not_blow_up_what_is_flat():
    encoder = ShapePatches(8).fit(wave())
    vectors = encoder.encode(wave(50, 1))
    np.testing.assert_allclose(encoder.encode(4 * wave(50, 1) + 3), vectors, atol=1e-9)
    assert encoder.ignores == {"shift", "scale"}
    flat = 1e-9 * wave(50, 1)
    assert np.abs(encoder.encode(flat)).max() < 1e-6


@pytest.mark.parametrize("learner", [RawPatches(8), ShapePatches(8)])
def test_too_short_a_training_part_is_refused(learner):
    with pytest.raises(TooShortError, match="at least 8 training values, got 7"):
        learner.fit(wave(7))


def test_wrong_settings_are_refused():
    for wrong in (lambda: RawPatches(0), lambda: ShapePatches(2.5), lambda: ShapePatches(8, floor=-1.0)):
        with pytest.raises(SettingError, match="must be a"):
            wrong()
