"""Second round: sharing, PAI's terms, residuals, the series' own period, and distances relative to neighbours'.

    export PAIAD_RESEARCH_CACHE=…
    python research/second_round.py sharing amplitude residual period relative

On the choice half and the guard set, series up to 31,000 points, from the present recipe's patch distances.
"""

import logging
import sys
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from evaluate import measured
from fusion import case, evaluator
from series import half_names

from paiad.amplitude import HALF_WIDTH, Level
from paiad.best import Best
from paiad.best.combining import sharpness, tempered
from paiad.best.expectation import expected
from paiad.best.outline import Outline
from paiad.best.scorer import SHARP_FROM, SHARP_SLOPE
from paiad.best.term import PatchTerm, exclusion
from paiad.best.texture import Texture
from paiad.best.timing import Timing
from paiad.fusion import Standardizer
from paiad.pai import Amplitude
from paiad.period import dominant_period

RECIPE = Best()
LONGEST = 31_000
Far = list[tuple[str, int, np.ndarray, np.ndarray]]


@lru_cache(None)
def names() -> list[str]:
    given = half_names("choice") + half_names("spiky")
    return [name for name in given if len(case(name).values) <= LONGEST]


@lru_cache(None)
def far(name: str) -> Far:
    return [
        (term, width, honest.astype(float), every.astype(float))
        for term, width, honest, every in measured(case(name), RECIPE, False)
    ]


def unit(power: float) -> Callable[[np.ndarray], Standardizer]:
    """Deviation^(1 - power) · (a third of the largest excursion)^power."""

    def of(honest: np.ndarray) -> Standardizer:
        plain, middle = Standardizer.of(honest), float(np.median(honest))
        excursion = (float(honest.max()) - middle) / 3
        return Standardizer(middle, plain.scale ** (1 - power) * excursion**power) if excursion > 0 else plain

    return of


def steps(
    name: str, given: Far, power: float, sharing: float, slope: float, least: float
) -> dict[str, np.ndarray]:
    """Tempered terms by name."""
    out, one = {}, case(name)
    own, all_steps = np.ones(one.train), np.ones(len(one.values))
    for place, (term, width, honest, every) in enumerate(given):
        scores, usual = Timing(width).spread(every, all_steps), Timing(width).spread(honest, own)
        usual_known = usual[~np.isnan(usual)]
        if place == 0:
            finest = unit(sharing)(usual_known)
            own = sharpness(np.nan_to_num(finest(usual)), least, slope)
            all_steps = sharpness(finest(scores), least, slope)
        out[term] = tempered(unit(power)(usual_known)(scores))
    return out


def together(terms: dict[str, np.ndarray]) -> np.ndarray:
    outlines = [term for name, term in terms.items() if name.startswith("outline")]
    textures = [term for name, term in terms.items() if name.startswith("texture")]
    return np.max(outlines, axis=0) + (np.max(textures, axis=0) if textures else 0)


@lru_cache(None)
def fused(
    name: str, power: float = 0.5, sharing: float = 0.5, slope: float = SHARP_SLOPE, least: float = SHARP_FROM
):
    return together(steps(name, far(name), power, sharing, slope, least))


def show(label: str, score: Callable[[str], np.ndarray]) -> None:
    families = np.array([case(name).family for name in names()])
    vus = np.array([evaluator(name)(score(name)) for name in names()])
    of = " ".join(f"{f} {vus[families == f].mean():.2f}" for f in sorted(set(families) - {"SPIKY"}))
    choice, guard = vus[families != "SPIKY"].mean(), vus[families == "SPIKY"].mean()
    print(f"| {label} | {choice:.3f} | {guard:.3f} | {of} |", flush=True)


def sharing() -> None:
    for by, power in ((0.0, 0.0), (0.0, 0.5), (0.3, 0.3), (0.3, 0.5), (0.5, 0.0), (0.5, 0.3), (0.5, 0.5)):
        show(
            f"excursions to the {by} in sharing, to the {power} in fusing, from 4",
            lambda n, b=by, p=power: fused(n, p, b, 0.1, 4.0),
        )
    for slope, least in ((0.0, 4.0), (0.05, 3.0), (0.1, 3.0), (0.1, 2.5), (0.1, 2.0), (0.2, 3.0)):
        show(f"0.5 and 0.5, slope {slope} from {least}", lambda n, s=slope, f=least: fused(n, 0.5, 0.5, s, f))


