"""Volume under the ROC and precision-recall surfaces: TSB-AD's definition, and that of VLDB 2022.

At threshold j and window w, with A labelled points predicted, B the buffer weight predicted and N points
predicted in all: TP = A + B, recall = min(TP / P', 1) times the share of groups hit, precision = TP / N,
FPR = (N - TP) / (n - P'). The definitions differ in three places:

=============  ==========================================  ==================================
               TSB-AD (since October 2024)                  VLDB 2022 (and TAB)
=============  ==========================================  ==================================
P'             P + B / 2                                    P + (weight of the whole buffer) / 2
PR area        steps: precision at the step's right end     trapezoids from (0, 1)
buffer         h points on either side                      h before a run, h - 1 behind it
=============  ==========================================  ==================================
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.kernel import Kernel, inline_kernel
from paiad.metrics.labels import LabelContext
from paiad.metrics.soft_labels import THRESHOLDS, soft_counts

Floats = NDArray[np.float64]


class Surface(NamedTuple):
    """One row per window 0..L, one column per threshold (highest first)."""

    recall: Floats  # times the share of groups hit
    false_positive_rate: Floats
    precision: Floats


class Areas(NamedTuple):
    """Area under each window's curve."""

    precision_recall: Floats
    roc: Floats


def tsb_ad_areas(context: LabelContext, scores: Floats, ascending: Floats, window: int) -> Areas:
    """PR and ROC areas of every window 0..`window`; their means are VUS-PR and VUS-ROC."""
    counts = _counts(context, scores, ascending, window, right_lag=0)
    return Areas(*_tsb_ad_areas(context.anomalous, context.length, *counts))


def vldb_2022_areas(context: LabelContext, scores: Floats, ascending: Floats, window: int) -> Areas:
    """The same for the definition of 2022; the last window's areas are R-AUC-PR and R-AUC-ROC."""
    counts = _counts(context, scores, ascending, window, right_lag=1)
    return Areas(*_vldb_2022_areas(context.anomalous, context.length, *counts))


def tsb_ad_surface(context: LabelContext, scores: Floats, ascending: Floats, window: int) -> Surface:
    """Curves whose positives count the buffer as far as it was predicted."""
    counts = _counts(context, scores, ascending, window, right_lag=0)
    return _surface(context, counts, counts.soft)


def vldb_2022_surface(context: LabelContext, scores: Floats, ascending: Floats, window: int) -> Surface:
    """Curves whose positives count the whole buffer."""
    counts = _counts(context, scores, ascending, window, right_lag=1)
    return _surface(context, counts, np.repeat(counts.soft[:, -1:], THRESHOLDS, axis=1))


def threshold_ranks(length: int) -> NDArray[np.int64]:
    """Ranks (0 = highest score) of the thresholds: the truncated float steps of a linspace.

    >>> threshold_ranks(1000)[:4].tolist()
    [0, 4, 8, 12]
    """
    return np.linspace(0, length - 1, THRESHOLDS).astype(np.int64)


class _Counts(NamedTuple):
    """What the thresholds predict: points, labelled points A, buffer weight B per window, share of groups."""

    predicted: NDArray[np.int64]
    labelled: Floats
    soft: Floats
    groups: Floats


def _counts(context: LabelContext, scores: Floats, ascending: Floats, window: int, right_lag: int) -> _Counts:
    thresholds = ascending[ascending.size - 1 - threshold_ranks(ascending.size)]
    predicted = ascending.size - np.searchsorted(ascending, thresholds, side="left")
    buffer = context.buffer(window // 2, right_lag)
    return _Counts(predicted, *soft_counts(context, buffer, scores, thresholds, window))


def _surface(context: LabelContext, counts: _Counts, counted: Floats) -> Surface:
    surface = Surface(*(np.empty_like(counts.soft) for _ in Surface._fields))
    for width, soft in enumerate(counts.soft):
        groups = counts.groups[width // 2]
        row = _rates(
            context.anomalous, context.length, counts.predicted, counts.labelled, soft, groups, counted[width]
        )
        for whole, part in zip(surface, row, strict=True):
            whole[width] = part
    return surface


@inline_kernel
def _rates(anomalous, length, predicted, labelled, soft, groups, counted):  # type: ignore[no-untyped-def]
    """One window's (recall, FPR, precision); `counted` is the buffer weight that counts as positive."""
    true_positive = labelled + soft
    positive = anomalous + counted / 2
    recall = np.minimum(true_positive / positive, 1.0) * groups
    return recall, (predicted - true_positive) / (length - positive), true_positive / predicted


@Kernel
def _tsb_ad_areas(anomalous, length, predicted, labelled, soft, groups):  # type: ignore[no-untyped-def]
    windows = soft.shape[0]
    precision_recall, roc = np.empty(windows), np.empty(windows)
    for width in range(windows):
        row, share = soft[width], groups[width // 2]
        recall, rate, precision = _rates(anomalous, length, predicted, labelled, row, share, row)
        precision_recall[width] = _step_area(recall, precision)
        roc[width] = _roc_area(rate, recall)
    return precision_recall, roc


@Kernel
def _vldb_2022_areas(anomalous, length, predicted, labelled, soft, groups):  # type: ignore[no-untyped-def]
    windows = soft.shape[0]
    precision_recall, roc = np.empty(windows), np.empty(windows)
    for width in range(windows):
        row, share = soft[width], groups[width // 2]
        whole_buffer = np.full(THRESHOLDS, row[-1])
        recall, rate, precision = _rates(anomalous, length, predicted, labelled, row, share, whole_buffer)
        precision_recall[width] = _trapezoids(recall, precision, 1.0)
        roc[width] = _roc_area(rate, recall)
    return precision_recall, roc


@inline_kernel
def _step_area(recall, precision):  # type: ignore[no-untyped-def]
    """Each step of recall has the precision at its right end."""
    area = before = 0.0
    for column in range(THRESHOLDS):
        area += (recall[column] - before) * precision[column]
        before = recall[column]
    return area


@inline_kernel
def _trapezoids(across, up, height):  # type: ignore[no-untyped-def]
    """From (0, height) through all thresholds."""
    area = before = 0.0
    for column in range(THRESHOLDS):
        area += (across[column] - before) * (up[column] + height) / 2
        before, height = across[column], up[column]
    return area


@inline_kernel
def _roc_area(rate, recall):  # type: ignore[no-untyped-def]
    """Closed at (1, 1)."""
    return _trapezoids(rate, recall, 0.0) + (1.0 - rate[-1]) * (1.0 + recall[-1]) / 2
