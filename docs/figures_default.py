"""Draw the pictures of docs/default-recipe.md, and put the tables of its cost into it (needs matplotlib).

python docs/figures_default.py views
python docs/figures_default.py terms
python docs/figures_default.py cost                        # from the CSV files in benchmarks/best
python docs/figures_default.py worst FOLDER NAME NAME …    # series in the layout of TSB-AD-U
"""

import csv
import re
import sys
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


def with_five_troubles() -> tuple[np.ndarray, list[tuple[int, int, str]]]:
    """A daily wave with a spike, a stretch run backwards, a slower beat, a stuck sensor and a sustained level."""
    values = seasonal(7000, noise=0.08, seed=2)
    slow = seasonal(7000, period=72, noise=0.08, seed=5)
    troubles = [
        (2000, 2001, "spike"),
        (2900, 2948, "backwards"),
        (3800, 3900, "slower"),
        (4800, 4840, "stuck"),
        (5700, 6000, "level"),
    ]
    spike, backwards, slower, stuck, level = (slice(start, stop) for start, stop, _ in troubles)
    values[spike] += 2.5
    values[backwards] = values[backwards][::-1]
    values[slower] = slow[slower]
    values[stuck] = values[stuck.start]
    values[level] += 1.5
    return values, troubles


def what_each_term_sees() -> None:
    values, troubles = with_five_troubles()
    scorer = Best().fit(values[:TRAIN])
    receipt = scorer.explain(values)
    names = np.array([term.split()[0] for term in receipt.terms])
    rows = [("values", values)]
    rows += [
        (name, receipt.contributions[names == name].sum(0)) for name in ("outline", "texture", "stillness")
    ]
    rows += [("magG + T2", receipt.contributions[-2:].sum(0)), ("score", receipt.score)]
    figure, axes = plt.subplots(len(rows), 1, figsize=(9, 8), sharex=True)
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
    _save(figure, "default-terms.png")


