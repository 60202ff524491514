"""The tables of the paper by name, each made from what has been run."""

from collections.abc import Callable
from dataclasses import dataclass

from paiad.benchmark.published import Published
from paiad.benchmark.results import Results
from paiad.benchmark.table import Table
from paiad.benchmark.tables.main_results import main_results
from paiad.errors import SettingError


@dataclass(frozen=True)
class Request:
    """What a table is made from."""

    results: Results
    published: Published | None = None


TABLES: dict[str, tuple[str, Callable[[Request], Table]]] = {
    "main": ("six measures for every detector", lambda asked: main_results(asked.results, asked.published)),
}


def make_table(name: str, request: Request) -> Table:
    """The table of that name."""
    if name not in TABLES:
        raise SettingError(f"no table is called {name!r}; there are {', '.join(TABLES)}")
    return TABLES[name][1](request)
