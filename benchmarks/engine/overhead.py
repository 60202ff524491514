"""What the engine costs: trivial jobs a second, and the time beyond the jobs' own on every core.

python benchmarks/engine/overhead.py
"""

import os
import platform
import time
from datetime import date

from paiad.benchmark.executors import run_jobs
from paiad.benchmark.executors.processes import Processes


def trivial(number: int) -> int:
    return number


def busy(seconds: float) -> float:
    """Work until so much of this process's own time has gone by."""
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        sum(range(1000))
    return time.perf_counter()


def main() -> None:
    cores = len(os.sched_getaffinity(0))
    machine = f"{platform.machine()}, {cores} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{date.today()}, {machine}, Python {platform.python_version()}")
    started = time.perf_counter()
    count = sum(outcome.status == "done" for outcome in run_jobs(trivial, range(1000), Processes()))
    print(f"{count} trivial jobs: {time.perf_counter() - started:.2f} s, starting {cores} workers included")
    started = time.perf_counter()
    own = sum(outcome.seconds for outcome in run_jobs(busy, [0.2] * 200, Processes()))
    wall = time.perf_counter() - started
    beyond = wall * cores / own - 1
    print(f"200 jobs of 0.2 s: {own:.2f} s in jobs, {wall:.2f} s in all: {beyond:+.1%} beyond the jobs' own")


if __name__ == "__main__":
    main()
