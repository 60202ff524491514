"""A Ray cluster: one worker a core on any number of machines; work on a lost machine moves to another."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from paiad.benchmark.executors.crew import Batch, Crew, Event, Schedule
from paiad.benchmark.executors.threads import THREAD_VARIABLES
from paiad.benchmark.executors.work import Desk, Limits, Outcome, Work, attempt
from paiad.errors import require


@dataclass(frozen=True)
class Ray:
    """`address` "auto" joins the running cluster, None starts one on this machine; `workers` None takes every core.

    Data is loaded once, here, and handed to the workers by reference. A job whose worker dies, with its
    machine or alone, is tried `attempts` times in all.
    """

    address: str | None = None
    workers: int | None = None
    attempts: int = 3

    def run(self, work: Work, items: Sequence[Any], limits: Limits) -> Iterator[Outcome]:
        crew = _RayCrew(work, items, limits, self)
        return Schedule(crew, [(index,) for index in range(len(items))], limits).run()


class _RayCrew(Crew):
    def __init__(self, work: Work, items: Sequence[Any], limits: Limits, engine: Ray) -> None:
        self.ray = require("ray", "ray", "the ray engine")
        self.started_here = not self.ray.is_initialized()
        if self.started_here:
            self.ray.init(
                address=engine.address, log_to_driver=False, include_dashboard=False, logging_level="error"
            )
        self.work, self.items = work, items
        self.shared_work = self.ray.put(work)
        self.size = engine.workers or max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        self.attempts = engine.attempts
        self.actor = self._actor_class(limits)
        self.pending: dict[Any, tuple[Any, str]] = {}
        self.data: dict[Hashable, Any] = {}
        self.users = Counter(work.data_key(item) for item in items)

    def shares(self, index: int) -> Hashable:
        return self.work.shares(self.items[index])

    def _actor_class(self, limits: Limits) -> Any:
        variables = dict.fromkeys(THREAD_VARIABLES, "1")
        memory = None if limits.memory_mb is None else int(limits.memory_mb * 2**20)
        options = {"num_cpus": 1, "max_restarts": 0, "memory": memory, "runtime_env": {"env_vars": variables}}
        return self.ray.remote(_RayWorker).options(**options)

    def start(self) -> None:
        worker = self.actor.remote(self.shared_work)
        self.pending[worker.ready.remote()] = (worker, "ready")

    def send(self, worker: Hashable, batch: Batch) -> None:
        (index,) = batch
        item = self.items[index]
        answer = worker.attempt.remote(index, item, self._reference(item))  # type: ignore[attr-defined]
        self.pending[answer] = (worker, "answer")

    def _reference(self, item: Any) -> Any:
        key = self.work.data_key(item)
        if key not in self.data:
            self.data[key] = self.ray.put(_loaded(self.work, item))
        return self.data[key]

    def finished(self, index: int) -> None:
        key = self.work.data_key(self.items[index])
        self.users[key] -= 1
        if not self.users[key]:
            self.data.pop(key, None)

    def wait(self, seconds: float | None) -> list[Event]:
        answers, _ = self.ray.wait(list(self.pending), num_returns=1, timeout=seconds)
        return [self._hear(answer) for answer in answers]

    def _hear(self, answer: Any) -> Event:
        worker, kind = self.pending.pop(answer)
        try:
            told = self.ray.get(answer)
        except self.ray.exceptions.RayError as error:
            self.ray.kill(worker)
            # Ray's messages are long; what it was comes last.
            return Event(worker, "died", reason=f"the Ray worker died: {str(error).strip().splitlines()[-1]}")
        return Event(worker, "ready") if kind == "ready" else Event(worker, "answer", told)

    def kill(self, worker: Hashable) -> None:
        self.pending = {answer: job for answer, job in self.pending.items() if job[0] is not worker}
        self.ray.kill(worker)

    def close(self) -> None:
        for worker, _ in list(self.pending.values()):
            self.ray.kill(worker)
        self.pending.clear()
        self.data.clear()
        if self.started_here:
            self.ray.shutdown()


class _RayWorker:
    """Lives in a worker of the cluster; what it is given by reference arrives here as the data itself."""

    def __init__(self, work: Work) -> None:
        self.desk = Desk(work)

    def ready(self) -> None:
        return None

    def attempt(self, index: int, item: Any, data: Any) -> Outcome:
        return attempt(self.desk, index, item, data)


@dataclass(frozen=True)
class _Loaded:
    """Data that is already there, or the complaint of loading it, which the job then fails with."""

    data: Any
    error: Exception | None = None

    def __call__(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.data


def _loaded(work: Work, item: Any) -> _Loaded:
    try:
        return _Loaded(work.load(item))
    except Exception as error:
        return _Loaded(None, error)
