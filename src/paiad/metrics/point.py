"""Point-wise measures of the ranking alone: AUC-ROC, AUC-PR, best F1 over all thresholds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.kernel import Kernel

Floats = NDArray[np.float64]
F1_EPSILON = 1e-5  # TSB-AD adds it to p + r, so a perfect ranking has F1 = 0.999995


class PointMeasures(NamedTuple):
    auc_roc: float
    auc_pr: float
    best_f1: float


def point_measures(ascending: Floats, ascending_positive: Floats) -> PointMeasures:
    """From all scores and the anomalous points' scores, both sorted upwards; no normal point: AUC-ROC is NaN."""
    pairs_won, average_precision, best_f1 = _walk(ascending, ascending_positive)
    negative = ascending.size - ascending_positive.size
    pairs = ascending_positive.size * negative
    return PointMeasures(pairs_won / pairs if pairs else float("nan"), average_precision, best_f1)


@Kernel
def _walk(ascending, positive):  # type: ignore[no-untyped-def]
    """From the highest score down; only scores of anomalous points change recall or can be the best F1."""
    pairs_won = 0.0  # anomalous beats normal: 1, tie: 1/2
    average_precision = 0.0
    best_f1 = 0.0
    here = ascending.size  # scores from here on are >= value
    true_positive = 0
    while true_positive < positive.size:
        value = positive[positive.size - 1 - true_positive]
        tied = 0
        while (
            true_positive + tied < positive.size
            and positive[positive.size - 1 - true_positive - tied] == value
        ):
            tied += 1
        while here > 0 and ascending[here - 1] > value:
            here -= 1
        above = ascending.size - here
        while here > 0 and ascending[here - 1] == value:
            here -= 1
        predicted = ascending.size - here
        normal_tied = predicted - above - tied
        true_positive += tied
        normal_below = ascending.size - positive.size - (predicted - true_positive)
        pairs_won += tied * (normal_below + 0.5 * normal_tied)
        precision = true_positive / predicted
        recall = true_positive / positive.size
        average_precision += tied * precision
        best_f1 = max(best_f1, 2 * precision * recall / (precision + recall + F1_EPSILON))
    return pairs_won, average_precision / positive.size, best_f1
