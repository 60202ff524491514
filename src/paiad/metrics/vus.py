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
    return Areas(_step_areas(surface), _roc_areas(surface))


def vldb_2022_areas(context: LabelContext, scores: Floats, ascending: Floats, window: int) -> Areas:
    """The same for the definition of 2022; the last window's areas are R-AUC-PR and R-AUC-ROC."""
    surface = vldb_2022_surface(context, scores, ascending, window)
    return Areas(_trapezoid_areas(surface), _roc_areas(surface))


def tsb_ad_surface(context: LabelContext, scores: Floats, ascending: Floats, window: int) -> Surface:
    """Curves whose positives count the buffer as far as it was predicted."""
    thresholds, predicted = _thresholds(ascending)
    labelled, soft, groups = soft_counts(context, context.buffer(window // 2), scores, thresholds, window)
    positives = context.anomalous + soft / 2
    return Surface(*_rates(context.length, predicted, labelled, soft, groups, positives))


def vldb_2022_surface(context: LabelContext, scores: Floats, ascending: Floats, window: int) -> Surface:
    """Curves whose positives count the whole buffer."""
    thresholds, predicted = _thresholds(ascending)
    buffer = context.buffer(window // 2, right_lag=1)
    labelled, soft, groups = soft_counts(context, buffer, scores, thresholds, window)
    positives = context.anomalous + np.repeat(soft[:, -1:], THRESHOLDS, axis=1) / 2
    return Surface(*_rates(context.length, predicted, labelled, soft, groups, positives))


def threshold_ranks(length: int) -> NDArray[np.int64]:
    """Ranks (0 = highest score) of the thresholds: the truncated float steps of a linspace.

    >>> threshold_ranks(1000)[:4].tolist()
    [0, 4, 8, 12]
    """
    return np.linspace(0, length - 1, THRESHOLDS).astype(np.int64)


def _thresholds(ascending: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Scores at the ranks, and how many points reach each of them (ties included)."""
    thresholds = ascending[ascending.size - 1 - threshold_ranks(ascending.size)]
    return thresholds, ascending.size - np.searchsorted(ascending, thresholds, side="left")


@Kernel
def _rates(length, predicted, labelled, soft, groups, positives):  # type: ignore[no-untyped-def]
    recall = np.empty_like(soft)
    false_positive_rate = np.empty_like(soft)
    precision = np.empty_like(soft)
    for width in range(soft.shape[0]):
        existence = groups[width // 2]
        for column in range(soft.shape[1]):
            true_positive = labelled[column] + soft[width, column]
            positive = positives[width, column]
            recall[width, column] = min(true_positive / positive, 1.0) * existence[column]
            false_positive_rate[width, column] = (predicted[column] - true_positive) / (length - positive)
            precision[width, column] = true_positive / predicted[column]
    return recall, false_positive_rate, precision


def _step_areas(surface: Surface) -> Floats:
    return (np.diff(surface.recall, prepend=0.0) * surface.precision).sum(axis=1)


def _trapezoid_areas(surface: Surface) -> Floats:
    precision = surface.precision.copy()
    precision[:, 1:] += surface.precision[:, :-1]
    precision[:, 0] += 1.0
    return (np.diff(surface.recall, prepend=0.0) * precision).sum(axis=1) / 2


def _roc_areas(surface: Surface) -> Floats:
    """Trapezoids from (0, 0) through all thresholds to (1, 1)."""
    recall_twice = surface.recall.copy()
    recall_twice[:, 1:] += surface.recall[:, :-1]
    steps = np.diff(surface.false_positive_rate, prepend=0.0)
    last = (1.0 - surface.false_positive_rate[:, -1]) * (1.0 + surface.recall[:, -1])
    return ((steps * recall_twice).sum(axis=1) + last) / 2
