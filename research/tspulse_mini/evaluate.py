"""How well a folder of TSPulse weights finds anomalies: reporting only, never used to choose a setting.

    python research/tspulse_mini/evaluate.py OUT --data TSB-AD-U --table OUT/benchmark.csv
    python research/tspulse_mini/evaluate.py OUT --injected OUT/injected.csv

The first gives VUS-PR over the whole series for every TSB-AD-U file: each mode and the maximum of all three by the
authors' protocol (brought to scale on the scored series), the time mode by the default one (on the training part)
and with PAI, and a bank of the patch tokens by cosine, by Euclidean distance and with PAI. The second puts known
anomalies into generated series that were not trained on, and gives the AUC-ROC of each mode. Both are done for
the weights and, as a control, for random weights of the same configuration. Files already in the table are not
done again.
"""

import argparse
import csv
import json
import multiprocessing
import os
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from paiad.contracts import Scorer
from paiad.corpus import generated
from paiad.detectors.prototype import NearestPrototype
from paiad.diagnostic import fit_readings
from paiad.encoders.tspulse import PatchTokens, Range, TSPulse, combined, fitted, mode_errors
from paiad.encoders.tspulse_model import Pulse, load
from paiad.encoders.tspulse_modes import ALL, Mode, modes_for
from paiad.metrics import evaluate
from paiad.pai import PAI
from paiad.period import dominant_period
from paiad.ranks import auc_roc
from paiad.scaling import ZScore
from paiad.synthetic import KINDS, inject

NATIVE: dict[str, tuple[Mode, ...]] = {
    "time": ("time",),
    "fft": ("fft",),
    "forecast": ("forecast",),
    "maximum": ALL,
}
PUBLISHED = {"time": "ZS time", "fft": "ZS fft", "forecast": "ZS future", "maximum": "ZS ensemble"}
COLUMNS = ("weights", "file", "part", "score", "vus_pr", "length", "seconds")
UNSEEN = 1_000_003  # the seed of series nothing was trained on
STRENGTHS = (1.0, 2.0, 4.0)  # standard deviations of the series
LENGTH, STRETCH, APART = 1024, 48, 96


def main() -> None:
    given = _arguments()
    with TemporaryDirectory() as control:
        write_random(load(str(given.weights)), Path(control))
        folders = {"pretrained": str(given.weights)} | ({} if given.alone else {"random": control})
        if given.data:
            benchmark(folders, given)
        if given.injected:
            injected(folders, given)


def write_random(pulse: Pulse, folder: Path) -> None:
    """The same configuration with weights as they are before any training."""
    import torch
    from tsfm_public.models.tspulse import TSPulseConfig, TSPulseForReconstruction

    torch.manual_seed(0)
    TSPulseForReconstruction(TSPulseConfig(**json.loads(pulse.config))).save_pretrained(folder)


# On the benchmark -------------------------------------------------------------------------------------------


def benchmark(folders: dict[str, str], given: argparse.Namespace) -> None:
    done = _done(given.table)
    # In a random but fixed order, so that an unfinished run is a fair sample.
    files = sorted(given.data.glob("*.csv"), key=lambda path: zlib.crc32(path.stem.encode()))
    jobs = [
        (path, name, folder, part)
        for path in files
        for name, folder in folders.items()
        for part in given.parts
        if (name, path.stem, part) not in done and given.shortest <= _length(path) < given.longest
    ]
    with multiprocessing.get_context("spawn").Pool(given.processes) as workers:
        for rows in workers.imap_unordered(_rows_of_file, jobs):
            _append(given.table, rows)
    print(summary(given.table, given.published))


def _rows_of_file(job: tuple[Path, str, str, str]) -> list[dict[str, object]]:
    path, name, folder, part = job
    values, labels, train_end = _read(path)
    window = dominant_period(values)
    rows = []
    begin = time.perf_counter()
    for score, steps in PARTS[part](load(folder), folder, values, train_end):
        seconds = time.perf_counter() - begin
        vus_pr = evaluate(steps, labels, window=window, which=["VUS-PR"])["VUS-PR"]
        known = (name, path.stem, part, score, round(vus_pr, 5), len(values), round(seconds, 2))
        rows.append(dict(zip(COLUMNS, known, strict=True)))
        begin = time.perf_counter()
    return rows


