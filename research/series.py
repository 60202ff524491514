"""The series of the study: values, labels, training length, evaluation window."""

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DATA = Path(os.environ.get("PAIAD_STUDY_DATA", Path(__file__).resolve().parents[2] / "shared/data"))


@dataclass(frozen=True)
class Case:
    name: str
    family: str
    train: int
    values: np.ndarray
    labels: np.ndarray


def names():
    return sorted(p.stem for p in (DATA / "TSB-AD-U").glob("*.csv"))


def load(name):
    if name.startswith("spiky-"):
        from spiky import spiky

        return spiky(int(name[-2:]))
    if name.startswith("kind-"):
        from kinds import made

        return made(name)
    table = np.genfromtxt(DATA / "TSB-AD-U" / f"{name}.csv", delimiter=",", skip_header=1)
    table = table[~np.isnan(table).any(axis=1)]
    parts = name.split("_")
    return Case(name, parts[1], int(parts[-3]), table[:, 0].copy(), table[:, 1].astype(np.int64))


def half_names(half):
    """Names of a half of the split (choice, confirm), of both (all), or of the guard sets (spiky, kinds)."""
    if half == "spiky":
        return [f"spiky-{number:02d}" for number in range(16)]
    if half == "kinds":
        import kinds

        return kinds.names()
    with open(Path(__file__).with_name("split.csv")) as file:
        return [row["file"] for row in csv.DictReader(file) if half in (row["half"], "all")]


def window(x):
    """Dominant period by autocorrelation (TSB-AD's variant, which the measured figures used)."""
    x = x[:20000]
    n = len(x)
    centred = x - x.mean()
    size = 1 << int(np.ceil(np.log2(2 * n + 1)))
    f = np.fft.rfft(centred, size)
    a = np.fft.irfft(f * np.conj(f), size)[: min(401, n)] / n
    if a[0] <= 0:
        return 125
    b = (a / a[0])[3:]
    peaks = np.flatnonzero((b[1:-1] > b[:-2]) & (b[1:-1] > b[2:])) + 1
    if len(peaks) == 0:
        return 125
    p = int(peaks[np.argmax(b[peaks])]) + 3
    return p if 6 <= p <= 303 else 125


def measured():
    with open(DATA / "measured_vus_pr.csv") as f:
        return {r["file"]: r for r in csv.DictReader(f)}
