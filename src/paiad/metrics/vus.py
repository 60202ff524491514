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

from paiad.metrics.kernel import Kernel
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
    surface = tsb_ad_surface(context, scores, ascending, window)
    return Areas(_step_areas(surface.recall, surface.precision), _roc_areas(surface))


def vldb_2022_areas(context: LabelContext, scores: Floats, ascending: Floats, window: int) -> Areas:
    """The same for the definition of 2022; the last window's areas are R-AUC-PR and R-AUC-ROC."""
    surface = vldb_2022_surface(context, scores, ascending, window)
    return Areas(_trapezoid_areas(surface.recall, surface.precision, 1.0), _roc_areas(surface))


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


@Kernel
def _surface(anomalous, length, predicted, labelled, soft, groups, counted):  # type: ignore[no-untyped-def]
    """Recall, FPR and precision; `counted` is the buffer weight that counts as positive."""
    recall, rate, precision = np.empty_like(soft), np.empty_like(soft), np.empty_like(soft)
    for window in range(soft.shape[0]):
        for column in range(THRESHOLDS):
            true_positive = labelled[column] + soft[window, column]
            positive = anomalous + counted[window, column] / 2
            recall[window, column] = min(true_positive / positive, 1.0) * groups[window // 2, column]
            rate[window, column] = (predicted[column] - true_positive) / (length - positive)
            precision[window, column] = true_positive / predicted[column]
    return recall, rate, precision


@Kernel
def _step_areas(across, up):  # type: ignore[no-untyped-def]
    """Per window: each step across has the height at its right end."""
    areas = np.zeros(across.shape[0])
    for window in range(areas.size):
        before = 0.0
        for column in range(THRESHOLDS):
            areas[window] += (across[window, column] - before) * up[window, column]
            before = across[window, column]
    return areas


@Kernel
def _trapezoid_areas(across, up, height):  # type: ignore[no-untyped-def]
    """Per window: from (0, height) in straight lines through all thresholds."""
    areas = np.zeros(across.shape[0])
    for window in range(areas.size):
        before, level = 0.0, height
        for column in range(THRESHOLDS):
            areas[window] += (across[window, column] - before) * (up[window, column] + level) / 2
            before, level = across[window, column], up[window, column]
    return areas


def _roc_areas(surface: Surface) -> Floats:
    """Trapezoids from (0, 0) to (1, 1)."""
    rate, recall = surface.false_positive_rate, surface.recall
    closing = (1.0 - rate[:, -1]) * (1.0 + recall[:, -1]) / 2
    return np.asarray(_trapezoid_areas(rate, recall, 0.0) + closing)
