"""Print the tables of docs/research/tried.md from cached terms: mean VUS-PR on the choice half and on the guard set.

    python research/trials.py encoders calibrations norms covers sharing scales amplitude

Needs the terms named in `NEEDS`, which terms.py caches. The confirmation half is never touched here.
"""

import sys
from functools import lru_cache

import numpy as np
from filters_tried import VARIANTS
from fusion import CACHE, case, evaluator, half_names, patch, point, show, spread

WIDTHS = (16, 32, 64, 128)
NEEDS = [f"B-{w}" for w in WIDTHS] + [f"zn-{w}-1" for w in (8, *WIDTHS)] + [f"raw-{w}" for w in WIDTHS]
LIMIT = 31_000


def tempered(z):
    return np.sign(z) * np.log1p(np.abs(z))


def standardised(scores, train):
    normal = scores[:train]
    return (scores - normal.mean()) / (normal.std() + 1e-9 + 1e-6 * abs(normal.mean()))


@lru_cache(None)
def term(kind, name, cover="box", k=3):
    distances = patch(kind, name)[0 if k == 1 else 1]
    return tempered(standardised(covered(distances, len(case(name).values), cover), case(name).train))


def covered(distances, steps, cover):
    """Patch distances to steps: plain mean (box), weighted to the middle, mean of squares or of logarithms."""
    if cover == "box":
        return spread(distances, steps)
    if cover == "squares":
        return np.sqrt(np.maximum(spread(distances**2, steps), 0))
    if cover == "logs":
        return np.exp(spread(np.log(distances + 1e-9), steps))
    width = steps - len(distances) + 1
    at = np.arange(width)
    weights = {
        "sine": np.sin(np.pi * (at + 0.5) / width),
        "hann": np.sin(np.pi * (at + 0.5) / width) ** 2,
        "half": (np.abs(at - (width - 1) / 2) <= width / 4).astype(float),
        "middle": (np.abs(at - (width - 1) / 2) <= max(1, width / 16)).astype(float),
    }[cover]
    return np.convolve(distances, weights) / np.maximum(np.convolve(np.ones(len(distances)), weights), 1e-3)


def norm(terms, p):
    return np.sum(np.maximum(0, terms) ** p, 0) ** (1 / p)


def report(label, score, needs=NEEDS):
    """One line: guard set | choice half, with the families of the latter."""
    guard = half_names("spiky", needs=needs)
    mean = np.mean([evaluator(n)(score(n)) for n in guard]) if guard else np.nan
    names = half_names("choice", LIMIT, needs)
    show(f"guard {mean:.3f}  {label}", np.array([evaluator(n)(score(n)) for n in names]), names)


def encoders():
    for code in ("paano", *VARIANTS):
        for width in WIDTHS:
            if (CACHE / f"{code}-{width}").exists():
                needs = [f"{code}-{width}"]
                report(
                    f"{code}-{width} alone", lambda n, c=code, w=width: point(f"{c}-{w}", n, 3, False), needs
                )
    for width in (8, *WIDTHS):
        for kind in (f"raw-{width}", f"zn-{width}-0.1", f"zn-{width}-1"):
            if (CACHE / kind).exists():
                report(f"{kind} alone", lambda n, k=kind: point(k, n, 3, False), [kind])


def calibrations():
    def calibrated(kind, name, how):
        p = point(kind, name)
        q = p[: case(name).train]
        eps = 1e-9 + 1e-6 * abs(q.mean())
        if how == "mean and deviation":
            return tempered((p - q.mean()) / (q.std() + eps))
        if how == "the same, not tempered":
            return (p - q.mean()) / (q.std() + eps)
        if how == "median and quartiles":
            low, middle, high = np.quantile(q, [0.25, 0.5, 0.75])
            return tempered((p - middle) / (high - low + 0.1 * q.std() + eps))
        if how == "median and 99 %":
            return tempered(3 * (p - np.median(q)) / (np.quantile(q, 0.99) - np.median(q) + eps))
        if how == "median and largest":
            return tempered(3 * (p - np.median(q)) / (q.max() - np.median(q) + eps))
        if how == "mean excess over 90 %":
            above = np.quantile(q, 0.9)
            excess = (q[q > above] - above).mean() if (q > above).any() else q.std()
            return tempered(np.maximum(0, (p - above) / (excess + eps)))
        return np.log(np.maximum(p, 1e-12) / (np.median(q) + eps))

    for how in (
        "mean and deviation", "the same, not tempered", "median and quartiles", "median and 99 %",
        "median and largest", "mean excess over 90 %", "logarithm over the median",
    ):  # fmt: skip
        report(
            f"L4 of B + raw/2, {how}",
            lambda n, h=how: norm(
                [calibrated(f"B-{w}", n, h) + 0.5 * calibrated(f"raw-{w}", n, h) for w in WIDTHS], 4
            ),
        )


