"""The figures by name, each an SVG made from what has been run."""

from collections.abc import Callable

from paiad.benchmark.figures.bars import by_type, teaser
from paiad.benchmark.figures.examples import kinds
from paiad.benchmark.figures.heat import weight_heat_map
from paiad.benchmark.figures.ranks import critical_difference
from paiad.benchmark.figures.scatter import cost_quality
from paiad.benchmark.results import Results
from paiad.errors import SettingError

FIGURES: dict[str, Callable[[Results], str]] = {
    "teaser": teaser,
    "by-type": by_type,
    "heat-map": weight_heat_map,
    "critical-difference": critical_difference,
    "cost-quality": cost_quality,
    "kinds": kinds,
}


def make_figure(name: str, results: Results) -> str:
    """The figure of that name as SVG."""
    if name not in FIGURES:
        raise SettingError(f"no figure is called {name!r}; there are {', '.join(FIGURES)}")
    return FIGURES[name](results)
