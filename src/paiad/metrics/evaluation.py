"""Scores and labels in, the measures out: one call that shares the sorting between them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from paiad.metrics.affiliation import affiliation_f1
from paiad.metrics.events import event_f1, pa_f1
from paiad.metrics.inputs import MetricInputError, refuse_not_finite, score_array
from paiad.metrics.labels import LabelContext
from paiad.metrics.levels import Levels, linear_thresholds, predicted_runs, threshold_levels, unpredicted_runs
from paiad.metrics.point import point_measures
from paiad.metrics.ranges import r_based_f1
from paiad.metrics.sorting import ascending
from paiad.metrics.vus import volumes
from paiad.period import FALLBACK

Definition = Literal["tsb-ad", "tab", "vus-2022"]
NAMES = ("VUS-PR", "VUS-ROC", "AUC-PR", "AUC-ROC", "Standard-F1", "Event-based-F1", "PA-F1", "R-based-F1", "Affiliation-F")
ALIASES = {"Point-F1": "Standard-F1", "Range-F1": "Event-based-F1", "Event-F1": "Event-based-F1"}


@dataclass(frozen=True)
class Evaluation(Mapping[str, float]):
    """Measures by name (all: higher is better), with what they were computed on."""

    values_by_name: Mapping[str, float]
    definition: Definition
    window: int
    scope: str
    n: int
    warnings: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        return self.values_by_name[ALIASES.get(name, name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)


class _Ranked:
    """Scores against labels, with each shared step done at most once."""

    def __init__(self, context: LabelContext, scores: Any) -> None:
        self.context = context
        self.given = score_array(scores, context.length)
        self.scores = self.given.astype(np.float64, copy=False)
        if not (np.isfinite(self.scores.min()) and np.isfinite(self.scores.max())):
            refuse_not_finite(self.given)
        self.ascending = ascending(self.scores)

    @cached_property
    def point(self) -> tuple[float, float, float]:
        return point_measures(self.ascending, ascending(self.scores[self.context.labels]))

    @cached_property
    def levels(self) -> Levels:
        return threshold_levels(self.scores, linear_thresholds(self.given))


def evaluate(
    scores: Any,
    labels: Any,
    window: int = FALLBACK,
    which: Iterable[str] = NAMES,
    definition: Definition = "tsb-ad",
    scope: str = "full",
) -> Evaluation:
    """Measure how well `scores` (higher = more anomalous) rank the points labelled 1.

    `labels` may be a `LabelContext`, which saves time when many scores share their labels.
    """
    context = labels if isinstance(labels, LabelContext) else LabelContext(labels)
    names = [ALIASES.get(name, name) for name in which]
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise MetricInputError(f"unknown measure {unknown[0]!r}; known: {', '.join(NAMES)}")
    ranked = _Ranked(context, scores)
    values = {}
    if "VUS-PR" in names or "VUS-ROC" in names:
        values["VUS-PR"], values["VUS-ROC"] = volumes(context, ranked.scores, ranked.ascending, window)
    if not {"AUC-PR", "AUC-ROC", "Standard-F1"}.isdisjoint(names):
        values["AUC-ROC"], values["AUC-PR"], values["Standard-F1"] = ranked.point
    if "Event-based-F1" in names:
        values["Event-based-F1"] = event_f1(context.starts, context.ends, ranked.levels)
    if "PA-F1" in names:
        values["PA-F1"] = pa_f1(context.starts, context.ends, ranked.levels)
    if "R-based-F1" in names:
        values["R-based-F1"] = r_based_f1(context, ranked.levels, predicted_runs(ranked.levels))
    if "Affiliation-F" in names:
        values["Affiliation-F"] = affiliation_f1(context, ranked.levels, unpredicted_runs(ranked.levels))
    return Evaluation({name: values[name] for name in names}, definition, window, scope, context.length)


def get_metrics(scores: Any, labels: Any, slidingWindow: int = 100) -> dict[str, float]:  # noqa: N803
    """The measures under the name and argument of TSB-AD's function, as a plain dictionary."""
    return dict(evaluate(scores, labels, window=slidingWindow))
