"""Range-based F1 of Tatbul et al. with flat bias: how much of each run is found, in how many pieces."""

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.kernel import Kernel
from paiad.metrics.labels import LabelContext
from paiad.metrics.levels import LINEAR_THRESHOLDS, Levels, Runs

Floats = NDArray[np.float64]
EXISTENCE_WEIGHT = 0.2  # alpha of the recall; the precision has none


def best_range_f1(context: LabelContext, levels: Levels, predicted: Runs) -> float:
    """Best over the linear thresholds; 0 when every point is anomalous (TSB-AD then finds no run)."""
    if context.anomalous == context.length:
        return 0.0
    recall = _recall(context.starts, context.ends, levels)
    precision = _precision(context.labelled_before, context.started_before, context.ended_before, *predicted)
    return float((2 * precision * recall / np.maximum(precision + recall, np.finfo(float).tiny)).max())


@Kernel
def _recall(starts, ends, levels):  # type: ignore[no-untyped-def]
    """Per threshold the mean over runs of 0.2 * [touched] + 0.8 * share predicted / number of pieces."""
    total = np.zeros(LINEAR_THRESHOLDS)
    pieces = np.zeros(LINEAR_THRESHOLDS + 1, np.int64)
    overlap = np.zeros(LINEAR_THRESHOLDS + 1, np.int64)
    for run in range(starts.size):
        pieces[:] = 0
        overlap[:] = 0
        before = peak = 0
        for point in range(starts[run], ends[run] + 1):
            level = levels[point]
            overlap[level] += 1
            if level > before:
                pieces[before] += 1
                pieces[level] -= 1
            before = level
            peak = max(peak, level)
        for threshold in range(LINEAR_THRESHOLDS - 1, -1, -1):
            overlap[threshold] += overlap[threshold + 1]
        length = ends[run] - starts[run] + 1
        open_pieces = 0
        for threshold in range(peak):
            open_pieces += pieces[threshold]
            share = overlap[threshold + 1] / length
            total[threshold] += EXISTENCE_WEIGHT + (1.0 - EXISTENCE_WEIGHT) * share / open_pieces
    return total / starts.size


@Kernel
def _precision(labelled_before, started_before, ended_before, start, end, low, high):  # type: ignore[no-untyped-def]
    """Per threshold the mean over predicted runs of share labelled / number of labelled runs met."""
    total = np.zeros(LINEAR_THRESHOLDS)
    runs = np.zeros(LINEAR_THRESHOLDS + 1, np.int64)
    for row in range(start.size):
        runs[low[row]] += 1
        runs[high[row]] -= 1
        first, behind = start[row], end[row] + 1
        overlap = labelled_before[behind] - labelled_before[first]
        if overlap > 0:
            met = started_before[behind] - ended_before[first]
            worth = overlap / (behind - first) / met
            for threshold in range(low[row], high[row]):
                total[threshold] += worth
    open_runs = 0
    for threshold in range(LINEAR_THRESHOLDS):
        open_runs += runs[threshold]
        if open_runs > 0:
            total[threshold] /= open_runs
    return total
