"""What is normal: a part of the series, other data, or, when nothing is known, the series itself."""

from dataclasses import dataclass

import numpy as np

from paiad.errors import InputError, TooShortError
from paiad.reading import Table
from paiad.runs import Mask, mask_of, runs_of
from paiad.series import Series
from paiad.shapes import Scores, Values
from paiad.thresholds import MAD_TO_SIGMA

# Chosen on half of the labelled series, see benchmarks/detect/modes.py.
STANDS_OUT = 4.0  # robust standard deviations above the median
MARGIN = 16  # steps around a disturbance that it may have touched
ROUNDS = 10


@dataclass(frozen=True, eq=False)
class NormalPart:
    """Values taken as normal, and in words where they come from: `steps` of the series that is judged (the first
    and one past the last), or values from elsewhere; `alone` when nothing is known but the series itself."""

    how: str
    steps: tuple[int, int] | None = None
    other: Values | None = None
    alone: bool = False

    def values(self, series: Series) -> Values:
        """The values to fit on."""
        if self.other is not None:
            return self.other
        return series.values if self.steps is None else series.values[slice(*self.steps)]


def normal_part(series: Series, normal: Table | None = None, by_labels: bool = False) -> NormalPart:
    """Other data where it is given, else the steps before the training end, else those labels call normal."""
    if normal is not None:
        return _from_table(series, normal)
    if series.train_end is not None:
        return NormalPart(f"the first {series.train_end:,} steps were taken as normal", (0, series.train_end))
    if by_labels and series.labels is not None:
        return _longest_unlabelled(series)
    how = "nothing was said to be normal: the series was compared with itself, no stretch with its own part"
    return NormalPart(how, alone=True)


def _from_table(series: Series, normal: Table) -> NormalPart:
    by_name = {other.name: other for other in normal.series}
    other = normal.series[0] if len(by_name) == 1 else by_name.get(series.name)
    if other is None:
        raise InputError(
            f"{normal.name}: has no series {series.name!r} to learn normal from; it has {', '.join(by_name)}"
        )
    return NormalPart(f"{len(other):,} steps of {normal.name} were taken as normal", other=other.values)


def _longest_unlabelled(series: Series) -> NormalPart:
    runs = runs_of(np.asarray(series.labels) == 0)
    if not len(runs):
        raise TooShortError("every step is labelled an anomaly; nothing is left to learn normal from")
    first, last = runs[int(np.argmax(runs[:, 1] - runs[:, 0]))]
    how = f"steps {first:,} to {last:,}, the longest stretch labelled normal, were taken as normal"
    return NormalPart(how, (int(first), int(last) + 1))


def undisturbed(scores: Scores) -> Scores:
    """Scores of a series compared with itself, without the stretches that stand out: what is left shows what
    normal scores look like, so that anomalies do not hide behind the threshold they have raised.

    Each round sets aside what stands out from what the round before has left, as anomalies widen the spread.

    >>> scores = np.abs(np.random.default_rng(0).normal(size=1000)); scores[500] = 40
    >>> bool(undisturbed(scores).max() < 5)
    True
    """
    kept = np.isfinite(scores)
    fewest = kept.sum() / 2  # where most of the series stands out, nothing does
    for _ in range(ROUNDS):
        left = kept & ~_standing_out(scores, kept)
        if left.sum() < fewest or (left == kept).all():
            break
        kept = left
    return np.asarray(scores[kept])


def _standing_out(scores: Scores, kept: Mask) -> Mask:
    middle = float(np.median(scores[kept]))
    away = np.abs(scores[kept] - middle)
    # Where more than half of the scores are equal, as on a flat line, the mean takes the place of the median.
    spread = MAD_TO_SIGMA * float(np.median(away)) or float(np.mean(away))
    runs = runs_of(scores > middle + STANDS_OUT * spread)
    return mask_of(np.stack([np.maximum(runs[:, 0] - MARGIN, 0), runs[:, 1] + MARGIN], axis=1), len(scores))
