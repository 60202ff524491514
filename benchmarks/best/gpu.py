"""The default detector for a fleet: on a GPU in batches against one series at a time on the CPU.

    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    python benchmarks/best/gpu.py --data TSB-AD-U --series 2000 --length 10000 --out gpu.csv

First equality, on the files of a folder in the layout of TSB-AD (`--data`, optional) and on made-up series: the
largest difference between the two ways, relative to the score where that is above 1. Then the speed: series of
`--length` steps of which the first quarter is the training part, fitted and scored. The CPU's figure is from
`--cpu-series` of them on one thread of one core; so is "all cores", from one process a core.
"""

import argparse
import csv
import datetime
import multiprocessing
import os
import platform
import time
from pathlib import Path

import numpy as np
import torch

from paiad.best import Best
from paiad.best.fleet import Fleet
from paiad.synthetic import seasonal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--longest", type=int, default=31_000, help="leave out longer files")
    parser.add_argument("--files", type=int, default=40, help="compare at most so many files")
    parser.add_argument("--series", type=int, default=1000)
    parser.add_argument("--length", type=int, default=10_000)
    parser.add_argument("--cpu-series", type=int, default=10)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--at-once", type=int, default=Fleet().at_once)
    parser.add_argument(
        "--seconds", type=float, default=240, help="start no further batch of the speed run after"
    )
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    fleet = Fleet(device=given.device, at_once=given.at_once)
    print(about(), flush=True)
    rows = [("equality", *row) for row in equality(fleet, given)] + [
        ("speed", *row) for row in speed(fleet, given)
    ]
    if given.out:
        with open(given.out, "w", newline="") as file:
            file.write(f"# {about()}\n")
            csv.writer(file).writerows([("what", "of", "value"), *rows])


def about() -> str:
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    return f"{gpu}, {os.cpu_count()} cores of {platform.machine()}, torch {torch.__version__}, {datetime.date.today()}"


def equality(fleet: Fleet, given: argparse.Namespace) -> list[tuple[str, float]]:
    pairs = files(given) if given.data else []
    pairs += [(values[: len(values) // 4], values) for values in made(6, 4_000)]
    pairs += [
        (values[: len(values) // 2], values) for values in made(1, 30_000)
    ]  # more than the banks hold exactly
    fitted = fleet.fit_many([train for train, _ in pairs])
    together = fleet.score_many(fitted, [values for _, values in pairs])
    largest, at_all = 0.0, []
    for (train, values), scores in zip(pairs, together, strict=True):
        alone = fleet.recipe.fit(train).score(values)
        away = np.abs(scores - alone) / np.maximum(1.0, np.abs(alone))
        at_all.append(away)
        largest = max(largest, float(away.max()))
    steps = np.concatenate(at_all)
    rows = [
        ("series", float(len(pairs))),
        ("largest relative difference", largest),
        ("share of steps beyond 1e-4", float((steps > 1e-4).mean())),
        ("99.9 % of steps within", float(np.quantile(steps, 0.999))),
    ]
    for name, value in rows:
        print(f"equality: {name} {value:.3g}", flush=True)
    return rows


def files(given: argparse.Namespace) -> list[tuple[np.ndarray, np.ndarray]]:
    out = []
    for path in sorted(given.data.glob("*.csv"), key=lambda path: path.stat().st_size):
        values = np.loadtxt(path, delimiter=",", skiprows=1, usecols=0)
        if len(values) <= given.longest and len(out) < given.files:
            out.append((values[: int(path.stem.split("_")[-3])], values))
    return out


def made(count: int, length: int) -> list[np.ndarray]:
    return [seasonal(length, seed=seed) for seed in range(count)]


def speed(fleet: Fleet, given: argparse.Namespace) -> list[tuple[str, float]]:
    values = made(min(given.series, 64), given.length)
    fleet.fit_many([one[: given.length // 4] for one in values[:2]])  # kernels are compiled, the GPU is awake
    start, done = time.perf_counter(), 0
    while done < given.series and time.perf_counter() - start < given.seconds:
        block = [values[number % len(values)] for number in range(done, min(done + 256, given.series))]
        scorers = fleet.fit_many([one[: given.length // 4] for one in block])
        fleet.score_many(scorers, block)
        done += len(block)
        print(f"speed: {done} series in {time.perf_counter() - start:.1f} s", flush=True)
    together = done / (time.perf_counter() - start)
    start = time.perf_counter()
    for one in values[: given.cpu_series]:
        fleet.recipe.fit(one[: given.length // 4]).score(one)
    alone = min(given.cpu_series, len(values)) / (time.perf_counter() - start)
    rows = [
        ("values a series", float(given.length)),
        ("series a second, in batches", together),
        ("series a second, one core", alone),
        ("times as fast as one core", together / alone),
    ]
    cores = os.cpu_count() or 1
    if cores > 2:
        rows += [("series a second, all cores", all_cores(cores, given.length))]
    for name, value in rows:
        print(f"speed: {name} {value:.4g}", flush=True)
    return rows


def all_cores(cores: int, length: int, each: int = 8) -> float:
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        pool.map(one_by_one, [(length, 1)] * cores)  # loads what is compiled
        start = time.perf_counter()
        pool.map(one_by_one, [(length, each)] * cores, chunksize=1)
        return cores * each / (time.perf_counter() - start)


def one_by_one(given: tuple[int, int]) -> None:
    length, count = given
    for values in made(count, length):
        Best().fit(values[: length // 4]).score(values)


if __name__ == "__main__":
    main()
