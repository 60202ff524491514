"""The default detector against a trained PaAno with PAI on one series, on one CPU core, in one run.

    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    python benchmarks/best/against_paano.py --length 10000 --out benchmarks/best/against_paano.csv

Both are fitted on the first quarter and score everything. PaAno trains for all of its 200 steps unless `--steps`
says otherwise; then its time for 200 is reckoned from the time of a step, and the row says so.
"""

import argparse
import csv
import datetime
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from paiad.best import Best
from paiad.contracts import Detector
from paiad.detectors.prototype import NearestPrototype
from paiad.encoders.paano import PaAno
from paiad.pai import PAI
from paiad.synthetic import seasonal

STEPS = 200


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def fit_and_score(recipe: Detector, values: np.ndarray) -> tuple[float, float]:
    train = values[: len(values) // 4]
    return seconds(lambda: recipe.fit(train).score(values))


def paano(steps: int) -> PAI:
    return PAI(NearestPrototype(PaAno(iterations=steps, device="cpu")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--length", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    values = seasonal(given.length, seed=1)
    for recipe in (Best(), paano(1)):
        recipe.fit(values[:600]).score(values[:1200])  # compiles, loads
    best = min(fit_and_score(Best(), values) for _ in range(3))
    trained = fit_and_score(paano(given.steps), values)
    how = f"all {STEPS} steps run"
    if given.steps != STEPS:
        without = fit_and_score(paano(0), values)
        share = (STEPS - given.steps) / given.steps
        trained = (
            trained[0] + (trained[0] - without[0]) * share,
            trained[1] + (trained[1] - without[1]) * share,
        )
        how = f"{given.steps} steps run, {STEPS} reckoned"
    rows = [("length", "detector", "cpu_s", "wall_s", "how")]
    rows += [(given.length, "best", *map(rounded, best), "best of 3")]
    rows += [(given.length, "PaAno + PAI, trained", *map(rounded, trained), how)]
    about = (
        f"# {platform.machine()}, {os.cpu_count()} cores of which one was used, load {os.getloadavg()[0]:.1f}, "
        f"torch {torch.__version__}, {datetime.date.today()}"
    )
    print(about, *rows, f"ratio of CPU seconds: {trained[0] / best[0]:.0f}", sep="\n")
    if given.out:
        with open(given.out, "w", newline="") as file:
            file.write(about + "\n")
            csv.writer(file).writerows(rows)


def rounded(value: float) -> float:
    return round(value, 3)


if __name__ == "__main__":
    main()
