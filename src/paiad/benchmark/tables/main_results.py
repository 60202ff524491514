"""The main table: six measures for every detector, in groups, ours and the paper's."""

from paiad.benchmark.beside import beside, main_table, rows_beside
from paiad.benchmark.footer import marked_name, problem_notes, protocol_notes
from paiad.benchmark.paper import METRIC_NAMES
from paiad.benchmark.published import Published, why_left_out
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import count, mean
from paiad.benchmark.table import Cell, Column, Table


def main_results(results: Results, published: Published | None = None) -> Table:
    """Every detector of the suite, then the rows of the paper that have not been run, then published values."""
    metrics = results.protocol.measures
    choices = [Choice(entry) for entry in results.suite.entries]
    results.prepare(choices)
    run = {_identity(choice) for choice in choices}
    rows = [_row(results, choice, metrics) for choice in choices]
    rows += [
        _paper_row(results, row, metrics)
        for row in rows_beside(results, main_table(results))
        if row not in run
    ]
    left_out = why_left_out(published, results) if published is not None else ""
    if published is not None and not left_out:
        rows += _published_rows(results, published, metrics)
    ours = tuple(Column(METRIC_NAMES.get(name, name), 3, marked=True) for name in metrics)
    theirs = tuple(Column(f"{METRIC_NAMES.get(name, name)} (paper)", 2) for name in metrics)
    notes = (*filter(None, [left_out]), *protocol_notes(results), *problem_notes(results, choices))
    columns = (Column("Group"), Column("Method"), Column("n"), *ours, *theirs)
    return Table("main", "Main results: mean over series, ours and the paper's", columns, tuple(rows), notes)


def _identity(choice: Choice) -> tuple[str, str]:
    return choice.entry.method or choice.entry.name, choice.entry.variant


def _row(results: Results, choice: Choice, metrics: tuple[str, ...]) -> tuple[Cell, ...]:
    entry = choice.entry
    method, variant = _identity(choice)
    ours = [results.per_series(choice, metric) for metric in metrics]
    theirs = [beside(results, main_table(results), method, variant, metric) for metric in metrics]
    n = min(
        (counted for values in ours if (counted := count(values))), default=0
    )  # of the measures there are
    return (entry.group, marked_name(entry.name, choice), n, *(mean(values) for values in ours), *theirs)


def _paper_row(results: Results, row: tuple[str, str], metrics: tuple[str, ...]) -> tuple[Cell, ...]:
    method, variant = row
    name = f"{method} {variant}".strip() if variant not in ("native", "") else method
    theirs = [beside(results, main_table(results), method, variant, metric) for metric in metrics]
    return ("Not run here", name, 0, *(None for _ in metrics), *theirs)


def _published_rows(
    results: Results, published: Published, metrics: tuple[str, ...]
) -> list[tuple[Cell, ...]]:
    rows = []
    for method, values in published.aligned(results.sources).items():
        ours = [mean(values) if metric == published.metric else None for metric in metrics]
        rows.append((f"Published ({published.name})", method, count(values), *ours, *(None for _ in metrics)))
    return rows
