"""The picture of an evaluation: the precision-recall surface, and which events the score finds."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paiad.errors import require
from paiad.metrics.evaluation import Evaluation
from paiad.metrics.inputs import MetricInputError
from paiad.metrics.labels import LabelContext
from paiad.metrics.ranked import RankedScores
from paiad.metrics.vus import Surface, tsb_ad_surface, vldb_2022_surface

HIT, MISSED, FALSE_ALARM, SCORE = "#2a9d55", "#d1495b", "#e9a03b", "#4a5a6a"
PIXELS = 2000


def draw_evaluation(name: str, scores: Any, context: LabelContext, result: Evaluation, path: Path) -> None:
    """Left: precision over recall for every window. Right: the score, and each event hit or missed."""
    figures = require("matplotlib.figure", "plot", "drawing a picture")
    if "VUS-PR" in result.reasons:
        raise MetricInputError(f"{name}: there is no surface to draw: {result.reasons['VUS-PR']}")
    ranked = RankedScores(context, scores)
    figure = figures.Figure(figsize=(12, 4.2), layout="constrained")
    grid = figure.add_gridspec(1, 2, width_ratios=(1, 1.7))
    draw_surface(figure.add_subplot(grid[0], projection="3d"), curves(ranked, result))
    _draw_score(figure.add_subplot(grid[1]), ranked, best_point_threshold(ranked))
    measured = ", ".join(f"{measure} {result[measure]:.3f}" for measure in ("VUS-PR", "VUS-ROC", "AUC-PR"))
    figure.suptitle(
        f"{name}: {measured} ({result.definition}, window {result.window}, {result.scope})", fontsize=11
    )
    figure.savefig(path, dpi=150, format="png")


def curves(ranked: RankedScores, result: Evaluation) -> Surface:
    """The surface whose volume the result reports."""
    if result.definition == "tsb-ad":
        return tsb_ad_surface(ranked.context, ranked.scores, ranked.ascending, result.window)
    window = 2 * result.window if result.definition == "tab" else result.window
    return vldb_2022_surface(ranked.context, ranked.scores, ranked.ascending, window)


def best_point_threshold(ranked: RankedScores) -> float:
    """The score from which on points are best predicted, by the F1 of points."""
    falling = np.argsort(-ranked.scores, kind="stable")
    hits = np.cumsum(ranked.context.labels[falling])
    f1 = 2 * hits / (np.arange(1, hits.size + 1) + max(ranked.context.anomalous, 1))
    ordered = ranked.scores[falling]
    f1[:-1][ordered[:-1] == ordered[1:]] = -1.0  # ties are predicted together
    return float(ordered[int(f1.argmax())])


def draw_surface(panel: Any, surface: Surface) -> None:
    """Precision over recall for every window; of a single window a line."""
    last = surface.recall.shape[0] - 1
    windows = np.arange(last + 1)[:, None] + np.zeros_like(surface.recall)
    if last:
        panel.plot_surface(
            surface.recall, windows, surface.precision, cmap="viridis", vmin=0, vmax=1, linewidth=0
        )
    else:
        panel.plot(surface.recall[0], windows[0], surface.precision[0], color=SCORE)
    panel.set(xlabel="recall", ylabel="window", zlabel="precision", xlim=(0, 1), zlim=(0, 1))
    panel.set_yticks(np.unique(np.linspace(0, last, 6).astype(int)))
    panel.view_init(elev=28, azim=-60)


def _draw_score(panel: Any, ranked: RankedScores, threshold: float) -> None:
    context = ranked.context
    predicted = ranked.scores >= threshold
    where, highest = _thinned(ranked.scores)
    panel.plot(where, highest, lw=0.7, color=SCORE)
    panel.axhline(threshold, lw=0.8, ls=":", color=SCORE)
    lengths = context.ends - context.starts + 1
    spans = np.column_stack((context.starts - 0.5, lengths))
    hit = (
        np.add.reduceat(predicted & context.labels, context.starts) > 0
    )  # between events nothing is labelled
    hits = int(hit.sum())
    for found, colour in ((hit, HIT), (~hit, MISSED)):
        panel.broken_barh(
            spans[found], (0, 1), transform=panel.get_xaxis_transform(), color=colour, alpha=0.35, lw=1.2
        )
    alarms = np.flatnonzero(predicted & ~context.labels)
    panel.plot(alarms, np.full(alarms.size, threshold), "|", color=FALSE_ALARM, ms=7)
    panel.set(xlabel="point", ylabel="score", xlim=(0, max(context.length - 1, 1)))
    panel.set_title(
        f"at the threshold of the best point F1: {hits} of {context.starts.size} events hit (green), "
        f"{context.starts.size - hits} missed (red), {alarms.size} points of false alarm (orange)",
        fontsize=9,
    )


def _thinned(scores: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The highest score of each pixel, so that a long series keeps its peaks."""
    step = max(1, scores.size // PIXELS)
    starts = np.arange(0, scores.size, step)
    return starts, np.maximum.reduceat(scores, starts)
