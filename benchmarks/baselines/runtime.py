"""Parameters and run time of every baseline on one series of 4,031 steps, beside the paper's table.

    python benchmarks/baselines/runtime.py measure --detectors usad deepant
    python benchmarks/baselines/runtime.py table

`measure` fits on the training part and scores the whole series, as the table's runs did, and notes wall and
CPU seconds of the best of `--repeat` runs. `table` prints what has been measured, with machine and date.
The paper's times were taken on one NVIDIA H200.
"""

import argparse
import csv
import os
import platform
import time
from datetime import date
from pathlib import Path

import numpy as np

from paiad.catalog import make
from paiad.contracts import Detector
from paiad.errors import PaiadError

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "runtime.csv"
SERIES = "001_NAB_id_1_Facility_tr_1007_1st_2014.csv"
COLUMNS = ("detector", "parameters", "wall_seconds", "cpu_seconds", "device", "machine", "date")

# name -> parameters and run time in the paper's table
PAPER = {
    "sub-pca": ("-", 1.5),
    "kshape": ("-", 8.0),
    "dlinear": ("<0.1M", 2.9),
    "nlinear": ("<0.1M", 5.8),
    "deepant": ("<0.1M", 2.0),
    "usad": ("<0.1M", 1.7),
    "tranad": ("-", float("nan")),
    "timesnet": ("<0.1M", 11.2),
    "fits": ("<0.1M", 3.1),
    "dada": ("1.84M", 0.8),
    "kan-ad": ("<0.1M", 12.1),
    "anomaly-transformer": ("4.8M", 48.9),
    "lag-llama": ("2.5M", 1220.8),
    "ofa": ("81.9M", 171.1),
    "patchtst": ("0.5M", 26.3),
    "itransformer": ("0.6M", 9.8),
    "moment-tuned": ("109.6M", 43.6),
    "moment": ("109.6M", 42.9),
    "timesfm": ("203.5M", 83.8),
}
WHOLE_SERIES = {"sub-pca", "kshape", "lag-llama", "timesfm", "moment"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("measure", "table"))
    parser.add_argument("--detectors", nargs="+", default=list(PAPER), choices=list(PAPER))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared" / "data" / "TSB-AD-U")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    if given.what == "measure":
        values = np.loadtxt(given.data / SERIES, delimiter=",", skiprows=1)[:, 0]
        for name in given.detectors:
            measure(name, values, given.repeat, given.results)
    else:
        table(given.results)


def measure(name: str, values: np.ndarray, repeat: int, results: Path) -> None:
    train = values if name in WHOLE_SERIES else values[: int(SERIES.split("_tr_")[1].split("_")[0])]
    recipe = make(name)
    try:
        recipe.fit(train).score(values)  # compiles and loads what the first call of a process has to
        runs = [_timed(recipe, train, values) for _ in range(repeat)]
    except (PaiadError, ImportError) as reason:
        print(f"{name}: {reason}")
        return
    wall, cpu = np.min(runs, axis=0)
    row = {"detector": name, "parameters": _parameters(recipe), "device": _device()}
    row |= {"wall_seconds": f"{wall:.2f}", "cpu_seconds": f"{cpu:.2f}"}
    row |= {"machine": _machine(), "date": date.today().isoformat()}
    rows = [old for old in _rows(results) if old["detector"] != name]
    _write(results, [*rows, row])
    print(row)


def table(results: Path) -> None:
    rows = {row["detector"]: row for row in _rows(results)}
    print(
        "| detector | parameters, ours | paper | wall s, ours | CPU s, ours | s, paper (H200) | measured on |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, (parameters, seconds) in PAPER.items():
        row = rows.get(name)
        ours = (
            (row["parameters"], row["wall_seconds"], row["cpu_seconds"]) if row else ("not measured", "", "")
        )
        where = f"{row['machine']}, {row['device']}, {row['date']}" if row else ""
        print(f"| {name} | {ours[0]} | {parameters} | {ours[1]} | {ours[2]} | {seconds} | {where} |")


def _timed(recipe: Detector, train: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    recipe.fit(train).score(values)
    return time.perf_counter() - wall, time.process_time() - cpu


def _parameters(recipe: Detector) -> str:
    if not hasattr(recipe, "network"):
        return "-"
    return f"{sum(weight.numel() for weight in recipe.network().parameters()):,}"


def _device() -> str:
    try:
        import torch
    except ImportError:
        return "CPU"
    return torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU, one thread"


def _machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model} ({os.cpu_count()} cores)"


def _rows(results: Path) -> list[dict[str, str]]:
    if not results.exists():
        return []
    with open(results, newline="") as file:
        return list(csv.DictReader(file))


def _write(results: Path, rows: list[dict[str, str]]) -> None:
    results.parent.mkdir(parents=True, exist_ok=True)
    draft = results.with_suffix(".draft")
    with open(draft, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    draft.replace(results)


if __name__ == "__main__":
    main()