def amplitude() -> None:
    @lru_cache(None)
    def terms(name):
        one = case(name)
        both = Amplitude(Level.of(one.values[: one.train]), HALF_WIDTH, "symmetric")
        return list(zip(both.terms(one.values), both.terms(one.values[: one.train]), strict=True))

    def beyond(name, quantile, which):
        return sum(
            tempered(np.maximum(0, (all_of - np.quantile(own, quantile)) / Standardizer.of(own).scale))
            for all_of, own in terms(name)[which]
        )

    def positive(name):
        return sum(np.maximum(0, tempered(Standardizer.of(own)(all_of))) for all_of, own in terms(name))

    show("none", fused)
    for weight in (0.1, 0.2, 0.4):
        show(f"positive part, {weight}", lambda n, w=weight: fused(n) + w * positive(n))
        for quantile in (0.99, 1.0):
            show(
                f"beyond the {quantile} quantile, {weight}",
                lambda n, w=weight, q=quantile: fused(n) + w * beyond(n, q, slice(2)),
            )
    show("beyond the largest, magG alone, 0.4", lambda n: fused(n) + 0.4 * beyond(n, 1.0, slice(1)))
    show("beyond the largest, T2 alone, 0.4", lambda n: fused(n) + 0.4 * beyond(n, 1.0, slice(1, 2)))


def residual() -> None:
    @lru_cache(None)
    def z(name):
        one = case(name)
        train = one.values[: one.train]
        term, _ = PatchTerm.of("outline", Outline(32).fit(train), train, Timing(32), 4096, 1)
        own = np.abs(train - expected((term,), train, own=True))
        return np.maximum(0, unit(0.5)(own)(np.abs(one.values - expected((term,), one.values))))

    for weight in (0.1, 0.25, 0.5, 1.0):
        show(f"+ {weight} residual of the nearest outline", lambda n, w=weight: fused(n) + w * tempered(z(n)))


def period() -> None:
    @lru_cache(None)
    def more(name) -> dict[str, np.ndarray]:
        one, given = case(name), list(far(name))
        train = one.values[: one.train]
        lag = dominant_period(train)
        for label, width, learner in (
            ("outline p", lag, Outline), ("outline 2p", 2 * lag, Outline),
            ("texture p", max(8, lag), Texture), ("texture 2p", max(8, 2 * lag), Texture),
        ):  # fmt: skip
            if 3 * width <= len(train):
                term, honest = PatchTerm.of(
                    label, learner(width).fit(train), train, Timing(width), 4096, RECIPE.neighbours_at(width)
                )
                given.append((label, width, honest, term.distances(one.values)))
        return steps(name, given, 0.5, 0.5, SHARP_SLOPE, SHARP_FROM)

    def only(name, left_out, taken):
        known = more(name)
        return together(
            {k: v for k, v in known.items() if k not in left_out and (k[-1] != "p" or k in taken)}
        )

    show("as it is", lambda n: only(n, (), ()))
    for taken in (("outline p",), ("outline 2p",), ("texture p",), ("texture 2p",)):
        show(f"+ {taken[0]}", lambda n, t=taken: only(n, (), t))
    wide = ("outline 128", "outline 256")
    show("outlines 8, 32, p, 2p", lambda n: only(n, wide, ("outline p", "outline 2p")))
    show("textures 16, 32, p", lambda n: only(n, ("texture 64", "texture 128"), ("texture p",)))


def relative() -> None:
    """Distances over those of the neighbours found to their own neighbours, as local outlier factors have it."""

    @lru_cache(None)
    def both(name):
        one, out = case(name), []
        train = one.values[: one.train]
        for label, width, learner in RECIPE.learners(len(train)):
            encoder = learner.fit(train)
            term, honest = PatchTerm.of(label, encoder, train, Timing(width), 4096, 3)
            vectors, apart = encoder.encode(train), exclusion(width, len(honest))
            found = (
                term.bank.nearest(vectors, 3, np.arange(len(vectors)), apart)[1],
                term.bank.nearest(encoder.encode(one.values), 3)[1],
            )
            local = [honest[term.bank.positions[np.maximum(rows, 0)]].mean(axis=1) for rows in found]
            out.append((label, width, honest, term.distances(one.values), *local))
        return out

    def changed(name, how):
        given = [
            (label, width, how(honest, own, honest), how(every, around, honest))
            for label, width, honest, every, own, around in both(name)
        ]
        return together(steps(name, given, 0.5, 0.5, SHARP_SLOPE, SHARP_FROM))

    show("plain", lambda n: changed(n, lambda d, local, all_of: d))
    for share in (0.3, 1.0, 3.0):
        show(
            f"over (neighbours' own + {share} median)",
            lambda n, s=share: changed(
                n, lambda d, local, all_of: d / (local + s * np.median(all_of) + 1e-9)
            ),
        )
    show("minus half of the neighbours' own", lambda n: changed(n, lambda d, local, all_of: d - 0.5 * local))


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    for table in sys.argv[1:]:
        print(f"\n{table}")
        {
            "sharing": sharing,
            "amplitude": amplitude,
            "residual": residual,
            "period": period,
            "relative": relative,
        }[table]()
