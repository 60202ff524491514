"""One series, ready to be scored: finite values, and what is known of them."""

from dataclasses import dataclass

import numpy as np

from paiad.errors import InputError
from paiad.shapes import Labels, Quality, Times, Values


@dataclass(frozen=True, eq=False)
class Series:
    """Values in time order, one a row of the source, and what is known of each row.

    `values` are finite: what was missing has been filled by the reader, and `quality` says where.
    `train_end` rows from the start are taken as normal; None means that nothing is known of that.

    >>> Series("cpu", np.arange(5.0), train_end=3).train
    array([0., 1., 2.])
    """

    name: str
    values: Values
    labels: Labels | None = None
    train_end: int | None = None
    time: Times | None = None
    quality: Quality | None = None

    def __post_init__(self) -> None:
        length = len(self.values)
        for what in ("labels", "time", "quality"):
            column = getattr(self, what)
            if column is not None and len(column) != length:
                raise InputError(
                    f"{self.name}: {what} must have {length} rows as the values do, got {len(column)}"
                )
        if self.train_end is not None and not 0 < self.train_end <= length:
            raise InputError(
                f"{self.name}: train_end must lie inside the series "
                f"(0 < train_end <= {length}), got {self.train_end}"
            )

    def __len__(self) -> int:
        return len(self.values)

    @property
    def train(self) -> Values:
        """The part taken as normal; the whole series when nothing is known."""
        return self.values if self.train_end is None else self.values[: self.train_end]


def as_values(values: object, name: str = "values") -> Values:
    """Turn a sequence into float64 values, refusing what cannot be scored.

    >>> as_values([1, 2, 3])
    array([1., 2., 3.])
    """
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name}: expected numbers, got {array.dtype}")
    array = np.ascontiguousarray(array, dtype=np.float64).squeeze()
    if array.ndim == 0:
        array = array.reshape(1)
    if array.ndim != 1:
        raise InputError(f"{name}: expected one value a time step, got an array of shape {array.shape}")
    if not len(array):
        raise InputError(f"{name}: there are no values")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"{name}: value {array[row]} at row {row} is not finite; fill or drop it first")
    return array
