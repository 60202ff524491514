"""Time and memory of the default detector by length: fit on the first quarter, score everything, on one core.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/best/cost.py --out benchmarks/best/cost.csv

Each length runs in a process of its own, so that its peak memory is its own; kernels are compiled (and cached on
disk) before the clock starts. Seconds are of the process's CPU and of the wall, the best of `--repeat` runs.
"""

import argparse
import csv
import datetime
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

LENGTHS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


def measure(length: int, repeat: int) -> tuple[float, float, float, float]:
    """CPU seconds, wall seconds, peak MB and MB before anything was scored."""
    from paiad.best import Best
    from paiad.synthetic import seasonal

    warm = seasonal(2_000)
    Best().fit(warm[:1_000]).score(warm)
    values = seasonal(length, seed=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    runs = []
    for _ in range(repeat if length <= 100_000 else 1):
        cpu, wall = time.process_time(), time.perf_counter()
        scores = Best().fit(values[: length // 4]).score(values)
        runs.append((time.process_time() - cpu, time.perf_counter() - wall))
        assert np.isfinite(scores).all()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return min(r[0] for r in runs), min(r[1] for r in runs), peak, before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", type=int)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--longest", type=int, default=LENGTHS[-1])
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.one:
        print(*measure(given.one, given.repeat))
        return
    rows = []
    for length in (n for n in LENGTHS if n <= given.longest):
        command = [sys.executable, __file__, "--one", str(length), "--repeat", str(given.repeat)]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        rows.append((length, *(round(float(one), 3) for one in found)))
        print(
            "{:>9,} values  {:8.2f} s CPU  {:8.2f} s wall  {:7.0f} MB peak ({:.0f} MB before)".format(
                *rows[-1]
            ),
            flush=True,
        )
    if given.out:
        with open(given.out, "w", newline="") as file:
            file.write(
                f"# {platform.processor() or platform.machine()}, {os.cpu_count()} cores of which one was used, "
                f"load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}, numpy {np.__version__}, "
                f"{datetime.date.today()}\n"
            )
            csv.writer(file).writerows([("length", "cpu_s", "wall_s", "peak_mb", "before_mb"), *rows])


if __name__ == "__main__":
    main()
