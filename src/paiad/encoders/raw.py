"""No encoder at all: the patch itself, in training standard deviations, is its vector."""

from dataclasses import dataclass

import numpy as np

from paiad.contracts import Encoder, Learner, checked_train
from paiad.cover import Cover
from paiad.shapes import Values, Vectors


@dataclass(frozen=True)
class RawPatches(Learner):
    """Patches of the series standardised by training mean and standard deviation.

    Level and amplitude are kept whole: a scaled or shifted patch is another vector.
    """

    width: int = 64

    def fit(self, train: Values) -> "RawPatchEncoder":
        train = checked_train(train, self.width, "RawPatches")
        spread = float(np.std(train))
        return RawPatchEncoder(Cover(self.width), float(np.mean(train)), spread if spread > 0 else 1.0)


@dataclass(frozen=True)
class RawPatchEncoder(Encoder):
    cover: Cover
    mean: float
    spread: float

    def encode(self, values: Values) -> Vectors:
        return self.cover.extract((np.asarray(values, dtype=np.float64) - self.mean) / self.spread)
