"""The baselines against the published per-file VUS-PR of TSB-AD, on whatever series lie at hand.

    python benchmarks/baselines/parity.py run --detectors usad deepant --longest 10000
    python benchmarks/baselines/parity.py run --detectors timesnet --device cuda --workers 4 --minutes 5
    python benchmarks/baselines/parity.py report

`run` adds one row a (detector, mode, file, seed) to the results file as soon as it is there, and skips what is
already, so it can be stopped and started at will. It takes the detectors one after the other on the series of
at most `--short` steps, and then all of them on the longer ones, so that what is left undone when the time is up
is what costs most. `report` compares means over the same files (each file's, over its seeds), and says of what was
made as the published values were whether it is as published: a mean no further away than 0.04, and a rank correlation
over the files of at least 0.7. The default mode is meant to differ.
"""

import argparse
import csv
import os
import platform
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from types import FrameType

import numpy as np

from paiad.benchmark.executors import Engine, run_jobs
from paiad.benchmark.executors.processes import Processes
from paiad.benchmark.executors.serial import Serial
from paiad.catalog import make
from paiad.metrics import evaluate
from paiad.period import dominant_period
from paiad.ranks import spearman

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "parity.csv"
COLUMNS = (
    "detector",
    "mode",
    "file",
    "length",
    "vus_pr",
    "cpu_seconds",
    "failure",
    "seed",
    "machine",
    "date",
)

# name -> column of the published file
PUBLISHED = {
    "sub-pca": "Sub-PCA",
    "kshape": "KShapeAD",
    "deepant": "CNN",
    "usad": "USAD",
    "tranad": "TranAD",
    "timesnet": "TimesNet",
    "fits": "FITS",
    "anomaly-transformer": "AnomalyTransformer",
    "ofa": "OFA",
    "lag-llama": "Lag-Llama",
    "timesfm": "TimesFM",
    "moment": "MOMENT (ZS)",
    "moment-tuned": "MOMENT (FT)",
}
WHOLE_SERIES = {"sub-pca", "kshape", "lag-llama", "timesfm", "moment"}  # fitted on all of it, as published

ONE_MODE = {"sub-pca", "kshape"}  # nothing was odd about their published runs

MOST_APART, LEAST_CORRELATION = 0.04, 0.7  # of a mean, and over the files
NEAR = 0.01  # of a single file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("--detectors", nargs="+", default=["sub-pca"])
    parser.add_argument("--modes", nargs="+", default=["published", "none"], choices=("published", "none"))
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared" / "data")
    parser.add_argument("--results", type=Path, nargs="+", default=[RESULTS])
    parser.add_argument("--longest", type=int, default=10**9, help="skip longer series")
    parser.add_argument("--short", type=int, default=20_000, help="series that are run before longer ones")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--workers", type=int, default=1, help="processes, of one thread each")
    parser.add_argument("--minutes", type=float, default=0.0, help="stop then; 0 is never")
    given = parser.parse_args()
    if given.what == "run":
        run(given)
    else:
        report(given.results, given.data)


@dataclass(frozen=True)
class Job:
    """One detector in one mode on one series."""

    detector: str
    mode: str
    path: Path
    length: int
    seed: int
    device: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.detector, self.mode, self.path.name, str(self.seed)


class TimeIsUp(BaseException):
    """Raised in the midst of whatever is done, like Ctrl-C, and no failure of a job."""


def run(given: argparse.Namespace) -> None:
    (results,) = given.results
    done = {(row["detector"], row["mode"], row["file"], row["seed"]) for row in _rows(results)}
    jobs = [job for job in _planned(given) if job.key not in done]
    began = time.monotonic()
    try:
        with _time_limit(given.minutes):
            engine: Engine = Serial() if given.workers == 1 else Processes(given.workers)
            for number, outcome in enumerate(run_jobs(measured, jobs, engine), start=1):
                row = outcome.value or _row(jobs[outcome.index]) | {"failure": outcome.reason}
                _append(results, row)
                told = f"{row['vus_pr'] or row['failure']} {row['cpu_seconds']}"
                clock = f"{time.monotonic() - began:.0f} s, {number} of {len(jobs)}"
                print(f"[{clock}]", row["detector"], row["mode"], row["file"], told, flush=True)
    except TimeIsUp:
        print(f"stopped after {given.minutes} minutes; what was measured is in {results}", flush=True)


def _planned(given: argparse.Namespace) -> list[Job]:
    jobs = [
        Job(name, mode, path, length, given.seed, given.device)
        for path, length in _series(given.data / "TSB-AD-U", given.longest)
        for name in given.detectors
        for mode in (given.modes if name not in ONE_MODE else ["none"])
    ]

    def costliest_last(job: Job) -> tuple[object, ...]:
        turn = given.detectors.index(job.detector)
        return (0, turn, job.length) if job.length <= given.short else (1, job.length, turn)

    return sorted(jobs, key=costliest_last)


def measured(job: Job) -> dict[str, object]:
    """The row of a job; what goes wrong stands in it as a failure."""
    values, labels = _read(job.path)
    settings: dict[str, object] = {} if job.detector == "sub-pca" else {"seed": job.seed}
    if job.detector not in ONE_MODE:
        settings |= {"parity": job.mode, "device": job.device}
    train_end = int(job.path.name.split("_tr_")[1].split("_")[0])
    train = values if job.detector in WHOLE_SERIES else values[:train_end]
    row = _row(job)
    started = time.process_time()
    try:
        scores = make(job.detector, settings).fit(train).score(values)
        row["cpu_seconds"] = f"{time.process_time() - started:.2f}"
        found = evaluate(scores, labels, window=dominant_period(values), which=["VUS-PR"])
        row["vus_pr"] = f"{found['VUS-PR']:.6f}"
    except Exception as reason:
        row["failure"] = f"{type(reason).__name__}: {reason}"
    return row


