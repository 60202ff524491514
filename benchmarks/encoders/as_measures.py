"""The rows of `quality.py` and `fleet.py quality` as `paiad bench import` takes them.

    python benchmarks/encoders/as_measures.py benchmarks/results/encoders.csv MEASURES.csv [--machine "NVIDIA H200"]
        [--encoders paano-float32 ...]
    paiad bench import benchmarks/suites/eva-representation.toml MEASURES.csv --data DATA --store STORE

PaAno's are those of float32, which is what its authors train in. `--machine` is where encoders were trained; PaAno
untrained and DCdetector were measured on a CPU.
"""

import argparse
import csv
from pathlib import Path

from quality import MEASURES, native_is_cosine

METHODS = {
    "paano-float32": "PaAno",
    "paano-untrained": "PaAno untrained",
    "ts2vec": "TS2Vec",
    "ts2vec-instance-norm": "TS2Vec + input normalisation",
    "dcdetector": "DCdetector",
}
VARIANTS = {"native": "", "cosine": ", cosine bank", "euclidean": ", Euclidean bank", "pai": " + PAI"}
ON_A_CPU = ("paano-untrained", "dcdetector")
COLUMNS = ("detector", "series", "seed", "metric", "value", "n", "fit_seconds", "score_seconds", "machine")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--machine", default="elsewhere")
    parser.add_argument("--encoders", nargs="+", choices=list(METHODS), default=list(METHODS))
    asked = parser.parse_args()
    with asked.results.open(newline="") as given, asked.out.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        for row in csv.DictReader(given):
            if row["encoder"] in asked.encoders:
                machine = "a CPU" if row["encoder"] in ON_A_CPU else asked.machine
                costs = row["fit_seconds"], row["encode_seconds"], machine
                named = detector(row["encoder"], row["score"]), row["file"], row["seed"]
                known = [(of, row[column]) for column, of in MEASURES.items() if row[column]]
                writer.writerows((*named, *measure, row["length"], *costs) for measure in known)


def detector(encoder: str, score: str) -> str:
    """What the suite calls it."""
    method = METHODS[encoder]
    if score == "cosine" and native_is_cosine(encoder):
        return method
    if score == "pai" and "normalisation" in method:
        return f"{method}, + PAI"
    return method + VARIANTS[score]


if __name__ == "__main__":
    main()
