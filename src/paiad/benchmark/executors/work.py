"""What a job is to an engine: a function of one item and of the data it needs, and how it ended."""

import time
import traceback
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from paiad.errors import SettingError

Status = Literal["done", "failed", "timeout", "out of memory", "crashed"]

# What allocators other than Python's say in a RuntimeError.
_ALLOCATOR_COMPLAINTS = ("can't allocate memory", "out of memory", "std::bad_alloc", "unable to allocate")


@dataclass(frozen=True)
class Limits:
    """How long one job may take, and how much memory its worker may hold; None is without limit.

    Only engines with workers of their own can enforce them: a job cannot be stopped from inside itself.
    """

    seconds: float | None = None
    memory_mb: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("seconds", self.seconds), ("memory_mb", self.memory_mb)):
            if value is not None and not value > 0:
                raise SettingError(f"{name} must be more than 0, got {value!r}")


@dataclass(frozen=True)
class Outcome:
    """How one job ended: its value when it is done, and why not otherwise.

    `note` says when a job was run alone because its batch had come to grief.
    """

    index: int
    status: Status
    value: Any = None
    reason: str = ""
    seconds: float = 0.0
    trace: str = ""
    note: str = ""


@dataclass(frozen=True)
class Together:
    """How items are run together, where that is faster than one by one.

    Items of the same `group` may be (None: never), those of like `size` first. `begin(items, data)` does at once
    what they have in common, and gives for each the call that finishes it and returns its value.
    """

    group: Callable[[Any], Hashable]
    size: Callable[[Any], float]
    begin: Callable[[Sequence[Any], Sequence[Any]], Sequence[Callable[[], Any]]]


@dataclass(frozen=True)
class Shared:
    """What is dear, and the same for several items: `make(item, data)`, done once for all of one `key`.

    A worker keeps what it last made, and items of a key that one worker is at are not given to another. What is
    lost with its worker is made again. `key` None: the item needs nothing made.
    """

    key: Callable[[Any], Hashable]
    make: Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Work:
    """`run(item, load(item))` for every item. The functions must be importable by name from a module.

    `load` runs where the engine finds it cheapest: in the worker, or once in the driver, which then hands
    the data to the workers by reference. Items with the same `data_key` share their data. `together` is for
    engines that take many items a batch, and gives the values that `run` gives. With `shared`, `run` is given a
    third argument for items with a key: what was made for it. Such items should be neighbours.
    """

    run: Callable[..., Any]
    load: Callable[[Any], Any]
    data_key: Callable[[Any], Hashable]
    together: Together | None = None
    shared: Shared | None = None

    @classmethod
    def of(cls, function: Callable[[Any], Any]) -> "Work":
        """Work on items that need nothing but themselves.

        >>> attempt(Desk(Work.of(abs)), 0, -3).value
        3
        """
        return cls(_Alone(function), _nothing, _same)

    def shares(self, item: Any) -> Hashable:
        """The key of what the item shares with others, None if nothing."""
        return None if self.shared is None else self.shared.key(item)


class Desk:
    """What a worker keeps from one item to the next, since neighbours share it: data, and what was made of it."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self._data = _Last()
        self._made = _Last()

    def do(self, item: Any, data: Any = None) -> Any:
        """The value of an item; `data`, where it is there already, is a call that gives it."""
        work, key = self.work, self.work.shares(item)
        there = data() if data else self._data.of(work.data_key(item), work.load, item)
        if work.shared is None or key is None:
            return work.run(item, there)
        return work.run(item, there, self._made.of(key, work.shared.make, item, there))


class _Last:
    """The last thing made, and what it was made for."""

    def __init__(self) -> None:
        self._key: Hashable = object()
        self._thing: Any = None

    def of(self, key: Hashable, make: Callable[..., Any], *arguments: Any) -> Any:
        if key != self._key:
            self._key, self._thing = object(), None  # there may not be memory for both
            self._thing = make(*arguments)
            self._key = key
        return self._thing


def attempt(desk: Desk, index: int, item: Any, data: Callable[[], Any] | None = None) -> Outcome:
    """Run one job, turning whatever it raises into an outcome: the one place that catches broadly."""
    started = time.perf_counter()
    try:
        value = desk.do(item, data)
    except Exception as error:
        return Outcome(
            index,
            _status_of(error),
            None,
            _told(error),
            time.perf_counter() - started,
            traceback.format_exc(),
        )
    return Outcome(index, "done", value, "", time.perf_counter() - started)


@dataclass(frozen=True)
class Batched:
    """What is told of a batch: an outcome of each item that went well, and then why the others did not."""

    outcome: Outcome | None
    reason: str = ""


def attempt_together(work: Work, batch: Sequence[tuple[int, Any]]) -> Iterator[Batched]:
    """Run numbered items as one batch; of those that fail no outcome is told.

    They are to be tried alone, so that no job ends otherwise than it would without its batch. Each is charged an
    equal share of what was done for all.
    """
    assert work.together is not None
    started = time.perf_counter()
    trouble: list[str] = []
    loaded = [(index, item, _tried(trouble, work.load, item)) for index, item in batch]
    there = [(index, item, data) for index, item, data in loaded if data is not _FAILED]
    items, data = [item for _, item, _ in there], [data for *_, data in there]
    finishing = _tried(trouble, work.together.begin, items, data)
    if finishing is _FAILED:
        there = finishing = []
    share = (time.perf_counter() - started) / max(1, len(there))
    for (index, *_), finish in zip(there, finishing, strict=True):
        started = time.perf_counter()
        value = _tried(trouble, finish)
        if value is not _FAILED:
            yield Batched(Outcome(index, "done", value, "", share + time.perf_counter() - started))
    yield Batched(None, "; ".join(dict.fromkeys(trouble)))


_FAILED = object()


def _tried(trouble: list[str], function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        trouble.append(_told(error))
        return _FAILED


def _status_of(error: Exception) -> Status:
    text = str(error).lower()
    exhausted = isinstance(error, MemoryError) or any(words in text for words in _ALLOCATOR_COMPLAINTS)
    return "out of memory" if exhausted else "failed"


def _told(error: Exception) -> str:
    first_line = (str(error).strip() or "no message").splitlines()[0]
    return f"{type(error).__name__}: {first_line}"


@dataclass(frozen=True)
class _Alone:
    function: Callable[[Any], Any]

    def __call__(self, item: Any, _: None) -> Any:
        return self.function(item)


def _nothing(_: Any) -> None:
    return None


def _same(_: Any) -> int:
    return 0
