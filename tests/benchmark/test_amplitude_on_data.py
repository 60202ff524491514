"""magG, T2 and magG+T2 on every series at hand: scores and six measures by a twin written from the formulas.

The twin of the measures shares no code with the package, and none with the slow twin of the other tests: there each
threshold is one loop, here all thresholds come from running sums over the sorted scores.
"""

import math
from pathlib import Path

import numpy as np
import pytest

from paiad import datasets
from paiad.benchmark.measure import Ruler, judging_window, measured
from paiad.benchmark.suite import Protocol
from paiad.catalog import make
from paiad.series import Series

pytestmark = pytest.mark.slow

HALF = 32
SCORES = {"magG": "magg", "T2": "t2", "magG+T2": "magg-t2"}


def scores(series: Series) -> dict[str, np.ndarray]:
    values, split = series.values, series.train_end
    train = values[:split]
    median = np.median(train)
    unit = spread(train) + 1e-12
    far, shifted = np.abs(values - median) / unit, np.abs(local_mean(values - median)) / unit
    known = np.abs(local_mean(train - median)) / unit  # in training the window ends with the training part
    both = standard(far, far[:split]) + standard(shifted, known) / 2
    return {"magG": far, "T2": shifted, "magG+T2": both}


def spread(train: np.ndarray) -> float:
    """The MAD; where more than half of the values are equal, the next spread that is not zero, as documented."""
    low, first, third, high = (float(np.quantile(train, share)) for share in (0.01, 0.25, 0.75, 0.99))
    normal = 0.6745  # MAD of a Gaussian of deviation 1
    several = (
        float(np.median(np.abs(train - np.median(train)))),
        (third - first) / 2,
        normal * (high - low) / (2 * 2.3263),
        normal * float(train.std()),
    )
    least = 4 * np.spacing(1.0) * np.abs(train).max()
    return next((one for place, one in enumerate(several) if one > (least if place else 0)), 1.0)


def local_mean(values: np.ndarray) -> np.ndarray:
    """Mean over the 65 steps around each, fewer at the ends; each sum is rounded once, so that equal means are equal.

    (Thresholds lie at scores that occur: a last bit that parts two equal scores moves VUS by 1e-6.)
    """
    given = values.tolist()
    windows = (given[max(0, t - HALF) : t + HALF + 1] for t in range(len(given)))
    return np.array([math.fsum(window) / len(window) for window in windows])


def standard(term: np.ndarray, train: np.ndarray) -> np.ndarray:
    """By mean and deviation; where training is constant, and has none, only centred, as documented."""
    deviation = train.std()
    constant = deviation <= 8 * np.spacing(1.0) * max(1.0, abs(train.mean()))
    return (term - train.mean()) / (1.0 if constant else deviation + 1e-9)


def measures(score: np.ndarray, labels: np.ndarray, window: int) -> dict[str, float]:
    order = np.argsort(-score, kind="stable")
    falling, hits = score[order], np.cumsum(labels[order])
    ends = np.append(np.flatnonzero(np.diff(falling)), len(score) - 1)  # the last of each distinct score
    found, told = hits[ends], ends + 1
    anomalies, normals = labels.sum(), (labels == 0).sum()
    recall, precision = found / anomalies, found / told
    rate = np.concatenate([[0], (told - found) / normals])
    f1 = 2 * precision * recall / (precision + recall + 1e-5)
    volume = [curve(falling, order, labels, width) for width in range(window + 1)]
    return {
        "VUS-PR": float(np.mean([area for area, _ in volume])),
        "VUS-ROC": float(np.mean([area for _, area in volume])),
        "Event-based-F1": event_f1(score, labels),
        "AUC-PR": float(np.sum(np.diff(recall, prepend=0) * precision)),
        "AUC-ROC": float(np.trapezoid(np.concatenate([[0], recall]), rate)),
        "Standard-F1": float(max(f1.max(), 0.0)),
    }


def runs(mask: np.ndarray) -> np.ndarray:
    """First and last of each run, [runs, 2]."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return edges.reshape(-1, 2) - [0, 1]


def curve(falling: np.ndarray, order: np.ndarray, labels: np.ndarray, width: int) -> tuple[float, float]:
    """Areas under precision by recall and under recall by false positives, for one width of the buffers."""
    n, half = len(labels), width // 2
    soft = labels.astype(float)
    groups: list[list[int]] = []
    for first, last in runs(labels):
        for away in range(1, half + 1):
            for place in (first - away, last + away):
                if 0 <= place < n:
                    soft[place] += math.sqrt(1 - away / width)
        if groups and groups[-1][1] + half >= first - half:
            groups[-1][1] = last
        else:
            groups.append([first, last])
    soft = np.minimum(soft, 1)
    ranks = (np.arange(249) * ((n - 1) / 249)).astype(int)
    levels = falling[np.append(ranks, n - 1)]
    told = np.searchsorted(-falling, -levels, side="right")
    weight, plain = np.cumsum(soft[order]), np.cumsum((soft * (labels == 0))[order])
    inverse = np.empty(n)
    inverse[order] = falling
    highest = np.array([inverse[max(a - half, 0) : min(b + half, n - 1) + 1].max() for a, b in groups])
    existence = (highest[None] >= levels[:, None]).mean(axis=1)
    true = weight[told - 1]
    positive = (labels.sum() + labels.sum() + plain[told - 1]) / 2
    recall, rate = np.minimum(true / positive, 1) * existence, (told - true) / (n - positive)
    steps = float(np.sum(np.diff(recall, prepend=0) * (true / told)))
    around = np.concatenate([[0], rate, [1]]), np.concatenate([[0], recall, [1]])
    return steps, float(np.trapezoid(around[1], around[0]))


def event_f1(score: np.ndarray, labels: np.ndarray) -> float:
    lowest, highest = float(score.min()), float(score.max())
    levels = [step * ((highest - lowest) / 99) + lowest for step in range(99)] + [highest]
    best, n, events = 0.0, len(labels), runs(labels)
    tops = np.array(
        [score[a : min(b, n - 2) + 1].max() if min(b, n - 2) >= a else -np.inf for a, b in events]
    )
    for level in levels:
        above = score > level
        precision = labels[above].mean() if above.any() else 0.0
        recall = (tops > level).mean()
        best = max(best, 2 * recall * precision / (recall + precision + 1e-15))
    return best


def every_series(shared: Path) -> list[Series]:
    return [*datasets.tsb_ad(shared / "data/TSB-AD-U"), *datasets.tab(shared / "data/TAB")]


def test_scores_and_measures_equal_the_twin_on_every_series(shared):
    every = every_series(shared)
    assert len(every) >= 109
    for series in every:
        ruler = Ruler.of(Protocol(), "full")
        window = judging_window(series.values, ruler)
        for name, expected in scores(series).items():
            ours = make(SCORES[name]).fit(series.train).score(series.values)
            np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9, err_msg=f"{series.name}, {name}")
            twin = measures(expected, series.labels, window)
            for measure in measured(ours, series, ruler):
                assert measure.value == pytest.approx(twin[measure.metric], abs=1e-9), (series.name, name)
