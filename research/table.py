"""The accuracy tables of docs/default-recipe.md: the recipe against PaAno + PAI, by half, family and measure.

    python research/table.py modes --longest 31000 --docs docs/default-recipe.md
    python research/table.py choice confirm --longest 130000 \\
        --rival "untrained PaAno + PAI=/tmp/untrained" --docs docs/default-recipe.md

VUS-PR of the trained rivals comes from the measured file beside the data. The other measures were not stored there:
a folder of scores, as research/rivals.py writes it, is compared in all of them. With `--docs` the tables take the
place of what stands there between `<!-- table: NAME -->` and `<!-- end -->`; otherwise they are printed.

Every run on `confirm` is a look, to be written down in docs/research/looks.md.
"""

import argparse
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from evaluate import scored
from fusion import BASE, baseline, case, half_names
from series import measured

from paiad.best import Best
from paiad.metrics import evaluate
from paiad.period import dominant_period
from paiad.significance.bootstrap import bootstrap_mean

MEASURES = ("VUS-PR", "VUS-ROC", "AUC-PR", "AUC-ROC", "Point-F1", "Range-F1")
RIVALS = (BASE, "PaAno, cosine bank (native)", "untrained PaAno encoder, Euclidean bank", "lead 3")
DEFAULT = Best()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="+", choices=("choice", "confirm", "modes"))
    parser.add_argument("--longest", type=int, default=10**9, help="leave out longer series")
    parser.add_argument("--rival", action="append", default=[], help="NAME=FOLDER of score files")
    parser.add_argument("--docs", type=Path, help="put the tables into this page")
    given = parser.parse_args()
    rivals = [(name, Path(folder)) for name, folder in (one.split("=", 1) for one in given.rival)]
    for wanted in given.tables:
        if wanted == "modes":
            lines = list(modes(half_names("choice", given.longest)))
        else:
            lines = list(tables(half_names(wanted, given.longest), rivals))
        if given.docs:
            put(given.docs, wanted, lines)
        else:
            print(f"\n## {wanted}", *lines, sep="\n")


def put(page: Path, name: str, lines: Iterable[str]) -> None:
    """Replace what stands in the page under this table's name."""
    text = page.read_text()
    start, end = f"<!-- table: {name} -->", "<!-- end -->"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{page} has no place for the table {name!r}: write {start} and {end} there")
    page.write_text(pattern.sub(lambda _: "\n".join([start, "", *lines, "", end]), text))


def tables(names: list[str], rivals: list[tuple[str, Path]]) -> Iterator[str]:
    ours = np.array([of_default(name) for name in names])
    vus = ours[:, MEASURES.index("VUS-PR")]
    known = ~np.isnan(baseline(names))
    yield from against_measured(names, vus, known)
    yield ""
    yield from by_family([n for n, k in zip(names, known, strict=True) if k], vus[known])
    for rival, folder in rivals:
        there = np.array([(folder / f"{name}.npy").exists() for name in names])
        if there.any():
            theirs = [
                measures(n, np.load(folder / f"{n}.npy")) for n, t in zip(names, there, strict=True) if t
            ]
            yield ""
            yield from all_measures(rival, ours[there], np.array(theirs))
    yield ""
    yield from worst(names, vus)


@lru_cache(None)
def of_default(name: str) -> tuple[float, ...]:
    return measures(name, scored(case(name), DEFAULT, "plain"))


def measures(name: str, scores: np.ndarray) -> tuple[float, ...]:
    one = case(name)
    found = evaluate(scores, one.labels, window=dominant_period(one.values), which=MEASURES)
    return tuple(found[measure] for measure in MEASURES)


def row(*cells: object) -> str:
    return "| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |"


def header(*cells: str) -> list[str]:
    return [row(*cells), "|---" * len(cells) + "|"]


def difference(one: np.ndarray, other: np.ndarray) -> str:
    """Mean paired difference with the 95 % bootstrap interval over series."""
    found = bootstrap_mean(one - other)
    return f"{found.estimate:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def against_measured(names: list[str], vus: np.ndarray, known: np.ndarray) -> Iterator[str]:
    yield from header("score", "series", "mean VUS-PR", "the default minus it")
    yield row("**the default**", len(vus), float(vus.mean()), "")
    if not known.all():
        yield row("the default, where the rivals are known", int(known.sum()), float(vus[known].mean()), "")
    columns = list(next(iter(measured().values())))
    for start in RIVALS:
        column = next(one for one in columns if one.startswith(start))
        other = baseline(names, column)
        has = ~np.isnan(other)
        label = column.split(":")[0] if start.startswith("lead") else column
        yield row(label, int(has.sum()), float(other[has].mean()), difference(vus[has], other[has]))


def by_family(names: list[str], vus: np.ndarray) -> Iterator[str]:
    yield from header("family", "series", "the default", "PaAno + PAI", "difference")
    rival, families = baseline(names), np.array([case(n).family for n in names])
    for family in sorted(set(families)):
        of = families == family
        mine, theirs = float(vus[of].mean()), float(rival[of].mean())
        yield row(family, int(of.sum()), mine, theirs, f"{mine - theirs:+.3f}")


def all_measures(rival: str, ours: np.ndarray, theirs: np.ndarray) -> Iterator[str]:
    yield from header(f"{len(ours)} series", "the default", rival, "difference")
    for measure, one, other in zip(MEASURES, ours.T, theirs.T, strict=True):
        yield row(measure, float(one.mean()), float(other.mean()), difference(one, other))


def modes(names: list[str]) -> Iterator[str]:
    """The same recipe without looking ahead, and without a training part, on series of the choice half."""
    causal = replace(DEFAULT, window="trailing")
    plain = np.array([of_default(name)[0] for name in names])
    yield from header("mode", "series", "mean VUS-PR", "minus the default")
    yield row("training part given, looking ahead: the default", len(names), float(plain.mean()), "")
    for label, recipe, way in (
        ("training part given, trailing", causal, "plain"),
        ("series scored by itself, looking ahead", DEFAULT, "self"),
        ("series scored by itself, trailing", causal, "self"),
    ):
        vus = np.array([measures(name, scored(case(name), recipe, way))[0] for name in names])
        yield row(label, len(names), float(vus.mean()), difference(vus, plain))


def worst(names: list[str], vus: np.ndarray, count: int = 10) -> Iterator[str]:
    yield from header(f"the worst {count}", "values", "training", "the default", "PaAno + PAI")
    for i in np.argsort(vus)[:count]:
        one, rival = case(names[i]), float(baseline([names[i]])[0])
        title = " ".join(names[i].split("_")[part] for part in (1, 0))
        yield row(title, len(one.values), one.train, float(vus[i]), "–" if np.isnan(rival) else rival)


if __name__ == "__main__":
    main()
