"""The accuracy tables of docs/default-recipe.md: the recipe against PaAno + PAI, by half, family and measure.

    python research/table.py choice confirm --docs docs/default-recipe.md \\
        --ours /tmp/default --rival "untrained PaAno + PAI=/tmp/untrained"
    python research/table.py choice confirm … --store "PaAno + PAI, trained=STORE:PaAno + PAI"
    python research/table.py seeds --docs docs/default-recipe.md --ours /tmp/default --seed 1=/tmp/seeds/1 --seed 2=…
    python research/table.py modes --docs docs/default-recipe.md --ours /tmp/default \\
        --mode "trailing=/tmp/trailing" --mode "scored by itself=/tmp/self"

VUS-PR of the trained rivals comes from the measured file beside the data. The other measures were not stored there:
folders of scores, as research/scores.py writes them, and detectors in a benchmark's store are compared in all of
them. With `--docs` the tables take the place of what stands there between `<!-- table: NAME -->` and `<!-- end -->`;
otherwise they are printed.

Every run on `confirm` is a look, to be written down in docs/research/looks.md.
"""

import argparse
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from fusion import BASE, baseline, case, half_names
from series import measured

from paiad.benchmark.results import Choice, Results
from paiad.benchmark.store import Store
from paiad.metrics import evaluate
from paiad.metrics.definitions import ALIASES
from paiad.period import dominant_period
from paiad.significance.bootstrap import bootstrap_mean

MEASURES = ("VUS-PR", "VUS-ROC", "AUC-PR", "AUC-ROC", "Point-F1", "Range-F1")
Measured = dict[str, tuple[float, ...]]
RIVALS = (BASE, "PaAno, cosine bank (native)", "untrained PaAno encoder, Euclidean bank", "lead 3")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="+", choices=("choice", "confirm", "modes", "seeds"))
    parser.add_argument("--ours", type=Path, required=True, help="folder of the default's scores")
    parser.add_argument("--rival", action="append", default=[], help="NAME=FOLDER of score files")
    parser.add_argument("--store", action="append", default=[], help="NAME=STORE:DETECTOR of a benchmark")
    parser.add_argument("--mode", action="append", default=[], help="NAME=FOLDER of the default's scores")
    parser.add_argument("--seed", action="append", default=[], help="SEED=FOLDER of the default's scores")
    parser.add_argument("--longest", type=int, default=10**9, help="leave out longer series")
    parser.add_argument("--docs", type=Path, help="put the tables into this page")
    given = parser.parse_args()
    for wanted in given.tables:
        names = half_names(wanted if wanted in ("choice", "confirm") else "choice", given.longest)
        if wanted == "modes":
            lines = list(modes(names, given.ours, folders(given.mode)))
        elif wanted == "seeds":
            lines = list(seeds([("0, the default's", given.ours), *folders(given.seed)]))
        else:
            rivals = [(name, in_folder(folder, names)) for name, folder in folders(given.rival)]
            rivals += [(name, in_store(path, names)) for name, path in folders(given.store)]
            lines = list(tables(names, given.ours, rivals))
        if given.docs:
            put(given.docs, wanted, lines)
        else:
            print(f"\n## {wanted}", *lines, sep="\n")


def folders(given: list[str]) -> list[tuple[str, Path]]:
    return [(name, Path(folder)) for name, folder in (one.split("=", 1) for one in given)]


def put(page: Path, name: str, lines: Iterable[str]) -> None:
    """Replace what stands in the page under this table's name."""
    text = page.read_text()
    start, end = f"<!-- table: {name} -->", "<!-- end -->"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{page} has no place for the table {name!r}: write {start} and {end} there")
    page.write_text(pattern.sub(lambda _: "\n".join([start, "", *lines, "", end]), text))


def tables(names: list[str], folder: Path, rivals: list[tuple[str, Measured]]) -> Iterator[str]:
    ours = measured_in(folder, names)
    vus = ours[:, MEASURES.index("VUS-PR")]
    known = ~np.isnan(baseline(names))
    yield from against_measured(names, vus, known)
    yield ""
    yield from by_family([n for n, k in zip(names, known, strict=True) if k], vus[known])
    for rival, found in rivals:
        there = np.array([name in found for name in names])
        if there.any():
            theirs = np.array([found[name] for name in names if name in found])
            yield ""
            yield from all_measures(rival, ours[there], theirs)
    yield ""
    yield from worst(names, vus)


