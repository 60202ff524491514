"""Any encoder of your own: a function of patches, or something with `fit` and `transform`.

`paiad.encoders.wrap_torch` does the same for torch modules and Hugging Face backbones.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from paiad.contracts import Change, Encoder, Learner, checked_train
from paiad.cover import Cover
from paiad.errors import InputError, SettingError
from paiad.progress import track
from paiad.scaling import UNSCALED, ZScore
from paiad.settings import check_settings
from paiad.shapes import Patches, Values, Vectors

Input = Literal["z-scored", "patch-normalised", "raw"]
PatchFunction = Callable[[Patches], Any]

VARIANCE_FLOOR = 1e-5  # added to a patch's variance
BATCH = 1024


@dataclass(frozen=True)
class FromFunction(Learner):
    """A function that turns patches [n, width] into vectors [n, features], as an encoder.

    It is given the series z-scored by its training mean and deviation, or each patch normalised by itself
    (which hides level and amplitude from it), or the values as they are; `batch` patches at a time.

    >>> from paiad.detectors.prototype import NearestPrototype
    >>> spectrum = FromFunction(lambda patches: np.abs(np.fft.rfft(patches)), width=32)
    >>> scorer = NearestPrototype(spectrum).fit(np.sin(np.arange(300.0)))
    >>> scorer.score(np.sin(np.arange(100.0))).shape
    (100,)
    """

    function: PatchFunction
    width: int = 64
    input: Input = "z-scored"
    batch: int = BATCH

    def __post_init__(self) -> None:
        check_settings(self)

    def fit(self, train: Values) -> "WrappedEncoder":
        train = checked_train(train, self.width, "the wrapped encoder")
        scaling = ZScore.of(train) if self.input == "z-scored" else UNSCALED
        return WrappedEncoder(Cover(self.width), self.function, scaling, self.input, self.batch)


@dataclass(frozen=True)
class FromTransformer(Learner):
    """Anything with `fit(patches)` and `transform(patches)`, such as scikit-learn's, as an encoder.

    A copy is fitted on the training patches; the transformer given stays as it was. Inputs are as for
    `FromFunction`.
    """

    transformer: Any
    width: int = 64
    input: Input = "z-scored"
    batch: int = BATCH

    def __post_init__(self) -> None:
        check_settings(self)
        if not (hasattr(self.transformer, "fit") and hasattr(self.transformer, "transform")):
            kind = type(self.transformer).__name__
            raise SettingError(f"a transformer needs the methods fit and transform; {kind} lacks one")

    def fit(self, train: Values) -> "WrappedEncoder":
        fitted = copy.deepcopy(self.transformer)
        encoder = FromFunction(fitted.transform, self.width, self.input, self.batch).fit(train)
        fitted.fit(encoder.prepared(encoder.cover.extract(np.asarray(train, dtype=np.float64))))
        return encoder


@dataclass(frozen=True, eq=False)
class WrappedEncoder(Encoder):
    """Patches, prepared and handed to a function in batches."""

    cover: Cover
    function: PatchFunction
    scaling: ZScore
    input: Input
    batch: int

    def encode(self, values: Values) -> Vectors:
        patches = self.cover.extract(np.asarray(values, dtype=np.float64))
        begins = track(range(0, len(patches), self.batch), "encoding")
        parts = (self.prepared(patches[begin : begin + self.batch]) for begin in begins)
        return np.concatenate([as_vectors(self.function(part), len(part)) for part in parts])

    def prepared(self, patches: Patches) -> Patches:
        """What the function is given; a copy it may write to."""
        if self.input != "patch-normalised":
            return np.array(self.scaling(patches))
        centred = patches - patches.mean(axis=1, keepdims=True)
        return np.asarray(centred / np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + VARIANCE_FLOOR))

    @property
    def ignores(self) -> frozenset[Change]:
        return frozenset(("shift", "scale") if self.input == "patch-normalised" else ())


def as_vectors(found: Any, patches: int) -> Vectors:
    """What a wrapped encoder returned, as float vectors, or a refusal that says what was expected."""
    found = found.toarray() if hasattr(found, "toarray") else np.asarray(found)  # sparse, or dense
    if found.ndim != 2 or len(found) != patches:
        raise InputError(
            f"the wrapped encoder must return one vector a patch, an array of shape ({patches}, features), "
            f"got {found.shape}"
        )
    if found.dtype.kind not in "biuf" or not np.isfinite(found).all():
        raise InputError("the wrapped encoder returned vectors with values that are not finite numbers")
    return np.asarray(found, dtype=found.dtype if found.dtype.kind == "f" else np.float64)
