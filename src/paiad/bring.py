"""Bring your own scores: any detector's output gets PAI's amplitude terms.

The scores may come from any library or vendor, as long as there is one a step and higher is more anomalous.
"""

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import ClassVar

import numpy as np

from paiad.amplitude import HALF_WIDTH, Level, Window
from paiad.errors import InputError, SettingError
from paiad.fusion import PAPER, Calibration, Evidence, Standardizer, Weights
from paiad.pai import LEAST, TERMS, Amplitude, standardised
from paiad.receipt import Receipt
from paiad.series import as_values
from paiad.shapes import Scores, Values

Train = int | float | slice | np.ndarray | None
"""Which steps are normal: how many from the start, which share of them, a slice, or a mask; None: nothing is known."""


@dataclass(frozen=True, eq=False)
class FusedScores:
    """The scores of one series with the amplitude terms added, standardised on its normal steps alone.

    `score` is higher where the series is more anomalous; `evidence` holds the terms in training standard
    deviations, and `calibration` what the fused score is on the normal steps.
    """

    least: ClassVar[float] = LEAST  # as of a `paiad.contracts.Scorer`

    evidence: Evidence
    weights: Weights
    values: Values
    train: np.ndarray
    amplitude: Amplitude
    standardizers: tuple[Standardizer, ...]

    @property
    def score(self) -> Scores:
        return self.evidence.fuse(self.weights)

    @property
    def calibration(self) -> Scores:
        """Fused scores of the normal steps; what a threshold is found from."""
        return np.asarray(self.score[self.train])

    @property
    def receipt(self) -> Receipt:
        """The score taken apart into terms that sum to it exactly."""
        expected = np.full(len(self.values), self.amplitude.level.median)
        return Receipt(self.evidence.terms, self.evidence.contributions(self.weights), expected, self.values)

    def weighing(self, weights: Weights) -> "FusedScores":
        """The same evidence under other weights."""
        return replace(self, weights=weights)


def fuse(
    base: object,
    values: object,
    train: Train = None,
    weights: Weights | str = PAPER,
    half_width: int = HALF_WIDTH,
    window: Window = "symmetric",
) -> FusedScores:
    """Add the deviation and the mean shift of `values` to the scores of another detector.

    `base` is one score for every step of `values`, higher for more anomalous. `train` says which steps are
    normal; where nothing is known, the whole series calibrates the terms, by median and MAD, so that the
    anomalies in it weigh little. `weights` may be the name of a preset.

    >>> values = np.sin(np.arange(400) / 9.0); values[300] = 6.0
    >>> own_scores = np.random.default_rng(0).random(400)
    >>> fused = fuse(own_scores, values, train=200)
    >>> int(fused.score.argmax()), fused.receipt.leading(300)
    (300, 'magG')
    """
    base, values = as_values(base, "base scores"), as_values(values)
    if len(base) != len(values):
        raise InputError(
            f"base scores: expected one a value ({len(values)}), got {len(base)}; a detector that scores windows "
            "needs its scores spread over the steps of each window first"
        )
    weights = Weights.named(weights) if isinstance(weights, str) else weights
    if not isinstance(weights, Weights):
        raise SettingError(f"weights must be Weights or the name of a preset, got {weights!r}")
    normal = normal_steps(train, len(values))
    calibration: Calibration = "median" if train is None else "mean"
    amplitude = Amplitude(Level.of(values[normal]), half_width, window)
    terms = (base, *amplitude.terms(values))
    # The mean shift of normal steps is computed on them alone: their windows must not reach into what follows.
    of_normal = (base[normal], *amplitude.terms(values[normal]))
    standardizers = tuple(Standardizer.of(term, calibration) for term in of_normal)
    evidence = Evidence(TERMS, standardised(terms, standardizers))
    return FusedScores(evidence, weights, values, normal, amplitude, standardizers)


def normal_steps(train: Train, length: int) -> np.ndarray:
    """The mask of the steps taken as normal.

    >>> normal_steps(0.5, 4).tolist(), normal_steps(3, 4).tolist()
    ([True, True, False, False], [True, True, True, False])
    """
    mask = np.zeros(length, dtype=bool)
    if isinstance(train, (list, tuple)):
        train = np.asarray(train)
    if train is None:
        mask[:] = True
    elif isinstance(train, np.ndarray):
        if train.shape != (length,) or train.dtype != bool:
            raise InputError(f"train: a mask must be {length} truth values, got {train.dtype} {train.shape}")
        mask |= train
    elif isinstance(train, slice):
        mask[train] = True
    else:
        mask[: _from_the_start(train, length)] = True
    if mask.sum() < 2:
        raise InputError(
            f"train: {train!r} leaves {int(mask.sum())} of {length} steps as normal; it takes at least 2"
        )
    return mask


def _from_the_start(train: object, length: int) -> int:
    number = isinstance(train, Real) and not isinstance(train, bool)
    if number and 0 < float(train) < 1:  # type: ignore[arg-type]
        return int(float(train) * length)  # type: ignore[arg-type]
    if isinstance(train, Integral) and number and int(train) <= length:
        return max(0, int(train))
    raise InputError(
        f"train: expected how many of the {length} steps are normal, a share between 0 and 1, a slice or a mask; "
        f"got {train!r}"
    )
