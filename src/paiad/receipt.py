"""The receipt of a score: named terms that sum to it exactly, and what would have been normal."""

from dataclasses import dataclass

import numpy as np

from paiad.errors import SettingError
from paiad.shapes import Scores, Terms, Values


@dataclass(frozen=True, eq=False)
class Receipt:
    """Contributions of named terms, `[terms, time]`; their sum over the terms *is* the score.

    `expected` is the value that would have been normal at each step, and `direction` is +1 where the
    series ran above it, -1 below, 0 on it.

    >>> r = Receipt(("shape", "magG"), np.array([[1.0, 2.0], [0.5, 3.0]]), np.zeros(2), np.array([0.0, 9.0]))
    >>> r.score
    array([1.5, 5. ])
    >>> r.leading(1)
    'magG'
    """

    terms: tuple[str, ...]
    contributions: Terms
    expected: Values
    values: Values

    def __post_init__(self) -> None:
        if self.contributions.shape != (len(self.terms), len(self.values)):
            raise SettingError(
                f"a receipt of {len(self.terms)} terms over {len(self.values)} steps needs contributions "
                f"of that shape, got {self.contributions.shape}"
            )

    @classmethod
    def of_one_term(cls, term: str, score: Scores, values: Values) -> "Receipt":
        """A receipt for a detector that cannot tell its parts; normal is taken to be the median."""
        values = np.asarray(values, dtype=np.float64)
        return cls((term,), np.asarray(score)[None, :], np.full(len(values), np.median(values)), values)

    @property
    def score(self) -> Scores:
        """The terms added in their order, so that the sum is the same to the last bit every time."""
        return summed(self.contributions)

    @property
    def direction(self) -> Scores:
        return np.sign(self.values - self.expected)

    def leading(self, step: int) -> str:
        """The term that adds most at this step."""
        return self.terms[int(np.argmax(self.contributions[:, step]))]


def summed(contributions: Terms) -> Scores:
    """The terms added row by row, always in the same order."""
    total = contributions[0].astype(np.float64, copy=True)
    for term in contributions[1:]:
        total += term
    return total
