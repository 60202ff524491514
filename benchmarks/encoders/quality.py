"""All measures (full series) of an encoder's scores over a folder of TSB-AD-U files.

    python benchmarks/encoders/quality.py paano-untrained --longest 25000

An encoder is fitted once a file; its bank is then read with the cosine and the Euclidean distance, and PAI is put
on the Euclidean one. Rows are appended to the CSV as files end, and files already there are not run again, so
the run can be interrupted. Without `--data` the folder is `../shared/data/TSB-AD-U`.
"""

import argparse
import csv
import os
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from paiad.contracts import Encoder, Learner, Scorer
from paiad.detectors.prototype import NearestPrototype
from paiad.encoders.dcdetector import DCdetector, WindowEmbedding
from paiad.encoders.paano import PaAno
from paiad.encoders.ts2vec import MaskedTS2Vec, TS2Vec
from paiad.metrics import NAMES, evaluate
from paiad.pai import PAI
from paiad.period import dominant_period

HERE = Path(__file__).resolve()
DATA = HERE.parents[3] / "shared/data/TSB-AD-U"
RESULTS = HERE.parents[1] / "results/encoders.csv"
MEASURES = {name.lower().replace("-", "_"): name for name in NAMES}  # by column
COLUMNS = ("encoder", "score", "file", *MEASURES, "seed", "fit_seconds", "encode_seconds", "length", "train")


@dataclass(frozen=True)
class Known(Learner):
    """An encoder that is there already, so that several banks share it."""

    encoder: Encoder

    def fit(self, train: np.ndarray) -> Encoder:
        return self.encoder


@dataclass(frozen=True)
class Remembering(Encoder):
    """The vectors of one series and its training part, computed once."""

    cover: object
    vectors: np.ndarray
    length: int

    def encode(self, values: np.ndarray) -> np.ndarray:
        return self.vectors[: self.cover.count(len(values))]


LEARNERS: dict[str, Callable[[int], Learner]] = {
    "paano-float32": lambda seed: PaAno(seed=seed, precision="float32"),
    "paano-bfloat16": lambda seed: PaAno(seed=seed, precision="bfloat16"),
    "paano-untrained": lambda seed: PaAno(seed=seed, iterations=0),
    "paano-z-scored": lambda seed: PaAno(seed=seed, input="z-scored"),
    "dcdetector": lambda seed: WindowEmbedding(seed=seed),
    "ts2vec": lambda seed: TS2Vec(seed=seed),
    "ts2vec-instance-norm": lambda seed: TS2Vec(seed=seed, normalise_windows=True),
}
NATIVE: dict[str, Callable[[Encoder, np.ndarray, int], Scorer]] = {
    "dcdetector": lambda encoder, train, seed: DCdetector(seed=seed).fit(train),
    "ts2vec": lambda encoder, train, seed: MaskedTS2Vec().around(encoder, train),
}


def native_is_cosine(name: str) -> bool:
    """Whether an encoder's authors score by the cosine bank, so that no native score is stored beside it."""
    return name.startswith("paano")


def main() -> None:
    given = _arguments()
    done = done_in(given.out)
    order = _drawn if given.shuffled else length_of
    for path in sorted(given.data.glob("*.csv"), key=order):
        if length_of(path) > given.longest:
            continue
        for encoder in given.encoders:
            for seed in given.seeds:
                if (encoder, path.stem, str(seed)) not in done:
                    append(given.out, list(_rows(encoder, path, seed)))


def _rows(name: str, path: Path, seed: int) -> Iterator[dict[str, object]]:
    values, _, train_end = read(path)
    begin = time.perf_counter()
    encoder = LEARNERS[name](seed).fit(values[:train_end])
    yield from rows_of(name, path, seed, encoder, time.perf_counter() - begin)


def rows_of(
    name: str, path: Path, seed: int, encoder: Encoder, fit_seconds: float
) -> Iterator[dict[str, object]]:
    """A row for each way of scoring with an encoder that has been fitted to the training part of a file."""
    values, labels, train_end = read(path)
    window = dominant_period(values)
    common = {"encoder": name, "file": path.stem, "seed": seed, "length": len(values), "train": train_end}
    begin = time.perf_counter()
    vectors = encoder.encode(values)
    common |= {
        "fit_seconds": round(fit_seconds, 2),
        "encode_seconds": round(time.perf_counter() - begin, 2),
    }

    train = values[:train_end]
    recipe = NearestPrototype(
        Known(Remembering(encoder.cover, vectors, len(values))), seed=seed, device="auto"
    )
    euclidean = recipe.fit(train)
    scorers: dict[str, Scorer] = {
        "cosine": replace(recipe, metric="cosine").fit(train),
        "euclidean": euclidean,
        "pai": PAI(recipe).around(euclidean, train),
    }
    if name in NATIVE:
        scorers["native"] = NATIVE[name](encoder, train, seed)
    for score, scorer in scorers.items():
        found = evaluate(scorer.score(values), labels, window=window)
        yield common | {"score": score} | {column: round(found[of], 5) for column, of in MEASURES.items()}


def read(path: Path) -> tuple[np.ndarray, np.ndarray, int]:
    table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    table = table[~np.isnan(table).any(axis=1)]
    train_end = int(path.stem.split("_tr_")[1].split("_")[0])
    return table[:, 0].copy(), table[:, 1].astype(np.int64), train_end


def length_of(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file) - 1


def _drawn(path: Path) -> int:
    return zlib.crc32(path.stem.encode())


def done_in(out: Path) -> set[tuple[str, str, str]]:
    if not out.exists():
        return set()
    with out.open() as file:
        return {(row["encoder"], row["file"], row["seed"]) for row in csv.DictReader(file)}


def append(out: Path, rows: list[dict[str, object]]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    new = not out.exists()
    with out.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        writer.writerows(rows)
    print(rows[0]["encoder"], rows[0]["file"], *(f"{r['score']} {r['vus_pr']}" for r in rows), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoders", nargs="+", choices=list(LEARNERS))
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--longest", type=int, default=100_000, help="skip longer files")
    parser.add_argument(
        "--shuffled",
        action="store_true",
        help="in a random but fixed order, so that an unfinished run is a fair sample; else the shortest first",
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[2000])
    return parser.parse_args()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
