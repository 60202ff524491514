"""KShapeAD: the shapes a series is made of, by k-Shape, and how far each stretch is from all of them."""

from dataclasses import dataclass, field, replace

import numpy as np

from paiad.contracts import Change, Detector, Reach, Scorer, checked_train
from paiad.cover import Cover
from paiad.kshapes import Clusters, clusters, shape_distances
from paiad.period import dominant_period
from paiad.progress import track
from paiad.scaling import ZScore
from paiad.series import as_values
from paiad.settings import check_settings
from paiad.shapes import Distances, Patches, Scores, Values

BLOCK = 2**22  # correlations held at once
RECENT = 0.5  # share of a shape's weight that fades with the time since it was last seen
FARTHEST = 1e140  # training standard deviations: beyond that, squares overflow
CONSTANT = 1e-9  # a stretch that varies less, in training standard deviations, has no shape


@dataclass(frozen=True)
class KShape(Detector):
    """Stretches of four periods, clustered into shapes by k-Shape; shapes that are frequent, central and
    recent weigh most. The score is the weighted distance (z-normalised, at the best match) of one period of
    the series to each shape, averaged over the periods that cover a step.

    `period` None takes the dominant period of the training values, but no more than a sixth of them.
    """

    period: int | None = None
    shapes: int = 6
    iterations: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        check_settings(self)

    def fit(self, train: Values) -> "KShapeScorer":
        train = checked_train(train, 24, "KShapeAD")
        period = min(dominant_period(train), len(train) // 6) if self.period is None else self.period
        train = checked_train(train, 4 * period + 1, f"KShapeAD with a period of {period}")
        scale = ZScore.of(train)
        starts = np.arange(0, len(train) - 4 * period, int(1.5 * period))
        stretches = Cover(4 * period).extract(scale(train))[starts]
        found = clusters(stretches, self.shapes, self.iterations, np.random.default_rng(self.seed))
        scorer = KShapeScorer(scale, period, found.centres, _weights(found, starts, len(train)))
        return replace(scorer, calibration=scorer.score(train))


@dataclass(frozen=True)
class KShapeScorer(Scorer):
    """Shapes [shapes, 4 * period] and how much the distance to each counts."""

    scale: ZScore
    period: int
    shapes: np.ndarray
    weights: np.ndarray
    calibration: Scores = field(default_factory=lambda: np.empty(0))

    def score(self, values: Values) -> Scores:
        cover, values = Cover(self.period), as_values(values, "values to score")
        windows = cover.extract(np.clip(self.scale(values), -FARTHEST, FARTHEST))
        total = np.zeros(len(windows))
        weighed = list(zip(self.shapes, self.weights, strict=True))
        for shape, weight in track(weighed, "scoring with KShapeAD"):
            total += weight * best_match(windows, cover.extract(shape))
        return cover.spread(total / self.weights.sum(), len(values))

    @property
    def reach(self) -> Reach:
        return Reach(self.period - 1, self.period - 1)

    @property
    def ignores(self) -> frozenset[Change]:
        return frozenset(("shift", "scale"))


def best_match(windows: Patches, pieces: Patches) -> Distances:
    """z-normalised distance of each window to the nearest piece.

    Constant stretches have no shape: two of them are alike, and one is sqrt(width) from any other.

    >>> best_match(np.array([[1.0, 2.0, 4.0], [5.0, 5.0, 5.0]]), np.array([[10.0, 20.0, 40.0]])).round(6)
    array([0.      , 1.732051])
    """
    width = windows.shape[1]
    directions, flat_piece = _directions(pieces)
    directions = directions[~flat_piece]
    found = np.empty(len(windows))
    rows = max(1, BLOCK // max(len(directions), width))
    for start in range(0, len(windows), rows):
        part, flat = _directions(windows[start : start + rows])
        correlation = (part @ directions.T).max(axis=1, initial=-1.0)
        distance = np.sqrt(np.maximum(2 * width * (1 - correlation), 0.0))
        if flat_piece.any():
            distance = np.minimum(distance, np.sqrt(width))
        found[start : start + rows] = np.where(flat, 0.0 if flat_piece.any() else np.sqrt(width), distance)
    return found


def _directions(patches: Patches) -> tuple[np.ndarray, np.ndarray]:
    """Patches less their mean, of length one; and which are constant (and left as zeros)."""
    centred = patches - patches.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(centred, axis=1)
    flat = lengths <= CONSTANT * np.sqrt(patches.shape[1])
    return centred / np.where(flat, 1.0, lengths)[:, None] * ~flat[:, None], flat


def _weights(found: Clusters, starts: np.ndarray, length: int) -> np.ndarray:
    size = np.bincount(found.owner, minlength=len(found.centres)).astype(np.float64)
    apart = shape_distances(found.centres, found.centres)[0].sum(axis=1)
    weight = _from_one_to_two(size) ** 2 / _from_one_to_two(apart)
    last_seen = np.array([starts[found.owner == cluster].max() for cluster in range(len(found.centres))])
    return (1 - RECENT) * weight + RECENT * weight / (1 + length - last_seen)


def _from_one_to_two(values: np.ndarray) -> np.ndarray:
    low, high = values.min(), values.max()
    return np.asarray((values - low) / (high - low + 1e-7) + 1)