Measured = dict[str, dict[str, dict[str, str]]]
"""Of one detector in one mode: the row of each file, by seed."""


def report(results: list[Path], data: Path) -> None:
    with open(data / "published_vus_pr.csv") as file:
        published = {row["file"]: row for row in csv.DictReader(file)}
    print(
        "detector              mode        files  seeds    ours  over seeds  theirs  difference  rank corr."
        "  within .01  CPU seconds  as published"
    )
    groups = _groups(results)
    order = [*PUBLISHED, *sorted({name for name, _ in groups} - set(PUBLISHED))]
    for name, mode in sorted(groups, key=lambda group: (order.index(group[0]), group[1] == "none")):
        measured = groups[name, mode]
        values = _means_over_seeds(measured)
        ours = np.array(list(values.values()))
        seconds = [float(row["cpu_seconds"]) for rows in measured.values() for row in rows.values()]
        print(f"{name:22s}{mode:10s}{len(ours):7d}{len(measured):7d}  {ours.mean():.4f}", end="")
        print(f"{_spread_over_seeds(measured):>12s}", end="")
        if name in PUBLISHED:
            theirs = np.array([float(published[file][PUBLISHED[name]]) for file in values])
            print(_beside(ours, theirs), end="")
        else:
            print(f"{'-':>8s}{'-':>12s}{'-':>12s}{'-':>12s}", end="")
        judged = name in PUBLISHED and (mode == "published" or name in ONE_MODE)
        print(f"{sum(seconds):13.0f}{_verdict(ours, theirs) if judged else '-':>14s}")


def _groups(results: list[Path]) -> dict[tuple[str, str], Measured]:
    groups: dict[tuple[str, str], Measured] = {}
    for path in results:
        for row in _rows(path):
            if not row["failure"]:
                of_seeds = groups.setdefault((row["detector"], row["mode"]), {})
                of_seeds.setdefault(row["seed"], {})[row["file"]] = row
    return groups


def _means_over_seeds(measured: Measured) -> dict[str, float]:
    """Of each file, over the seeds that were run on it."""
    found: dict[str, list[float]] = {}
    for rows in measured.values():
        for file, row in rows.items():
            found.setdefault(file, []).append(float(row["vus_pr"]))
    return {file: float(np.mean(values)) for file, values in found.items()}


def _spread_over_seeds(measured: Measured) -> str:
    """Standard deviation of the mean over the files that all seeds were run on; "-" for a single seed."""
    if len(measured) < 2:
        return "-"
    files = set.intersection(*(set(rows) for rows in measured.values()))
    means = [np.mean([float(rows[file]["vus_pr"]) for file in files]) for rows in measured.values()]
    return f"± {np.std(means, ddof=1):.4f}"


def _beside(ours: np.ndarray, theirs: np.ndarray) -> str:
    gap = ours - theirs
    near = np.mean(np.abs(gap) <= NEAR)
    return f"{theirs.mean():8.4f}{gap.mean():+12.4f}{spearman(ours, theirs):12.2f}{near:12.2f}"


def _verdict(ours: np.ndarray, theirs: np.ndarray) -> str:
    apart, together = abs(float(np.mean(ours - theirs))), spearman(ours, theirs)
    if np.isnan(together):  # a single file
        return "-"
    return "yes" if apart <= MOST_APART and together >= LEAST_CORRELATION else "NO"


class _time_limit:
    """Raises TimeIsUp in the main thread after so many minutes; 0 is never."""

    def __init__(self, minutes: float) -> None:
        self.seconds = 60 * minutes

    def __enter__(self) -> None:
        if self.seconds:
            signal.signal(signal.SIGALRM, self._up)
            signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)

    @staticmethod
    def _up(number: int, frame: FrameType | None) -> None:
        raise TimeIsUp


def _row(job: Job) -> dict[str, object]:
    row: dict[str, object] = dict.fromkeys(COLUMNS, "")
    row |= {"detector": job.detector, "mode": job.mode, "file": job.path.name, "length": job.length}
    row |= {"seed": job.seed, "machine": _machine(job.device), "date": date.today().isoformat()}
    return row


@lru_cache
def _machine(device: str) -> str:
    processor = f"{platform.processor() or platform.machine()} ({os.cpu_count()} cores)"
    if device == "cpu":
        return processor
    try:
        import torch
    except ImportError:
        return processor
    return torch.cuda.get_device_name() if torch.cuda.is_available() else processor


def _series(folder: Path, longest: int) -> Iterator[tuple[Path, int]]:
    for path in sorted(folder.glob("*.csv")):
        with open(path, "rb") as file:
            length = sum(1 for _ in file) - 1
        if length <= longest:
            yield path, length


@lru_cache(maxsize=1)
def _read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, 0], table[:, 1].astype(np.int64)


def _rows(results: Path) -> Iterator[dict[str, str]]:
    if results.exists():
        with open(results, newline="") as file:
            yield from csv.DictReader(file)


def _append(results: Path, row: dict[str, object]) -> None:
    results.parent.mkdir(parents=True, exist_ok=True)
    new = not results.exists()
    with open(results, "a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    main()
