"""How still a series stands: what a stuck sensor and a dead line have in common.

Patches of a flat stretch are not magnified (see `softening`), so they lie close to any quiet patch, and their level
may be a usual one: no other term hears of a silence.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from paiad.amplitude import Window
from paiad.contracts import Reach
from paiad.shapes import Scores, Values

STEPS = 16  # increments looked at
FLOOR = 0.01  # of the training part's usual increment; what moves less is all equally still


@dataclass(frozen=True)
class Stillness:
    """Minus the logarithm of the increments around a step, in units of those that are usual in the training part."""

    usual: float
    window: Window = "symmetric"

    @classmethod
    def of(cls, train: Values, window: Window = "symmetric") -> "Stillness":
        sizes = cls(1.0, window)._increments(train)
        known = sizes[~np.isnan(sizes)]
        usual = float(np.median(known)) if len(known) else 0.0
        # Where most of the training part is flat, its mean says how much it moves when it does.
        return cls(usual or (float(known.mean()) if len(known) else 0.0) or 1.0, window)

    def term(self, values: Values) -> Scores:
        """At every step, higher is stiller; NaN where there are not enough steps around.

        >>> still = Stillness(1.0).term(np.append(np.arange(20.0), np.full(20, 20.0)))
        >>> [round(float(still[step]), 1) for step in (10, 30)]
        [-0.0, 4.6]
        """
        return np.asarray(-np.log(self._increments(values) / self.usual + FLOOR))

    @property
    def reach(self) -> Reach:
        return Reach(STEPS, 0) if self.window == "trailing" else Reach(STEPS // 2, STEPS // 2)

    def _increments(self, values: Values) -> Scores:
        reach = self.reach
        values = np.ascontiguousarray(values, dtype=np.float64)
        return np.asarray(_root_mean_squares(values, reach.lookback, reach.lookahead))


@njit(cache=True, nogil=True)
def _root_mean_squares(values, before, after):  # type: ignore[no-untyped-def]
    # Sums of each window on its own, not running ones: a silence is exactly silent whatever went before.
    out = np.full(len(values), np.nan)
    for step in range(before, len(values) - after):
        largest, total = 0.0, 0.0
        for place in range(step - before, step + after):
            largest = max(largest, abs(values[place + 1] - values[place]))
        for place in range(step - before, step + after):
            if largest > 0.0:
                total += ((values[place + 1] - values[place]) / largest) ** 2
        out[step] = largest * np.sqrt(total / (before + after))
    return out
