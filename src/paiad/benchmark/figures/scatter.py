"""Cost against quality: seconds a series and VUS-PR."""

import math

from paiad.benchmark.figures.svg import COLOURS, GRID, INK, dot, drawing, line, text
from paiad.benchmark.footer import protocol_notes
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import count, mean
from paiad.benchmark.tables.cost import machines, seconds_of

WIDTH, HEIGHT, LEFT, RIGHT = 680.0, 360.0, 56.0, 190.0


def cost_quality(results: Results) -> str:
    """One dot a detector: mean seconds to fit and score a series (logarithmic), mean VUS-PR."""
    points = []
    for entry in results.suite.entries:
        choice = Choice(entry)
        values = results.per_series(choice, "VUS-PR")
        if count(values):
            seconds = float(seconds_of(results, choice).mean())
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
    for (name, group, seconds, quality), log in zip(points, logs, strict=True):
        told = f"{name}: {seconds:.3g} s a series, VUS-PR {quality:.3f}"
        parts += [dot(at(log), _height(quality), COLOURS[groups.index(group) % len(COLOURS)], told)]
        parts += [text(at(log) + 7, _height(quality) + 4, name, size=10)]
    note = f"Mean seconds to fit and score a series, one core; {machines(results)}."
    return drawing(
        WIDTH, HEIGHT + 24, "Cost against quality (VUS-PR)", parts, [note, *protocol_notes(results)]
    )


def _height(quality: float) -> float:
    return 10 + (HEIGHT - 10) * (1 - quality)
