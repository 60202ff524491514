"""What a store says of how far a suite is."""

from collections import Counter
from collections.abc import Iterator

from paiad.benchmark.results import Results
from paiad.benchmark.store import Store


def summary(store: Store) -> Iterator[str]:
    """Lines: how far each detector is, then every job that did not end well, with its reason."""
    results = Results.open(store)
    planned = Counter(job.detector for job in results.jobs)
    ended = Counter(
        (job.detector, results.rows[job.key]["status"]) for job in results.jobs if job.key in results.rows
    )
    yield f"{results.suite.name}: {len(results.sources)} series here, {len(results.missing)} listed but not here"
    for detector, count in planned.items():
        counts = {status: number for (name, status), number in ended.items() if name == detector}
        left = count - sum(counts.values())
        told = [f"{number} {status}" for status, number in sorted(counts.items())] + [f"{left} to do"] * bool(
            left
        )
        lacking = f"; {results.lacking[detector]}" if left and detector in results.lacking else ""
        yield f"{detector}: {', '.join(told)} of {count}{lacking}"
    for job in results.jobs:
        row = results.rows.get(job.key)
        if row is not None and row["status"] != "done":
            yield f"{row['status']}: {job.detector} on {job.source.name}: {row['reason']}"
