"""Compiled loops: numba with a disk cache, and a log line for the one slow first call."""

import logging
import time
from collections.abc import Callable
from typing import Any

import numba

logger = logging.getLogger(__name__)


class Kernel:
    """A compiled loop called from Python; its first call in a process says whether it had to compile."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__doc__ = function.__doc__
        self.compiled = _compiled(function)
        self._called = False

    def __call__(self, *arguments: Any) -> Any:
        if self._called:
            return self.compiled(*arguments)
        return self._first_call(*arguments)

    def _first_call(self, *arguments: Any) -> Any:
        started = time.perf_counter()
        answer = self.compiled(*arguments)
        self._called = True
        stats = getattr(self.compiled, "stats", None)  # none under NUMBA_DISABLE_JIT=1
        if stats is not None and stats.cache_misses:
            name, seconds = self.compiled.py_func.__name__, time.perf_counter() - started
            logger.info("compiled %s in %.1f s; later processes load it from the disk cache", name, seconds)
        return answer


def inline_kernel(function: Callable[..., Any]) -> Any:
    """A compiled loop for other compiled loops to call, and for nobody else."""
    return _compiled(function, no_cpython_wrapper=True)


def _compiled(function: Callable[..., Any], **options: bool) -> Any:
    options |= {"nogil": True, "no_cfunc_wrapper": True}
    try:
        return numba.njit(cache=True, error_model="numpy", **options)(function)
    except RuntimeError:  # numba finds no writable folder for its cache
        logger.info("no writable cache folder: %s is compiled anew in every process", function.__name__)
        return numba.njit(error_model="numpy", **options)(function)
