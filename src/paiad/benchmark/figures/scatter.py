"""Cost against quality: seconds a series and VUS-PR."""

import math
from collections.abc import Sequence

import numpy as np

from paiad.benchmark.figures.svg import COLOURS, GRID, INK, PALE, dot, drawing, line, text
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import count, mean
from paiad.benchmark.tables.cost import machines, seconds_of

WIDTH, HEIGHT, LEFT, RIGHT = 760.0, 380.0, 56.0, 260.0
LETTER, LINE = 5.6, 12.0  # about the size of one, in the size of the labels


def cost_quality(results: Results, footer: Sequence[str]) -> str:
    """One dot a detector: median seconds to fit and score a series (logarithmic), mean VUS-PR."""
    points = []
    for entry in results.suite.entries:
        choice = Choice(entry)
        values = results.per_series(choice, "VUS-PR")
        told = seconds_of(results, choice)
        if count(values) and len(told):
            seconds = float(np.median(told))  # not the mean: the first job of a worker also compiles
            points.append((entry.name, entry.group, max(seconds, 1e-4), mean(values) or 0.0))
    if not points:
        return drawing(WIDTH, 40, "Cost against quality: nothing has been run yet", [])
    logs = [math.log10(seconds) for _, _, seconds, _ in points]
    low, high = math.floor(min(logs)), max(math.ceil(max(logs)), math.floor(min(logs)) + 1)
    groups = list(dict.fromkeys(group for _, group, *_ in points))

    def at(log: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (log - low) / (high - low)

    parts = []
    for power in range(low, high + 1):
        parts += [
            line(at(power), 10, at(power), HEIGHT, GRID),
            text(at(power), HEIGHT + 16, f"{10.0**power:g} s", "middle", size=10),
        ]
    for step in range(0, 11, 2):
        y = _height(step / 10)
        parts += [
            line(LEFT, y, WIDTH - RIGHT, y, GRID if step else INK),
            text(LEFT - 6, y + 4, f"{step / 10:.1f}", "end", size=10),
        ]
    dots = [(at(log), _height(quality)) for (*_, quality), log in zip(points, logs, strict=True)]
    labels = apart(dots, [LETTER * len(name) + 10 for name, *_ in points])
    for (name, group, seconds, quality), (x, y), label in zip(points, dots, labels, strict=True):
        colour = COLOURS[groups.index(group) % len(COLOURS)]
        shown = f"{name}: {seconds:.3g} s a series, VUS-PR {quality:.3f}"
        parts += [line(x, y, x + 6, label, PALE, 0.6), dot(x, y, colour, shown)]
        parts += [text(x + 7, label + 4, name, size=10)]
    note = f"Median seconds to fit and score a series, on one core or on the GPU that is named; {machines(results)}."
    return drawing(WIDTH, HEIGHT + 24, "Cost against quality (VUS-PR)", parts, [note, *footer])


def _height(quality: float) -> float:
    return 10 + (HEIGHT - 10) * (1 - quality)


def apart(dots: Sequence[tuple[float, float]], widths: Sequence[float]) -> list[float]:
    """Heights for the labels to the right of dots: their own, moved down where a label is already.

    >>> apart([(0, 10), (5, 12), (200, 11)], [50, 50, 50])
    [10, 22.0, 11]
    """
    heights = [y for _, y in dots]
    placed: list[int] = []
    for place in sorted(range(len(dots)), key=lambda place: dots[place][1]):
        for other in sorted(placed, key=lambda other: heights[other]):
            gap = dots[place][0] - dots[other][0]
            beside = -widths[place] < gap < widths[other]
            if beside and abs(heights[place] - heights[other]) < LINE:
                heights[place] = heights[other] + LINE
        placed.append(place)
    return heights
