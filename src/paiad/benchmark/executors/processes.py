"""Worker processes of our own: one pinned to each core, one thread each, killed when a job overstays."""

import os
import signal
import threading
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing import process as processes_of
from typing import Any

from paiad.benchmark.executors.crew import Batch, Crew, Event, Schedule
from paiad.benchmark.executors.threads import THREAD_VARIABLES
from paiad.benchmark.executors.work import (
    Batched,
    Desk,
    Limits,
    Outcome,
    Work,
    attempt,
    attempt_together,
)
from paiad.errors import SettingError


@dataclass(frozen=True)
class Processes:
    """`workers` None takes every core this process may use. With `gpus`, workers see one of them each, in turn."""

    workers: int | None = None
    pin: bool = True
    gpus: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise SettingError(f"workers must be at least 1, got {self.workers}")

    def run(self, work: Work, items: Sequence[Any], limits: Limits) -> Iterator[Outcome]:
        crew = ProcessCrew(work, items, limits, self)
        return Schedule(crew, [(index,) for index in range(len(items))], limits).run()


class ProcessCrew(Crew):
    """Workers that are processes of this machine; each is sent its items, and answers over a pipe."""

    def __init__(self, work: Work, items: Sequence[Any], limits: Limits, engine: Processes) -> None:
        self.work, self.items, self.memory_mb = work, items, limits.memory_mb
        self.cores = usable_cores()
        self.size = engine.workers or len(self.cores)
        # More workers than cores would only crowd the first ones if they were pinned.
        self.pinned = engine.pin and self.size <= len(self.cores)
        self.gpus = engine.gpus
        self.context = get_context("spawn")
        self.links: dict[int, Any] = {}
        self.workers: dict[int, Any] = {}
        self.seats: dict[int, int] = {}

    def shares(self, index: int) -> Hashable:
        return self.work.shares(self.items[index])

    def start(self) -> None:
        seat = min(set(range(self.size)) - set(self.seats.values()))
        here, there = self.context.Pipe()
        core = self.cores[seat] if self.pinned else None
        worker = self.context.Process(
            target=_serve,
            args=(there, self.work, core, self.memory_mb),
            daemon=True,
            name=f"paiad-worker-{seat}",
        )
        with _environment(self._variables(seat)), _unheard_interrupts():
            worker.start()
        there.close()
        pid = worker.pid or 0
        self.workers[pid], self.links[pid], self.seats[pid] = worker, here, seat

    def _variables(self, seat: int) -> dict[str, str]:
        variables = dict.fromkeys(THREAD_VARIABLES, "1")
        if self.gpus:
            variables["CUDA_VISIBLE_DEVICES"] = self.gpus[seat % len(self.gpus)]
        return variables

    def send(self, worker: Hashable, batch: Batch) -> None:
        # When it has just died, its link says so at the next wait.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.links[worker].send([(index, self.items[index]) for index in batch])  # type: ignore[index]

    def wait(self, seconds: float | None) -> list[Event]:
        by_link = {link: pid for pid, link in self.links.items()}
        return [self._hear(by_link[link], link) for link in connection.wait(list(by_link), seconds)]

    def _hear(self, pid: int, link: Any) -> Event:
        try:
            told = link.recv()
        except (EOFError, ConnectionResetError):
            return Event(pid, "died", reason=self._cause_of_death(pid))
        if told is None:
            return Event(pid, "ready")
        if isinstance(told, Batched):
            return Event(pid, "answer", told.outcome, told.reason, over=told.outcome is None)
        return Event(pid, "answer", told)

    def _cause_of_death(self, pid: int) -> str:
        worker = self.workers[pid]
        worker.join()
        code = worker.exitcode or 0
        self._forget(pid)
        if code >= 0:
            return f"the worker process ended with exit code {code}"
        name = signal.Signals(-code).name
        hint = " (the system kills so when memory runs out)" if name == "SIGKILL" else ""
        return f"the worker process was ended by {name}{hint}"

    def kill(self, worker: Hashable) -> None:
        assert isinstance(worker, int)
        _kill_group(worker)
        self.workers[worker].join()
        self._forget(worker)

    def _forget(self, pid: int) -> None:
        self.links.pop(pid).close()
        del self.workers[pid], self.seats[pid]

    def close(self) -> None:
        for pid in list(self.workers):
            self.kill(pid)


def _serve(link: Any, work: Work, core: int | None, memory_mb: float | None) -> None:
    """The life of a worker: take a job, answer, until there are no more or the driver is gone."""
    _stand_alone()
    if core is not None:
        os.sched_setaffinity(0, {core})
    _limit_memory(memory_mb)
    with suppress(EOFError, ConnectionError):  # the driver is gone, and wants no answers
        _answer(link, work)


def _answer(link: Any, work: Work) -> None:
    desk = Desk(work)
    link.send(None)
    while True:
        batch = link.recv()
        if len(batch) > 1:
            for told in attempt_together(work, batch):
                _send(link, told)
            continue
        ((index, item),) = batch
        outcome = attempt(desk, index, item)
        if (error := _send(link, outcome)) is not None:
            reason = f"the result cannot be sent back: {error}"
            link.send(Outcome(index, "failed", None, reason, outcome.seconds))


def _send(link: Any, told: Any) -> Exception | None:
    """Send what can be sent; what a batch cannot send is as good as failed, and tried alone."""
    try:
        link.send(told)
    except (TypeError, AttributeError, ValueError) as error:
        return error
    return None


@contextmanager
def _unheard_interrupts() -> Iterator[None]:
    """A worker started inside never hears Ctrl-C, not even while it is still importing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _stand_alone() -> None:
    """Ctrl-C is the driver's to handle, and a driver that was killed must not leave workers behind."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = processes_of.parent_process()
    assert parent is not None

    def follow() -> None:
        connection.wait([parent.sentinel])
        _kill_group(os.getpid())

    threading.Thread(target=follow, daemon=True).start()


def _limit_memory(memory_mb: float | None) -> None:
    if memory_mb is None:
        return
    import resource

    # Data, not address space: libraries reserve far more addresses than they ever use.
    size = int(memory_mb * 2**20)
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # it had not yet opened its own group


def usable_cores() -> list[int]:
    """Numbers of the cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
