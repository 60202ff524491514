"""Error bars within one series: resample its events, each with the normal stretch around it.

The series is cut halfway between neighbouring events into one block per event; blocks are drawn with
replacement and put together anew. Scores of neighbouring points stay together, so their dependence is
kept. What an event near the cut of another block borrows from that block's buffer is not real; with
windows far shorter than the blocks it does not matter.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paiad.metrics import Definition, LabelContext, evaluate
from paiad.progress import track
from paiad.significance.bootstrap import (
    Floats,
    Interval,
    check_settings,
    percentile_interval,
    without_interval,
)

EVENT_DRAWS = 1000
Statistic = Callable[[slice | NDArray[np.int64]], float]


def measure_interval(
    scores: Any,
    labels: Any,
    measure: str = "VUS-PR",
    window: int | None = None,
    definition: Definition = "tsb-ad",
    level: float = 0.95,
    draws: int = EVENT_DRAWS,
    seed: int = 0,
) -> Interval:
    """A measure of one score on one series, with an interval over its events (no p-value is meant).

    >>> scores, labels = np.tile([0.0, 0.1, 0.9, 0.2], 9), np.tile([0, 0, 1, 0], 9)
    >>> str(measure_interval(scores, labels, "AUC-ROC", draws=50))
    '1.0000 [1.0000, 1.0000]'
    """
    scores, labels = np.asanyarray(scores), np.asanyarray(labels)

    def value(points: slice | NDArray[np.int64]) -> float:
        return evaluate(scores[points], labels[points], window, measure, definition)[measure]

    return _event_bootstrap(value, labels, level, draws, seed, lowest=0.0)


def compare_on_series(
    a: Any,
    b: Any,
    labels: Any,
    measure: str = "VUS-PR",
    window: int | None = None,
    definition: Definition = "tsb-ad",
    level: float = 0.95,
    draws: int = EVENT_DRAWS,
    seed: int = 0,
) -> Interval:
    """How much higher score `a` measures than score `b`; both see the same drawn events."""
    first, second, labels = np.asanyarray(a), np.asanyarray(b), np.asanyarray(labels)

    def difference(points: slice | NDArray[np.int64]) -> float:
        context = LabelContext(labels[points])
        return (
            evaluate(first[points], context, window, measure, definition)[measure]
            - evaluate(second[points], context, window, measure, definition)[measure]
        )

    return _event_bootstrap(difference, labels, level, draws, seed, lowest=-1.0)


def event_blocks(labels: Any) -> list[NDArray[np.int64]]:
    """Positions of each event's block, cut halfway between neighbouring events.

    >>> [block.tolist() for block in event_blocks([1, 0, 0, 1, 0])]
    [[0, 1], [2, 3, 4]]
    """
    context = LabelContext(labels)
    cuts = (context.ends[:-1] + 1 + context.starts[1:]) // 2
    return np.split(np.arange(context.length), cuts)


def _event_bootstrap(
    statistic: Statistic, labels: Any, level: float, draws: int, seed: int, lowest: float
) -> Interval:
    check_settings(level, draws)
    estimate = statistic(slice(None))
    blocks = event_blocks(labels)
    if len(blocks) < 2:
        return without_interval(
            estimate, level, len(blocks), "one event or none: there is nothing to resample"
        )
    generator = np.random.default_rng(seed)
    resampled: Floats = np.empty(draws)
    for draw in track(range(draws), "resampling events", draws):
        chosen = generator.integers(0, len(blocks), len(blocks))
        resampled[draw] = statistic(np.concatenate([blocks[block] for block in chosen]))
    resampled = resampled[~np.isnan(resampled)]
    if not resampled.size:
        return without_interval(estimate, level, len(blocks), "the measure is undefined on every resample")
    interval = percentile_interval(estimate, resampled, level, len(blocks))
    return replace(interval, low=max(interval.low, lowest), high=min(interval.high, 1.0))
