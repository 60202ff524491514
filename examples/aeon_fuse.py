"""aeon's k-means detector on a series, and what PAI's amplitude terms add to it.

Run: pip install 'paiad[examples]' && python examples/aeon_fuse.py
"""

import numpy as np
from aeon.anomaly_detection.series.distance_based import KMeansAD

import paiad
from paiad.thresholds import ExtremeValue

TRAIN, WIDTH = 1500, 40
SPIKE = 2200


def series() -> np.ndarray:
    """A noisy sine of 3,000 steps with one value that is off by its amplitude and a half."""
    values = np.sin(np.arange(3000) / 6.0) + np.random.default_rng(0).normal(scale=0.1, size=3000)
    values[SPIKE] = 2.5
    return values


def kmeans_scores(values: np.ndarray) -> np.ndarray:
    """One score a step: the distance of its windows to the nearest of 20 centres of normal windows."""
    detector = KMeansAD(n_clusters=20, window_size=WIDTH, stride=1, random_state=0)
    detector.fit(values[:TRAIN])
    return np.asarray(detector.predict(values), dtype=np.float64)


def main() -> tuple[np.ndarray, paiad.FusedScores]:
    values = series()
    base = kmeans_scores(values)
    fused = paiad.fuse(base, values, train=TRAIN)
    threshold = ExtremeValue().fit(fused.calibration)
    for event in paiad.find_events(fused.score, threshold, fused.receipt):
        print(f"steps {event.start} to {event.end}: severity {event.severity:.1f}, mostly {event.leading}")
    return base, fused


if __name__ == "__main__":
    main()
