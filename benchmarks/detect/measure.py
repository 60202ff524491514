"""How long `paiad detect` takes from a cold start to the written report, and how much memory at most.

    python benchmarks/detect/measure.py            10,000 points, three times, then with nothing compiled yet
    python benchmarks/detect/measure.py 1000000    once

Every run is a process of its own on a freshly written CSV. Memory is the peak of the process (resident set).
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import numpy as np

DAY = 288  # steps of five minutes


def write_series(path: Path, points: int) -> None:
    """A daily and a weekly wave with noise, spikes and level shifts, with times, as CSV."""
    rng = np.random.default_rng(0)
    step = np.arange(points)
    values = 10 + 3 * np.sin(step * 2 * np.pi / DAY) + np.sin(step * 2 * np.pi / (7 * DAY))
    values += rng.normal(scale=0.3, size=points)
    for at in range(points // 2, points - 200, max(points // 12, 200)):
        values[at] += 6
        values[at + 100 : at + 160] -= 4
    times = np.datetime64("2024-01-01T00:00") + step * np.timedelta64(5, "m")
    with path.open("w", encoding="utf-8") as file:
        file.write("time,value\n")
        file.writelines(f"{at},{value:.4f}\n" for at, value in zip(times, values, strict=True))


def run(path: Path, out: Path, options: list[str], compiled: bool) -> str:
    """Seconds on the clock and of the processor, and peak memory, of one run."""
    environment = dict(os.environ)
    if not compiled:
        environment["NUMBA_CACHE_DIR"] = str(out / "compiled")
    command = [
        sys.executable,
        "-c",
        "from paiad.cli import main; main()",
        "detect",
        str(path),
        "--out",
        str(out),
    ]
    begun = time.perf_counter()
    process = subprocess.Popen([*command, *options], env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"paiad detect ended with {os.waitstatus_to_exitcode(status)}")
    busy = used.ru_utime + used.ru_stime
    return f"{seconds:.1f} s ({busy:.1f} s of processor time), {used.ru_maxrss / 1024:,.0f} MB at most"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("points", type=int, nargs="?", default=10_000)
    parser.add_argument("--repeat", type=int, default=None)
    parser.add_argument("options", nargs="*", help="options of paiad detect, after --")
    given = parser.parse_args()
    repeat = given.repeat or (3 if given.points <= 100_000 else 1)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"{date.today()}, {platform.machine()}, {cores} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "series.csv"
        write_series(path, given.points)
        for attempt in range(repeat):
            told = run(path, Path(folder) / "out", given.options, compiled=True)
            print(f"{given.points:,} points, run {attempt + 1}: {told}", flush=True)
        if given.points <= 100_000:
            told = run(path, Path(folder) / "out", given.options, compiled=False)
            print(f"{given.points:,} points, nothing compiled yet: {told}")
        for file in sorted((Path(folder) / "out").iterdir()):
            if file.is_file():
                print(f"  {file.name}: {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
