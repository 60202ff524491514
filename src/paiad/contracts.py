"""The contracts: a recipe is fitted into something that only reads.

Detector ──fit──▶ Scorer      values in, one score a step out
Learner  ──fit──▶ Encoder     values in, one vector a patch out
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from paiad.cover import Cover
from paiad.receipt import Receipt
from paiad.shapes import Scores, Values, Vectors

Change = Literal["shift", "scale"]
"""A constant added to a whole series, or a positive factor put on it."""


@dataclass(frozen=True)
class Reach:
    """Which neighbours a score needs: from `lookback` steps before to `lookahead` steps after.

    A score is final `lookahead` steps after its own.
    """

    lookback: int
    lookahead: int

    def __or__(self, other: "Reach") -> "Reach":
        """The reach of two things computed side by side.

        >>> Reach(5, 0) | Reach(2, 3)
        Reach(lookback=5, lookahead=3)
        """
        return Reach(max(self.lookback, other.lookback), max(self.lookahead, other.lookahead))


class Detector(ABC):
    """A recipe: a frozen dataclass of hyper-parameters. Fitting it leaves it as it was."""

    @abstractmethod
    def fit(self, train: Values) -> "Scorer":
        """Learn from values taken as normal."""

    def fit_many(self, trains: Sequence[Values]) -> list["Scorer"]:
        """A scorer for each training part, as `fit` gives them; together where that is faster on a GPU."""
        return [self.fit(train) for train in trains]


class Scorer(ABC):
    """A fitted detector: a frozen dataclass of what was learnt. Scoring leaves it as it was."""

    calibration: Scores
    """Score of every training step, judged as far as the method can by the *other* training data:
    what normal scores look like. When the whole series was given as training data, these are its scores."""

    least: ClassVar[float] = 0.0
    """A score less than this above normal is no anomaly, however regular the training data; 0 where scores have no
    unit of their own."""

    @abstractmethod
    def score(self, values: Values) -> Scores:
        """One score a time step, as long as `values`; higher is more anomalous.

        Values that are not finite are refused (`paiad.series.as_values` does it): how to fill a hole is not for a
        detector to decide.
        """

    def explain(self, values: Values) -> Receipt:
        """The score taken apart into terms that sum to it exactly."""
        return Receipt.of_one_term("score", self.score(values), values)

    def explain_training(self, train: Values) -> Receipt:
        """The calibration scores taken apart; `train` are the values this was fitted on."""
        return Receipt.of_one_term("score", self.calibration, train)

    @property
    def trifles(self) -> Mapping[str, float]:
        """By term: a stretch that it lifted is no event, however regular the rest, where no value is further than this
        from the expected one, in interquartile ranges of the series. Terms that ask something else are not named."""
        return {}

    @property
    def reach(self) -> Reach | None:
        """Which neighbours a score depends on; None when it depends on the whole series scored."""
        return None

    @property
    def ignores(self) -> frozenset[Change]:
        """Changes of the scored series that leave its scores as they were (but for rounding)."""
        return frozenset()


class Learner(ABC):
    """A recipe for an encoder: a frozen dataclass of hyper-parameters."""

    @abstractmethod
    def fit(self, train: Values) -> "Encoder":
        """Learn an encoder from values taken as normal."""

    def fit_many(self, trains: Sequence[Values]) -> list["Encoder"]:
        """An encoder for each training part, as `fit` gives them; together where that is faster on a GPU."""
        return [self.fit(train) for train in trains]


class Encoder(ABC):
    """Turns every patch of a series into a vector."""

    cover: Cover
    """Which steps the distance of each vector belongs to."""

    context: int = 0
    """How many values before its first step a patch's vector also depends on."""

    @abstractmethod
    def encode(self, values: Values) -> Vectors:
        """One vector a patch, [cover.count(time), features], for all patches of `values` at once."""

    @property
    def reach(self) -> Reach | None:
        """Reach of a score made by spreading patch distances over `cover`."""
        if self.cover.stride != 1:
            return None
        return Reach(self.cover.width - 1 + self.context, self.cover.width - 1)

    @property
    def ignores(self) -> frozenset[Change]:
        """Changes of the encoded series that leave its vectors as they were (but for rounding)."""
        return frozenset()


def checked_train(train: Values, least: int, who: str) -> Values:
    """The training values as float64, or a clear refusal when there are fewer than `least`.

    >>> checked_train([0, 1, 2], 2, "example")
    array([0., 1., 2.])
    """
    from paiad.errors import TooShortError
    from paiad.series import as_values

    train = as_values(train, "training part")
    if len(train) < least:
        raise TooShortError(f"{who} needs at least {least} training values, got {len(train)}")
    return train
