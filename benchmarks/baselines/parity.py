"""The baselines against the published per-file VUS-PR of TSB-AD, on whatever series lie at hand.

    python benchmarks/baselines/parity.py run --detectors usad deepant --longest 10000
    python benchmarks/baselines/parity.py report

`run` adds one row a (detector, mode, file) to the results file, shortest series first, and skips what is
already there, so it can be stopped and started at will. `report` compares means over the same files.
"""

import argparse
import csv
import platform
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np

from paiad.catalog import make
from paiad.metrics import evaluate
from paiad.period import dominant_period

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("--detectors", nargs="+", default=["sub-pca"])
    parser.add_argument("--modes", nargs="+", default=["published", "none"], choices=("published", "none"))
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared" / "data")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--longest", type=int, default=10**9, help="skip longer series")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.what == "run":
        run(given)
    else:
        report(given.results, given.data)


def run(given: argparse.Namespace) -> None:
    done = {(row["detector"], row["mode"], row["file"], row["seed"]) for row in _rows(given.results)}
    for path in sorted((given.data / "TSB-AD-U").glob("*.csv"), key=lambda path: path.stat().st_size):
        values, labels = _read(path)
        if len(values) > given.longest:
            continue
        for name in given.detectors:
            for mode in given.modes if name not in ONE_MODE else ["none"]:
                if (name, mode, path.name, str(given.seed)) not in done:
                    row = _measured(name, mode, path.name, values, labels, given.seed)
                    _append(given.results, row)
                    print(
                        name, mode, path.name, row["vus_pr"], row["cpu_seconds"], row["failure"], flush=True
                    )


def report(results: Path, data: Path) -> None:
    with open(data / "published_vus_pr.csv") as file:
        published = {row["file"]: row for row in csv.DictReader(file)}
    print(
        "detector              mode        files    ours  theirs  difference  rank corr.  within .01  CPU seconds"
    )
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in _rows(results):
        if not row["failure"]:
            groups.setdefault((row["detector"], row["mode"]), []).append(row)
    for (name, mode), rows in groups.items():
        ours = np.array([float(row["vus_pr"]) for row in rows])
        seconds = np.array([float(row["cpu_seconds"]) for row in rows]).sum()
        start = f"{name:22s}{mode:12s}{len(rows):5d}  {ours.mean():.4f}"
        if name not in PUBLISHED:
            print(f"{start}       -           -           -           -  {seconds:7.0f}")
            continue
        theirs = np.array([float(published[row["file"]][PUBLISHED[name]]) for row in rows])
        gap = ours - theirs
        print(
            f"{start}  {theirs.mean():.4f}     {gap.mean():+.4f}       {_rank_correlation(ours, theirs):5.2f}"
            f"       {np.mean(np.abs(gap) <= 0.01):5.2f}  {seconds:7.0f}"
        )


def _measured(
    name: str, mode: str, file: str, values: np.ndarray, labels: np.ndarray, seed: int
) -> dict[str, object]:
    settings: dict[str, object] = {} if name == "sub-pca" else {"seed": seed}
    if name not in ONE_MODE:
        settings["parity"] = mode
    train_end = len(values) if name in WHOLE_SERIES else int(file.split("_tr_")[1].split("_")[0])
    row: dict[str, object] = dict.fromkeys(COLUMNS, "")
    row |= {"detector": name, "mode": mode, "file": file, "length": len(values), "seed": seed}
    row |= {"machine": platform.processor() or platform.machine(), "date": date.today().isoformat()}
    started = time.process_time()
    try:
        scores = make(name, settings).fit(values[:train_end]).score(values)
        row["cpu_seconds"] = f"{time.process_time() - started:.2f}"
        measured = evaluate(scores, labels, window=dominant_period(values), which=["VUS-PR"])
        row["vus_pr"] = f"{measured['VUS-PR']:.6f}"
    except Exception as reason:
        row["failure"] = f"{type(reason).__name__}: {reason}"
    return row


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


def _rank_correlation(ours: np.ndarray, theirs: np.ndarray) -> float:
    ranks = [np.argsort(np.argsort(values)) for values in (ours, theirs)]
    return float(np.corrcoef(*ranks)[0, 1]) if len(ours) > 1 else float("nan")


if __name__ == "__main__":
    main()
