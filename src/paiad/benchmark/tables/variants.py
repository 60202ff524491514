"""Tables of methods by variants: one block a method, one row a variant, ours and the paper's."""

from collections.abc import Iterable, Sequence

import numpy as np

from paiad.benchmark.beside import beside
from paiad.benchmark.footer import marked_name, problem_notes, protocol_notes
from paiad.benchmark.paper import METRIC_NAMES, printed_rows
from paiad.benchmark.remeasure import view_of
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.stats import common, count, mean
from paiad.benchmark.table import Cell, Column, Table
from paiad.fusion import Weights

FOUR = ("VUS-PR", "VUS-ROC", "AUC-PR", "AUC-ROC")
BANKS = ("native", "cosine bank", "Euclidean bank", "cosine bank + raw-scale", "+ PAI")
RAW_ONLY = Weights(0.0, 1.0, 0.5)


def methods_of(results: Results, variant: str = "+ PAI") -> list[str]:
    """Methods of the suite that have this variant, in its order."""
    return [entry.method or entry.name for entry in results.suite.entries if entry.variant == variant]


def variant_table(
    results: Results,
    name: str,
    title: str,
    rows: Sequence[tuple[str, str, Choice | None]],
    metrics: Iterable[str],
    digits: int = 3,
) -> Table:
    """One row a (method, variant); the paper's table of the same name stands beside."""
    measures = [metric for metric in metrics if metric in results.protocol.measures]
    results.prepare([choice for *_, choice in rows if choice is not None])
    ours = tuple(Column(METRIC_NAMES.get(metric, metric), 3, marked=True) for metric in measures)
    theirs = tuple(Column(f"{METRIC_NAMES.get(metric, metric)} (paper)", digits) for metric in measures)
    body = tuple(_row(results, name, *row, measures) for row in rows)
    columns = (Column("Method"), Column("Variant"), Column("n"), *ours, *theirs)
    entries = {choice.entry.name: choice for *_, choice in rows if choice is not None}
    notes = (*protocol_notes(results), *problem_notes(results, entries.values()))
    return Table(name, title, columns, body, notes, block="Method")


def _row(
    results: Results, table: str, method: str, variant: str, choice: Choice | None, metrics: Sequence[str]
) -> tuple[Cell, ...]:
    found = [None if choice is None else results.per_series(choice, metric) for metric in metrics]
    n = min((counted for values in found if values is not None and (counted := count(values))), default=0)
    ours = [None if values is None else mean(values) for values in found]
    theirs = [beside(results, table, method, variant, metric) for metric in metrics]
    return (method, marked_name(variant, choice), n, *ours, *theirs)


def _paper_and_suite(
    results: Results, table: str, variants: Sequence[str]
) -> list[tuple[str, str, Choice | None]]:
    """The rows the paper prints, then those of the suite's other methods."""
    printed = printed_rows(table)
    methods = list(dict.fromkeys([method for method, _ in printed] + methods_of(results)))
    pairs = []
    for method in methods:
        own = [variant for of_method, variant in printed if of_method == method]
        pairs += [(method, variant) for variant in own or variants]
    found = [(method, variant, results.find(method, variant)) for method, variant in pairs]
    return [row for row in found if row[2] is not None or row[:2] in printed]


def normalisation(results: Results) -> Table:
    """TS2Vec with and without input normalisation."""
    rows = [(*pair, results.find(*pair)) for pair in printed_rows("normalisation")]
    return variant_table(results, "normalisation", "TS2Vec with and without input normalisation", rows, FOUR)


def tab_compact(results: Results) -> Table:
    """Transfer to TAB: before and with PAI, two measures."""
    rows = _paper_and_suite(results, "tab-compact", ("native", "cosine bank", "+ PAI"))
    return variant_table(results, "tab-compact", "Transfer to TAB UV", rows, ("VUS-PR", "AUC-PR"), 2)


def tab_aligned(results: Results) -> Table:
    """Transfer to TAB: before and with PAI, six measures."""
    rows = _paper_and_suite(results, "tab-aligned", ("native", "cosine bank", "+ PAI"))
    return variant_table(
        results, "tab-aligned", "Transfer to TAB UV, aligned protocol", rows, results.protocol.measures
    )


def tab_full(results: Results) -> Table:
    """Transfer to TAB: every way to score a representation."""
    rows = _paper_and_suite(results, "tab-full", BANKS)
    return variant_table(
        results, "tab-full", "Transfer to TAB UV, all variants", rows, results.protocol.measures
    )


