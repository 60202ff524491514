"""The tables of docs/default-recipe.md: the recipe against PaAno + PAI, by half and family, with intervals.

    python research/table.py 95000 choice confirm

The number leaves out longer series.

VUS-PR of the rivals comes from the measured file beside the data (per file, by TSB-AD's definition and window). The
other measures were not stored for them, so PaAno + PAI is computed anew with an *untrained* encoder (see paano.py),
on the files where that has been cached.
"""

import sys

import numpy as np
from evaluate import scored
from fusion import BASE, CACHE, baseline, case, evaluator, half_names, patch, spread
from series import measured, window

from paiad.amplitude import Level, deviation, mean_shift
from paiad.best import Best
from paiad.metrics import evaluate

MEASURES = ("VUS-PR", "VUS-ROC", "AUC-PR", "AUC-ROC", "Point-F1", "Range-F1")
RIVALS = (BASE, "PaAno, cosine bank (native)", "untrained PaAno encoder, Euclidean bank")
DEFAULT = Best()


def main(limit: int, halves: list[str]) -> None:
    for half in halves:
        names = [n for n in half_names(half, limit) if not np.isnan(baseline([n])[0])]
        ours = run(names, "plain")
        print(f"\n## {half}: {len(names)} series")
        against_rivals(names, ours)
        by_family(names, ours)
        worst(names, ours)
        other_measures(names)


def run(names: list[str], way: str) -> np.ndarray:
    return np.array([evaluator(n)(scored(case(n), DEFAULT, way)) for n in names])


def row(*cells: object) -> None:
    print("| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |")


def difference(one: np.ndarray, other: np.ndarray) -> str:
    """Mean difference with the 95 % interval of 2,000 paired resamples of files."""
    differences = one - other
    rng = np.random.default_rng(42)
    means = differences[rng.integers(0, len(differences), (2000, len(differences)))].mean(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{differences.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def against_rivals(names: list[str], ours: np.ndarray) -> None:
    print("\n| score | mean VUS-PR | the default minus it |\n|---|---|---|")
    row("the default", float(ours.mean()), "")
    row("the default, its training part judged by the rest of it", float(run(names, "honest").mean()), "")
    leads = [column for column in next(iter(measured().values())) if column.startswith("lead")]
    for column in (*RIVALS, *leads):
        other = baseline(names, column)
        known = ~np.isnan(other)
        row(column, float(other[known].mean()), difference(ours[known], other[known]))


def by_family(names: list[str], ours: np.ndarray) -> None:
    print("\n| family | series | the default | PaAno + PAI | difference |\n|---|---|---|---|---|")
    rival, families = baseline(names), np.array([case(n).family for n in names])
    for family in sorted(set(families)):
        of = families == family
        mine, theirs = float(ours[of].mean()), float(rival[of].mean())
        row(family, of.sum(), mine, theirs, f"{mine - theirs:+.3f}")


def worst(names: list[str], ours: np.ndarray) -> None:
    print("\n| worst ten | the default | PaAno + PAI |\n|---|---|---|")
    for i in np.argsort(ours)[:10]:
        row(names[i], float(ours[i]), float(baseline([names[i]])[0]))


def other_measures(names: list[str]) -> None:
    mine = measures_of(names, lambda n: scored(case(n), DEFAULT, "plain"))
    print("\n| measure, all series | " + " | ".join(MEASURES) + " |\n" + "|---" * 7 + "|")
    row("the default", *map(float, mine.mean(0)))
    known = np.array([(CACHE / "paano-64" / f"{n}.npy").exists() for n in names])
    if known.any():
        theirs = measures_of([n for n, k in zip(names, known, strict=True) if k], untrained_pai)
        print(
            f"\n| measure, {known.sum()} series | the default | untrained PaAno + PAI | difference |\n|---|---|---|---|"
        )
        for name, one, other in zip(MEASURES, mine[known].T, theirs.T, strict=True):
            row(name, float(one.mean()), float(other.mean()), difference(one, other))


def measures_of(names, score) -> np.ndarray:
    """[series, measures]"""
    found = [evaluate(score(n), case(n).labels, window=window(case(n).values)) for n in names]
    return np.array([[one[measure] for measure in MEASURES] for one in found])


def untrained_pai(name: str) -> np.ndarray:
    """PaAno + PAI (1, 0.6, 0.4) with an untrained encoder and an exact Euclidean bank."""
    one = case(name)
    n, values = one.train, one.values
    distances = patch("paano-64", name)[1].copy()
    honest = spread(distances, len(values))[:n]
    distances[: n - 63] = 0  # as for the default, training patches find themselves in the bank
    level = Level.of(values[:n])
    total = (spread(distances, len(values)) - honest.mean()) / (honest.std() + 1e-9)
    for term, weight in ((deviation(values, level), 0.6), (mean_shift(values, level), 0.4)):
        total = total + weight * (term - term[:n].mean()) / (term[:n].std() + 1e-9)
    return total


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
