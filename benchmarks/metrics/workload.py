"""The seeded input of the speed table: a detector that sees most anomalies, and about 5 % anomalous points."""

import numpy as np

WINDOW = 100


def workload(length: int, kind: str = "smooth") -> tuple[np.ndarray, np.ndarray]:
    """(scores, labels); `smooth` scores drift like those of sliding windows, `noise` ones do not."""
    generator = np.random.default_rng(length)
    labels = np.zeros(length, np.int64)
    for start in generator.integers(0, length - 200, max(1, length // 2000)):
        labels[start : start + generator.integers(50, 151)] = 1
    scores = generator.normal(size=length)
    if kind == "smooth":
        scores = np.convolve(scores, np.ones(40) / 40**0.5, "same")
    return scores + np.convolve(labels, np.ones(30) / 15, "same"), labels
