"""The one scheduler behind every engine with workers: hands out jobs, watches the clock, replaces the dead."""

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from paiad.benchmark.executors.work import Limits, Outcome
from paiad.errors import PaiadError

MAX_DEATHS_AT_START = 3  # in a row: then it is no accident
NEAR = 100  # places in the queue that are looked at for what shares with a worker's last


class EngineError(PaiadError):
    """The engine itself cannot run, whatever the job."""


Batch = tuple[int, ...]
"""Numbers of the items that are handed to a worker at once: mostly one."""


@dataclass(frozen=True)
class Event:
    """What a worker has to tell; `over` with its last answer of a batch."""

    worker: Hashable
    kind: Literal["ready", "answer", "died"]
    outcome: Outcome | None = None
    reason: str = ""
    over: bool = True


class Crew(ABC):
    """Workers that each do one batch at a time, and can be killed."""

    size: int
    """How many workers to keep."""

    attempts: int = 1
    """How often a job that is alone is tried when its worker died under it."""

    @abstractmethod
    def start(self) -> None:
        """Begin to bring up one worker; a "ready" event follows."""

    @abstractmethod
    def send(self, worker: Hashable, batch: Batch) -> None:
        """Give an idle worker these items."""

    @abstractmethod
    def wait(self, seconds: float | None) -> list[Event]:
        """What happened, as soon as anything did, or nothing after `seconds`."""

    @abstractmethod
    def kill(self, worker: Hashable) -> None:
        """Stop a worker at once."""

    @abstractmethod
    def close(self) -> None:
        """Stop all workers."""

    def shares(self, index: int) -> Hashable:
        """What a worker that did this item has at hand for others of the same key; None is nothing."""
        return None

    def finished(self, index: int) -> None:  # noqa: B027
        """Called when an item has its outcome, so that what was kept for it can go."""


@dataclass
class _Assignment:
    """A batch, which of it has no outcome yet, and why a job that was in a larger batch is now alone."""

    batch: Batch
    attempt: int = 1
    why_alone: str = ""
    started: float = 0.0
    left: set[int] = field(default_factory=set)

    def begin(self) -> None:
        self.started, self.left = time.monotonic(), set(self.batch)

    def deadline(self, seconds: float) -> float:
        """A batch has the time of all its jobs."""
        return self.started + seconds * len(self.batch)

    def settled(self, outcome: Outcome) -> Outcome:
        self.left.discard(outcome.index)
        return replace(outcome, note=self.why_alone)

    @property
    def lasted(self) -> float:
        return time.monotonic() - self.started


