"""Parameters and run time of every baseline on one series of 4,031 steps, beside the paper's table.

    python benchmarks/baselines/runtime.py measure --detectors usad deepant --device cpu
    python benchmarks/baselines/runtime.py table

`measure` fits on the training part and scores the whole series, as the table's runs did, and notes the first run
(which compiles and loads what a process has to) and wall and CPU seconds of the best of `--repeat` more, or
with `--repeat 0` of that one.
Each row is written as it is measured. Without their real weights the pretrained ones are timed with random ones
(`random_weights.py`); the table marks them. `table` prints what has been measured, with machine and date.
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
COLUMNS = (
    "detector",
    "device",
    "parameters",
    "first_seconds",
    "wall_seconds",
    "cpu_seconds",
    "peak_gpu_mib",
    "weights",
    "machine",
    "date",
)
CPU = "CPU, one thread"

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
WITHOUT_TORCH = {"sub-pca", "kshape"}
PRETRAINED = {"dada", "lag-llama", "ofa", "moment", "moment-tuned", "timesfm"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("measure", "table"))
    parser.add_argument("--detectors", nargs="+", default=list(PAPER), choices=list(PAPER))
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no detector after so many")
    parser.add_argument("--weights", default="", help="what to note of the weights, such as random")
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared" / "data" / "TSB-AD-U")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    if given.what == "measure":
        run(given)
    else:
        table(given.results)


def run(given: argparse.Namespace) -> None:
    values = np.loadtxt(given.data / SERIES, delimiter=",", skiprows=1)[:, 0]
    until = time.monotonic() + 60 * given.minutes
    for name in given.detectors:
        if time.monotonic() > until:
            print(f"{name}: not begun, the time is up")
            continue
        train = values if name in WHOLE_SERIES else values[: int(SERIES.split("_tr_")[1].split("_")[0])]
        try:
            row = measured(name, given.device, train, values, given.repeat)
        except (PaiadError, ImportError) as reason:
            print(f"{name}: {reason}")
            continue
        row |= {"weights": given.weights if name in PRETRAINED else ""}
        rows = [
            old for old in _rows(given.results) if (old["detector"], old["device"]) != (name, row["device"])
        ]
        _write(given.results, [*rows, row])
        print(row, flush=True)


def measured(name: str, device: str, train: np.ndarray, values: np.ndarray, repeat: int) -> dict[str, object]:
    on_gpu = name not in WITHOUT_TORCH and _has_gpu() and device != "cpu"
    recipe = make(name, {} if name in WITHOUT_TORCH else {"device": device})
    once = _timed(recipe, train, values)
    if on_gpu:
        _forget_peak()
    wall, cpu = np.min([_timed(recipe, train, values) for _ in range(repeat)] or [once], axis=0)
    row: dict[str, object] = {"detector": name, "device": _gpu_name() if on_gpu else CPU}
    row |= {"parameters": _parameters(recipe), "peak_gpu_mib": f"{_peak_mib():.0f}" if on_gpu else ""}
    row |= {"first_seconds": f"{once[0]:.2f}", "wall_seconds": f"{wall:.3f}", "cpu_seconds": f"{cpu:.3f}"}
    return row | {"machine": _machine(), "date": date.today().isoformat()}


def table(results: Path) -> None:
    rows = {(row["detector"], row["device"] == CPU): row for row in _rows(results)}
    print(
        "| detector | parameters | paper | GPU: s | first run, s | peak MiB | paper, H200: s | slower? "
        "| CPU: s (CPU s) |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (parameters, seconds) in PAPER.items():
        gpu, cpu = rows.get((name, False)), rows.get((name, True))
        either = gpu or cpu
        mark = "\\*" if either and either["weights"] == "random" else ""
        on_gpu = (gpu["wall_seconds"], gpu["first_seconds"], gpu["peak_gpu_mib"]) if gpu else ("–", "–", "–")
        on_cpu = f"{cpu['wall_seconds']} ({cpu['cpu_seconds']})" if cpu else "–"
        judged = gpu or (cpu if name in WITHOUT_TORCH else None)
        ours = float(judged["wall_seconds"]) if judged else np.nan
        slower = "–" if np.isnan(ours) or np.isnan(seconds) else ("no", "YES")[ours > seconds]
        cells = [f"{name}{mark}", either["parameters"] if either else "–", parameters, *on_gpu]
        cells += ["–" if np.isnan(seconds) else f"{seconds}", slower, on_cpu]
        print(f"| {' | '.join(cells)} |")
    print("\n\\* timed with random weights of the same shapes.\n")
    for where in sorted({f"{row['device']}: {row['machine']}, {row['date']}" for row in rows.values()}):
        print(where)


def _timed(recipe: Detector, train: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    recipe.fit(train).score(values)
    return time.perf_counter() - wall, time.process_time() - cpu


def _parameters(recipe: Detector) -> str:
    if not hasattr(recipe, "network"):
        return "-"
    return f"{sum(weight.numel() for weight in recipe.network().parameters()):,}"


def _has_gpu() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


def _gpu_name() -> str:
    import torch

    return torch.cuda.get_device_name()


def _forget_peak() -> None:
    import torch

    torch.cuda.reset_peak_memory_stats()


def _peak_mib() -> float:
    import torch

    return torch.cuda.max_memory_allocated() / 2**20


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
