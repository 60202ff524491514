"""Write split.csv: which series the default was chosen on, and which confirmed it.

Rule, fixed before any tuning: series sorted by (longer than 130,000 points, family, name) are dealt in
turn to `choice` and `confirm`, so every family is halved to within one series. No score was looked at.
"""

import csv
from pathlib import Path

from series import load, names

LONG = 130_000


def main() -> None:
    rows = sorted((len(case.values) > LONG, case.family, case.name) for case in map(load, names()))
    with open(Path(__file__).with_name("split.csv"), "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["file", "family", "long", "half"])
        for turn, (long, family, name) in enumerate(rows):
            out.writerow([name, family, int(long), ("choice", "confirm")[turn % 2]])


if __name__ == "__main__":
    main()
