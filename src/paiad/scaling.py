"""Scaling a series by what its training part looked like."""

from dataclasses import dataclass

import numpy as np

from paiad.shapes import Values


@dataclass(frozen=True)
class ZScore:
    """Training mean and (population) standard deviation; a constant training part is only centred.

    >>> ZScore.of(np.array([1.0, 3.0]))(np.array([5.0]))
    array([3.])
    """

    mean: float
    spread: float

    @classmethod
    def of(cls, train: Values) -> "ZScore":
        spread = float(np.std(train))
        # A spread below the rounding of the values themselves is no spread.
        rounding = float(np.finfo(np.float64).eps * np.max(np.abs(train)) * 4)
        return cls(float(np.mean(train)), spread if spread > rounding else 1.0)

    def __call__(self, values: Values) -> Values:
        return np.asarray((values - self.mean) / self.spread)


UNSCALED = ZScore(0.0, 1.0)
