"""What a patch looks like, step by step: its deviations from its own mean, softly brought to a common size."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from paiad.best.softening import patch_gains
from paiad.contracts import Encoder, Learner, checked_train
from paiad.cover import Cover
from paiad.scaling import ZScore
from paiad.shapes import Values, Vectors

POINTS = 64  # a wider patch is averaged down to this many


@dataclass(frozen=True)
class Outline(Learner):
    """Level does not matter, amplitude does, and so does where in the patch something happens."""

    width: int = 32

    def fit(self, train: Values) -> "OutlineEncoder":
        train = checked_train(train, self.width, "Outline")
        return OutlineEncoder(Cover(self.width), ZScore.of(train))


@dataclass(frozen=True)
class OutlineEncoder(Encoder):
    cover: Cover
    scale: ZScore

    def encode(self, values: Values) -> Vectors:
        scaled = self.scale(np.asarray(values, dtype=np.float64))
        means, gains = patch_gains(scaled, self.cover.width)
        return np.asarray(_outlines(scaled, means, gains, self.cover.width, self._step))

    def undo(self, vectors: Vectors, values: Values) -> np.ndarray:
        """The patches, [patches, width], that would look like these vectors where the patches of `values` are."""
        scaled = self.scale(np.asarray(values, dtype=np.float64))
        means, gains = patch_gains(scaled, self.cover.width)
        deviations = np.repeat(vectors / (np.sqrt(self._step) * gains[:, None]), self._step, axis=1)
        return np.asarray((deviations + means[:, None]) * self.scale.spread + self.scale.mean)

    @property
    def _step(self) -> int:
        return max(1, self.cover.width // POINTS)


@njit(cache=True, nogil=True)
def _outlines(values, means, gains, width, step):  # type: ignore[no-untyped-def]
    points = width // step
    out = np.empty((len(means), points), dtype=np.float32)
    size = 1.0 / np.sqrt(step)  # an averaged patch stays as far from others as the whole one
    for patch in range(len(means)):
        for point in range(points):
            total = 0.0
            for offset in range(point * step, (point + 1) * step):
                total += values[patch + offset] - means[patch]
            out[patch, point] = total * size * gains[patch]
    return out
