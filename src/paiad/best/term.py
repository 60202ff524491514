"""One kind of patch at one width: its bank, its distances, and what is usual for them."""

from dataclasses import dataclass, replace

import numpy as np

from paiad.best.stretches import StretchBank
from paiad.best.texture import TextureEncoder
from paiad.best.timing import Timing
from paiad.contracts import Encoder
from paiad.fusion import Calibration, Standardizer
from paiad.shapes import Distances, Scores, Values

UNSTANDARDISED = Standardizer(0.0, 1.0)


@dataclass(frozen=True, eq=False)
class PatchTerm:
    """Distances of patches to a bank of normal ones, in units of what is usual in the training part."""

    name: str
    encoder: Encoder
    bank: StretchBank
    timing: Timing
    standardizer: Standardizer = UNSTANDARDISED

    @classmethod
    def of(
        cls, name: str, encoder: Encoder, train: Values, timing: Timing, bank_size: int, neighbours: int
    ) -> tuple["PatchTerm", Distances]:
        """The term before it is standardised, and the distance of every training patch to the *other* ones:
        neither itself nor a patch that overlaps it may be its neighbour."""
        vectors = encoder.encode(train)
        bank = StretchBank.of(vectors, bank_size, neighbours)
        apart = exclusion(timing.width, len(vectors))
        return cls(name, encoder, bank, timing), bank.distance(vectors, np.arange(len(vectors)), apart)

    @property
    def kind(self) -> object:
        """What terms of several series share that can be computed together."""
        heights = self.encoder.heights.tobytes() if isinstance(self.encoder, TextureEncoder) else None
        return type(self.encoder), self.timing.width, heights

    def distances(self, values: Values) -> Distances:
        """One distance a patch; none when the values are fewer than a patch."""
        if len(values) < self.timing.width:
            return np.empty(0)
        return self.bank.distance(self.encoder.encode(values))

    def standardised_on(
        self, distances: Distances, surprise: Scores, calibration: Calibration
    ) -> "PatchTerm":
        """The term standardised on the training part's own honest distances."""
        scores = self.timing.spread(distances, surprise)
        return replace(self, standardizer=usual(scores[~np.isnan(scores)], calibration))

    def z(self, distances: Distances, surprise: Scores, steps: slice | None = None) -> Scores:
        """Standard deviations above normal at every step, or at some; 0 where there is nothing to say yet."""
        scores = self.timing.spread(distances, surprise, steps)
        return np.where(np.isnan(scores), 0.0, self.standardizer(scores))


def exclusion(width: int, patches: int) -> int:
    """Training patches that start less than so many steps apart do not judge each other: those that overlap, or
    fewer where a third of all would."""
    return max(1, min(width, patches // 3))


def usual(scores: Scores, calibration: Calibration) -> Standardizer:
    """What is usual for a term, by its honest scores on the training part.

    A term that made excursions there is trusted less: its unit is the geometric mean of the standard deviation and
    a third of the largest excursion, which in Gaussian scores are about the same. By "median" the training part
    may hold anomalies, and excursions are not held against the term.

    >>> steady, jumpy = np.tile([0.0, 2.0], 50), np.append(np.tile([0.0, 2.0], 50), 31.0)
    >>> [round(usual(scores, "mean").scale, 1) for scores in (steady, jumpy)]
    [0.6, 5.5]
    """
    plain = Standardizer.of(scores, calibration)
    middle = float(np.median(scores))
    excursion = (float(np.max(scores)) - middle) / 3.0
    if calibration == "median" or excursion <= 0:
        return plain
    return Standardizer(middle, float(np.sqrt(plain.scale * excursion)))


def beyond(scores: Scores, calibration: Calibration) -> Standardizer:
    """Counts from the 99 % quantile of the training part: what stays below it is not worth a word.

    >>> float(beyond(np.linspace(0.0, 100.0, 101), "mean")(np.array([99.0]))[0])
    0.0
    """
    return Standardizer(float(np.quantile(scores, 0.99)), Standardizer.of(scores, calibration).scale)
