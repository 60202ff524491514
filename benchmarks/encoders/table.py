"""The tables of `docs/encoders.md` from what `quality.py` or `fleet.py quality` has stored.

    python benchmarks/encoders/table.py [RESULTS.csv] [--encoders NAME ...] [--seeds SEED ...] [--measure auc_pr]

All rows are of the same files: those that every encoder shown has with every seed shown of it. The first table: the
mean over files of each file's mean over seeds, with a 95 % interval from resampling files, and after ± the standard
deviation, over seeds, of the mean over files. The second: what changes from one score to the next, on the same files
and seeds, with the interval of the difference.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from quality import MEASURES, native_is_cosine

RESULTS = Path(__file__).resolve().parents[1] / "results/encoders.csv"
SCORES = ("native", "cosine", "euclidean", "pai")
STEPS = (
    ("native", "cosine"),
    ("cosine", "euclidean"),
    ("euclidean", "pai"),
    ("native", "pai"),
    ("cosine", "pai"),
)
HEADS = {"native": "native", "cosine": "cosine bank", "euclidean": "Euclidean bank", "pai": "+ PAI"}
DRAWS = 10_000

OfFiles = dict[str, dict[str, float]]
"""By file and seed."""


def main() -> None:
    given = _arguments()
    found = _read(given.results, given.seeds, given.measure)
    shown = {name: found[name] for name in given.encoders or found}
    seeds = {name: seeds_of(scores) for name, scores in shown.items()}
    files = sorted(set.intersection(*(complete(scores, seeds[name]) for name, scores in shown.items())))
    print(f"{len(files)} files\n")
    print(f"| encoder | seeds | {' | '.join(HEADS.values())} |")
    print("|---" * (2 + len(HEADS)) + "|")
    for name, scores in shown.items():
        means = [_mean(_table(scores[s], files, seeds[name])) if s in scores else "–" for s in SCORES]
        if native_is_cosine(name):
            means[SCORES.index("native")] = "= cosine"
        print(f"| `{name}` | {len(seeds[name])} | {' | '.join(means)} |")
    print()
    print("| encoder | " + " | ".join(f"{HEADS[one]} → {HEADS[other]}" for one, other in STEPS) + " |")
    print("|---" * (1 + len(STEPS)) + "|")
    for name, scores in shown.items():
        tables = {score: _table(of_files, files, seeds[name]) for score, of_files in scores.items()}
        if native_is_cosine(name):
            tables["native"] = tables["cosine"]
        known = [one in tables and other in tables for one, other in STEPS]
        changes = [
            _change(tables[one], tables[other]) if both else "–"
            for (one, other), both in zip(STEPS, known, strict=True)
        ]
        print(f"| `{name}` | {' | '.join(changes)} |")


def _read(path: Path, seeds: list[str] | None, measure: str) -> dict[str, dict[str, OfFiles]]:
    """By encoder and score."""
    found: dict[str, dict[str, OfFiles]] = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    with path.open() as file:
        for row in csv.DictReader(file):
            if row[measure] and (seeds is None or row["seed"] in seeds):
                found[row["encoder"]][row["score"]][row["file"]][row["seed"]] = float(row[measure])
    return found


def seeds_of(scores: dict[str, OfFiles]) -> list[str]:
    return sorted(
        {seed for of_files in scores.values() for of_seeds in of_files.values() for seed in of_seeds}
    )


def complete(scores: dict[str, OfFiles], seeds: list[str]) -> set[str]:
    """The files that have every score with every seed."""
    return set.intersection(
        *({file for file in of_files if of_files[file].keys() >= set(seeds)} for of_files in scores.values())
    )


def _table(of_files: OfFiles, files: list[str], seeds: list[str]) -> np.ndarray:
    """[files, seeds]."""
    return np.array([[of_files[file][seed] for seed in seeds] for file in files])


def _mean(table: np.ndarray) -> str:
    low, high = _interval(table.mean(1))
    over_seeds = f" ± {table.mean(0).std(ddof=1):.3f}" if table.shape[1] > 1 else ""
    return f"{table.mean():.3f}{over_seeds} [{low:.3f}, {high:.3f}]"


def _change(one: np.ndarray, other: np.ndarray) -> str:
    if one is other:
        return "the same"
    gain = (other - one).mean(1)
    low, high = _interval(gain)
    return f"{gain.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def _interval(of_files: np.ndarray) -> tuple[float, float]:
    rng = np.random.default_rng(42)
    means = of_files[rng.integers(len(of_files), size=(DRAWS, len(of_files)))].mean(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, nargs="?", default=RESULTS)
    parser.add_argument("--encoders", nargs="+", help="only these")
    parser.add_argument("--seeds", nargs="+", help="only these")
    parser.add_argument("--measure", default="vus_pr", choices=list(MEASURES))
    return parser.parse_args()


if __name__ == "__main__":
    main()
