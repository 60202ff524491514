"""One job after the other, in this process: simplest to debug, and the measure of what engines cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from threadpoolctl import threadpool_limits

from paiad.benchmark.executors.work import Desk, Limits, Outcome, Work, attempt


@dataclass(frozen=True)
class Serial:
    """Runs in this process, so limits are not enforced and a crash takes everything down.

    One thread of linear algebra, as in every worker: more would change the last bits of a score.
    """

    def run(self, work: Work, items: Sequence[Any], limits: Limits) -> Iterator[Outcome]:
        desk = Desk(work)
        for index, item in enumerate(items):
            with threadpool_limits(1):
                outcome = attempt(desk, index, item)
            yield outcome
