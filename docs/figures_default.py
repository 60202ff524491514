"""Draw the pictures of docs/default-recipe.md (needs matplotlib).

python docs/figures_default.py            # what each term sees, and the cost, from benchmarks/best/cost.csv
"""

import csv
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

from paiad.best import Best
from paiad.synthetic import seasonal

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
TRAIN = 1500


def with_four_troubles() -> tuple[np.ndarray, list[tuple[int, int, str]]]:
    """A daily wave with a spike, a stretch run backwards, a slower beat and a sustained level."""
    values = seasonal(3600, noise=0.08, seed=2)
    values[1900] += 2.5
    values[2300:2348] = values[2300:2348][::-1]
    slow = seasonal(3600, period=72, noise=0.08, seed=5)
    values[2650:2750] = slow[2650:2750]
    values[3100:3300] += 1.5
    return values, [
        (1900, 1901, "spike"),
        (2300, 2348, "backwards"),
        (2650, 2750, "slower"),
        (3100, 3300, "level"),
    ]


def what_each_term_sees() -> None:
    values, troubles = with_four_troubles()
    scorer = Best().fit(values[:TRAIN])
    receipt = scorer.explain(values)
    names = np.array([term.split()[0] for term in receipt.terms])
    rows = [("values", values)]
    rows += [(name, receipt.contributions[names == name].sum(0)) for name in ("outline", "texture")]
    rows += [("magG + T2", receipt.contributions[-2:].sum(0)), ("score", receipt.score)]
    figure, axes = plt.subplots(len(rows), 1, figsize=(9, 7), sharex=True)
    for axis, (name, line) in zip(axes, rows, strict=True):
        axis.plot(line, lw=0.7, color="black" if name in ("values", "score") else "tab:blue")
        if name == "values":
            axis.plot(receipt.expected, lw=0.7, color="tab:orange", label="expected")
            axis.legend(loc="upper left", fontsize=7)
        axis.set_ylabel(name, fontsize=8)
        axis.axvspan(0, TRAIN, color="0.93")
        for start, stop, what in troubles:
            axis.axvspan(start - 3, stop + 3, color="tab:red", alpha=0.15)
            if name == "values":
                axis.text(start, axis.get_ylim()[1], what, fontsize=7, va="bottom")
    axes[-1].set_xlabel("step (grey: training part)")
    _save(figure, "default-terms.svg")


def cost() -> None:
    path = HERE.parent / "benchmarks" / "best" / "cost.csv"
    with open(path) as file:
        about = file.readline().strip("# \n")
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
    length = [row["length"] for row in rows]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
    left.loglog(length, [row["cpu_s"] for row in rows], "o-", label="fit + score, one core")
    left.loglog(
        length, [rows[-1]["cpu_s"] * n / length[-1] for n in length], "--", color="0.6", label="linear"
    )
    left.set(xlabel="values", ylabel="seconds of CPU")
    left.legend(fontsize=7)
    right.semilogx(length, [row["peak_mb"] for row in rows], "o-")
    right.set(xlabel="values", ylabel="peak memory, MB", ylim=(0, None))
    figure.suptitle(about, fontsize=7)
    _save(figure, "default-cost.svg")


def _save(figure: plt.Figure, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    figure.tight_layout()
    with plt.rc_context({"svg.hashsalt": "paiad"}):
        figure.savefig(PICTURES / name, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    what_each_term_sees()
    if (HERE.parent / "benchmarks" / "best" / "cost.csv").exists():
        cost()
