"""The figures printed in the paper, for tables that set ours beside them."""

import csv
from functools import cache
from importlib import resources

METRIC_NAMES = {"Event-based-F1": "Range-F1", "Standard-F1": "Point-F1"}
"""What the paper calls measures that TSB-AD calls otherwise."""


@cache
def figures(table: str) -> dict[tuple[str, str, str], str]:
    """One table of the paper as printed: (method, variant, measure) to text.

    >>> figures("main")["PaAno", "+ PAI", "VUS-PR"]
    '0.58'
    """
    text = (resources.files("paiad.benchmark.paper") / "figures.csv").read_text(encoding="utf-8")
    rows = (row for row in csv.DictReader(text.splitlines()) if row["table"] == table)
    return {(row["method"], row["variant"], row["metric"]): row["value"] for row in rows}


def figure(table: str, method: str, variant: str, metric: str) -> float | None:
    """One number of the paper, or None where it prints none."""
    text = figures(table).get((method, variant, metric))
    return None if text is None else float(text)


def printed_rows(table: str) -> list[tuple[str, str]]:
    """The rows of a table of the paper, (method, variant), in its order."""
    return list(dict.fromkeys((method, variant) for method, variant, _ in figures(table)))