Scored = Iterator[tuple[str, np.ndarray]]


def _native(pulse: Pulse, folder: str, values: np.ndarray, train_end: int) -> Scored:
    yield from native(pulse, values).items()


def _default(pulse: Pulse, folder: str, values: np.ndarray, train_end: int) -> Scored:
    train = values[:train_end]
    scorer = fitted(TSPulse(), pulse, train)
    scores = scorer.score(values)
    yield "time, standard training", scores
    yield "time + PAI", PAI(TSPulse()).around(Remembered(scorer.calibration, scores), train).score(values)


@dataclass(frozen=True, eq=False)
class Remembered(Scorer):
    """The scores of the one series that it will be asked for, which take minutes to make."""

    calibration: np.ndarray
    scores: np.ndarray

    def score(self, values: np.ndarray) -> np.ndarray:
        return self.scores


def _bank(pulse: Pulse, folder: str, values: np.ndarray, train_end: int) -> Scored:
    for reading, bank in fit_readings(NearestPrototype(PatchTokens(folder)), values[:train_end]).items():
        yield f"bank {reading}", bank.score(values)


PARTS = {"native": _native, "default": _default, "bank": _bank}


def native(pulse: Pulse, values: np.ndarray) -> dict[str, np.ndarray]:
    """Scores by the authors' protocol, up to their last factor."""
    errors = dict(zip(ALL, mode_errors(pulse, ALL, ZScore.of(values)(values), "auto"), strict=True))
    return {
        name: combined(
            modes, [errors[mode] for mode in modes], tuple(Range.of(errors[mode]) for mode in modes)
        )
        for name, modes in NATIVE.items()
    }


def summary(table: Path, published: Path | None) -> str:
    """Mean VUS-PR of every score as a Markdown table, and of the mode the authors choose for each dataset.

    Random weights, and the authors' published figures for the real TSPulse, stand beside it on the files that both
    have, each with the mean of the weights at hand on those files in brackets.
    """
    found: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    names = {modes: name for name, modes in NATIVE.items()}
    with table.open() as file:
        for row in csv.DictReader(file):
            found[row["score"]][row["weights"]][row["file"]] = float(row["vus_pr"])
            if row["score"] == names[modes_for(row["file"] + ".csv")]:
                found["mode by dataset"][row["weights"]][row["file"]] = float(row["vus_pr"])
    real = authors_figures(published) if published else {}
    beside = ("random weights", "the authors' TSPulse")
    heads = ("score", "files", "these weights", *(f"{other}: files, mean (these)" for other in beside))
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for score, by_weights in found.items():
        ours = by_weights["pretrained"]
        others = [_beside(ours, other) for other in (by_weights["random"], real.get(score, {}))]
        lines.append(f"| {score} | {len(ours)} | {np.mean([*ours.values()]):.3f} | {' | '.join(others)} |")
    return "\n".join(lines)


def _beside(ours: dict[str, float], others: dict[str, float]) -> str:
    both = sorted(ours.keys() & others.keys())
    if not both:
        return "–"
    means = (np.mean([those[file] for file in both]) for those in (others, ours))
    return f"{len(both)}, {next(means):.3f} ({next(means):.3f})"


