"""PyOD's isolation forest on windows of a series, and what PAI's amplitude terms add to it.

Run: pip install 'paiad[examples]' && python examples/pyod_fuse.py
"""

import numpy as np
from pyod.models.iforest import IForest

import paiad
from paiad.cover import Cover
from paiad.thresholds import ExtremeValue

TRAIN, WIDTH = 1500, 40
SHIFT = slice(2200, 2500)


def series() -> np.ndarray:
    """A noisy sine of 3,000 steps; for 300 of them its level is off by its amplitude."""
    values = np.sin(np.arange(3000) / 6.0) + np.random.default_rng(0).normal(scale=0.1, size=3000)
    values[SHIFT] += 1.0
    return values


def isolation_scores(values: np.ndarray) -> np.ndarray:
    """One score a step: the mean score of the windows that cover it. Any PyOD detector could stand here."""
    cover = Cover(WIDTH)
    windows = cover.extract(values)
    # Each window by its own mean and spread: a common habit, and blind to level.
    windows = (windows - windows.mean(axis=1, keepdims=True)) / windows.std(axis=1, keepdims=True)
    detector = IForest(random_state=0).fit(windows[: TRAIN - WIDTH + 1])
    return cover.spread(detector.decision_function(windows), len(values))


def main() -> tuple[np.ndarray, paiad.FusedScores]:
    values = series()
    base = isolation_scores(values)
    fused = paiad.fuse(base, values, train=TRAIN)
    threshold = ExtremeValue().fit(fused.calibration)
    for event in paiad.find_events(fused.score, threshold, fused.receipt):
        print(f"steps {event.start} to {event.end}: severity {event.severity:.1f}, mostly {event.leading}")
    return base, fused


if __name__ == "__main__":
    main()
