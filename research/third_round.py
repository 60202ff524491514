"""Third round: what stands beside the patches, how widths are put together, drift, settings, how exact banks are.

    export PAIAD_RESEARCH_CACHE=…
    python research/third_round.py beside together fewer drift banks
    python research/third_round.py settings                             # choice half up to 13,000 points

On the choice half up to 31,000 points and both guard sets, from the recipe's cached patch distances. The last column
holds the families and kinds whose mean moved by more than 0.01 against the first row of the table.
"""

import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from evaluate import measured
from fusion import case, evaluator
from numba import njit
from series import half_names

from paiad.amplitude import HALF_WIDTH, Level
from paiad.best import Best, stretches
from paiad.best.combining import tempered
from paiad.best.stillness import Stillness
from paiad.best.stretches import StretchBank
from paiad.best.term import PatchTerm
from paiad.best.timing import Timing
from paiad.fusion import Standardizer
from paiad.nearest import nearest
from paiad.pai import Amplitude

RECIPE = Best()
LONGEST = 31_000
LAGS = 32  # places looked at in the past


@lru_cache(None)
def names() -> list[str]:
    short = [name for name in half_names("choice") if len(case(name).values) <= LONGEST]
    return short + half_names("spiky") + half_names("kinds")


@lru_cache(None)
def terms(name: str, recipe: Best = RECIPE) -> tuple[np.ndarray, np.ndarray]:
    """Tempered outlines and textures [terms, steps]."""
    one = case(name)
    far = measured(one, recipe, False)
    blank = None
    pairs = [
        (PatchTerm(term, blank, blank, Timing(width)), honest.astype(float)) for term, width, honest, _ in far
    ]  # type: ignore[arg-type]
    scorer = recipe.assembled(pairs, one.values[: one.train])
    z = scorer.tempered_terms([every.astype(float) for *_, every in far], one.values).astype(np.float32)
    return z[: len(scorer.outlines)], z[len(scorer.outlines) :]


def beyond(of: Callable[[np.ndarray], np.ndarray], name: str, quantile: float) -> np.ndarray:
    """What exceeds a quantile of the training part, tempered."""
    own = of(case(name).values[: case(name).train])
    own = own[~np.isnan(own)]
    z = (of(case(name).values) - np.quantile(own, quantile)) / Standardizer.of(own).scale
    return tempered(np.fmax(0.0, z))


@lru_cache(None)
def amplitude(name: str, which: int, quantile: float = 0.99) -> np.ndarray:
    level = Level.of(case(name).values[: case(name).train])
    return beyond(lambda x: Amplitude(level, HALF_WIDTH, "symmetric").terms(x)[which], name, quantile)


@lru_cache(None)
def still(name: str, quantile: float = 0.99) -> np.ndarray:
    return beyond(Stillness.of(case(name).values[: case(name).train]).term, name, quantile)


@lru_cache(None)
def stillest(name: str, width: int) -> np.ndarray:
    """The stillest of all windows that cover a step, instead of the one around it."""

    def of(values: np.ndarray) -> np.ndarray:
        windows = np.lib.stride_tricks.sliding_window_view
        still = -np.log(windows(np.abs(np.diff(values)), width).mean(1) / usual + 0.01)
        return windows(np.pad(still, width, constant_values=-np.inf), width + 1).max(1)

    usual = np.abs(np.diff(case(name).values[: case(name).train])).mean() or 1.0
    return beyond(of, name, 1.0)


@lru_cache(None)
def lasting(name: str, half: int) -> np.ndarray:
    """The smaller of the mean levels before and after a step, where both lie on the same side: no spike does that."""
    train = case(name).values[: case(name).train]

    def of(values: np.ndarray) -> np.ndarray:
        away = (values - np.median(train)) / (train.std() + 1e-12)
        total, at = np.concatenate([[0], np.cumsum(away)]), np.arange(len(values))
        low, high = np.maximum(at - half, 0), np.minimum(at + half + 1, len(values))
        before = (total[at + 1] - total[low]) / (at + 1 - low)
        after = (total[high] - total[at]) / (high - at)
        return np.where(before * after > 0, np.minimum(np.abs(before), np.abs(after)), 0)

    return beyond(of, name, 1.0)


def patches(name: str) -> np.ndarray:
    return together(name, lambda z: z.max(0))