def authors_figures(published: Path) -> dict[str, dict[str, float]]:
    """By score and file, the VUS-PR of the real TSPulse, zero-shot."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    with published.open() as file:
        for row in csv.DictReader(file):
            stem = Path(row["file"]).stem
            for score, column in PUBLISHED.items():
                found[score][stem] = float(row[column])
            mode = modes_for(row["file"])
            found["mode by dataset"][stem] = next(
                found[n][stem] for n, modes in NATIVE.items() if modes == mode
            )
    return found


def _read(path: Path) -> tuple[np.ndarray, np.ndarray, int]:
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    table = table[~np.isnan(table).any(axis=1)]
    return table[:, 0].copy(), table[:, 1].astype(np.int64), int(path.stem.split("_tr_")[1].split("_")[0])


def _length(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file) - 1


def _done(table: Path) -> set[tuple[str, str, str]]:
    if not table.exists():
        return set()
    with table.open() as file:
        return {(row["weights"], row["file"], row["part"]) for row in csv.DictReader(file)}


def _append(table: Path, rows: list[dict[str, object]]) -> None:
    new = not table.exists()
    with table.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        writer.writerows(rows)
    print(
        rows[0]["weights"], rows[0]["file"], *(f"{row['score']} {row['vus_pr']}" for row in rows), flush=True
    )


# On known anomalies -----------------------------------------------------------------------------------------


def injected(folders: dict[str, str], given: argparse.Namespace) -> None:
    jobs = [
        (number, kind, strength) for kind in KINDS for strength in STRENGTHS for number in range(given.series)
    ]
    found: dict[tuple[str, float, str, str], list[float]] = defaultdict(list)
    for name, folder in folders.items():
        pulse = load(folder)
        for number, kind, strength in jobs:
            for mode, auc in separation(pulse, number, kind, strength).items():
                found[kind, strength, mode, name].append(auc)
    with given.injected.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("kind", "strength", "score", *folders, "series"))
        for kind, strength, mode in _unique((kind, strength, mode) for kind, strength, mode, _ in found):
            means = [round(float(np.mean(found[kind, strength, mode, name])), 4) for name in folders]
            writer.writerow((kind, strength, mode, *means, given.series))
            print(f"{kind} {strength:g} {mode}: pretrained, random {means}", flush=True)
    print(summary_of_injected(given.injected))


def summary_of_injected(table: Path) -> str:
    """Mean AUC-ROC over the strengths, by kind of anomaly and mode, as a Markdown table: these weights (random)."""
    found: dict[str, dict[str, list[tuple[float, ...]]]] = defaultdict(lambda: defaultdict(list))
    with table.open() as file:
        for row in csv.DictReader(file):
            both = tuple(float(row[name]) for name in ("pretrained", "random") if name in row)
            for kind in (row["kind"], "all"):
                found[kind][row["score"]].append(both)
    lines = [f"| kind | {' | '.join(NATIVE)} |", "|---" * (1 + len(NATIVE)) + "|"]
    for kind in (*KINDS, "all"):
        cells = []
        for mode in NATIVE:
            ours, *random = np.mean(found[kind][mode], axis=0)
            cells.append(f"{ours:.3f}" + "".join(f" ({one:.3f})" for one in random))
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


def separation(pulse: Pulse, number: int, kind: str, strength: float) -> dict[str, float]:
    """AUC-ROC of steps with a known anomaly against those well away from one, in one generated series."""
    values = generated(number, UNSEEN, LENGTH)
    start = pulse.context + APART
    found = inject(values[start:], kind, strength, STRETCH, 3, np.random.default_rng((number, 1)))
    altered = np.concatenate([values[:start], found.values])
    labels = np.concatenate([np.zeros(start, dtype=np.int64), found.labels])
    near = np.convolve(labels, np.ones(2 * APART + 1), mode="same") > 0
    near[: pulse.context] = True  # what stands before the first window has no score of its own
    return {name: auc_roc(score[labels == 1], score[~near]) for name, score in native(pulse, altered).items()}


def _unique(found: Iterable[tuple[str, float, str]]) -> list[tuple[str, float, str]]:
    return list(dict.fromkeys(found))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path, help="a folder with config.json and model.safetensors")
    parser.add_argument("--data", type=Path, help="a folder of TSB-AD-U files")
    parser.add_argument("--table", type=Path, default=Path("benchmark.csv"))
    parser.add_argument(
        "--published", type=Path, help="a CSV of the authors' figures by file, to stand beside"
    )
    parser.add_argument("--shortest", type=int, default=0, help="skip shorter files")
    parser.add_argument("--longest", type=int, default=100_000, help="skip files that are not shorter")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--alone", action="store_true", help="without the random weights")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--injected", type=Path, help="a CSV to write")
    parser.add_argument("--series", type=int, default=20, help="generated series for each kind and strength")
    return parser.parse_args()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
