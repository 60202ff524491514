"""The figures by name, each an SVG made from what has been run, with the protocol as notes below."""

from collections.abc import Callable, Sequence

from paiad.benchmark.figures.bars import by_type, teaser
from paiad.benchmark.figures.examples import kinds
from paiad.benchmark.figures.heat import weight_heat_map
from paiad.benchmark.figures.ranks import critical_difference
from paiad.benchmark.figures.scatter import cost_quality
from paiad.benchmark.footer import protocol_notes
from paiad.benchmark.results import Results
from paiad.errors import SettingError

FIGURES: dict[str, Callable[[Results, Sequence[str]], str]] = {
    "teaser": teaser,
    "by-type": by_type,
    "heat-map": weight_heat_map,
    "critical-difference": critical_difference,
    "cost-quality": cost_quality,
    "kinds": kinds,
}


def make_figure(name: str, results: Results, footed: bool = True) -> str:
    """The figure of that name as SVG; `footed` puts the protocol under it, as whatever stands alone must have."""
    if name not in FIGURES:
        raise SettingError(f"no figure is called {name!r}; there are {', '.join(FIGURES)}")
    return FIGURES[name](results, protocol_notes(results) if footed else ())
