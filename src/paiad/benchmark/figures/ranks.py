"""The critical-difference diagram: mean ranks, and bars over detectors that cannot be told apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from paiad.benchmark.figures.svg import COLOURS, INK, drawing, line, text
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import common
from paiad.errors import InputError
from paiad.ranks import average_ranks
from paiad.significance import holm, wilcoxon_signed_rank

ALPHA = 0.05
LETTER = 6.2  # about the width of one, in the size of the labels


@dataclass(frozen=True)
class Ranking:
    """Detectors from best to worst with their mean ranks (1 is best), and the groups that belong together."""

    names: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    together: tuple[tuple[int, int], ...]
    n: int


def ranked(names: list[str], values: NDArray[np.float64]) -> Ranking:
    """Rank `values [detectors, series]` series by series; groups by pairwise Wilcoxon tests with Holm at 5 %.

    >>> good, bad = np.linspace(0.5, 0.9, 20), np.linspace(0.1, 0.4, 20)
    >>> ranked(["bad", "good", "twin"], np.stack([bad, good, good]))
    Ranking(names=('good', 'twin', 'bad'), mean_ranks=(1.5, 1.5, 3.0), together=((0, 1),), n=20)
    """
    shared = values[:, common(*values)]
    if not shared.size:
        raise InputError("no series has a value for every detector: there is nothing to rank")
    by_series = np.stack([average_ranks(-column) for column in shared.T])
    order = np.argsort(by_series.mean(axis=0), kind="stable")
    best_first = shared[order]
    pairs = list(combinations(range(len(names)), 2))
    adjusted = holm([wilcoxon_signed_rank(best_first[a] - best_first[b]) for a, b in pairs])
    different = {pair for pair, p in zip(pairs, adjusted, strict=True) if p < ALPHA}
    means = tuple(float(by_series.mean(axis=0)[place]) for place in order)
    return Ranking(
        tuple(names[place] for place in order), means, _groups(len(names), different), shared.shape[1]
    )


def _groups(count: int, different: set[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Longest stretches of the order in which no pair differs."""
    found: list[tuple[int, int]] = []
    for first in range(count):
        last = first
        while last + 1 < count and all(
            (inner, last + 1) not in different for inner in range(first, last + 1)
        ):
            last += 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return tuple(found)


def ranking_of(results: Results, metric: str = "VUS-PR") -> Ranking:
    """All detectors of the suite on the series that each of them has a value for."""
    choices = [Choice(entry) for entry in results.suite.entries]
    results.prepare(choices)
    choices = [choice for choice in choices if np.isfinite(results.per_series(choice, metric)).any()]
    if not choices:
        raise InputError("nothing has been run yet: there is nothing to rank")
    values = np.stack([results.per_series(choice, metric) for choice in choices])
    return ranked([choice.entry.name for choice in choices], values)


def critical_difference(results: Results, footer: Sequence[str]) -> str:
    """Mean ranks on a line; detectors under one bar do not differ (Wilcoxon, Holm, 5 %)."""
    ranking = ranking_of(results)
    count = len(ranking.names)
    left = right = max(210.0, 60 + LETTER * max(map(len, ranking.names)))
    width = left + right + 340
    height = 62 + 12 * len(ranking.together) + 20 * ((count + 1) // 2)

    def at(rank: float) -> float:
        return left + (width - left - right) * (rank - 1) / max(count - 1, 1)

    parts = [line(at(1), 34, at(count), 34)]
    for rank in range(1, count + 1):
        parts += [line(at(rank), 29, at(rank), 34), text(at(rank), 24, str(rank), "middle", size=11)]
    for number, (first, last) in enumerate(ranking.together):
        y = 44 + 12 * number
        parts.append(
            line(at(ranking.mean_ranks[first]) - 4, y, at(ranking.mean_ranks[last]) + 4, y, COLOURS[0], 4)
        )
    for place, (name, mean_rank) in enumerate(zip(ranking.names, ranking.mean_ranks, strict=True)):
        on_left = place < (count + 1) // 2
        level = place if on_left else count - 1 - place
        y = 58 + 12 * len(ranking.together) + 20 * level
        end, anchor = (left - 16, "end") if on_left else (width - right + 16, "start")
        label = f"{name} {mean_rank:.2f}" if on_left else f"{mean_rank:.2f} {name}"
        parts += [
            line(at(mean_rank), 34, at(mean_rank), y, INK, 0.7),
            line(at(mean_rank), y, end, y, INK, 0.7),
        ]
        parts.append(text(end + (-4 if on_left else 4), y + 4, label, anchor, size=11))
    told = (
        f"Mean rank of VUS-PR (1 is best) over the n = {ranking.n} series on which all have a value. Under one bar: no "
        "pair differs (two-sided Wilcoxon signed-rank tests, Holm's correction over all pairs, 5 %)."
    )
    return drawing(width, height, "Critical differences", parts, [told, *footer])
