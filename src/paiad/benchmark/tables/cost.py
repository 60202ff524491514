"""What detectors cost: learned parameters, seconds and memory a series, as measured when the suite was run."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paiad.benchmark.footer import protocol_notes
from paiad.benchmark.learnt import SHARED
from paiad.benchmark.paper import figures, printed_rows
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import mean
from paiad.benchmark.suite import Entry
from paiad.benchmark.table import Cell, Column, Table


def cost(results: Results) -> Table:
    """One row a detector; seconds are of the job's own process, fitting and scoring apart; of jobs that were fitted
    together, an equal share."""
    entries = results.suite.entries
    results.prepare([Choice(entry) for entry in entries])
    rows = [_row(results, Choice(entry)) for entry in entries]
    run = {entry.method or entry.name for entry in entries}
    rows += [_paper_row(method) for method, _ in printed_rows("cost") if method not in run]
    columns = (
        Column("Method"),
        Column("n"),
        Column("# Params"),
        Column("fit, s (median)", 4),
        Column("score, s (median)", 4),
        Column("total, s (mean)", 4),
        Column("peak memory, MiB (median)", 0),
        Column("VUS-PR", 3),
        Column("# Params (paper)"),
        Column("Run time, s (paper)"),
    )
    notes = (
        "Parameters: numbers in the weight tables of networks; – is none. One core and one thread a job on: "
        f"{machines(results)}. The first job of a worker also compiles, which the means hold. "
        "The paper's times are of one series of 4,031 steps on its own machine.",
        *_batched(results, entries),
        *_shared(results, entries),
        *protocol_notes(results),
    )
    return Table("cost", "Parameters and run times", columns, tuple(rows), notes)


def machines(results: Results) -> str:
    """Where and when the jobs of the plan were run."""
    rows = results.store.query("SELECT DISTINCT machine, python FROM rows ORDER BY ALL")
    days = dict.fromkeys(
        day[:10] for day in results.store.query("SELECT min(ended), max(ended) FROM rows")[0]
    )
    return "; ".join(f"{machine}, Python {python}" for machine, python in rows) + f"; {' to '.join(days)}"


def seconds_of(results: Results, choice: Choice) -> np.ndarray:
    """Seconds of every done job of a detector, fitting and scoring; measured elsewhere, as far as told."""
    rows = [results.rows[job.key] for job in results.done(choice.entry)]
    seconds = _known(rows, "fit_seconds") + _known(rows, "score_seconds")
    return np.asarray(seconds[np.isfinite(seconds)])


def _row(results: Results, choice: Choice) -> tuple[Cell, ...]:
    rows = [results.rows[job.key] for job in results.done(choice.entry)]
    method = choice.entry.method or choice.entry.name
    if not rows:
        return (choice.entry.name, 0, None, None, None, None, None, None, *_theirs(method))
    parameters = max(int(row["parameters"]) for row in rows)
    return (
        choice.entry.name,
        len(rows),
        f"{parameters:,}" if parameters else None,
        _median(_known(rows, "fit_seconds")),
        _median(_known(rows, "score_seconds")),
        mean(seconds_of(results, choice)),
        _median(_known(rows, "peak_mb")),
        mean(results.per_series(choice, "VUS-PR")),
        *_theirs(method),
    )


def _known(rows: Sequence[Mapping[str, Any]], name: str) -> np.ndarray:
    """A column of what the jobs cost, NaN where it was not told."""
    return np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=np.float64)


def _median(values: np.ndarray) -> float | None:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else None


def _batched(results: Results, entries: tuple[Entry, ...]) -> list[str]:
    """Names of the detectors that were fitted many series at once."""
    names = [
        entry.name
        for entry in entries
        if any((results.rows[job.key]["fitted_together"] or 1) > 1 for job in results.done(entry))
    ]
    if not names:
        return []
    return [f"Fitted many series at once, each charged an equal share of the seconds: {', '.join(names)}."]


def _shared(results: Results, entries: tuple[Entry, ...]) -> list[str]:
    """Names of the detectors that used encoders which had been trained for another."""
    names = [
        entry.name
        for entry in entries
        if any(SHARED in results.rows[job.key]["notes"] for job in results.done(entry))
    ]
    if not names:
        return []
    return [
        f"Seconds are those of a detector on its own; in this run the encoders of {', '.join(names)} had been trained "
        "for another detector already."
    ]


def _paper_row(method: str) -> tuple[Cell, ...]:
    return (method, 0, None, None, None, None, None, None, *_theirs(method))


def _theirs(method: str) -> tuple[Cell, Cell]:
    printed = figures("cost")
    return printed.get((method, "", "parameters")), printed.get((method, "", "seconds"))
