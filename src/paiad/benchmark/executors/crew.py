"""The one scheduler behind every engine with workers: hands out jobs, watches the clock, replaces the dead."""

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from paiad.benchmark.executors.work import Limits, Outcome
from paiad.errors import PaiadError

MAX_DEATHS_AT_START = 3  # in a row: then it is no accident


class EngineError(PaiadError):
    """The engine itself cannot run, whatever the job."""


@dataclass(frozen=True)
class Event:
    """What a worker has to tell."""

    worker: Hashable
    kind: Literal["ready", "answer", "died"]
    outcome: Outcome | None = None
    reason: str = ""


class Crew(ABC):
    """Workers that each do one job at a time, and can be killed."""

    size: int
    """How many workers to keep."""

    attempts: int = 1
    """How often a job is tried whose worker died under it."""

    @abstractmethod
    def start(self) -> None:
        """Begin to bring up one worker; a "ready" event follows."""

    @abstractmethod
    def send(self, worker: Hashable, index: int) -> None:
        """Give an idle worker the item at `index`."""

    @abstractmethod
    def wait(self, seconds: float | None) -> list[Event]:
        """What happened, as soon as anything did, or nothing after `seconds`."""

    @abstractmethod
    def kill(self, worker: Hashable) -> None:
        """Stop a worker at once."""

    @abstractmethod
    def close(self) -> None:
        """Stop all workers."""

    def finished(self, index: int) -> None:  # noqa: B027
        """Called when an item has its outcome, so that what was kept for it can go."""


@dataclass(frozen=True)
class _Assignment:
    index: int
    attempt: int
    started: float


class Schedule:
    """Every item gets exactly one outcome: from its worker, from the clock, or from its worker's death."""

    def __init__(self, crew: Crew, count: int, limits: Limits) -> None:
        self.crew = crew
        self.limits = limits
        self.queue = deque((index, 1) for index in range(count))
        self.busy: dict[Hashable, _Assignment] = {}
        self.idle: list[Hashable] = []
        self.deaths_at_start = 0

    def run(self) -> Iterator[Outcome]:
        try:
            for _ in range(min(self.crew.size, len(self.queue))):
                self.crew.start()
            while self.queue or self.busy:
                self._hand_out()
                for event in self.crew.wait(self._until_next_deadline()):
                    yield from self._heard(event)
                yield from self._overdue()
        finally:
            self.crew.close()

    def _hand_out(self) -> None:
        while self.queue and self.idle:
            worker = self.idle.pop()
            index, attempt = self.queue.popleft()
            self.crew.send(worker, index)
            self.busy[worker] = _Assignment(index, attempt, time.monotonic())

    def _heard(self, event: Event) -> Iterator[Outcome]:
        if event.kind == "ready":
            self.deaths_at_start = 0
            self.idle.append(event.worker)
        elif event.kind == "answer" and event.worker in self.busy:
            assignment = self.busy.pop(event.worker)
            self.idle.append(event.worker)
            assert event.outcome is not None
            yield self._settled(replace(event.outcome, index=assignment.index))
        elif event.kind == "died":
            yield from self._died(event)

    def _died(self, event: Event) -> Iterator[Outcome]:
        assignment = self.busy.pop(event.worker, None)
        if event.worker in self.idle:
            self.idle.remove(event.worker)
        elif assignment is None:
            self._count_death_at_start(event.reason)
        if assignment is not None:
            if assignment.attempt < self.crew.attempts:
                self.queue.appendleft((assignment.index, assignment.attempt + 1))
            else:
                lasted = time.monotonic() - assignment.started
                yield self._settled(Outcome(assignment.index, "crashed", None, event.reason, lasted))
        self._replace()

    def _overdue(self) -> Iterator[Outcome]:
        if self.limits.seconds is None:
            return
        now = time.monotonic()
        for worker, assignment in list(self.busy.items()):
            lasted = now - assignment.started
            if lasted >= self.limits.seconds:
                del self.busy[worker]
                self.crew.kill(worker)
                reason = f"stopped after {self.limits.seconds:g} s"
                yield self._settled(Outcome(assignment.index, "timeout", None, reason, lasted))
                self._replace()

    def _settled(self, outcome: Outcome) -> Outcome:
        self.crew.finished(outcome.index)
        return outcome

    def _replace(self) -> None:
        if self.queue:
            self.crew.start()

    def _count_death_at_start(self, reason: str) -> None:
        self.deaths_at_start += 1
        if self.deaths_at_start >= MAX_DEATHS_AT_START:
            raise EngineError(f"workers die before they take a job: {reason}")

    def _until_next_deadline(self) -> float | None:
        if self.limits.seconds is None or not self.busy:
            return None
        earliest = min(assignment.started for assignment in self.busy.values())
        return max(0.0, earliest + self.limits.seconds - time.monotonic())