def together(name: str, how: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    return np.sum([how(z) for z in terms(name) if len(z)], axis=0)


def beside_of(name: str) -> np.ndarray:
    return 0.75 * still(name) + 0.1 * (amplitude(name, 0) + amplitude(name, 1))


def best(name: str) -> np.ndarray:
    return patches(name) + beside_of(name)


class Table:
    """Rows of mean VUS-PR: choice half, spiky guard set, kinds."""

    def __init__(self, longest: int = LONGEST) -> None:
        self.names = [name for name in names() if len(case(name).values) <= longest]
        self.families = np.array([case(name).family for name in self.names])
        sets = [
            "kinds" if n.startswith("kind-") else "spiky" if n.startswith("spiky-") else "choice"
            for n in self.names
        ]
        self.sets = np.array(sets)
        self.first: np.ndarray | None = None
        print("\n| | choice | spiky | kinds | moved |\n|---|---|---|---|---|")

    def row(self, label: str, score: Callable[[str], np.ndarray]) -> None:
        vus = np.array([evaluator(name)(np.asarray(score(name), dtype=float)) for name in self.names])
        self.first = vus if self.first is None else self.first
        by = {f: float((vus - self.first)[self.families == f].mean()) for f in dict.fromkeys(self.families)}
        moved = ", ".join(f"{f} {by[f]:+.2f}" for f in sorted(by, key=lambda f: by[f]) if abs(by[f]) > 0.01)
        kinds = np.mean([vus[self.families == f].mean() for f in set(self.families[self.sets == "kinds"])])
        choice, spiky = (vus[self.sets == one].mean() for one in ("choice", "spiky"))
        print(f"| {label} | {choice:.3f} | {spiky:.3f} | {kinds:.3f} | {moved} |", flush=True)


def beside() -> None:
    table = Table()
    pai = lambda n: 0.1 * (amplitude(n, 0) + amplitude(n, 1))  # noqa: E731
    table.row("magG and T2 at 0.1", lambda n: patches(n) + pai(n))
    table.row("nothing beside", patches)
    for weight in (0.2, 0.4, 0.6):
        table.row(
            f"T2 at {weight}", lambda n, w=weight: patches(n) + 0.1 * amplitude(n, 0) + w * amplitude(n, 1)
        )
    for weight in (0.2, 0.4):
        table.row(
            f"magG at {weight}", lambda n, w=weight: patches(n) + w * amplitude(n, 0) + 0.1 * amplitude(n, 1)
        )
    for half in (16, 32, 64):
        label = f"+ 0.2 lasting level, {half} steps to each side"
        table.row(label, lambda n, h=half: patches(n) + pai(n) + 0.2 * lasting(n, h))
    for weight, quantile in ((0.5, 0.99), (0.75, 0.99), (0.75, 1.0), (1.0, 0.99)):
        table.row(
            f"+ {weight} stillness beyond the {quantile} quantile",
            lambda n, w=weight, q=quantile: patches(n) + pai(n) + w * still(n, q),
        )
    for width in (8, 16, 32):
        label = f"+ 0.5 stillest of the windows of {width} that cover a step"
        table.row(label, lambda n, w=width: patches(n) + pai(n) + 0.5 * stillest(n, w))


def widths() -> None:
    def soft(z: np.ndarray, sharp: float) -> np.ndarray:
        largest = z.max(0)
        return np.asarray(largest + np.log(np.exp(sharp * (z - largest)).mean(0)) / sharp)

    def two(z: np.ndarray, share: float) -> np.ndarray:
        ordered = np.sort(z, axis=0)[::-1]
        return np.asarray(ordered[0] if len(z) == 1 else (ordered[0] + share * ordered[1]) / (1 + share))

    table = Table()
    table.row("the strongest of each view", best)
    for share in (0.25, 0.5, 1.0):
        table.row(
            f"+ {share} mean of all terms", lambda n, s=share: best(n) + s * np.concatenate(terms(n)).mean(0)
        )
    for share in (0.2, 0.5, 1.0):
        table.row(
            f"the two strongest, the second at {share}",
            lambda n, s=share: together(n, lambda z: two(z, s)) + beside_of(n),
        )
    for sharp in (2, 4, 8):
        table.row(
            f"soft maximum, sharpness {sharp}",
            lambda n, s=sharp: together(n, lambda z: soft(z, s)) + beside_of(n),
        )
    for view, what in ((0, "outline"), (1, "texture")):
        for share in (0.1, 0.25):
            table.row(
                f"+ {share} finest {what}",
                lambda n, v=view, s=share: (
                    best(n) + s * (np.maximum(0, terms(n)[v][0]) if len(terms(n)[v]) else 0)
                ),
            )


@njit(cache=True)
def _past(z, lag, count, place):  # type: ignore[no-untyped-def]
    out, seen = np.empty_like(z), np.empty(count, z.dtype)
    for term in range(z.shape[0]):
        for step in range(z.shape[1]):
            for turn in range(count):
                before = step - lag * (turn + 1)
                seen[turn] = z[term, before] if before >= 0 else 0.0
            seen.sort()
            out[term, step] = max(0.0, seen[place])
    return out


def drift() -> None:
    """What was odd for most of the past is the new usual: a quantile of a term's past is taken off."""

    def less(z: np.ndarray, reach: int, quantile: float, by_units: bool) -> np.ndarray:
        z = np.sign(z) * np.expm1(np.abs(z)) if by_units else z
        rest = z - _past(z.astype(np.float32), reach // LAGS, LAGS, int(quantile * LAGS))
        return np.asarray((tempered(rest) if by_units else rest).max(0))

    table = Table()
    table.row("nothing taken off", best)
    for by_units in (False, True):
        for reach in (512, 1024, 2048):
            for quantile in (0.25, 0.5):
                label = f"{quantile} quantile of {reach} steps, " + ("units" if by_units else "tempered")
                table.row(
                    label,
                    lambda n, r=reach, q=quantile, u=by_units: (
                        together(n, lambda z: less(z, r, q, u)) + beside_of(n)
                    ),
                )


def fewer() -> None:
    """Some of the widths alone, and other weights of the two views; the terms are those of all widths."""

    def chosen(name: str, outlines: tuple[int, ...], textures: tuple[int, ...]) -> np.ndarray:
        both = zip(terms(name), (outlines, textures), strict=True)
        views = [z[[place for place in some if place < len(z)]] for z, some in both if len(z)]
        return np.sum([z.max(0) for z in views if len(z)], axis=0) + beside_of(name)

    def weighted(name: str, weight: float) -> np.ndarray:
        outlines, textures = terms(name)
        return outlines.max(0) + weight * (textures.max(0) if len(textures) else 0) + beside_of(name)

    table, widths, every = Table(), (RECIPE.outline_widths, RECIPE.texture_widths), (0, 1, 2, 3)
    table.row("all", best)
    for view, what in ((0, "outline"), (1, "texture")):
        for left_out in every:
            rest = [tuple(x for x in every if view != turn or x != left_out) for turn in (0, 1)]
            label = f"without {what} {widths[view][left_out]}"
            table.row(label, lambda n, r=rest: chosen(n, r[0], r[1]))
    table.row("outlines 8, 32, textures 16, 32", lambda n: chosen(n, (0, 1), (0, 1)))
    table.row("outlines alone", lambda n: chosen(n, every, ()))
    for weight in (0.5, 0.7, 1.5, 2.0):
        table.row(f"texture at {weight}", lambda n, w=weight: weighted(n, w))


def settings() -> None:
    table = Table(13_000)
    table.row("as it is", best)
    for label, given in (
        ("one neighbour", {"neighbours": 1, "narrow_neighbours": 1}),
        ("3 neighbours", {"narrow_neighbours": 3}),
        ("8 neighbours", {"neighbours": 8}),
        ("20 for narrow patches, 3 for wide ones", {"narrow_neighbours": 20}),
        ("another seed", {"seed": 1}),
        ("32 filters", {"filters": 32}),
        ("128 filters", {"filters": 128}),
        ("outlines 8, 16, 32, 64, 128, 256", {"outline_widths": (8, 16, 32, 64, 128, 256)}),
        ("outlines 8, 32, 128, 256, 512", {"outline_widths": (8, 32, 128, 256, 512)}),
        ("textures 8 to 256", {"texture_widths": (8, 16, 32, 64, 128, 256)}),
        ("at most 1,024 stretches", {"bank_size": 1024}),
    ):
        recipe = replace(RECIPE, **given)  # type: ignore[arg-type]
        table.row(
            label,
            lambda n, r=recipe: np.sum([z.max(0) for z in terms(n, r) if len(z)], axis=0) + beside_of(n),
        )


def banks(queries: int = 600) -> None:
    """Distances found in two steps over exact ones, on the choice half's long training parts."""
    print(
        "\n| series | term | 4,096 stretches, 8 visited | 24 visited | 8,192 stretches |\n|---|---|---|---|---|"
    )
    for name in half_names("choice"):
        one = case(name)
        if one.train < 20_000:
            continue
        train = one.values[: one.train]
        asked = (
            np.sort(np.random.default_rng(0).choice(len(one.values) - one.train - 300, queries, False))
            + one.train
        )
        for label, width, learner in RECIPE.learners(len(train)):
            encoder, wanted = learner.fit(train), RECIPE.neighbours_at(width)
            held, some = encoder.encode(train), encoder.encode(one.values)[asked]
            exact, cells = nearest(some, held, wanted)[0].mean(1), []
            for size, visited in ((4096, 8), (4096, 24), (8192, 8)):
                stretches.VISITED = visited
                ratio = StretchBank.of(held, size, wanted).distance(some) / exact
                cells.append(f"{ratio.mean():.2f} ({np.quantile(ratio, 0.95):.2f})")
            stretches.VISITED = 8
            print(f"| {' '.join(name.split('_')[1::-1])} | {label} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    for wanted in sys.argv[1:]:
        print(f"\n{wanted}")
        {
            "beside": beside,
            "together": widths,
            "fewer": fewer,
            "drift": drift,
            "settings": settings,
            "banks": banks,
        }[wanted]()
