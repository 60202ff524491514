"""Soft labels: how much buffer weight, and which runs, every threshold predicts for every window.

For a window w the labels get buffers of half-width h = w // 2. An unlabelled point at distance d <= h
from one run weighs sqrt(1 - d/w); when a second run reaches it too, the weights clip to 1 (each is at
least sqrt(1/2)). Runs whose buffers meet form one group.
"""

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.kernel import Kernel, inline_kernel
from paiad.metrics.labels import Buffer, LabelContext

Floats = NDArray[np.float64]
THRESHOLDS = 250
_TABLE = 256  # thresholds padded to a power of two: a search is eight halvings


def soft_counts(
    context: LabelContext, buffer: Buffer, scores: Floats, thresholds: Floats, window: int
) -> tuple[Floats, Floats, Floats]:
    """A_j (labelled points predicted), B_wj (buffer weight predicted), share of groups hit per half-width."""
    table = np.full(_TABLE, np.inf)
    table[:THRESHOLDS] = thresholds[::-1]
    labelled, run_bin = _run_bins(context.starts, context.ends, scores, table)
    point_bin = _bins(scores, buffer.position, table)
    soft_hit = _soft_hits(
        point_bin,
        buffer.distance,
        buffer.entering,
        buffer.entering_end,
        buffer.filling,
        buffer.filling_end,
        window,
    )
    groups_hit = _groups_hit(
        context.starts,
        context.ends,
        context.length,
        run_bin,
        point_bin,
        buffer.after_run,
        buffer.before_run,
        buffer.reach,
        buffer.right_lag,
    )
    return np.cumsum(labelled), soft_hit, groups_hit


@inline_kernel
def _bin(score, table):  # type: ignore[no-untyped-def]
    """First threshold (highest first) that predicts the score: the number of thresholds above it."""
    below = 0
    step = _TABLE // 2
    while step > 0:
        if table[below + step - 1] <= score:
            below += step
        step //= 2
    return THRESHOLDS - below


@Kernel
def _bins(scores, position, table):  # type: ignore[no-untyped-def]
    bins = np.empty(position.size, np.int64)
    for point in range(position.size):
        bins[point] = _bin(scores[position[point]], table)
    return bins


@Kernel
def _run_bins(starts, ends, scores, table):  # type: ignore[no-untyped-def]
    """Labelled points by their first threshold, and the first threshold that hits each run."""
    hit = np.zeros(THRESHOLDS)
    first = np.empty(starts.size, np.int64)
    for run in range(starts.size):
        first[run] = THRESHOLDS
        for point in range(starts[run], ends[run] + 1):
            own = _bin(scores[point], table)
            hit[own] += 1.0
            first[run] = min(first[run], own)
    return hit, first


@Kernel
def _soft_hits(point_bin, distance, entering, entering_end, filling, filling_end, window):  # type: ignore[no-untyped-def]
    """B_wj: soft weight of the predicted buffer points, per window and threshold."""
    reach = window // 2
    hits = np.zeros((window + 1, THRESHOLDS))
    alone = np.zeros((reach + 1, THRESHOLDS))  # points one run reaches, by distance and bin
    full = np.zeros(THRESHOLDS)  # points two runs reach: sqrt(1 - d/w) >= sqrt(1/2) twice clips to 1
    entered = filled = 0
    for half in range(1, reach + 1):
        while entered < entering_end[half]:
            point = entering[entered]
            alone[distance[point], point_bin[point]] += 1.0
            entered += 1
        while filled < filling_end[half]:
            point = filling[filled]
            alone[distance[point], point_bin[point]] -= 1.0
            full[point_bin[point]] += 1.0
            filled += 1
        for width in range(2 * half, min(2 * half + 1, window) + 1):
            for column in range(THRESHOLDS):
                hits[width, column] = full[column]
            for away in range(1, half + 1):
                weight = np.sqrt(1.0 - away / width)
                for column in range(THRESHOLDS):
                    hits[width, column] += weight * alone[away, column]
            for column in range(1, THRESHOLDS):
                hits[width, column] += hits[width, column - 1]
    return hits


@Kernel
def _groups_hit(starts, ends, length, run_bin, point_bin, after_run, before_run, reach, right_lag):  # type: ignore[no-untyped-def]
    """Share of groups (runs whose buffers meet) with a predicted point, per half-width and threshold."""
    share = np.zeros((reach + 1, THRESHOLDS))
    first, last, group_bin = starts.copy(), ends.copy(), run_bin.copy()  # every run is a group at first
    before, after = before_run.copy(), after_run.copy()
    groups = starts.size
    for half in range(reach + 1):
        right_half = half - right_lag
        kept = -1
        for group in range(groups):
            own = group_bin[group]
            if half > 0 and first[group] - half >= 0:
                own = min(own, point_bin[before[group] - (half - 1)])
            if right_half > 0 and last[group] + right_half < length:
                own = min(own, point_bin[after[group] + (right_half - 1)])
            if kept >= 0 and half > 0 and last[kept] + half >= first[group] - half:
                group_bin[kept] = min(group_bin[kept], own)
            else:
                kept += 1
                first[kept], before[kept], group_bin[kept] = first[group], before[group], own
            last[kept], after[kept] = last[group], after[group]
        groups = kept + 1
        for group in range(groups):
            if group_bin[group] < THRESHOLDS:
                share[half, group_bin[group]] += 1.0
        hit = 0.0
        for column in range(THRESHOLDS):
            hit += share[half, column]
            share[half, column] = hit / groups
    return share
