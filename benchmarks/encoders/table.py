"""The table of `docs/encoders.md` from what `quality.py` has stored.

python benchmarks/encoders/table.py
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean

RESULTS = Path(__file__).resolve().parents[1] / "results/encoders.csv"
SCORES = ("native", "cosine", "euclidean", "pai")


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    files: dict[str, set[str]] = defaultdict(set)
    seeds: dict[str, set[str]] = defaultdict(set)
    with path.open() as file:
        for row in csv.DictReader(file):
            found[row["encoder"]][row["score"]].append(float(row["vus_pr"]))
            files[row["encoder"]].add(row["file"])
            seeds[row["encoder"]].add(row["seed"])
    print("| encoder | files | seeds | native | cosine bank | Euclidean bank | + PAI |")
    print("|---|---|---|---|---|---|---|")
    for encoder, scores in found.items():
        means = [f"{fmean(scores[score]):.3f}" if score in scores else "–" for score in SCORES]
        print(f"| {encoder} | {len(files[encoder])} | {len(seeds[encoder])} | {' | '.join(means)} |")


if __name__ == "__main__":
    main()
