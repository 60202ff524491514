"""Ours beside published per-file values: whether a detector is what others know under its name."""

import numpy as np

from paiad.benchmark.footer import marked_name, problem_notes, protocol_notes
from paiad.benchmark.published import Published, Values, why_left_out
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import common
from paiad.benchmark.table import Cell, Column, Table
from paiad.ranks import spearman

METRIC = "VUS-PR"
MOST_APART, LEAST_CORRELATION = (
    0.04,
    0.7,
)  # of the means, and over the files: within them it is "as published"
NEAR = 0.01  # of one file


def anchors(results: Results, published: Published | None) -> Table:
    """One row a detector: means over the same files, how alike the files are ranked, how many are equal."""
    choices = [Choice(entry) for entry in results.suite.entries]
    results.prepare(choices)
    theirs = _aligned(results, published)
    rows = [_row(results, choice, theirs.get(choice.entry.published)) for choice in choices]
    columns = (
        Column("Method"),
        Column("n"),
        Column(f"{METRIC}, ours", 3),
        Column("published", 3),
        Column("difference", 3, signed=True),
        Column("rank correlation", 2),
        Column(f"within {NEAR}", 2),
        Column("as published"),
    )
    title = "Ours against published values, file by file"
    notes = (*_sources(results, published), *protocol_notes(results), *problem_notes(results, choices))
    return Table("anchors", title, columns, tuple(rows), notes)


def anchors_by_file(results: Results, published: Published | None) -> Table:
    """One row a series; of every detector that has published values, ours and theirs."""
    choices = [Choice(entry) for entry in results.suite.entries if entry.published]
    results.prepare(choices)
    theirs = _aligned(results, published)
    none = np.full(len(results.sources), np.nan)
    columns, values = [Column("Series")], []
    for choice in choices:
        columns += [Column(choice.entry.name, 4), Column(f"{choice.entry.published} (published)", 4)]
        values += [results.per_series(choice, METRIC), theirs.get(choice.entry.published, none)]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (source.name, *(float(value[number]) for value in values))
        for number, source in enumerate(results.sources)
    )
    notes = (*_sources(results, published), *protocol_notes(results))
    return Table(
        "anchors-by-file", f"{METRIC} of every file, ours and published", tuple(columns), rows, notes
    )


def _aligned(results: Results, published: Published | None) -> dict[str, Values]:
    if published is None or why_left_out(published, results):
        return {}
    return published.aligned(results.sources)


def _row(results: Results, choice: Choice, theirs: Values | None) -> tuple[Cell, ...]:
    name, ours = marked_name(choice.entry.name, choice), results.per_series(choice, METRIC)
    both = np.isfinite(ours) if theirs is None else common(ours, theirs)
    n = int(both.sum())
    if theirs is None or not n:
        return (name, n, float(ours[both].mean()) if n else None, *(None,) * 5)
    ours, theirs = ours[both], theirs[both]
    gap, together = float((ours - theirs).mean()), spearman(ours, theirs)
    near = float(np.mean(np.abs(ours - theirs) <= NEAR))
    return (name, n, float(ours.mean()), float(theirs.mean()), gap, together, near, _alike(gap, together))


def _alike(gap: float, together: float) -> str | None:
    if np.isnan(together):  # one file, or files that do not differ
        return None
    return "yes" if abs(gap) <= MOST_APART and together >= LEAST_CORRELATION else "no"


def _sources(results: Results, published: Published | None) -> list[str]:
    if published is None:
        return ["No published values were given (--published FILE), so ours stand alone."]
    if left_out := why_left_out(published, results):
        return [left_out]
    return [
        f"Published: {published.name}, over the same files as ours. As published: means within {MOST_APART}, "
        f"and a rank correlation over the files of at least {LEAST_CORRELATION}."
    ]
