"""Any encoder and a bank: a patch is as anomalous as its vector is far from the nearest normal ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from paiad.bank import NEIGHBOURS, MemoryBank, Reduction
from paiad.contracts import Change, Detector, Encoder, Learner, Reach, Scorer
from paiad.encoders.raw import RawPatches
from paiad.nearest import Metric
from paiad.placing import Device
from paiad.series import as_values
from paiad.settings import check_settings
from paiad.shapes import Distances, Scores, Values


@dataclass(frozen=True)
class NearestPrototype(Detector):
    """Mean distance to the nearest of a bank of prototypes, spread over the steps each patch covers.

    `bank_size` None keeps the paper's number. With `leave_out` the calibration scores are those of patches
    that may not match themselves or their overlapping neighbours, which is what new data looks like to the
    bank; without, they are the plain training distances of the paper. `device` is where the bank is made and
    searched; the encoder has its own.
    """

    learner: Learner = field(default_factory=RawPatches)
    metric: Metric = "euclidean"
    bank_size: int | None = None
    reduction: Reduction = "medoids"
    neighbours: int = NEIGHBOURS
    leave_out: bool = False
    seed: int = 0
    device: Device = "cpu"

    def __post_init__(self) -> None:
        check_settings(self)

    def fit(self, train: Values) -> "NearestPrototypeScorer":
        return self.around(self.learner.fit(train), train)

    def fit_many(self, trains: Sequence[Values]) -> list[Scorer]:
        encoders = self.learner.fit_many(trains)
        return [self.around(encoder, train) for encoder, train in zip(encoders, trains, strict=True)]

    def around(self, encoder: Encoder, train: Values) -> "NearestPrototypeScorer":
        """A bank of what an encoder that is there already makes of `train`."""
        vectors = encoder.encode(np.asarray(train, dtype=np.float64))
        bank = MemoryBank.reduced(
            vectors,
            self.bank_size,
            self.reduction,
            self.metric,
            self.neighbours,
            self.seed,
            self.device,
        )
        exclusion = encoder.cover.width + encoder.context if self.leave_out else 0
        distances = bank.distance(vectors, np.arange(len(vectors)), exclusion)
        return NearestPrototypeScorer(encoder, bank, encoder.cover.spread(distances, len(train)))


@dataclass(frozen=True, eq=False)
class NearestPrototypeScorer(Scorer):
    encoder: Encoder
    bank: MemoryBank
    calibration: Scores

    def distances(self, values: Values) -> Distances:
        """One distance a patch."""
        return self.bank.distance(self.encoder.encode(np.asarray(values, dtype=np.float64)))

    def score(self, values: Values) -> Scores:
        values = as_values(values, "values to score")
        return self.encoder.cover.spread(self.distances(values), len(values))

    @property
    def reach(self) -> Reach | None:
        return self.encoder.reach

    @property
    def ignores(self) -> frozenset[Change]:
        return self.encoder.ignores
