"""Jobs that go wrong in every way a job can, importable by name from worker processes."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from paiad.benchmark.executors import Shared, Together, Work
from paiad.contracts import Detector, Encoder, Learner, Scorer
from paiad.detectors.prototype import NearestPrototype
from paiad.encoders.raw import RawPatches
from paiad.pai import PAI


def square(number: int) -> int:
    return number * number


def thread_settings(_: int) -> tuple[str, int]:
    cores = len(os.sched_getaffinity(0))
    return os.environ["OMP_NUM_THREADS"], cores


def misbehave(what: str) -> str:
    if what == "raise":
        raise ValueError("the value is\nwrong")
    if what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "leave":
        os._exit(3)
    if what == "hang":
        time.sleep(600)
    if what == "hog":
        return str(np.ones(1_000_000_000).sum())
    if what == "unsendable":
        return lambda: "no pickle for this"  # type: ignore[return-value]
    return what


def note(path: str) -> str:
    """Leave a trace of having been run, slowly enough to be killed in the middle."""
    time.sleep(0.2)
    with open(path, "a") as file:
        file.write(f"{os.getpid()}\n")
    return path


def load(item: tuple[int, str]) -> np.ndarray:
    path = Path(item[1])
    with open(path.with_suffix(".loads"), "a") as file:
        file.write("x")
    return np.loadtxt(path)


def total(item: tuple[int, str], data: np.ndarray) -> float:
    return float(data.sum()) * item[0]


def data_key(item: tuple[int, str]) -> str:
    return item[1]


def group(item: str) -> str | None:
    """What stands before the colon; "alone" is never run together."""
    before = item.partition(":")[0]
    return None if before == "alone" else before


def size(item: str) -> float:
    return float(item.rpartition(":")[2])


def begin(items: Sequence[str], _: Sequence[None]) -> list[Callable[[], tuple[str, int]]]:
    """Batches misbehave as their group says; the finishing of an item called "bad" fails."""
    if not items[0].startswith(("well", "slow")):
        misbehave(items[0].partition(":")[0])
    if items[0].startswith("slow"):
        time.sleep(2)
    return [partial(ended, item, len(items)) for item in items]


def ended(item: str, together: int = 1) -> tuple[str, int]:
    """The item, and with how many others it was begun."""
    if "bad" in item:
        raise ValueError(f"{item} cannot be finished")
    return item, together


def ended_alone(item: str, _: None) -> tuple[str, int]:
    return ended(item)


def nothing(item: str) -> None:
    if "absent" in item:
        raise FileNotFoundError(item)


BATCHED = Work(ended_alone, nothing, str, Together(group, size, begin))


@dataclass(frozen=True)
class Sociable(Detector):
    """Raw patches that say they gain from being fitted together."""

    width: int = 16

    def fit(self, train: np.ndarray) -> Scorer:
        return NearestPrototype(RawPatches(self.width)).fit(train)

    def fit_many(self, trains: Sequence[np.ndarray]) -> list[Scorer]:
        return [self.fit(train) for train in trains]


@dataclass(frozen=True)
class Squeezed(Sociable):
    """Fits each series, but not two at once: no memory for that."""

    def fit_many(self, trains: Sequence[np.ndarray]) -> list[Scorer]:
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")


@dataclass(frozen=True)
class Slow(Learner):
    """Raw patches, longer for a higher seed, that take their time and write down each training in the file `diary`."""

    diary: str = ""
    seed: int = 0
    seconds: float = 0.05

    def fit(self, train: np.ndarray) -> Encoder:
        time.sleep(self.seconds)
        with open(self.diary, "a") as file:
            file.write(f"{self.seed} {len(train)} {train.sum()}\n")
        return RawPatches(16 + self.seed).fit(train)

    def fit_many(self, trains: Sequence[np.ndarray]) -> list[Encoder]:
        return [self.fit(train) for train in trains]


def slow() -> NearestPrototype:
    return NearestPrototype(Slow())


def slow_cosine() -> NearestPrototype:
    return NearestPrototype(Slow(), metric="cosine")


def slow_pai() -> PAI:
    return PAI(slow())


def key_of_letter(item: str) -> str | None:
    """Items of one letter share what is made for it; lower case shares nothing."""
    return item[0] if item[0].isupper() else None


def made(item: str, _: None) -> str:
    """What is made says who made it; "X" cannot be made."""
    if item.startswith("X"):
        raise ValueError("X cannot be made")
    time.sleep(0.1)
    return f"{item[0]} {os.getpid()} {time.monotonic()}"


def with_made(item: str, _: None, made: str = "") -> str:
    if "crash" in item:
        misbehave("crash")
    if "hang" in item:
        misbehave("hang")
    time.sleep(0.02)
    return made


SHARING = Work(with_made, nothing, str, shared=Shared(key_of_letter, made))
