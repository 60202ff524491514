"""Patches of a series, and the way back: which time steps each patch's distance belongs to."""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from paiad.errors import TooShortError
from paiad.settings import check_settings
from paiad.shapes import Distances, Patches, Scores, Values


@dataclass(frozen=True)
class Cover:
    """Patch i covers the steps i*stride … i*stride + width - 1.

    >>> Cover(width=2).spread(np.array([1.0, 3.0]))
    array([1., 2., 3.])
    """

    width: int
    stride: int = 1

    def __post_init__(self) -> None:
        check_settings(self)

    def count(self, length: int) -> int:
        """How many whole patches a series of this length has."""
        return max(0, (length - self.width) // self.stride + 1)

    def extract(self, values: Values) -> Patches:
        """All patches, as a read-only view [patches, width] without copies."""
        if len(values) < self.width:
            raise TooShortError(f"a patch needs {self.width} values, got a series of {len(values)}")
        return sliding_window_view(values, self.width)[:: self.stride]

    def spread(self, distances: Distances, length: int | None = None) -> Scores:
        """The mean distance of the patches that cover each step (fewer patches at the two ends).

        Steps that no patch covers (between patches, or in a tail shorter than a stride) take the score of the
        last covered step before them.
        """
        distances = np.asarray(distances, dtype=np.float64)
        covered = (len(distances) - 1) * self.stride + self.width
        if self.width == self.stride:
            score = np.repeat(distances, self.width)
        elif self.stride == 1:
            score = _mean_of_neighbours(distances, self.width)
        else:
            score = self._add_patch_by_patch(distances, covered)
        return score if length is None else np.pad(score, (0, length - covered), mode="edge")

    def _add_patch_by_patch(self, distances: Distances, covered: int) -> Scores:
        total, count = np.zeros(covered), np.zeros(covered)
        starts = np.arange(len(distances)) * self.stride
        for offset in range(self.width):
            total[starts + offset] += distances
            count[starts + offset] += 1
        covered_before = np.maximum.accumulate(np.where(count > 0, np.arange(covered), 0))
        return (total / np.maximum(count, 1))[covered_before]


def _mean_of_neighbours(distances: Distances, width: int) -> Scores:
    # Sums of deviations from the middle keep the running sum small, so that little is lost to cancellation.
    middle = float(np.median(distances))
    total = np.concatenate(([0.0], np.cumsum(distances - middle)))
    length = len(distances) + width - 1
    step = np.arange(length)
    last = np.minimum(step, len(distances) - 1) + 1
    first = np.maximum(step - width + 1, 0)
    return np.asarray((total[last] - total[first]) / (last - first) + middle)
