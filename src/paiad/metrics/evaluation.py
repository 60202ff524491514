"""Scores and labels in, measures out: one call that shares the sorting between them."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from paiad.metrics.definitions import ALIASES, MEASURES, Definition, default_window, undefined
from paiad.metrics.inputs import MetricInputError, window_size
from paiad.metrics.labels import LabelContext
from paiad.metrics.ranked import RankedScores

NAMES = tuple(MEASURES["tsb-ad"])


@dataclass(frozen=True)
class Evaluation(Mapping[str, float]):
    """Measures by name (of all of them, higher is better), and what they were computed on."""

    measures: Mapping[str, float]
    definition: Definition
    window: int
    scope: Literal["full", "test"]
    n: int
    events: int
    reasons: Mapping[str, str] = field(default_factory=dict)  # why a measure is NaN
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        return self.measures[ALIASES.get(name, name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)


def evaluate(
    scores: Any,
    labels: Any,
    window: int | None = None,
    which: Iterable[str] | None = None,
    definition: Definition = "tsb-ad",
    train_end: int = 0,
) -> Evaluation:
    """Measure how well `scores` (higher = more anomalous) find the points labelled 1.

    `window` is the widest buffer around an anomaly that VUS forgives; published numbers use
    `paiad.period.dominant_period` of the series. With `train_end` only the points from there on count.
    Labels shared by many scores are best prepared once: pass a `LabelContext`.

    >>> result = evaluate([0.1, 0.2, 0.9, 0.3], [0, 0, 1, 0], window=2, which=["VUS-PR", "Range-F1"])
    >>> {name: round(value, 3) for name, value in result.items()}
    {'VUS-PR': 1.0, 'Event-based-F1': 1.0}
    >>> result.definition, result.window, result.scope, result.n
    ('tsb-ad', 2, 'full', 4)
    """
    context = _context(labels, train_end)
    names = _names(which, definition)
    size = default_window(definition, context) if window is None else window_size(window)
    ranked = RankedScores(context, scores)
    measures, reasons = _measure(ranked, names, definition, size)
    return Evaluation(
        measures,
        definition,
        size,
        context.scope,
        context.length,
        context.starts.size,
        reasons,
        ranked.warnings(),
    )


def get_metrics(score: Any, labels: Any, slidingWindow: int = 100) -> dict[str, float]:
    """TSB-AD's nine measures under its own function's name and arguments, with thresholds of the oracle.

    Like TSB-AD, it refuses labels of one class only.
    """
    context = LabelContext(labels)
    reason = undefined("AUC-ROC", context)
    if reason:
        raise MetricInputError(f"AUC-ROC and VUS are undefined: {reason}")
    return dict(evaluate(score, context, window=slidingWindow))


def _context(labels: Any, train_end: int) -> LabelContext:
    if not isinstance(labels, LabelContext):
        return LabelContext(labels, train_end)
    if train_end not in (0, labels.train_end):
        raise MetricInputError(
            f"the LabelContext has train_end={labels.train_end}, got train_end={train_end}"
        )
    return labels


def _names(which: Iterable[str] | None, definition: Definition) -> list[str]:
    if definition not in tuple(MEASURES):
        raise MetricInputError(f"definition must be one of {', '.join(MEASURES)}, got {definition!r}")
    known = MEASURES[definition]
    if which is None:
        return list(known)
    names = [ALIASES.get(name, name) for name in ([which] if isinstance(which, str) else which)]
    for name in names:
        if name not in known:
            raise MetricInputError(f"{definition} has no measure {name!r}; it has {', '.join(known)}")
    return names


def _measure(
    ranked: RankedScores, names: list[str], definition: Definition, window: int
) -> tuple[dict[str, float], dict[str, str]]:
    measures, reasons = {}, {}
    for name in names:
        reason = undefined(name, ranked.context)
        value = math.nan if reason else float(MEASURES[definition][name](ranked, window))
        if math.isnan(value):
            reasons[name] = reason or "a constant score predicts nothing at any of the 100 linear thresholds"
        measures[name] = value
    return measures, reasons
