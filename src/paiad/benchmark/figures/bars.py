"""Grouped bars: gains by PAI, and means by kind of anomaly."""

from collections.abc import Sequence

from paiad.benchmark.anomaly_types import KINDS
from paiad.benchmark.beside import beside, main_table, rows_beside
from paiad.benchmark.figures.svg import COLOURS, GRID, INK, box, drawing, line, paler, text, wrapped
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import count, mean
from paiad.benchmark.tables.breakdown import groups_of
from paiad.benchmark.tables.variants import methods_of

HEIGHT, LEFT = 260.0, 46.0
ROW, LETTER = 16.0, 6.2  # of the legend

Group = tuple[str, Sequence[float | None]]


def grouped_bars(
    title: str,
    names: Sequence[str],
    groups: Sequence[Group],
    notes: Sequence[str],
    colours: Sequence[str] = COLOURS,
) -> str:
    """One group of bars a label, one colour a name, from 0 to 1; what is not there is left out."""
    wide = max(96.0, 26.0 * len(names))
    width = max(420.0, LEFT + len(groups) * (wide + 22) + 20)
    legend, rows = _legend(names, colours, width)
    bottom = 18 + ROW * rows + HEIGHT
    parts = [_axis(width, bottom), *legend]
    labels = [wrapped(label, int(wide / LETTER) + 1) for label, _ in groups]
    for number, (label, values) in enumerate(groups):
        x = LEFT + 14 + number * (wide + 22)
        for place, words in enumerate(labels[number]):
            parts.append(text(x + wide / 2, bottom + 16 + 13 * place, words, "middle", size=11))
        for place, value in enumerate(values):
            if value is not None:
                each = wide / len(names)
                top = bottom - HEIGHT * value
                told = f"{label}, {names[place]}: {value:.3f}"
                colour = colours[place % len(colours)]
                parts.append(box(x + place * each, top, each - 2, HEIGHT * value, colour, told))
                parts.append(text(x + place * each + each / 2 - 1, top - 3, f"{value:.2f}", "middle", size=9))
    below = 13 + 13 * max(map(len, labels), default=1)
    return drawing(width, bottom + below, title, parts, notes)


def teaser(results: Results, footer: Sequence[str]) -> str:
    """VUS-PR of every method without and with PAI, ours and the paper's."""
    printed = [method for method, variant in rows_beside(results, main_table(results)) if variant == "+ PAI"]
    groups: list[Group] = []
    for method in dict.fromkeys([*printed, *methods_of(results)]):
        base = results.find(method, "native") or results.find(method, "Euclidean bank")
        ours = [_mean(results, choice) for choice in (base, results.find(method, "+ PAI"))]
        theirs = [
            beside(results, main_table(results), method, variant, "VUS-PR") for variant in ("native", "+ PAI")
        ]
        if any(value is not None for value in (*ours, *theirs)):
            groups.append((method, [*ours, *theirs]))
    names = ("base, ours", "+ PAI, ours", "base, paper", "+ PAI, paper")
    return grouped_bars("VUS-PR without and with PAI", names, groups, footer)


def by_type(results: Results, footer: Sequence[str]) -> str:
    """VUS-PR by kind of anomaly for every method without and with PAI."""
    groups = groups_of(results, "type")
    names, rows, colours, fewer = [], [], [], []
    for number, method in enumerate(methods_of(results)):
        base = results.find(method, "native") or results.find(method, "Euclidean bank")
        colour = COLOURS[number % len(COLOURS)]
        for what, choice, own in (
            ("base", base, paler(colour)),
            ("+ PAI", results.find(method, "+ PAI"), colour),
        ):
            values = None if choice is None else results.per_series(choice, "VUS-PR")
            if values is not None and count(values):
                names.append(f"{method} {what}")
                rows.append([mean(values[groups[kind]]) for kind in KINDS])
                colours.append(own)
                fewer += [f"{names[-1]} {count(values)}"] if count(values) < len(values) else []
    columns: list[Group] = [
        (f"{kind}, n={int(groups[kind].sum())}", [row[place] for row in rows])
        for place, kind in enumerate(KINDS)
    ]
    told = ["Kinds of anomalies by a rule of this library, from values and labels alone; not the paper's."]
    if fewer:
        told.append(f"Over fewer of the {len(results.sources)} series: {', '.join(fewer)}.")
    return grouped_bars(
        "VUS-PR by kind of anomaly",
        names or ["nothing run yet"],
        columns,
        [*told, *footer],
        colours or COLOURS,
    )


def _mean(results: Results, choice: Choice | None) -> float | None:
    if choice is None:
        return None
    values = results.per_series(choice, "VUS-PR")
    return mean(values) if count(values) else None


def _axis(width: float, bottom: float) -> str:
    marks = []
    for step in range(0, 11, 2):
        y = bottom - HEIGHT * step / 10
        marks += [
            line(LEFT, y, width - 10, y, GRID if step else INK),
            text(LEFT - 6, y + 4, f"{step / 10:.1f}", "end", size=10),
        ]
    return "".join(marks)


def _legend(names: Sequence[str], colours: Sequence[str], width: float) -> tuple[list[str], int]:
    """Its parts, and in how many rows they stand."""
    parts, x, row = [], LEFT, 0
    for place, name in enumerate(names):
        wide = 30 + LETTER * len(name)
        if x + wide > width and x > LEFT:
            x, row = LEFT, row + 1
        y = 4 + ROW * row
        parts += [box(x, y, 10, 10, colours[place % len(colours)]), text(x + 14, y + 9, name, size=10.5)]
        x += wide
    return parts, row + 1
