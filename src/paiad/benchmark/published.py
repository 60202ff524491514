"""Published values per file, from a CSV: a column of file names, then one column a method."""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paiad.benchmark.results import Results
from paiad.benchmark.sources import Source
from paiad.errors import InputError

Values = NDArray[np.float64]

# Columns of TSB-AD's published files that describe the series.
NOT_METHODS = frozenset(
    [
        "ts_len",
        "anomaly_len",
        "num_anomaly",
        "avg_anomaly_len",
        "anomaly_ratio",
        "point_anomaly",
        "seq_anomaly",
    ]
)


@dataclass(frozen=True)
class Published:
    """`values[method][series]`, all of one measure."""

    name: str
    metric: str
    values: dict[str, dict[str, float]]

    def aligned(self, sources: Sequence[Source]) -> dict[str, Values]:
        """Per method one value a series, NaN where none was published."""
        names = [source.name for source in sources]
        return {
            method: np.array([of_series.get(name, math.nan) for name in names])
            for method, of_series in self.values.items()
        }


# Scope and definition of what is published for a data set; with others it would be another measure of the same name.
PUBLISHED_UNDER = {"tsb-ad": ("full", "tsb-ad"), "tab": ("test", "tab")}


def why_left_out(published: Published, results: Results) -> str:
    """Why published values cannot stand beside ours under this protocol; "" when they can."""
    protocol = results.protocol
    theirs = PUBLISHED_UNDER.get(results.suite.data.layout)
    if theirs is None or theirs == (protocol.scope, protocol.definition):
        return ""
    return (
        f"The values of {published.name} are left out: they are published under scope {theirs[0]} and definition "
        f"{theirs[1]}, this table has {protocol.scope} and {protocol.definition}."
    )


def read_published(path: Path, metric: str = "VUS-PR") -> Published:
    """Read a file of published values; an empty cell is no value, anything else must be a number."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        raise InputError(f"no file of published values at {path}") from None
    if not rows or None in rows[0]:
        raise InputError(f"{path}: expected a header and rows: file, then one column a method")
    first, *methods = [name for name in rows[0] if name not in NOT_METHODS]
    values: dict[str, dict[str, float]] = {method: {} for method in methods}
    for number, row in enumerate(rows, start=2):
        series = row[first].removesuffix(".csv")
        for method in methods:
            if row[method]:
                values[method][series] = _number(row[method], f"{path}: row {number}, column {method!r}")
    return Published(path.name, metric, values)


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{where}: expected a number, got {text!r}") from None
