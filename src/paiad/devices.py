"""Where torch computes, with how many threads, and from which seed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from paiad.errors import SettingError
from paiad.placing import Device

THREADS_VARIABLE = "PAIAD_TORCH_THREADS"


def choose_device(device: Device = "auto") -> torch.device:
    """The device meant: `auto` is the GPU where there is one.

    >>> choose_device("cpu")
    device(type='cpu')
    """
    if device not in ("auto", "cpu", "cuda"):
        raise SettingError(f"device must be auto, cpu or cuda, got {device!r}")
    there = torch.cuda.is_available()
    if device == "cuda" and not there:
        raise SettingError("device is cuda, but this torch sees no GPU; use device auto or cpu")
    return torch.device("cuda" if there and device != "cpu" else "cpu")


@contextmanager
def computing(device: Device = "auto", seed: int | None = None) -> Iterator[torch.device]:
    """Run torch code on a device, from a seed, without touching the caller's random state or thread count.

    One CPU thread, unless the environment variable PAIAD_TORCH_THREADS says otherwise: two threads beside a
    busy core are three times slower than one (they wait for each other), sums are added in one order
    everywhere, and whoever has many cores runs many series at once.

    >>> with computing("cpu", seed=0): a = torch.rand(1)
    >>> with computing("cpu", seed=0): b = torch.rand(1)
    >>> bool(a == b)
    True
    """
    place = choose_device(device)
    before = torch.get_num_threads()
    torch.set_num_threads(_threads())
    try:
        with torch.random.fork_rng(devices=_cuda_ids(place), enabled=seed is not None):
            if seed is not None:
                torch.manual_seed(seed)
            yield place
    finally:
        torch.set_num_threads(before)


def _threads() -> int:
    given = os.environ.get(THREADS_VARIABLE, "1")
    if not given.isdigit() or int(given) < 1:
        raise SettingError(f"{THREADS_VARIABLE} must be a whole number of at least 1, got {given!r}")
    return int(given)


def _cuda_ids(place: torch.device) -> list[int]:
    return [torch.cuda.current_device()] if place.type == "cuda" else []
