"""A module that workers cannot import."""

from multiprocessing import current_process

if current_process().name != "MainProcess":
    raise SystemExit(7)


def square(number: int) -> int:
    return number * number
