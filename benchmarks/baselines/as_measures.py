"""The rows of `parity.py` as `paiad bench import` takes them, so that the suite's tables are of all that was measured.

    python benchmarks/baselines/as_measures.py MEASURES.csv
    paiad bench import benchmarks/suites/paper-table.toml MEASURES.csv --data DATA --store STORE
    paiad bench table anchors --store STORE --published DATA/published_vus_pr.csv

Only rows of the suite's seeds. Their protocol is the suite's: the whole series, TSB-AD's VUS with its window.
"""

import argparse
import csv
from pathlib import Path

from paiad.benchmark.suite import Suite, read_suite

HERE = Path(__file__).parent
SUITE = HERE.parent / "suites" / "paper-table.toml"
COLUMNS = ("detector", "series", "seed", "metric", "value", "n", "machine")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--results", type=Path, default=HERE / "results" / "parity.csv")
    asked = parser.parse_args()
    suite = read_suite(SUITE)
    names = names_in(suite)
    with asked.results.open(newline="") as given, asked.out.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        for row in csv.DictReader(given):
            if not row["failure"] and int(row["seed"]) in suite.seeds:
                name = names[row["detector"], row["mode"]]
                measure = row["seed"], "VUS-PR", row["vus_pr"], row["length"]
                writer.writerow((name, row["file"], *measure, row["machine"]))


def names_in(suite: Suite) -> dict[tuple[str, str], str]:
    """What the suite calls a recipe in a mode."""
    return {(entry.recipe, str(entry.settings.get("parity", "none"))): entry.name for entry in suite.entries}


if __name__ == "__main__":
    main()