def in_folder(folder: Path, names: list[str]) -> Measured:
    there = [name for name in names if (folder / f"{name}.npy").exists()]
    return dict(zip(there, map(tuple, measured_in(folder, there)), strict=True))


def in_store(path: Path, names: list[str]) -> Measured:
    """What STORE:DETECTOR holds of these series, measured here or elsewhere; the mean over its seeds."""
    folder, _, detector = str(path).rpartition(":")
    results = Results.open(Store(Path(folder)))
    choice = Choice(next(entry for entry in results.suite.entries if entry.name == detector))
    table = np.stack([results.per_series(choice, ALIASES.get(one, one)) for one in MEASURES], axis=1)
    rows = {source.name: row for source, row in zip(results.sources, table, strict=True)}
    return {name: tuple(rows[name]) for name in names if name in rows and np.isfinite(rows[name]).all()}


def measured_in(folder: Path, names: list[str]) -> np.ndarray:
    """[series, measures] of the scores in a folder."""
    return np.array([measures(name, np.load(folder / f"{name}.npy")) for name in names])


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


def modes(names: list[str], folder: Path, others: list[tuple[str, Path]]) -> Iterator[str]:
    """The same recipe in other modes, on series of the choice half that were scored in all of them."""
    names = [name for name in names if all((other / f"{name}.npy").exists() for _, other in others)]
    vus = MEASURES.index("VUS-PR")
    plain = measured_in(folder, names)[:, vus]
    yield from header("mode", "series", "mean VUS-PR", "minus the default")
    yield row("the default: training part given, looking ahead", len(names), float(plain.mean()), "")
    for label, other in others:
        found = measured_in(other, names)[:, vus]
        yield row(label, len(names), float(found.mean()), difference(found, plain))


def seeds(scored: list[tuple[str, Path]]) -> Iterator[str]:
    """Mean VUS-PR with other draws of the texture filters, against PaAno + PAI, and how far single series move."""
    halves = {half: half_names(half) for half in ("choice", "confirm")}
    found = {half: np.array([_vus(folder, names) for _, folder in scored]) for half, names in halves.items()}
    rival = baseline(halves["confirm"])
    known = ~np.isnan(rival)
    yield from header(
        "seed",
        *(f"{half}, {len(names)} series" for half, names in halves.items()),
        f"confirm, {known.sum()} with known rivals",
        "minus PaAno + PAI",
        "lowest family of five",
    )
    families = np.array([case(name).family for name in halves["confirm"]])[known]
    for (seed, _), *means, vus in zip(
        scored, *(one.mean(1) for one in found.values()), found["confirm"], strict=True
    ):
        gain = vus[known] - rival[known]
        lowest = min((gain[families == f].mean(), f) for f in set(families) if (families == f).sum() >= 5)
        told = f"{lowest[1]} {lowest[0]:+.3f}"
        yield row(seed, *map(float, (*means, vus[known].mean())), difference(vus[known], rival[known]), told)
    both = [f"{one.mean(1).mean():.3f} ± {one.mean(1).std(ddof=1):.3f}" for one in found.values()]
    of_known = found["confirm"][:, known].mean(1)
    yield row(
        "mean ± deviation over seeds", *both, f"{of_known.mean():.3f} ± {of_known.std(ddof=1):.3f}", "", ""
    )
    apart = [(names, one.std(0, ddof=1)) for names, one in zip(halves.values(), found.values(), strict=True)]
    yield row("a series' deviation: median", *(float(np.median(one)) for _, one in apart), "", "", "")
    most = [f"{one.max():.3f} ({_short(names[int(one.argmax())])})" for names, one in apart]
    yield row("the largest", *most, "", "", "")


def _vus(folder: Path, names: list[str]) -> np.ndarray:
    return measured_in(folder, names)[:, MEASURES.index("VUS-PR")]


def _short(name: str) -> str:
    number, family, *_ = name.split("_")
    return f"{family} {number}"


def worst(names: list[str], vus: np.ndarray, count: int = 10) -> Iterator[str]:
    yield from header(f"the worst {count}", "values", "training", "the default", "PaAno + PAI")
    for i in np.argsort(vus)[:count]:
        one, rival = case(names[i]), float(baseline([names[i]])[0])
        yield row(
            _short(names[i]), len(one.values), one.train, float(vus[i]), "–" if np.isnan(rival) else rival
        )


if __name__ == "__main__":
    main()
