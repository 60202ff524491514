"""Measures of anomaly scores against labels: exact, fast, and useful on their own."""

from paiad.metrics.evaluation import NAMES, Evaluation, evaluate, get_metrics
from paiad.metrics.inputs import MetricInputError
from paiad.metrics.labels import LabelContext

__all__ = ["NAMES", "Evaluation", "LabelContext", "MetricInputError", "evaluate", "get_metrics"]
