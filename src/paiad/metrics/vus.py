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
    return Surface(*_surface(context.anomalous, context.length, *counts, counts.soft))


def vldb_2022_surface(context: LabelContext, scores: Floats, ascending: Floats, window: int) -> Surface:
    """Curves whose positives count the whole buffer, which the last threshold predicts."""
    counts = _counts(context, scores, ascending, window, right_lag=1)
    whole = np.repeat(counts.soft[:, -1:], THRESHOLDS, axis=1)
    return Surface(*_surface(context.anomalous, context.length, *counts, whole))


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


@inline_kernel
def _rates(anomalous, length, predicted, labelled, soft, groups, counted):  # type: ignore[no-untyped-def]
    """(recall, FPR, precision) at one threshold; `counted` is the buffer weight that counts as positive."""
    true_positive = labelled + soft
    positive = anomalous + counted / 2
    recall = min(true_positive / positive, 1.0) * groups
    return recall, (predicted - true_positive) / (length - positive), true_positive / predicted


@Kernel
def _tsb_ad_areas(anomalous, length, predicted, labelled, soft, groups):  # type: ignore[no-untyped-def]
    """PR by steps with the precision at their right end, ROC by trapezoids from (0, 0) to (1, 1)."""
    windows = soft.shape[0]
    precision_recall, roc = np.zeros(windows), np.zeros(windows)
    for w in range(windows):
        recall = rate = 0.0
        for j in range(THRESHOLDS):
            recall_before, rate_before = recall, rate
            recall, rate, precision = _rates(
                anomalous, length, predicted[j], labelled[j], soft[w, j], groups[w // 2, j], soft[w, j]
            )
            precision_recall[w] += (recall - recall_before) * precision
            roc[w] += (rate - rate_before) * (recall + recall_before) / 2
        roc[w] += (1.0 - rate) * (1.0 + recall) / 2
    return precision_recall, roc


@Kernel
def _vldb_2022_areas(anomalous, length, predicted, labelled, soft, groups):  # type: ignore[no-untyped-def]
    """Both by trapezoids: PR from (0, 1), ROC from (0, 0) to (1, 1)."""
    windows = soft.shape[0]
    precision_recall, roc = np.zeros(windows), np.zeros(windows)
    for w in range(windows):
        recall = rate = 0.0
        precision = 1.0
        whole_buffer = soft[w, THRESHOLDS - 1]
        for j in range(THRESHOLDS):
            recall_before, rate_before, precision_before = recall, rate, precision
            recall, rate, precision = _rates(
                anomalous, length, predicted[j], labelled[j], soft[w, j], groups[w // 2, j], whole_buffer
            )
            precision_recall[w] += (recall - recall_before) * (precision + precision_before) / 2
            roc[w] += (rate - rate_before) * (recall + recall_before) / 2
        roc[w] += (1.0 - rate) * (1.0 + recall) / 2
    return precision_recall, roc


@Kernel
def _surface(anomalous, length, predicted, labelled, soft, groups, counted):  # type: ignore[no-untyped-def]
    recall, rate, precision = np.empty_like(soft), np.empty_like(soft), np.empty_like(soft)
    for w in range(soft.shape[0]):
        for j in range(THRESHOLDS):
            recall[w, j], rate[w, j], precision[w, j] = _rates(
                anomalous, length, predicted[j], labelled[j], soft[w, j], groups[w // 2, j], counted[w, j]
            )
    return recall, rate, precision
