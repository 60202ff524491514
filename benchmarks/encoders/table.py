"""The tables of `docs/encoders.md` from what `quality.py` or `fleet.py quality` has stored.

    python benchmarks/encoders/table.py [RESULTS.csv]

The first: the mean over files of each file's mean over seeds, with a 95 % interval from resampling files, and after
± the standard deviation, over seeds, of the mean over files. The second: what changes from one score to the next,
on the same files and seeds, with the interval of the difference.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).resolve().parents[1] / "results/encoders.csv"
SCORES = ("native", "cosine", "euclidean", "pai")
STEPS = (
    ("native", "cosine"),
    ("cosine", "euclidean"),
    ("euclidean", "pai"),
    ("native", "pai"),
    ("cosine", "pai"),
)
DRAWS = 10_000

Found = dict[str, dict[str, dict[str, dict[str, float]]]]
"""By encoder, score, file and seed."""


def main() -> None:
    found = _read(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS)
    print("| encoder | files | seeds | native | cosine bank | Euclidean bank | + PAI |")
    print("|---|---|---|---|---|---|---|")
    for encoder, scores in found.items():
        files, seeds = _complete(scores)
        shown = [_mean(scores[score], files, seeds) if score in scores else "–" for score in SCORES]
        print(f"| {encoder} | {len(files)} | {len(seeds)} | {' | '.join(shown)} |")
    print()
    print("| encoder | " + " | ".join(f"{one} → {other}" for one, other in STEPS) + " |")
    print("|---|" + "---|" * len(STEPS))
    for encoder, scores in found.items():
        files, seeds = _complete(scores)
        shown = []
        for one, other in STEPS:
            known = one in scores and other in scores
            shown.append(_change(scores[one], scores[other], files, seeds) if known else "–")
        print(f"| {encoder} | {' | '.join(shown)} |")


def _read(path: Path) -> Found:
    found: Found = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    with path.open() as file:
        for row in csv.DictReader(file):
            found[row["encoder"]][row["score"]][row["file"]][row["seed"]] = float(row["vus_pr"])
    return found


def _complete(scores: dict[str, dict[str, dict[str, float]]]) -> tuple[list[str], list[str]]:
    """The seeds run, and the files that have them all."""
    of_files = next(iter(scores.values()))
    seeds = sorted({seed for of_seeds in of_files.values() for seed in of_seeds})
    return sorted(file for file, of_seeds in of_files.items() if len(of_seeds) == len(seeds)), seeds


def _table(of_files: dict[str, dict[str, float]], files: list[str], seeds: list[str]) -> np.ndarray:
    """[files, seeds]."""
    return np.array([[of_files[file][seed] for seed in seeds] for file in files])


def _mean(of_files: dict[str, dict[str, float]], files: list[str], seeds: list[str]) -> str:
    table = _table(of_files, files, seeds)
    low, high = _interval(table.mean(1))
    over_seeds = f" ± {table.mean(0).std(ddof=1):.3f}" if len(seeds) > 1 else ""
    return f"{table.mean():.3f}{over_seeds} [{low:.3f}, {high:.3f}]"


def _change(
    one: dict[str, dict[str, float]], other: dict[str, dict[str, float]], files: list[str], seeds: list[str]
) -> str:
    gain = (_table(other, files, seeds) - _table(one, files, seeds)).mean(1)
    low, high = _interval(gain)
    return f"{gain.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def _interval(of_files: np.ndarray) -> tuple[float, float]:
    rng = np.random.default_rng(42)
    means = of_files[rng.integers(len(of_files), size=(DRAWS, len(of_files)))].mean(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


if __name__ == "__main__":
    main()
