"""One job after the other, in this process: simplest to debug, and the measure of what engines cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from paiad.benchmark.executors.work import LastLoaded, Limits, Outcome, Work, attempt


@dataclass(frozen=True)
class Serial:
    """Runs in this process, so limits are not enforced and a crash takes everything down."""

    def run(self, work: Work, items: Sequence[Any], limits: Limits) -> Iterator[Outcome]:
        load = LastLoaded(work)
        for index, item in enumerate(items):
            yield attempt(work, index, item, load)
