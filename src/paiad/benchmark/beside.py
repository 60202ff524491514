"""Which of the paper's figures may stand beside ours: those of the same data, and of the same definition of VUS."""

from paiad.benchmark.paper import figure, printed_rows
from paiad.benchmark.results import Results

_MAIN = {"tsb-ad": "main", "tab": "tab-full"}


def main_table(results: Results) -> str:
    """The paper's table that shows most methods on the data of these results; "" when it has none."""
    return _MAIN.get(results.suite.data.layout, "")


def beside(results: Results, table: str, method: str, variant: str, metric: str) -> float | None:
    """A figure of the paper, or None where it prints none or where it would not be comparable.

    The paper's VUS is TSB-AD's, as far as its release tells, so it never stands beside another definition.
    """
    if not table or _layout(table) != results.suite.data.layout:
        return None
    if metric.startswith("VUS") and results.protocol.definition != "tsb-ad":
        return None
    return figure(table, method, variant, metric)


def rows_beside(results: Results, table: str) -> list[tuple[str, str]]:
    """The rows of a table of the paper, when it is of the same data."""
    return printed_rows(table) if table and _layout(table) == results.suite.data.layout else []


def _layout(table: str) -> str:
    return "tab" if table.startswith("tab-") else "tsb-ad"
