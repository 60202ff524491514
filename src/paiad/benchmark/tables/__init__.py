"""The tables of the paper by name, each made from what has been run."""

from collections.abc import Callable
from dataclasses import dataclass

from paiad.benchmark.published import Published
from paiad.benchmark.results import Results
from paiad.benchmark.table import Table
from paiad.benchmark.tables.anchors import anchors, anchors_by_file
from paiad.benchmark.tables.breakdown import breakdown
from paiad.benchmark.tables.correlation import correlation
from paiad.benchmark.tables.cost import cost
from paiad.benchmark.tables.differences import pai_gains
from paiad.benchmark.tables.main_results import main_results
from paiad.benchmark.tables.variants import (
    bank_variants,
    components,
    components_compact,
    normalisation,
    tab_aligned,
    tab_compact,
    tab_full,
)
from paiad.benchmark.tables.weights import weight_grid
from paiad.errors import SettingError

ANY, TSB_AD, TAB = "any", "tsb-ad", "tab"


@dataclass(frozen=True)
class Request:
    """What a table is made from."""

    results: Results
    published: Published | None = None


@dataclass(frozen=True)
class Recipe:
    """How a table is made, and for which layout of data the paper has it."""

    what: str
    layout: str
    make: Callable[[Request], Table]


TABLES: dict[str, Recipe] = {
    "main": Recipe("six measures for every detector", ANY, lambda a: main_results(a.results, a.published)),
    "correlation": Recipe("base scores against raw amplitude", TSB_AD, lambda a: correlation(a.results)),
    "components-compact": Recipe("score components", TSB_AD, lambda a: components_compact(a.results)),
    "components": Recipe("every subset of the terms", TSB_AD, lambda a: components(a.results)),
    "normalisation": Recipe("TS2Vec's input normalisation", TSB_AD, lambda a: normalisation(a.results)),
    "variants": Recipe("reference scores and banks", TSB_AD, lambda a: bank_variants(a.results)),
    "by-type": Recipe("VUS-PR by kind of anomaly", ANY, lambda a: breakdown(a.results, "type")),
    "by-family": Recipe("VUS-PR by family", ANY, lambda a: breakdown(a.results, "family")),
    "by-domain": Recipe("VUS-PR by domain", ANY, lambda a: breakdown(a.results, "domain")),
    "by-length": Recipe("VUS-PR by length", ANY, lambda a: breakdown(a.results, "length")),
    "tab-compact": Recipe("transfer to TAB, two measures", TAB, lambda a: tab_compact(a.results)),
    "tab-aligned": Recipe("transfer to TAB, six measures", TAB, lambda a: tab_aligned(a.results)),
    "tab-full": Recipe("transfer to TAB, all variants", TAB, lambda a: tab_full(a.results)),
    "weights": Recipe("sixteen weight triples", TSB_AD, lambda a: weight_grid(a.results)),
    "bootstrap": Recipe("PAI minus base, with intervals", ANY, lambda a: pai_gains(a.results)),
    "anchors": Recipe("ours against published values", ANY, lambda a: anchors(a.results, a.published)),
    "anchors-by-file": Recipe("the same, every file", ANY, lambda a: anchors_by_file(a.results, a.published)),
    "cost": Recipe("parameters and run times", ANY, lambda a: cost(a.results)),
}


def fitting(results: Results) -> list[str]:
    """Names of the tables that make sense for the data of these results."""
    anchored = any(entry.published for entry in results.suite.entries)
    return [
        name
        for name, recipe in TABLES.items()
        if recipe.layout in (ANY, results.suite.data.layout) and (anchored or not name.startswith("anchors"))
    ]


def make_table(name: str, request: Request) -> Table:
    """The table of that name."""
    if name not in TABLES:
        raise SettingError(f"no table is called {name!r}; there are {', '.join(TABLES)}")
    layout = request.results.suite.data.layout
    if TABLES[name].layout not in (ANY, layout):
        raise SettingError(
            f"table {name} is of a {TABLES[name].layout} suite; this store holds a {layout} one"
        )
    return TABLES[name].make(request)
