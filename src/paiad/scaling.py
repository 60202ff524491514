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
        # In units of the largest value squares neither overflow nor vanish; a power of two costs no digit.
        largest = float(np.max(np.abs(train)))
        _, exponent = np.frexp(largest)
        within_one = np.ldexp(train, -exponent)
        mean, spread = np.ldexp((np.mean(within_one), np.std(within_one)), exponent)
        # A spread below the rounding of the values themselves is no spread.
        rounding = np.finfo(np.float64).eps * largest * 4
        return cls(float(mean), float(spread) if spread > rounding else 1.0)

    def __call__(self, values: Values) -> Values:
        return np.asarray((values - self.mean) / self.spread)


UNSCALED = ZScore(0.0, 1.0)
