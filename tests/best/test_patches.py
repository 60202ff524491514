"""The two kinds of patch vectors and the way from patches to steps, against slow, obvious twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from paiad.best.combining import strongest, tempered
from paiad.best.outline import POINTS, Outline
from paiad.best.softening import patch_gains
from paiad.best.texture import Texture
from paiad.best.timing import Timing

numbers = st.floats(-50, 50, allow_subnormal=False)
series = arrays(np.float64, st.integers(40, 70), elements=numbers)


def slow_outline(patch):
    soft = (patch - patch.mean()) / np.sqrt(patch.var() + 1)
    if len(patch) <= POINTS:
        return soft
    step = len(patch) // POINTS
    return soft.reshape(POINTS, step).mean(axis=1) * np.sqrt(step)


def slow_texture(encoder, patch):
    soft = (patch - patch.mean()) / np.sqrt(patch.var() + 1)
    means = []
    for weights, length, height in zip(encoder.weights, encoder.lengths, encoder.heights, strict=True):
        answers = [weights[:length] @ soft[at : at + length] for at in range(len(patch) - length + 1)]
        means.append(np.mean([max(0.0, answer - height) for answer in answers]))
    return np.array(means)


def slow_spread(timing, distances, surprise):
    """Every patch puts its distance on its steps in proportion to surprise; every step takes the mean it is given."""
    heard = [[] for _ in surprise]
    for patch, distance in enumerate(distances):
        steps = np.arange(patch, patch + timing.width)
        hearers = steps if timing.window == "symmetric" else steps[-1:]
        for step in hearers:
            heard[step].append(distance * surprise[step] / surprise[steps].mean())
    return np.array([np.mean(one) if one else np.nan for one in heard])


@given(series)
@pytest.mark.parametrize("width", [8, 32])
def test_outlines_equal_their_slow_twin(width, values):
    encoder = Outline(width).fit(values)
    scaled = encoder.scale(values)
    slow = [slow_outline(scaled[at : at + width]) for at in range(len(values) - width + 1)]
    np.testing.assert_allclose(encoder.encode(values), slow, rtol=1e-5, atol=1e-5)


def test_a_wide_outline_is_averaged_down_and_keeps_its_size(wave):
    encoder = Outline(256).fit(wave)
    vectors = encoder.encode(wave)
    assert vectors.shape == (len(wave) - 255, POINTS)
    np.testing.assert_allclose(vectors[7], slow_outline(encoder.scale(wave)[7:263]), rtol=1e-5, atol=1e-6)


def test_undoing_an_outline_gives_the_patch_back(wave):
    encoder = Outline(32).fit(wave[:300])
    patches = np.lib.stride_tricks.sliding_window_view(wave, 32)
    np.testing.assert_allclose(encoder.undo(encoder.encode(wave), wave), patches, rtol=1e-4, atol=1e-5)


@given(series)
@pytest.mark.parametrize("width", [8, 24])
def test_textures_equal_their_slow_twin(width, values):
    encoder = Texture(width, filters=12, seed=3).fit(values)
    scaled = encoder.scale(values)
    slow = [slow_texture(encoder, scaled[at : at + width]) for at in range(len(values) - width + 1)]
    np.testing.assert_allclose(encoder.encode(values), slow, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("learner", [Outline(32), Texture(32), Outline(128)])
def test_a_level_alone_changes_no_vector(learner, wave):
    encoder = learner.fit(wave)
    np.testing.assert_allclose(encoder.encode(wave + 5.0), encoder.encode(wave), atol=1e-5)


@pytest.mark.parametrize("learner", [Outline(32), Texture(32)])
def test_amplitude_changes_vectors(learner, wave):
    encoder = learner.fit(wave)
    assert np.abs(encoder.encode(3 * wave) - encoder.encode(wave)).max() > 0.1


@pytest.mark.parametrize("learner", [Outline(32), Texture(32), Outline(256)])
def test_a_vector_is_the_same_to_the_last_bit_wherever_the_series_is_cut(learner, wave):
    encoder = learner.fit(wave)
    np.testing.assert_array_equal(
        encoder.encode(wave[123:700]), encoder.encode(wave)[123 : 700 - learner.width + 1]
    )


def test_flat_patches_stay_small():
    noise = np.random.default_rng(0).normal(scale=1e-3, size=200)
    _, gains = patch_gains(noise, 32)
    assert gains.max() <= 1.0


@given(st.data(), st.integers(1, 9), st.sampled_from(["symmetric", "trailing"]), st.integers(0, 20))
def test_spreading_equals_its_slow_twin(data, width, window, patches):
    distances = data.draw(arrays(np.float64, patches, elements=st.floats(0, 10, allow_subnormal=False)))
    surprise = data.draw(arrays(np.float64, patches + width - 1, elements=st.floats(1, 9)))
    timing = Timing(width, window)
    np.testing.assert_allclose(
        timing.spread(distances, surprise), slow_spread(timing, distances, surprise), rtol=1e-9, atol=1e-12
    )


def test_a_lone_spike_claims_its_patch():
    surprise = np.ones(9)
    surprise[4] = 31.0
    shared = Timing(5).spread(np.array([0.0, 0.0, 6.0, 0.0, 0.0]), surprise)
    assert shared[4] == pytest.approx(31 * shared[3] * 4 / 5)  # five patches are heard at 4, four at 3


@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 8)), elements=numbers))
def test_the_strongest_terms_sum_to_the_largest(terms):
    np.testing.assert_array_equal(strongest(terms).sum(axis=0), terms.max(axis=0))


@given(arrays(np.float64, 9, elements=st.floats(-1e300, 1e300)))
def test_tempering_keeps_the_order_and_the_sign(z):
    np.testing.assert_array_equal(np.argsort(tempered(np.sort(z)), kind="stable"), np.arange(9))
    np.testing.assert_array_equal(tempered(-z), -tempered(z))
