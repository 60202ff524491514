"""Jobs that go wrong in every way a job can, importable by name from worker processes."""

import os
import signal
import time
from pathlib import Path

import numpy as np


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
