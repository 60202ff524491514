"""Slow, obvious versions of the fast kernels, to compare them with."""

import math

import numpy as np


def deviation(values: np.ndarray, median: float, unit: float) -> np.ndarray:
    return np.array([abs(float(value) - median) / unit for value in values])


def mean_shift(values: np.ndarray, median: float, unit: float, before: int, after: int) -> np.ndarray:
    """Every window is added up anew, without rounding."""
    shifts = []
    for step in range(len(values)):
        window = values[max(0, step - before) : step + after + 1]
        shifts.append(abs(math.fsum(window) / len(window) - median) / unit)
    return np.array(shifts)


def nearest(queries: np.ndarray, bank: np.ndarray, neighbours: int) -> np.ndarray:
    gaps = queries[:, None, :] - bank[None, :, :]
    return np.sort(np.sqrt((gaps**2).sum(axis=2)), axis=1)[:, :neighbours]


def nearest_outside(queries: np.ndarray, bank: np.ndarray, neighbours: int, exclusion: int) -> np.ndarray:
    """Queries and bank are the same training patches; those closer in time than `exclusion` do not count."""
    found = []
    for position, query in enumerate(queries):
        others = [
            float(np.sqrt(((query - row) ** 2).sum()))
            for place, row in enumerate(bank)
            if abs(place - position) >= exclusion
        ]
        found.append((sorted(others) + [np.inf] * neighbours)[:neighbours])
    return np.array(found)


def spread(distances: np.ndarray, width: int, stride: int, length: int) -> np.ndarray:
    covering: list[list[float]] = [[] for _ in range(length)]
    for patch, distance in enumerate(distances):
        for step in range(patch * stride, patch * stride + width):
            covering[step].append(float(distance))
    scores, last = [], 0.0
    for found in covering:
        last = sum(found) / len(found) if found else last
        scores.append(last)
    return np.array(scores)
