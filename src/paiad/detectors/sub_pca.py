"""Sub-PCA: principal axes of all windows; a window is as anomalous as it lies far from every axis vector."""

from dataclasses import dataclass, field, replace

import numpy as np

from paiad.contracts import Detector, Reach, Scorer, checked_train
from paiad.cover import Cover
from paiad.period import dominant_period
from paiad.placement import centred
from paiad.progress import track
from paiad.scaling import ZScore
from paiad.series import as_values
from paiad.settings import check_settings
from paiad.shapes import Patches, Scores, Values, Vectors

ROWS = 4096  # of the window matrix held at once
FARTHEST = 1e140  # training standard deviations: beyond that, squares overflow
LEAST_SHARE = float(np.finfo(np.float64).eps)  # of the variance an axis explains: below it is only rounding


@dataclass(frozen=True)
class SubPCA(Detector):
    """Windows of one period, their columns standardised, all principal axes kept.

    The score of a window x is the sum over the axes v of |x - v| / (share of variance v explains), the
    formula of the benchmark the paper takes it from. The axes that explain least weigh most, and since a
    window has hardly any part along those, its ranking is almost that of |x|: the energy of the window.

    `width` None takes the dominant period of the training values.

    >>> values = np.sin(np.arange(400) / 4)
    >>> values[200:210] += 3
    >>> 190 < int(SubPCA(width=10).fit(values).calibration.argmax()) < 215
    True
    """

    width: int | None = None

    def __post_init__(self) -> None:
        check_settings(self)

    def fit(self, train: Values) -> "SubPCAScorer":
        train = checked_train(train, 4, "Sub-PCA")
        width = dominant_period(train) if self.width is None else self.width
        train = checked_train(train, width + 1, f"Sub-PCA with windows of {width}")
        # On standardised values a large offset or unit costs no digits.
        scale = ZScore.of(train)
        windows = Cover(width).extract(scale(train))
        mean, spread = _column_statistics(windows)
        axes, shares = _principal_axes(windows, mean, spread)
        scorer = SubPCAScorer(scale, mean, spread, axes, shares)
        return replace(scorer, calibration=scorer.score(train))


@dataclass(frozen=True)
class SubPCAScorer(Scorer):
    """Column means and spreads [width], unit axes [axes, width] and the share of variance each explains."""

    scale: ZScore
    mean: np.ndarray
    spread: np.ndarray
    axes: np.ndarray
    shares: np.ndarray
    calibration: Scores = field(default_factory=lambda: np.empty(0))

    @property
    def width(self) -> int:
        return len(self.mean)

    def score(self, values: Values) -> Scores:
        values = as_values(values, "values to score")
        windows = Cover(self.width).extract(np.clip(self.scale(values), -FARTHEST, FARTHEST))
        of_window = np.empty(len(windows))
        for start in track(range(0, len(windows), ROWS), "scoring with Sub-PCA"):
            part = slice(start, start + ROWS)
            of_window[part] = self._distances((windows[part] - self.mean) / self.spread)
        return centred(of_window, self.width, len(values))

    def _distances(self, standardised: Vectors) -> Scores:
        energy = np.einsum("nw,nw->n", standardised, standardised)
        squares = standardised @ self.axes.T
        squares *= -2.0
        squares += energy[:, None] + 1.0  # |x - v|² for a unit axis v
        np.sqrt(np.maximum(squares, 0.0, out=squares), out=squares)
        return np.asarray(squares @ (1.0 / self.shares))

    @property
    def reach(self) -> Reach:
        return Reach(self.width - 1, self.width - 1)


def _column_statistics(windows: Patches) -> tuple[np.ndarray, np.ndarray]:
    """Mean and population standard deviation of each column; 1 where a column does not vary."""
    mean = windows.mean(axis=0)
    squares = np.einsum("nw,nw->w", windows, windows) / len(windows)
    variance = squares - mean**2
    rounding = np.finfo(np.float64).eps * 8 * squares
    return mean, np.sqrt(np.where(variance > rounding, variance, 1.0))


def _principal_axes(windows: Patches, mean: np.ndarray, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    # The triangle of a QR decomposition, fed block by block, has the singular values and axes of the whole
    # matrix to full precision, which the covariance matrix (their squares) would lose.
    triangle = np.empty((0, windows.shape[1]))
    for start in range(0, len(windows), ROWS):
        standardised = (windows[start : start + ROWS] - mean) / spread
        triangle = np.asarray(np.linalg.qr(np.concatenate((triangle, standardised)), mode="r"))
    _, lengths, axes = np.linalg.svd(triangle, full_matrices=False)
    axes *= _signs(windows, mean, spread, axes)[:, None]
    variances = lengths**2
    total = float(variances.sum())
    shares = variances / total if total > 0 else np.ones_like(variances)
    return axes, np.maximum(shares, LEAST_SHARE)


def _signs(windows: Patches, mean: np.ndarray, spread: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """An axis has no sign, but the distance to it has: the window farthest along it is on its positive side."""
    farthest = np.zeros(len(axes))
    for start in range(0, len(windows), ROWS):
        along = ((windows[start : start + ROWS] - mean) / spread) @ axes.T
        candidate = np.take_along_axis(along, np.abs(along).argmax(axis=0)[None], axis=0)[0]
        farthest = np.where(np.abs(candidate) > np.abs(farthest), candidate, farthest)
    return np.where(farthest < 0, -1.0, 1.0)