def components(results: Results) -> Table:
    """Every subset of the three terms, from the stored evidence of each + PAI detector."""
    terms = (
        "Euclidean",
        "magG",
        "T2",
        "Euclidean + magG",
        "Euclidean + T2",
        "magG + T2",
        "Euclidean + magG + T2",
    )
    printed = list(dict.fromkeys(method for method, _ in printed_rows("components")))
    rows: list[tuple[str, str, Choice | None]] = []
    for method in dict.fromkeys([*printed, *methods_of(results)]):
        whole = results.find(method, "+ PAI")
        if whole is not None or method in printed:
            choices = _of_terms(results, method, whole)
            rows += [(method, term, choice) for term, choice in zip(terms, choices, strict=True)]
    table = variant_table(results, "components", "Score terms, alone and together", rows, FOUR)
    note = (
        "Terms together keep the weights they have in the full score; magG + T2 alone is 1 and 0.5. "
        "The paper does not say which weights its pairs have."
    )
    return Table(table.name, table.title, table.columns, table.rows, (note, *table.notes), table.block)


def _of_terms(results: Results, method: str, whole: Choice | None) -> list[Choice | None]:
    """Whose scores stand for each subset of the terms; detectors of the suite where the terms are elsewhere."""
    if whole is None:
        return [None] * 7
    if results.has_terms(whole):
        return [Choice(whole.entry, view) for view in _subsets(whole)]
    alone = {recipe: _plain(results, recipe) for recipe in ("magg", "t2", "magg-t2")}
    base = results.find(method, "Euclidean bank")
    base = base if base is not None and not base.view else None
    return [base, alone["magg"], alone["t2"], None, None, alone["magg-t2"], whole]


def _plain(results: Results, recipe: str) -> Choice | None:
    """The detector of the suite that is this recipe as it stands."""
    found = (entry for entry in results.suite.entries if (entry.recipe, entry.settings) == (recipe, {}))
    entry = next(found, None)
    return None if entry is None or entry.fit_on == "whole" else Choice(entry)


def _subsets(whole: Choice) -> list[str]:
    given = weights_of(whole)
    base, far, shifted = given
    ones = [Weights(1, 0, 0), Weights(0, 1, 0), Weights(0, 0, 1)]
    pairs = [Weights(base, far, 0), Weights(base, 0, shifted), RAW_ONLY, given]
    return [view_of(weights) for weights in (*ones, *pairs)]


def weights_of(choice: Choice) -> Weights:
    """The weights of a + PAI detector."""
    weights = getattr(choice.entry.make(), "weights", None)
    return weights if isinstance(weights, Weights) else Weights()


def components_compact(results: Results) -> Table:
    """Native score, Euclidean bank, raw terms only, all together: VUS-PR."""
    return _one_measure(
        results,
        "components-compact",
        "Score components, VUS-PR",
        ("native", "Euclidean bank", "raw only", "+ PAI"),
        2,
    )


def bank_variants(results: Results) -> Table:
    """Native score, cosine bank, Euclidean bank, PAI: VUS-PR."""
    return _one_measure(
        results,
        "variants",
        "Reference scores and bank variants, VUS-PR",
        ("native", "cosine bank", "Euclidean bank", "+ PAI"),
        3,
    )


def _one_measure(results: Results, name: str, title: str, variants: Sequence[str], digits: int) -> Table:
    printed = [method for method, _ in printed_rows(name)]
    methods = list(dict.fromkeys([*printed, *methods_of(results)]))
    found = {
        (method, variant): _found(results, method, variant) for method in methods for variant in variants
    }
    results.prepare(choice for choice in found.values() if choice is not None)
    rows = []
    for method in methods:
        values = [_values(results, found[method, variant]) for variant in variants]
        # Only series on which all variants have a value, so that a row can be read across.
        known = [one for one in values if one is not None and count(one)]
        shared = common(*known) if known else np.zeros(0, dtype=bool)
        ours = [None if one is None or not count(one) else mean(one[shared]) for one in values]
        theirs = [beside(results, name, method, "", variant) for variant in variants]
        rows.append((method, int(shared.sum()), *ours, *theirs))
    ours_columns = tuple(Column(variant, 3) for variant in variants)
    theirs_columns = tuple(Column(f"{variant} (paper)", digits) for variant in variants)
    notes = (
        *protocol_notes(results),
        *problem_notes(results, {c.entry.name: c for c in found.values() if c}.values()),
    )
    return Table(
        name, title, (Column("Method"), Column("n"), *ours_columns, *theirs_columns), tuple(rows), notes
    )


def _found(results: Results, method: str, variant: str) -> Choice | None:
    if variant != "raw only":
        return results.find(method, variant)
    whole = results.find(method, "+ PAI")
    if whole is None:
        return None
    return Choice(whole.entry, view_of(RAW_ONLY)) if results.has_terms(whole) else _plain(results, "magg-t2")


def _values(results: Results, choice: Choice | None):  # type: ignore[no-untyped-def]
    return None if choice is None else results.per_series(choice, "VUS-PR")