def two_views_of_a_patch() -> None:
    """Patches of 32 steps as outlines and as textures, each beside the nearest normal one."""
    values, troubles = with_five_troubles()
    values[1700:1732] = values[1700] + 3 * (values[1700:1732] - values[1700])
    starts = {"fresh, normal": 1600, "three times as large": 1700}
    starts |= {what: (start + stop - 32) // 2 for start, stop, what in troubles if what != "level"}
    starts["backwards"] = 2900 - 16  # where it begins; its middle looks like any other
    scorer = Best().fit(values[:TRAIN])
    terms = [term for term in scorer.patch_terms if term.name in ("outline 32", "texture 32")]
    figure, axes = plt.subplots(3, len(starts), figsize=(9, 4.6), sharey="row")
    for column, (what, start) in enumerate(starts.items()):
        axes[0, column].plot(values[start : start + 32], color="black", lw=0.9)
        axes[0, column].set_title(what, fontsize=8)
        for axis, term in zip(axes[1:, column], terms, strict=True):
            own = term.encoder.encode(values[:TRAIN])
            usual = np.median(term.bank.distance(own, np.arange(len(own)), 32))
            vector = term.encoder.encode(values)[start]
            (nearest,) = term.bank.nearest(vector[None], 1)[1][0]
            axis.plot(term.bank.vectors[nearest], color="tab:orange", lw=0.9)
            axis.plot(vector, color="tab:blue", lw=0.9)
            axis.set_xlabel(f"{term.bank.distance(vector[None])[0] / usual:.1f} × usual", fontsize=8)
    for axis, label in zip(axes[:, 0], ("values", "outline 32", "texture 32"), strict=True):
        axis.set_ylabel(label, fontsize=8)
    for axis in axes.flat:
        axis.tick_params(labelsize=6)
    figure.suptitle("blue: the patch; orange: the nearest normal one", fontsize=8)
    _save(figure, "default-views.png")


def cost() -> None:
    about, rows = _csv("cost.csv")
    numbers = [{k: float(v) for k, v in row.items()} for row in rows]
    length = [row["length"] for row in numbers]
    seconds = [row["cpu_s"] for row in numbers]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
    left.loglog(length, seconds, "o-", label="fit + score, one core")
    left.loglog(length, [seconds[-1] * n / length[-1] for n in length], "--", color="0.6", label="linear")
    left.set(xlabel="values", ylabel="seconds of CPU")
    left.legend(fontsize=7)
    right.semilogx(length, [row["peak_mb"] for row in numbers], "o-")
    right.set(xlabel="values", ylabel="peak memory, MB", ylim=(0, None))
    figure.suptitle(about, fontsize=7)
    _save(figure, "default-cost.svg")
    lines = ["| values | CPU seconds | wall seconds | peak MB | of which before |", "|---|---|---|---|---|"]
    lines += [
        f"| {row['length']:,.0f} | {row['cpu_s']:.2f} | {row['wall_s']:.2f} | {row['peak_mb']:.0f} "
        f"| {row['before_mb']:.0f} |"
        for row in numbers
    ]
    _put("cost", [*lines, "", f"({about})"])
    about, rows = _csv("against_paano.csv")
    best, paano = rows
    lines = ["| on one series of " + f"{int(best['length']):,} values | CPU seconds | |", "|---|---|---|"]
    lines += [f"| {row['detector']} | {float(row['cpu_s']):.2f} | {row['how']} |" for row in rows]
    lines += [f"| ratio | {float(paano['cpu_s']) / float(best['cpu_s']):.0f} | |"]
    _put("paano", [*lines, "", f"({about})"])


def _csv(name: str) -> tuple[str, list[dict[str, str]]]:
    with open(HERE.parent / "benchmarks" / "best" / name) as file:
        return file.readline().strip("# \n"), list(csv.DictReader(file))


def _put(name: str, lines: list[str]) -> None:
    page = HERE / "default-recipe.md"
    start, end = f"<!-- table: {name} -->", "<!-- end -->"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    page.write_text(pattern.sub(lambda _: "\n".join([start, "", *lines, "", end]), page.read_text()))


def worst(folder: Path, names: list[str]) -> None:
    """Left: the whole series. Right: around the first labelled stretch."""
    rows = 2 * len(names)
    figure, axes = plt.subplots(rows, 2, figsize=(9, 1.05 * rows), squeeze=False, width_ratios=(2, 1))
    for name, above, below in zip(names, axes[::2], axes[1::2], strict=True):
        path = next(folder.glob(f"{name}_*.csv"))
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        values, labels = table[:, 0], table[:, 1] > 0
        train = int(path.stem.split("_")[-3])
        score = Best().fit(values[:train]).score(values)
        first = int(np.flatnonzero(labels)[0])
        middle = first + int(np.argmin(np.append(labels[first:], False))) // 2
        around = slice(max(0, middle - 300), middle + 300)
        for column, part in enumerate((slice(0, len(values)), around)):
            step = np.arange(len(values))[part]
            for axis, line, colour in ((above[column], values, "0.2"), (below[column], score, "tab:blue")):
                axis.plot(step, line[part], lw=0.6, color=colour)
                shade = {"transform": axis.get_xaxis_transform(), "color": "tab:red", "alpha": 0.25}
                axis.fill_between(step, 0, 1, where=labels[part], **shade)
                axis.tick_params(labelsize=6)
            above[column].tick_params(labelbottom=False)
            if part.start < train:
                below[column].axvspan(part.start, min(train, part.stop), color="0.93", zorder=-1)
        above[0].set_title(f"{path.stem.split('_')[1]} {name}: values, score", fontsize=7)
        above[1].set_title("around the first labelled stretch", fontsize=7)
    _save(figure, "default-worst.png")


def _save(figure: plt.Figure, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    figure.tight_layout()
    with plt.rc_context({"svg.hashsalt": "paiad"}):
        figure.savefig(PICTURES / name, dpi=75, metadata={"Date": None} if name.endswith("svg") else None)
    plt.close(figure)


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["terms"]
    if what == "worst":
        worst(Path(rest[0]), rest[1:])
    else:
        {"views": two_views_of_a_patch, "terms": what_each_term_sees, "cost": cost}[what]()
