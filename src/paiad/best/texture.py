"""What a patch is made of: mean answers of random filters, wherever in the patch they answer.

One layer of short filters does what the untrained four-layer network of PaAno does for a bank, at a thousandth
of its cost. A filter sums to zero, so the level of a patch does not matter; that a filter's answers are averaged
makes the vector insensitive to where in the patch something happens.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from paiad.best.softening import patch_gains
from paiad.contracts import Encoder, Learner, checked_train
from paiad.cover import Cover
from paiad.scaling import ZScore
from paiad.shapes import Values, Vectors

LENGTHS = (3, 5, 9, 15)  # steps of a filter; as many filters of each


@dataclass(frozen=True)
class Texture(Learner):
    """`filters` random filters, rectified at a random height each and averaged over the patch."""

    width: int = 64
    filters: int = 64
    seed: int = 0

    def fit(self, train: Values) -> "TextureEncoder":
        train = checked_train(train, self.width, "Texture")
        scale = ZScore.of(train)
        lengths = _lengths(self.filters, self.width)
        random = np.random.default_rng(self.seed)
        weights = np.zeros((self.filters, max(LENGTHS)))
        for row, length in zip(weights, lengths, strict=True):
            drawn = random.standard_normal(length)
            row[:length] = drawn - drawn.mean()
        heights = random.standard_normal(self.filters).astype(np.float32)
        return TextureEncoder(
            Cover(self.width),
            scale,
            _of_unit_answers(weights, lengths, scale(train), self.width),
            lengths,
            heights,
        )


@dataclass(frozen=True, eq=False)
class TextureEncoder(Encoder):
    cover: Cover
    scale: ZScore
    weights: np.ndarray
    lengths: np.ndarray
    heights: np.ndarray

    def encode(self, values: Values) -> Vectors:
        scaled = self.scale(np.asarray(values, dtype=np.float64))
        gains = patch_gains(scaled, self.cover.width)[1]
        answers = _answers(scaled, self.weights, self.lengths)
        gains = gains.astype(np.float32)
        return np.asarray(_rectified_means(answers, gains, self.heights, self.lengths, self.cover.width))


def _lengths(filters: int, width: int) -> np.ndarray:
    """Length of each filter, ascending; at most about half a patch."""
    parts = np.array_split(np.arange(filters), len(LENGTHS))
    longest = max(3, width // 2 + 1)
    return np.concatenate(
        [np.full(len(part), min(length, longest)) for part, length in zip(parts, LENGTHS, strict=True)]
    )


def _of_unit_answers(weights: np.ndarray, lengths: np.ndarray, scaled: Values, width: int) -> np.ndarray:
    """The filters scaled so that their answers in the middle of the training patches have a mean square of 1."""
    gains = patch_gains(scaled, width)[1]
    answers = _answers(scaled, weights, lengths)[width // 2 - lengths.max() // 2 :][: len(gains)]
    size = np.sqrt(np.mean((answers * gains[: len(answers), None]) ** 2, axis=0, dtype=np.float64))
    return weights / (size[:, None] + 1e-6)


@njit(cache=True, nogil=True)
def _answers(values, weights, lengths):  # type: ignore[no-untyped-def]
    """answers[t, filter]: the filter laid on the steps from t on; 0 where it does not fit."""
    filters, reach = weights.shape
    columns = np.empty((reach, filters))
    for row in range(filters):
        for offset in range(reach):
            columns[offset, row] = weights[row, offset]
    out = np.zeros((len(values), filters), dtype=np.float32)
    totals = np.empty(filters)
    for step in range(len(values)):
        for row in range(filters):
            totals[row] = 0.0
        first = 0  # the filters come in ascending length: those that reach so far are the last ones
        for offset in range(min(reach, len(values) - step)):
            while first < filters and lengths[first] <= offset:
                first += 1
            _add_product(totals[first:], columns[offset, first:], values[step + offset])
        for row in range(filters):
            if step + lengths[row] <= len(values):
                out[step, row] = totals[row]
    return out


@njit(cache=True, nogil=True, inline="always")
def _add_product(totals, weights, value):  # type: ignore[no-untyped-def]
    for place in range(len(totals)):
        totals[place] += weights[place] * value


@njit(cache=True, nogil=True)
def _rectified_means(answers, gains, heights, lengths, width):  # type: ignore[no-untyped-def]
    """For every patch and filter, the mean of max(0, gain · answer - height) over the places in the patch."""
    filters = len(heights)
    out = np.zeros((len(gains), filters), dtype=np.float32)
    zero = np.float32(0.0)
    for patch in range(len(gains)):
        gain, sums = gains[patch], out[patch]
        fitting = filters  # in ascending length: those that still fit are the first ones
        for offset in range(width):
            while fitting > 0 and lengths[fitting - 1] > width - offset:
                fitting -= 1
            here = answers[patch + offset]
            for row in range(fitting):
                sums[row] += max(zero, here[row] * gain - heights[row])
        for row in range(filters):
            sums[row] /= np.float32(width - lengths[row] + 1)
    return out
