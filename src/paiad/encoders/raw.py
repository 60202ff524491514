"""No encoder at all: the patch itself is its vector, with its amplitude or without."""

from dataclasses import dataclass

import numpy as np

from paiad.contracts import Change, Encoder, Learner, checked_train
from paiad.cover import Cover
from paiad.scaling import ZScore
from paiad.settings import check_settings
from paiad.shapes import Values, Vectors


@dataclass(frozen=True)
class RawPatches(Learner):
    """Patches of the series standardised by training mean and standard deviation.

    Level and amplitude are kept whole: a scaled or shifted patch is another vector.
    """

    width: int = 64

    def __post_init__(self) -> None:
        check_settings(self)

    def fit(self, train: Values) -> "RawPatchEncoder":
        train = checked_train(train, self.width, "RawPatches")
        return RawPatchEncoder(Cover(self.width), ZScore.of(train))


@dataclass(frozen=True)
class RawPatchEncoder(Encoder):
    cover: Cover
    scaling: ZScore

    def encode(self, values: Values) -> Vectors:
        return self.cover.extract(self.scaling(np.asarray(values, dtype=np.float64)))


@dataclass(frozen=True)
class ShapePatches(Learner):
    """Every patch standardised by its own mean and standard deviation, as encoders with instance
    normalisation see it: level and amplitude are gone, the shape is left.

    `floor`, a share of the training standard deviation, keeps the noise of a flat patch from being blown up.
    """

    width: int = 64
    floor: float = 0.01

    def __post_init__(self) -> None:
        check_settings(self)

    def fit(self, train: Values) -> "ShapePatchEncoder":
        train = checked_train(train, self.width, "ShapePatches")
        spread = float(np.std(train))
        return ShapePatchEncoder(Cover(self.width), self.floor * (spread if spread > 0 else 1.0))


@dataclass(frozen=True)
class ShapePatchEncoder(Encoder):
    cover: Cover
    floor: float

    def encode(self, values: Values) -> Vectors:
        patches = self.cover.extract(np.asarray(values, dtype=np.float64))
        mean, spread = patches.mean(axis=1, keepdims=True), patches.std(axis=1, keepdims=True)
        return np.asarray((patches - mean) / np.maximum(spread, self.floor))

    @property
    def ignores(self) -> frozenset[Change]:
        """Level and scale, as long as no patch is flatter than the floor."""
        return frozenset(("shift", "scale"))
