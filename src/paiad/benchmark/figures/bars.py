"""Grouped bars: gains by PAI, and means by kind of anomaly."""

from collections.abc import Sequence

from paiad.benchmark.anomaly_types import KINDS
from paiad.benchmark.beside import beside, main_table, rows_beside
from paiad.benchmark.figures.svg import COLOURS, GRID, INK, box, drawing, line, text
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import count, mean
from paiad.benchmark.tables.breakdown import groups_of
from paiad.benchmark.tables.variants import methods_of

HEIGHT, LEFT, TOP = 260.0, 46.0, 34.0

Group = tuple[str, Sequence[float | None]]


def grouped_bars(title: str, names: Sequence[str], groups: Sequence[Group], notes: Sequence[str]) -> str:
    """One group of bars a label, one colour a name, from 0 to 1; what is not there is left out."""
    wide = max(96.0, 26.0 * len(names))
    width = max(420.0, LEFT + len(groups) * (wide + 22) + 20)
    parts = [_axis(width), *_legend(names)]
    for number, (label, values) in enumerate(groups):
        x = LEFT + 14 + number * (wide + 22)
        parts.append(text(x + wide / 2, TOP + HEIGHT + 16, label, "middle", size=11))
        for place, value in enumerate(values):
            if value is not None:
                each = wide / len(names)
                top = TOP + HEIGHT * (1 - value)
                told = f"{label}, {names[place]}: {value:.3f}"
                parts.append(
                    box(x + place * each, top, each - 2, HEIGHT * value, COLOURS[place % len(COLOURS)], told)
                )
                parts.append(text(x + place * each + each / 2 - 1, top - 3, f"{value:.2f}", "middle", size=9))
    return drawing(width, TOP + HEIGHT + 26, title, parts, notes)


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
        groups.append((method, [*ours, *theirs]))
    names = ("base, ours", "+ PAI, ours", "base, paper", "+ PAI, paper")
    return grouped_bars("VUS-PR without and with PAI", names, groups, footer)


def by_type(results: Results, footer: Sequence[str]) -> str:
    """VUS-PR by kind of anomaly for every method without and with PAI."""
    groups = groups_of(results, "type")
    names, rows = [], []
    for method in methods_of(results):
        base = results.find(method, "native") or results.find(method, "Euclidean bank")
        for what, choice in (("base", base), ("+ PAI", results.find(method, "+ PAI"))):
            if choice is not None:
                values = results.per_series(choice, "VUS-PR")
                names.append(f"{method} {what}")
                rows.append([mean(values[groups[kind]]) for kind in KINDS])
    columns: list[Group] = [
        (f"{kind}, n={int(groups[kind].sum())}", [row[place] for row in rows])
        for place, kind in enumerate(KINDS)
    ]
    told = "Kinds of anomalies by a rule of this library, from values and labels alone; not the paper's."
    return grouped_bars("VUS-PR by kind of anomaly", names, columns, [told, *footer])


def _mean(results: Results, choice: Choice | None) -> float | None:
    if choice is None:
        return None
    values = results.per_series(choice, "VUS-PR")
    return mean(values) if count(values) else None


def _axis(width: float) -> str:
    marks = []
    for step in range(0, 11, 2):
        y = TOP + HEIGHT * (1 - step / 10)
        marks += [
            line(LEFT, y, width - 10, y, GRID if step else INK),
            text(LEFT - 6, y + 4, f"{step / 10:.1f}", "end", size=10),
        ]
    return "".join(marks)


def _legend(names: Sequence[str]) -> list[str]:
    parts, x = [], LEFT
    for place, name in enumerate(names):
        parts += [box(x, 4, 10, 10, COLOURS[place % len(COLOURS)]), text(x + 14, 13, name, size=10.5)]
        x += 30 + 6.2 * len(name)
    return parts
