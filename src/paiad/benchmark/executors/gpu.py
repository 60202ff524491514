"""Many items a batch, for work that a GPU does together: worker processes that share the GPUs of this machine."""

import math
import os
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paiad.benchmark.executors.crew import Batch, Schedule
from paiad.benchmark.executors.processes import ProcessCrew, Processes, usable_cores
from paiad.benchmark.executors.work import Limits, Outcome, Work
from paiad.errors import SettingError

BATCH = 16
WORKERS_A_GPU = 4  # while one trains, the others reduce banks and measure, which the CPU does


@dataclass(frozen=True)
class Gpu:
    """Runs together what may be, at most `batch` items at once, and all else one by one.

    `gpus` empty takes every GPU there is; without any, batches are computed on the CPU. `workers` None takes four
    a GPU, or every core without one. A worker sees one GPU; memory is limited only without one, since a GPU's
    driver reserves memory as it likes.
    """

    workers: int | None = None
    gpus: tuple[str, ...] = ()
    batch: int = BATCH

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise SettingError(f"a batch must be of at least 1, got {self.batch}")

    def run(self, work: Work, items: Sequence[Any], limits: Limits) -> Iterator[Outcome]:
        gpus = self.gpus or gpus_here()
        cores = len(usable_cores())
        workers = self.workers or (min(cores, WORKERS_A_GPU * len(gpus)) if gpus else cores)
        limits = Limits(limits.seconds, None if gpus else limits.memory_mb)
        crew = ProcessCrew(work, items, limits, Processes(workers, pin=not gpus, gpus=gpus))
        return Schedule(crew, batches(work, items, self.batch, workers), limits).run()


def batches(work: Work, items: Sequence[Any], most: int, workers: int) -> list[Batch]:
    """What is to be run together, the largest first; then what is to be run alone.

    Smaller batches than `most` where there would not be one for each worker. Items that share something count as one.
    """
    groups: defaultdict[Hashable, dict[Hashable, Batch]] = defaultdict(dict)
    alone: list[Batch] = []
    for index, item in enumerate(items):
        group = None if work.together is None else work.together.group(item)
        if group is None:
            alone.append((index,))
        else:
            shared = work.shares(item) or index
            groups[group][shared] = (*groups[group].get(shared, ()), index)
    size = max(1, min(most, math.ceil(sum(map(len, groups.values())) / workers)))
    together = [batch for group in groups.values() for batch in _cut(work, items, [*group.values()], size)]
    return [*together, *alone]


def _cut(work: Work, items: Sequence[Any], group: list[Batch], size: int) -> Iterator[Batch]:
    assert work.together is not None
    measure = work.together.size
    ordered = sorted(group, key=lambda sharing: -measure(items[sharing[0]]))
    for begin in range(0, len(ordered), size):
        yield tuple(index for sharing in ordered[begin : begin + size] for index in sharing)


def gpus_here() -> tuple[str, ...]:
    """The GPUs this process may use, as CUDA_VISIBLE_DEVICES names them; asked without a library or a driver."""
    told = os.environ.get("CUDA_VISIBLE_DEVICES")
    if told is not None:
        return tuple(name for name in told.split(",") if name.strip() not in ("", "-1", "NoDevFiles"))
    count = sum(1 for path in Path("/dev").glob("nvidia[0-9]*"))
    return tuple(map(str, range(count)))


def gpu_models() -> tuple[str, ...]:
    """What the driver calls the GPUs of this machine, each model once."""
    told = [path.read_text() for path in sorted(Path("/proc/driver/nvidia/gpus").glob("*/information"))]
    lines = [line.partition(":") for text in told for line in text.splitlines()]
    return tuple(dict.fromkeys(value.strip() for name, _, value in lines if name == "Model"))
