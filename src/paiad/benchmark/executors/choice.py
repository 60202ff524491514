"""Which engine runs the jobs, and the one call that runs them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from paiad.benchmark.executors.gpu import BATCH, Gpu
from paiad.benchmark.executors.processes import Processes
from paiad.benchmark.executors.ray import Ray
from paiad.benchmark.executors.serial import Serial
from paiad.benchmark.executors.work import Limits, Outcome, Work
from paiad.errors import SettingError

Engine = Serial | Processes | Gpu | Ray
ENGINES = ("serial", "processes", "gpu", "ray")


def run_jobs(
    function: Work | Callable[[Any], Any],
    items: Sequence[Any],
    engine: Engine | None = None,
    limits: Limits | None = None,
) -> Iterator[Outcome]:
    """Run `function` on every item and yield each outcome as soon as it is there, in no fixed order.

    Every item has exactly one outcome, whatever happens to the workers; `outcome.index` says whose it is.
    Leaving the loop early (Ctrl-C included) stops the workers.

    >>> sorted((o.index, o.value) for o in run_jobs(abs, [-1, 2, -3], Serial()))
    [(0, 1), (1, 2), (2, 3)]
    """
    work = function if isinstance(function, Work) else Work.of(function)
    return (engine or Processes()).run(work, items, limits or Limits())


def engine_named(
    name: str,
    workers: int | None = None,
    address: str | None = None,
    gpus: tuple[str, ...] = (),
    batch: int | None = None,
) -> Engine:
    """The engine of that name; `workers` None takes every core (with GPUs four each), `address` None a Ray of its own.

    >>> engine_named("serial")
    Serial()
    """
    if name == "serial":
        return Serial()
    if name == "processes":
        return Processes(workers, gpus=gpus)
    if name == "gpu":
        return Gpu(workers, gpus, batch or BATCH)
    if name == "ray":
        return Ray(address, workers)
    raise SettingError(f"no engine is called {name!r}; there are {', '.join(ENGINES)}")
