"""Affiliation F1 of Huet et al.: how near predictions and events are, against predicting at random.

Points are unit cells, a run s..e is the interval J = [s, e+1), and the series is cut into one zone per
run, halfway between neighbours. Within its zone of length W:

- precision is the mean over predicted places of 1 inside J, else 1 - (|J| + d + min(d, m)) / W, with d
  the distance to J and m the distance from J to the zone's nearer end;
- recall is the mean over J of 1 where predicted, else 1 - (d + min(d, r)) / W, with d the distance to the
  nearest prediction of the zone and r that to the zone's nearer end; 0 without a prediction.
"""

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.kernel import Kernel, inline_kernel
from paiad.metrics.labels import LabelContext
from paiad.metrics.levels import LINEAR_THRESHOLDS, Levels, Runs

Floats = NDArray[np.float64]
EPSILON = 1e-15


def best_affiliation_f1(context: LabelContext, levels: Levels, unpredicted: Runs) -> float:
    """Best over the linear thresholds; NaN when no threshold predicts anything (a constant score)."""
    borders = zone_borders(context)
    precision, zones_hit = _precision(context.starts, context.ends, borders, levels)
    missed = _missed(
        context.starts, context.ends, borders, context.started_before, context.ended_before, *unpredicted
    )
    predicts = zones_hit > 0
    if not predicts.any():
        return float("nan")
    recall = ((zones_hit - missed) / context.starts.size)[predicts]
    precision = precision[predicts] / zones_hit[predicts]
    return float((2 * precision * recall / (precision + recall + EPSILON)).max())


def zone_borders(context: LabelContext) -> Floats:
    """E+1 places: the ends of the series, and the midpoints between the intervals of neighbouring runs."""
    between = (context.ends[:-1] + 1 + context.starts[1:]) / 2
    return np.concatenate(([0.0], between, [float(context.length)]))


@Kernel
def _precision(starts, ends, borders, levels):  # type: ignore[no-untyped-def]
    """Per threshold the sum of the zones' precisions, and the number of zones with a prediction."""
    total = np.zeros(LINEAR_THRESHOLDS)
    zones_hit = np.zeros(LINEAR_THRESHOLDS)
    length = np.zeros(LINEAR_THRESHOLDS + 1)  # predicted length, by level
    worth = np.zeros(LINEAR_THRESHOLDS + 1)  # integral of the point-wise precision over it
    for run in range(starts.size):
        zone_start, zone_end = borders[run], borders[run + 1]
        for level in range(LINEAR_THRESHOLDS + 1):
            length[level] = worth[level] = 0.0
        for cell in range(int(zone_start), int(np.ceil(zone_end))):
            left, right = max(float(cell), zone_start), min(cell + 1.0, zone_end)
            level = levels[cell]
            length[level] += right - left
            worth[level] += _cell_worth(left, right, starts[run], ends[run] + 1, zone_start, zone_end)
        for threshold in range(LINEAR_THRESHOLDS - 1, -1, -1):
            length[threshold] += length[threshold + 1]
            worth[threshold] += worth[threshold + 1]
        for threshold in range(LINEAR_THRESHOLDS):
            if length[threshold + 1] == 0.0:
                break
            total[threshold] += worth[threshold + 1] / length[threshold + 1]
            zones_hit[threshold] += 1.0
    return total, zones_hit


@inline_kernel
def _cell_worth(left, right, run_start, run_end, zone_start, zone_end):  # type: ignore[no-untyped-def]
    """Integral of the point-wise precision over [left, right), which lies inside or outside the run."""
    if left >= run_start and right <= run_end:
        return right - left
    if left < run_start:
        near, far = run_start - right, run_start - left
    else:
        near, far = left - run_end, right - run_end
    margin = min(run_start - zone_start, zone_end - run_end)
    distance = (far * far - near * near) / 2
    capped = _capped(far, margin) - _capped(near, margin)
    return (right - left) - ((run_end - run_start) * (right - left) + distance + capped) / (
        zone_end - zone_start
    )


@Kernel
def _missed(starts, ends, borders, started_before, ended_before, start, end, low, high):  # type: ignore[no-untyped-def]
    """Per threshold the sum over zones with a prediction of 1 - recall, gathered from unpredicted runs."""
    total = np.zeros(LINEAR_THRESHOLDS)
    for row in range(start.size):
        for run in range(ended_before[start[row]], started_before[end[row] + 1]):
            zone_start, zone_end = borders[run], borders[run + 1]
            if start[row] <= zone_start and end[row] + 1 >= zone_end:
                continue
            run_start, run_end = float(starts[run]), ends[run] + 1.0
            left, right = max(run_start, start[row]), min(run_end, end[row] + 1.0)
            lost = _lost(left, right, float(start[row]), end[row] + 1.0, zone_start, zone_end)
            lost /= (zone_end - zone_start) * (run_end - run_start)
            for threshold in range(low[row], high[row]):
                total[threshold] += lost
    return total


@inline_kernel
def _lost(left, right, gap_start, gap_end, zone_start, zone_end):  # type: ignore[no-untyped-def]
    """Integral over [left, right) of d + min(d, r), inside a gap between predictions.

    Between two predictions the nearer one is nearer than the zone's end: the integrand is 2 d. With one
    prediction only, at one end of the gap, d + r is the constant distance from it to the zone's other
    end: the integrand is min(2d, d + r).
    """
    if gap_start <= zone_start:
        half = (gap_end - zone_start) / 2
        return 2 * (_capped(gap_end - left, half) - _capped(gap_end - right, half))
    if gap_end >= zone_end:
        half = (zone_end - gap_start) / 2
        return 2 * (_capped(right - gap_start, half) - _capped(left - gap_start, half))
    middle = (gap_start + gap_end) / 2
    half = middle - gap_start
    return _tent(right - middle, half) - _tent(left - middle, half)


@inline_kernel
def _capped(distance, cap):  # type: ignore[no-untyped-def]
    """Integral of min(d, cap) for d from 0 to `distance`."""
    if distance <= cap:
        return distance * distance / 2
    return cap * cap / 2 + cap * (distance - cap)


@inline_kernel
def _tent(place, half):  # type: ignore[no-untyped-def]
    """Integral of 2 (half - |v|) for v from 0 to `place`: twice the distance to the nearer end of -half..half."""
    return place * (2 * half - abs(place))