def norms():
    def both(n, second, weight):
        return [term(f"B-{w}", n) + weight * term(second.format(w), n) for w in WIDTHS]

    for second, weight in (("raw-{}", 0.5), ("zn-{}-1", 0.5), ("zn-{}-1", 1.0), ("zn-{}-1", 0.0)):
        for p in (1, 2, 4, 8):
            label = f"L{p} over widths of B + {weight} {second}"
            report(label, lambda n, s=second, v=weight, q=p: norm(both(n, s, v), q))
        report(
            f"max over widths of B + {weight} {second}",
            lambda n, s=second, v=weight: np.max(both(n, s, v), 0),
        )
    report("max B + max raw", lambda n: strongest(n, "B-{}", WIDTHS) + strongest(n, "raw-{}", WIDTHS))
    report("max B + max zn", lambda n: strongest(n, "B-{}", WIDTHS) + strongest(n, "zn-{}-1", WIDTHS))
    report(
        "max B + max zn with 8",
        lambda n: strongest(n, "B-{}", WIDTHS) + strongest(n, "zn-{}-1", (8, *WIDTHS)),
    )


def strongest(n, kind, widths, **how):
    return np.max([term(kind.format(w), n, **how) for w in widths], 0)


def covers():
    for cover in ("box", "sine", "hann", "half", "middle", "squares", "logs"):
        report(
            f"max B + max zn with 8, {cover}",
            lambda n, c=cover: (
                strongest(n, "B-{}", WIDTHS, cover=c) + strongest(n, "zn-{}-1", (8, *WIDTHS), cover=c)
            ),
        )
    report(
        "the same, 1 neighbour",
        lambda n: strongest(n, "B-{}", WIDTHS, k=1) + strongest(n, "zn-{}-1", (8, *WIDTHS), k=1),
    )
    for steps in (3, 7, 15, 31):
        report(
            f"the same, smoothed over {steps}",
            lambda n, s=steps: np.convolve(
                strongest(n, "B-{}", WIDTHS) + strongest(n, "zn-{}-1", (8, *WIDTHS)), np.ones(s) / s, "same"
            ),
        )


@lru_cache(400)
def shared(name, slope, least):
    """All terms, each patch's distance shared among its steps by what the finest term says of them."""
    steps, train = len(case(name).values), case(name).train
    finest = standardised(spread(patch("zn-8-1", name)[1], steps), train)
    claim = 1 + slope * np.maximum(0, finest - least)
    out = {("zn-{}-1", 8): tempered(finest)}
    for kind in ("B-{}", "zn-{}-1"):
        for width in (*WIDTHS, 256):
            if (CACHE / kind.format(width) / f"{name}.npy").exists():
                distances = patch(kind.format(width), name)[1]
                mean = np.convolve(claim, np.ones(width) / width, "valid")
                out[kind, width] = tempered(standardised(spread(distances / mean, steps) * claim, train))
    return out


def fused(n, textures=WIDTHS, outlines=(8, *WIDTHS), slope=0.1, least=4.0, patches=0):
    """The recipe; with `patches` only the widths of which so many fit into the training part."""
    terms, most = shared(n, slope, least), case(n).train / max(patches, 1e-9)
    return np.max([terms["B-{}", w] for w in textures if w <= most], 0) + np.max(
        [terms["zn-{}-1", w] for w in outlines if w <= most], 0
    )


def sharing():
    for slope, least in (
        (0, 0),
        (0.1, 2),
        (0.1, 3),
        (0.1, 4),
        (0.1, 5),
        (0.1, 8),
        (0.2, 3),
        (0.3, 5),
        (1, 8),
    ):
        report(
            f"slope {slope} from {least} deviations on",
            lambda n, s=slope, z=least: fused(n, slope=s, least=z),
        )


def scales():
    needs = [*NEEDS, "B-256", "zn-256-1"]
    for textures, outlines, patches in (
        (WIDTHS, (8, *WIDTHS), 0), (WIDTHS, (8, 32, 128), 0), ((32, 128), (8, 32, 128), 0), ((128,), (8, *WIDTHS), 0),
        (WIDTHS, (8, 16, 32), 0), (WIDTHS, (8,), 0), ((*WIDTHS, 256), (8, *WIDTHS, 256), 0),
        ((*WIDTHS, 256), (8, *WIDTHS, 256), 3), ((*WIDTHS, 256), (8, *WIDTHS, 256), 4),
        ((32, 128, 256), (8, 32, 128, 256), 3), ((16, 64, 256), (8, 32, 128), 3), (WIDTHS, (8, 32, 128, 256), 3),
    ):  # fmt: skip
        label = f"textures {textures}, outlines {outlines}" + (
            f", {patches} patches in train" if patches else ""
        )
        report(label, lambda n, t=textures, o=outlines, p=patches: fused(n, t, o, patches=p), needs)


def amplitude():
    def raw_term(kind, n):
        return standardised(point(kind, n), case(n).train)

    for kind in ("magG", "T2"):
        for weight in (0.1, 0.2, 0.4):
            report(
                f"+ {weight} tempered {kind}",
                lambda n, k=kind, v=weight: fused(n) + v * tempered(raw_term(k, n)),
            )
            report(
                f"+ {weight} tempered {kind}, positive part",
                lambda n, k=kind, v=weight: fused(n) + v * tempered(np.maximum(0, raw_term(k, n))),
            )


if __name__ == "__main__":
    for table in sys.argv[1:]:
        print(f"\n## {table}")
        {f.__name__: f for f in (encoders, calibrations, norms, covers, sharing, scales, amplitude)}[table]()
