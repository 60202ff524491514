"""From terms to one score: standardise each on training scores, then add with fixed weights.

The standardised terms (the evidence) are kept apart from the weights, so another choice of weights
costs one multiplication and refits nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from paiad.errors import SettingError
from paiad.settings import check_settings
from paiad.shapes import Scores, Terms

EPSILON = 1e-9  # added to the standard deviation, as in the authors' release

Calibration = Literal["mean", "median"]


@dataclass(frozen=True)
class Standardizer:
    """Centre and scale of one term on training scores.

    A term that is constant on the training data has no scale of its own and is only centred: dividing by
    (almost) zero would let it drown all the others.

    >>> Standardizer.of(np.array([1.0, 3.0]))(np.array([5.0]))
    array([3.])
    """

    centre: float
    scale: float

    @classmethod
    def of(cls, scores: Scores, calibration: Calibration = "mean") -> "Standardizer":
        """By mean and population standard deviation, or, where the training data may hold anomalies,
        by median and MAD (scaled to agree on Gaussian data)."""
        if calibration == "median":
            centre = float(np.median(scores))
            scale = float(np.median(np.abs(scores - centre))) * 1.4826
            if scale > 0:
                return cls(centre, scale)
        centre, scale = float(np.mean(scores)), float(np.std(scores))
        rounding = np.finfo(np.float64).eps * 8 * max(1.0, abs(centre))
        return cls(centre, scale + EPSILON if scale > rounding else 1.0)

    def __call__(self, scores: Scores) -> Scores:
        return np.asarray((scores - self.centre) / self.scale)


@dataclass(frozen=True)
class Weights:
    """Weight of the base detector's term, of the deviation (magG) and of the mean shift (T2)."""

    base: float = 1.0
    deviation: float = 0.6
    mean_shift: float = 0.4

    def __post_init__(self) -> None:
        check_settings(self)

    @classmethod
    def named(cls, name: str) -> "Weights":
        """A preset.

        >>> Weights.named("release")
        Weights(base=0.6, deviation=0.4, mean_shift=0.2)
        """
        if name not in PRESETS:
            raise SettingError(f"no weights are called {name!r}; there are {', '.join(PRESETS)}")
        return PRESETS[name]

    def __iter__(self) -> Iterator[float]:
        return iter((self.base, self.deviation, self.mean_shift))


PAPER = Weights(1.0, 0.6, 0.4)  # stated in the paper's text
RELEASE = Weights(0.6, 0.4, 0.2)  # what the paper's tables of three of its four encoders were made with
PRESETS = {"paper": PAPER, "release": RELEASE}


@dataclass(frozen=True, eq=False)
class Evidence:
    """Standardised terms, `[terms, time]`: how many training standard deviations above normal each runs."""

    terms: tuple[str, ...]
    z: Terms

    def contributions(self, weights: Weights) -> Terms:
        """What each term adds to the score, `[terms, time]`."""
        given = np.array(list(weights), dtype=np.float64)
        # What is not finite says nothing, and must not hide what the other terms say.
        return np.nan_to_num(self.z * given[:, None], nan=0.0, posinf=0.0, neginf=0.0)

    def fuse(self, weights: Weights) -> Scores:
        """The weighted sum over the terms; higher is more anomalous.

        >>> Evidence(("base", "magG", "T2"), np.ones((3, 2))).fuse(Weights(1, 0.5, 0.25))
        array([1.75, 1.75])
        """
        parts = self.contributions(weights)
        total = parts[0].copy()
        for part in parts[1:]:
            total += part
        return total