class Schedule:
    """Every item gets exactly one outcome: from its worker, from the clock, or from its worker's death.

    What is left of a batch that failed, overstayed, or lost its worker is tried again, each item alone. Items that
    share something go to the worker that has it; nobody else takes them as long as it lives.
    """

    def __init__(self, crew: Crew, batches: Sequence[Batch], limits: Limits) -> None:
        self.crew = crew
        self.limits = limits
        self.queue = deque(_Assignment(batch) for batch in batches)
        self.busy: dict[Hashable, _Assignment] = {}
        self.idle: list[Hashable] = []
        self.at_hand: dict[Hashable, Hashable] = {}
        self.starting = 0
        self.deaths_at_start = 0

    def run(self) -> Iterator[Outcome]:
        try:
            self._staff()
            while self.queue or self.busy:
                self._hand_out()
                for event in self.crew.wait(self._until_next_deadline()):
                    yield from self._heard(event)
                yield from self._overdue()
                self._staff()
        finally:
            self.crew.close()

    def _staff(self) -> None:
        """As many workers as there is work for, and no more than there is room for."""
        wanted = min(self.crew.size, len(self.queue) + len(self.busy))
        while len(self.busy) + len(self.idle) + self.starting < wanted:
            self.starting += 1
            self.crew.start()

    def _hand_out(self) -> None:
        for worker in reversed(self.idle.copy()):
            assignment = self._next_for(worker)
            if assignment is None:
                continue
            self.idle.remove(worker)
            self.queue.remove(assignment)
            assignment.begin()
            self.crew.send(worker, assignment.batch)
            self.busy[worker] = assignment

    def _next_for(self, worker: Hashable) -> _Assignment | None:
        """What shares with this worker's last, if it is near; else the first that does not wait for another worker."""
        own = self.at_hand.get(worker)
        elsewhere = {key for other, key in self.at_hand.items() if other != worker}
        first: tuple[_Assignment, Hashable] | None = None
        for place, assignment in enumerate(self.queue):
            if first is not None and (own is None or place >= NEAR):
                break
            key = self._shares(assignment)
            if key is not None and key == own:
                return assignment
            if first is None and (key is None or key not in elsewhere):
                first = assignment, key
        if first is None:
            return None
        assignment, key = first
        if key is not None:
            self.at_hand[worker] = key
        return assignment

    def _shares(self, assignment: _Assignment) -> Hashable:
        return self.crew.shares(assignment.batch[0]) if len(assignment.batch) == 1 else None

    def _heard(self, event: Event) -> Iterator[Outcome]:
        if event.kind == "ready":
            self.starting -= 1
            self.deaths_at_start = 0
            self.idle.append(event.worker)
        elif event.kind == "answer" and event.worker in self.busy:
            yield from self._answered(event)
        elif event.kind == "died":
            yield from self._died(event)

    def _answered(self, event: Event) -> Iterator[Outcome]:
        assignment = self.busy[event.worker]
        if event.outcome is not None:
            yield self._settled(assignment.settled(event.outcome))
        if event.over:
            del self.busy[event.worker]
            self.idle.append(event.worker)
            self._try_alone(assignment, event.reason)

    def _died(self, event: Event) -> Iterator[Outcome]:
        assignment = self.busy.pop(event.worker, None)
        self.at_hand.pop(event.worker, None)
        if event.worker in self.idle:
            self.idle.remove(event.worker)
        elif assignment is None:
            self._count_death_at_start(event.reason)
        elif len(assignment.batch) > 1:
            self._try_alone(assignment, event.reason)
        elif assignment.attempt < self.crew.attempts:
            self.queue.appendleft(replace(assignment, attempt=assignment.attempt + 1))
        else:
            (index,) = assignment.batch
            crashed = Outcome(index, "crashed", None, event.reason, assignment.lasted)
            yield self._settled(assignment.settled(crashed))

    def _overdue(self) -> Iterator[Outcome]:
        if self.limits.seconds is None:
            return
        now = time.monotonic()
        for worker, assignment in list(self.busy.items()):
            if now < assignment.deadline(self.limits.seconds):
                continue
            del self.busy[worker]
            self.at_hand.pop(worker, None)
            self.crew.kill(worker)
            reason = f"stopped after {self.limits.seconds * len(assignment.batch):g} s"
            if len(assignment.batch) > 1:
                self._try_alone(assignment, reason)
            else:
                (index,) = assignment.batch
                late = Outcome(index, "timeout", None, reason, assignment.lasted)
                yield self._settled(assignment.settled(late))

    def _try_alone(self, assignment: _Assignment, reason: str) -> None:
        why = f"run alone, for its batch of {len(assignment.batch)} came to grief: {reason or 'no answer'}"
        for index in sorted(assignment.left, reverse=True):
            self.queue.appendleft(_Assignment((index,), why_alone=why))

    def _settled(self, outcome: Outcome) -> Outcome:
        self.crew.finished(outcome.index)
        return outcome

    def _count_death_at_start(self, reason: str) -> None:
        self.starting -= 1
        self.deaths_at_start += 1
        if self.deaths_at_start >= MAX_DEATHS_AT_START:
            raise EngineError(f"workers die before they take a job: {reason}")

    def _until_next_deadline(self) -> float | None:
        if self.limits.seconds is None or not self.busy:
            return None
        earliest = min(assignment.deadline(self.limits.seconds) for assignment in self.busy.values())
        return max(0.0, earliest - time.monotonic())
