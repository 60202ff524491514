"""TSB-AD's nine measures, each a function of scores and labels; `evaluate` shares work between several.

Of all of them, higher is better. Names in the paper: Point-F1 is `point_f1`, Range-F1 is `event_f1`.
"""

from typing import Any

from paiad.metrics.evaluation import evaluate


def vus_pr(scores: Any, labels: Any, window: int = 100) -> float:
    """Volume under the precision-recall surface over buffers of 0..`window` around every anomaly.

    >>> vus_pr([0.1, 0.2, 0.9, 0.3], [0, 0, 1, 0], window=2)
    1.0
    """
    return evaluate(scores, labels, window, "VUS-PR")["VUS-PR"]


def vus_roc(scores: Any, labels: Any, window: int = 100) -> float:
    """Volume under the ROC surface over buffers of 0..`window` around every anomaly."""
    return evaluate(scores, labels, window, "VUS-ROC")["VUS-ROC"]


def auc_pr(scores: Any, labels: Any) -> float:
    """Average precision: the mean precision at each anomalous point, going down the ranking."""
    return evaluate(scores, labels, which="AUC-PR")["AUC-PR"]


def auc_roc(scores: Any, labels: Any) -> float:
    """Chance that an anomalous point outranks a normal one, ties counted half; 0.5 knows nothing."""
    return evaluate(scores, labels, which="AUC-ROC")["AUC-ROC"]


def point_f1(scores: Any, labels: Any) -> float:
    """F1 of the points (Standard-F1) at the best of all thresholds; a perfect ranking has 0.999995."""
    return evaluate(scores, labels, which="Standard-F1")["Standard-F1"]


def event_f1(scores: Any, labels: Any) -> float:
    """F1 of event recall and point precision (Event-based-F1) at the best of 100 linear thresholds."""
    return evaluate(scores, labels, which="Event-based-F1")["Event-based-F1"]


def pa_f1(scores: Any, labels: Any) -> float:
    """Point-adjusted F1 at the best of 100 linear thresholds; random scores do well, so never alone."""
    return evaluate(scores, labels, which="PA-F1")["PA-F1"]


def r_based_f1(scores: Any, labels: Any) -> float:
    """Range-based F1 of Tatbul et al. at the best of 100 linear thresholds."""
    return evaluate(scores, labels, which="R-based-F1")["R-based-F1"]


def affiliation_f(scores: Any, labels: Any) -> float:
    """Affiliation F1 of Huet et al. at the best of 100 linear thresholds; about 0.68 for random scores."""
    return evaluate(scores, labels, which="Affiliation-F")["Affiliation-F"]
