"""Measures of anomaly scores against labels: exact, fast, and useful on their own."""

from paiad.metrics.definitions import Definition
from paiad.metrics.evaluation import NAMES, Evaluation, evaluate, get_metrics
from paiad.metrics.inputs import MetricInputError
from paiad.metrics.labels import LabelContext
from paiad.metrics.measures import (
    affiliation_f,
    auc_pr,
    auc_roc,
    event_f1,
    pa_f1,
    point_f1,
    r_based_f1,
    vus_pr,
    vus_roc,
)

__all__ = [
    "NAMES",
    "Definition",
    "Evaluation",
    "LabelContext",
    "MetricInputError",
    "affiliation_f",
    "auc_pr",
    "auc_roc",
    "evaluate",
    "event_f1",
    "get_metrics",
    "pa_f1",
    "point_f1",
    "r_based_f1",
    "vus_pr",
    "vus_roc",
]
