"""Where a detector is good: means by kind of anomaly, family, domain or length."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from paiad.benchmark.anomaly_types import KINDS
from paiad.benchmark.facts import facts_of
from paiad.benchmark.footer import problem_notes, protocol_notes
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import count, mean
from paiad.benchmark.table import Column, Table

By = Literal["type", "family", "domain", "length"]
TITLES = {"type": "kind of anomaly", "family": "family", "domain": "domain", "length": "length"}
LENGTHS = (
    (3_000, "up to 3,000"),
    (10_000, "3,001 to 10,000"),
    (30_000, "10,001 to 30,000"),
    (10**12, "over 30,000"),
)


def breakdown(results: Results, by: By, metric: str = "VUS-PR") -> Table:
    """One row a detector, one column a group of series with its n."""
    groups = groups_of(results, by)
    choices = [Choice(entry) for entry in results.suite.entries]
    results.prepare(choices)
    rows = []
    fewer: dict[str, list[str]] = {}
    for choice in choices:
        values = results.per_series(choice, metric)
        counts = {name: (count(values[members]), int(members.sum())) for name, members in groups.items()}
        told = ", ".join(f"{name} {n} of {of}" for name, (n, of) in counts.items() if 0 < n < of)
        if told:
            fewer.setdefault(told, []).append(choice.entry.name)
        rows.append((choice.entry.name, *(mean(values[members]) for members in groups.values())))
    columns = tuple(Column(f"{name} (n={members.sum()})", 3, marked=True) for name, members in groups.items())
    notes = list(protocol_notes(results))
    if by == "type":
        notes.insert(
            0,
            "The kinds are judged by a rule of this library, from values and labels alone; not the paper's.",
        )
    notes += [
        f"{'; '.join(names)}: means over fewer series than the heads say: {told}."
        for told, names in fewer.items()
    ]
    notes += problem_notes(results, choices)
    title = f"{metric} by {TITLES[by]}"
    return Table(f"by-{by}", title, (Column("Method"), *columns), tuple(rows), tuple(notes))


def groups_of(results: Results, by: By) -> dict[str, np.ndarray]:
    """Masks over the series, by name of the group; empty groups are left out, but for the kinds of anomaly."""
    names = _namer(results, by)
    labels = np.array([names(index) for index in range(len(results.sources))], dtype=object)
    order: list[str] = list(KINDS) if by == "type" else sorted(set(labels))
    if by == "length":
        order = [name for _, name in LENGTHS if name in set(labels)]
    return {name or "unknown": np.asarray(labels == name) for name in order}


def _namer(results: Results, by: By) -> Callable[[int], str]:
    if by == "family":
        return lambda index: results.sources[index].family
    if by == "domain":
        return lambda index: results.sources[index].domain
    facts = facts_of(results.store, results.sources, results.engine)
    if by == "type":
        return lambda index: facts[results.sources[index].name].kind
    return lambda index: next(
        name for most, name in LENGTHS if facts[results.sources[index].name].length <= most
    )
