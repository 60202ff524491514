"""Measures that count detected events: Event-based-F1 and the point-adjusted F1."""

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.kernel import Kernel
from paiad.metrics.levels import LINEAR_THRESHOLDS, Levels

Integers = NDArray[np.int64]
EVENT_EPSILON = 1e-15


def best_event_f1(starts: Integers, ends: Integers, levels: Levels) -> float:
    """Best over the linear thresholds of the F1 of event recall and unadjusted point precision.

    The last index of the series cannot detect a run (TSB-AD ends a run there one step early).
    """
    predicted, hit = _counts(starts, ends, levels)
    reachable = np.minimum(ends, levels.size - 2)
    recall = _detected(_peaks(starts, reachable, levels), np.ones(starts.size, np.int64)) / starts.size
    precision = hit / np.maximum(predicted, 1)
    return float((2 * recall * precision / (recall + precision + EVENT_EPSILON)).max())


def best_point_adjusted_f1(starts: Integers, ends: Integers, levels: Levels) -> float:
    """Best over the linear thresholds of the F1 after filling every run that was touched.

    A run that starts at index 0 is filled down to index 1 only (the backward fill of TSB-AD stops there).
    """
    predicted, hit = _counts(starts, ends, levels)
    lengths = ends - starts + 1
    peaks = _peaks(starts, ends, levels)
    true_positive = _detected(peaks, lengths)
    if starts.size and starts[0] == 0:
        true_positive[levels[0] : peaks[0]] -= 1
    false_positive = predicted - hit
    false_negative = lengths.sum() - true_positive
    f1 = 2 * true_positive / np.maximum(2 * true_positive + false_positive + false_negative, 1)
    return float(f1.max())


def _detected(peaks: Integers, worth: Integers) -> Integers:
    """Sum of `worth` over the runs whose highest level exceeds m, for every threshold m."""
    by_peak = np.bincount(peaks, weights=worth, minlength=LINEAR_THRESHOLDS + 1).astype(np.int64)
    return np.cumsum(by_peak[::-1])[::-1][1:]


@Kernel
def _counts(starts, ends, levels):  # type: ignore[no-untyped-def]
    """Points predicted, and labelled points predicted, at every threshold."""
    predicted = np.zeros(LINEAR_THRESHOLDS + 1, np.int64)
    hit = np.zeros(LINEAR_THRESHOLDS + 1, np.int64)
    for level in levels:
        predicted[level] += 1
    for run in range(starts.size):
        for point in range(starts[run], ends[run] + 1):
            hit[levels[point]] += 1
    for threshold in range(LINEAR_THRESHOLDS - 1, -1, -1):
        predicted[threshold] += predicted[threshold + 1]
        hit[threshold] += hit[threshold + 1]
    return predicted[1:], hit[1:]


@Kernel
def _peaks(starts, ends, levels):  # type: ignore[no-untyped-def]
    """Highest level inside each run; 0 for a run that is empty."""
    peaks = np.zeros(starts.size, np.int64)
    for run in range(starts.size):
        for point in range(starts[run], ends[run] + 1):
            peaks[run] = max(peaks[run], levels[point])
    return peaks
