"""CPU time and memory of the two amplitude terms, beside the obvious loop, in one run.

    python benchmarks/amplitude/measure.py [--write]

`--write` puts the table into benchmarks/amplitude/results.md.
"""

import argparse
import datetime
import os
import platform
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from paiad.amplitude import Level, deviation, mean_shift

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

import naive  # noqa: E402

LENGTHS = (10_000, 100_000, 1_000_000, 10_000_000)
LOOP_LENGTH = 100_000  # the loop is timed on this length and compared there


def best_of(times: int, function: Callable[[], object]) -> float:
    taken = []
    for _ in range(times):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return min(taken)


def both(values: np.ndarray, level: Level) -> None:
    deviation(values, level)
    mean_shift(values, level)


def both_by_loop(values: np.ndarray, level: Level) -> None:
    naive.deviation(values, level.median, level.unit)
    naive.mean_shift(values, level.median, level.unit, 32, 32)


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def rows() -> list[str]:
    rng = np.random.default_rng(0)
    both(rng.normal(size=100), Level(0.0, 1.0))
    lines = [
        "| points | both terms | per point | level from all points | peak memory over the input |",
        "|---|---|---|---|---|",
    ]
    for length in LENGTHS:
        values = rng.normal(size=length)
        before = peak_bytes()
        level = Level(0.0, 1.0)
        terms = best_of(5, lambda values=values, level=level: both(values, level))
        grown = (peak_bytes() - before + values.nbytes) / values.nbytes
        fit = best_of(2, lambda values=values: Level.of(values))
        lines.append(
            f"| {length:,} | {terms * 1e3:.2f} ms | {terms / length * 1e9:.1f} ns | {fit * 1e3:.1f} ms "
            f"| {grown:.1f} × |"
        )
    values = rng.normal(size=LOOP_LENGTH)
    level = Level.of(values)
    fast = best_of(5, lambda: both(values, level))
    slow = best_of(1, lambda: both_by_loop(values, level))
    lines.append(
        f"\nAgainst the obvious loop on {LOOP_LENGTH:,} points, same run: {slow:.2f} s / {fast * 1e3:.2f} ms "
        f"= **{slow / fast:,.0f} ×**."
    )
    return lines


def machine() -> str:
    return (
        f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, one used, "
        f"Python {platform.python_version()}, numpy {np.__version__}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    text = "\n".join(["# Amplitude terms: magG and T2 (W = 32)", "", machine(), "", *rows(), ""])
    print(text)
    if chosen.write:
        (HERE / "results.md").write_text(text)
