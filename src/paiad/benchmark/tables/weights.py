"""Other weights for the same evidence: the paper's sixteen triples, and the grid behind its heat map."""

import numpy as np
from numpy.typing import NDArray

from paiad.benchmark.beside import beside
from paiad.benchmark.footer import protocol_notes
from paiad.benchmark.paper import printed_rows
from paiad.benchmark.remeasure import view_of
from paiad.benchmark.results import REPRESENTATION, Choice, Results
from paiad.benchmark.stats import common, count, mean
from paiad.benchmark.table import Column, Table
from paiad.benchmark.tables.variants import FOUR, methods_of
from paiad.errors import InputError, SettingError
from paiad.fusion import Weights

STEPS = tuple(step / 10 for step in range(0, 11, 2))


def weight_grid(results: Results) -> Table:
    """Sixteen triples for each + PAI detector; nothing is fitted again."""
    printed = printed_rows("weights")
    triples = list(dict.fromkeys(triple for _, triple in printed))
    methods = list(dict.fromkeys([method for method, _ in printed] + methods_of(results)))
    found = {method: results.find(method, "+ PAI") for method in methods}
    views = {triple: view_of(Weights(*map(float, triple.split("/")))) for triple in triples}
    results.prepare(Choice(whole.entry, view) for whole in found.values() if whole for view in views.values())
    measures = [metric for metric in FOUR if metric in results.protocol.measures]
    rows = []
    for method, whole in found.items():
        for triple in triples:
            choice = None if whole is None else Choice(whole.entry, views[triple])
            values = [None if choice is None else results.per_series(choice, metric) for metric in measures]
            n = min((count(one) for one in values if one is not None), default=0)
            ours = [None if one is None else mean(one) for one in values]
            theirs = [beside(results, "weights", method, triple, metric) for metric in measures]
            rows.append((method, *map(float, triple.split("/")), n, *ours, *theirs))
    weights = (Column("w_b", 1), Column("λ_g", 1), Column("λ_q", 2))
    ours_columns = tuple(Column(metric, 3, marked=True) for metric in measures)
    theirs_columns = tuple(Column(f"{metric} (paper)", 3) for metric in measures)
    columns = (Column("Method"), *weights, Column("n"), *ours_columns, *theirs_columns)
    notes = tuple(protocol_notes(results))
    return Table("weights", "Weights of the three terms", columns, tuple(rows), notes, "Method")


def heat_map(results: Results, method: str = "") -> tuple[str, NDArray[np.float64], int]:
    """Gain in VUS-PR over the method's native score at every (λ_g, λ_q) with w_b = 1: (method, grid, n)."""
    whole, native = heat_choices(results, method)
    cells = [[Choice(whole.entry, view_of(Weights(1.0, g, q))) for q in STEPS] for g in STEPS]
    results.prepare([native, *(choice for row in cells for choice in row)])
    base = results.per_series(native, "VUS-PR")
    shared = common(base, *(results.per_series(choice, "VUS-PR") for row in cells for choice in row))
    if not shared.any():
        raise InputError(f"{whole.entry.name} has no stored terms here, which other weights are tried on")
    gain = [
        [float((results.per_series(choice, "VUS-PR") - base)[shared].mean()) for choice in row]
        for row in cells
    ]
    return whole.entry.method or whole.entry.name, np.array(gain), int(shared.sum())


def heat_choices(results: Results, method: str) -> tuple[Choice, Choice]:
    """The + PAI detector asked for (PaAno when there is one), and its native score or else its base term."""
    known = methods_of(results)
    chosen = method or ("PaAno" if "PaAno" in known else (known[0] if known else ""))
    whole = results.find(chosen, "+ PAI") if chosen else None
    if whole is None:
        raise SettingError(
            f"no detector of the suite has variant '+ PAI' for method {chosen!r}; there are {known}"
        )
    native = results.find(chosen, "native")
    return whole, native or Choice(whole.entry, view_of(REPRESENTATION))
