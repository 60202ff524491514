"""The report as one picture: the series, its score and the terms, with the events marked."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from paiad.detection import Detection, Detections
from paiad.errors import require
from paiad.naming import shown
from paiad.report.packing import as_axis
from paiad.report.terms import colours
from paiad.report.thinning import Marks, marks_of

MOST_SERIES = 4
MARKS = 4_000  # about two for every pixel across
SERIES, EXPECTED, SCORE, EVENT, NORMAL = "#2f6fde", "#98a2b3", "#5b6474", "#e0433a", "#2f6fde"


def write_picture(found: Detections, path: Path) -> None:
    """Draw the series with the most severe events, at most four of them, into a PNG file."""
    require("matplotlib", "plot", "drawing report.png")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    told = _most_telling(found)
    figure = Figure(figsize=(12, 6.2 if len(told) == 1 else 3.6 * len(told)), layout="constrained")
    FigureCanvasAgg(figure)
    panels = 3 if len(told) == 1 else 2
    ratios = ([1.8, 1, 1] if panels == 3 else [1.6, 1]) * len(told)
    axes = np.atleast_1d(figure.subplots(panels * len(told), 1, height_ratios=ratios))
    for i, one in enumerate(told):
        _draw_series(one, list(axes[i * panels : (i + 1) * panels]))
    if len(told) < len(found):
        figure.suptitle(f"The {len(told)} of {len(found)} series with the highest scores", fontsize=10)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)  # a box stands for it
        figure.savefig(path, dpi=110, format="png")


def _most_telling(found: Detections) -> list[Detection]:
    """Highest severity first, then back in the order of the source."""

    def severity(one: Detection) -> float:
        return -1.0 if one.worst is None or one.worst.severity is None else one.worst.severity

    chosen = sorted(found, key=severity, reverse=True)[:MOST_SERIES]
    return [one for one in found if one in chosen]


def _draw_series(one: Detection, panels: list[Any]) -> None:
    kind, position = as_axis(one.series.time, len(one.series))
    marks = marks_of(one, MARKS)
    first, last = marks.first[:-1], np.maximum(marks.first[1:] - 1, marks.first[:-1])
    # Two points a mark, so that the line reaches its lowest and its highest value.
    place = np.stack([position[first], position[last]], axis=1).ravel()
    at = place.astype("datetime64[ms]") if kind == "date" else place
    _draw_values(one, panels[0], at, marks)
    _draw_score(one, panels[1], at, marks)
    if len(panels) == 3:
        _draw_terms(one, panels[2], at, marks)
    spans = [(position[event.start], position[event.end]) for event in one.events]
    for panel in panels:
        _shade(panel, spans, kind)
        panel.set_xlim(at[0], at[-1] if len(at) > 2 else None)
        panel.margins(x=0)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=8, labelbottom=panel is panels[-1])
    panels[0].set_title(_plain(_headline(one)), fontsize=10, loc="left")


def _draw_values(one: Detection, panel: Any, at: np.ndarray, marks: Marks) -> None:
    panel.plot(at, np.repeat(marks.expected, 2), color=EXPECTED, linewidth=0.9, linestyle="--")
    panel.plot(at, _zigzag(marks.low, marks.high), color=SERIES, linewidth=0.8)
    if one.training is not None:
        kind, position = as_axis(one.series.time, len(one.series))
        _shade(panel, [(position[one.training[0]], position[one.training[1] - 1])], kind, NORMAL, 0.07)


def _draw_score(one: Detection, panel: Any, at: np.ndarray, marks: Marks) -> None:
    panel.plot(at, _zigzag(marks.score_low, marks.score_high), color=SCORE, linewidth=0.8)
    panel.axhline(one.threshold.value, color=EVENT, linewidth=0.9, linestyle="--")
    panel.set_ylabel("score", fontsize=8)


def _draw_terms(one: Detection, panel: Any, at: np.ndarray, marks: Marks) -> None:
    above, below = np.zeros(len(at)), np.zeros(len(at))
    shades = colours(one.receipt.terms)
    for term, contribution, colour in zip(one.receipt.terms, marks.terms, shades, strict=True):
        part = np.repeat(np.nan_to_num(contribution), 2)
        for stack, share, label in (
            (above, np.maximum(part, 0), _plain(term)),
            (below, np.minimum(part, 0), None),
        ):
            panel.fill_between(at, stack, stack + share, color=colour, linewidth=0, label=label)
            stack += share
    panel.set_ylabel("terms", fontsize=8)
    room = {
        "loc": "lower left",
        "bbox_to_anchor": (-0.01, 0.98),
        "borderaxespad": 0,
    }  # above, not over the data
    panel.legend(
        fontsize=7,
        frameon=False,
        ncols=min(len(one.receipt.terms), 12),
        columnspacing=1.2,
        handlelength=1.2,
        **room,
    )


def _zigzag(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.stack([low, high], axis=1).ravel()


def _shade(panel: Any, spans: list[Any], kind: str, colour: str = EVENT, alpha: float = 0.16) -> None:
    for begin, end in spans:
        if kind == "date":
            begin, end = np.array([begin, end]).astype("datetime64[ms]")
        panel.axvspan(begin, end, color=colour, alpha=alpha, linewidth=1, zorder=0)


def _headline(one: Detection) -> str:
    count = len(one.events)
    return f"{shown(one.series.name)}: {count} event{'' if count == 1 else 's'} in {len(one.series):,} steps"


def _plain(text: str) -> str:
    """Names from the data are text, not formulas, and a legend hides what begins with an underscore."""
    return text.replace("$", r"\$").lstrip("_")
