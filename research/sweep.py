"""Many kinds of patch terms for every series of the choice half and the guard set, step by step, in one file.

    python research/sweep.py OUT --processes 14 --minutes 8

For fusions to be tried in seconds afterwards (research/fusions_tried.py). A term is kept as its tempered z at every
step, one byte each, with what its honest training scores look like. Searches are exact; the finest outline shares
out the others, as in the recipe. Interrupted by its time limit it keeps what it has.
"""

import argparse
import multiprocessing
import os
import pickle
import time
from pathlib import Path

import numpy as np
from numba import njit
from series import Case, half_names, load

from paiad.best.combining import sharpness, tempered
from paiad.best.outline import _outlines
from paiad.best.scorer import SHARP_FROM, SHARP_SLOPE
from paiad.best.softening import _patch_gains
from paiad.best.texture import Texture, TextureEncoder, _answers
from paiad.best.timing import Timing
from paiad.fusion import Standardizer
from paiad.scaling import ZScore

MOST = 12_500  # patches in a bank
PLAIN, APART = 20, 5  # nearest kept, and nearest of which no two overlap by half
STEP = 0.05  # of the tempered z in a byte
LOW = -3.0
STANDARD = [("outline", w, {}) for w in (8, 32, 128, 256)] + [("texture", w, {}) for w in (16, 32, 64, 128)]
OTHERS = [
    *(("outline", w, {}) for w in (16, 64, 512)),
    *(("texture", w, {}) for w in (8, 256)),
    *(("outline", w, {"floor": f}) for f in (0.3, 3.0) for w in (8, 32, 128, 256)),
    *(("slopes", w, {}) for w in (8, 32, 128, 256)),
    *(("texture", w, {"heights": 2.0}) for w in (16, 32, 64, 128)),
    *(("texture", w, {"floor": 0.3}) for w in (16, 32, 64, 128)),
    *(("texture", w, {"seed": 1}) for w in (16, 32, 64, 128)),
    *(("halves", w, {}) for w in (32, 64, 128)),
]
KINDS = {"p1": 1, "p3": 3, "p8": 8, "p20": 20, "a2": 2, "a3": 3, "a5": 5}


def label(kind: str, width: int, settings: dict) -> str:
    return " ".join([kind, str(width), *(f"{k}={v}" for k, v in settings.items())])


def vectors(kind: str, width: int, settings: dict, values: np.ndarray, train: np.ndarray) -> np.ndarray:
    scale = ZScore.of(train)
    floor = settings.get("floor", 1.0)
    if kind in ("outline", "slopes"):
        scaled = scale(values)
        if kind == "slopes":
            steps = np.diff(scaled, prepend=scaled[:1])
            scaled = steps / (steps[: len(train)].std() + 1e-9)
        means, gains = _patch_gains(np.ascontiguousarray(scaled), width, floor**2)
        return _outlines(scaled, means, gains, width, max(1, width // 64))
    if kind == "halves":
        half = vectors("texture", width // 2, {}, values, train)
        return np.ascontiguousarray(
            np.concatenate([half[: -(width // 2)], half[width // 2 :]], axis=1)
        ) / np.sqrt(2)
    encoder = Texture(width, 64, settings.get("seed", 0)).fit(train)
    return textures(encoder, scale(values), width, floor, settings.get("heights", 1.0))


def textures(
    encoder: TextureEncoder, scaled: np.ndarray, width: int, floor: float, heights: float
) -> np.ndarray:
    from paiad.best.texture import _rectified_means

    gains = _patch_gains(np.ascontiguousarray(scaled), width, floor**2)[1].astype(np.float32)
    answers = _answers(scaled, encoder.weights, encoder.lengths)
    tall = (encoder.heights * heights).astype(np.float32)
    return _rectified_means(answers, gains, tall, encoder.lengths, width)


@njit(cache=True, nogil=True)
def _nearest_rows(product, squares, where, held_at, exclusion, apart, plain, spaced):
    """Rows of the `plain` nearest, and of the nearest that start at least `apart` from each other."""
    queries, size = product.shape
    near = np.full((queries, plain), -1, np.int64)
    far = np.full((queries, spaced), -1, np.int64)
    best = np.empty(plain, np.float32)
    for q in range(queries):
        best[:] = np.inf
        for row in range(size):
            value = squares[row] - np.float32(2.0) * product[q, row]
            product[q, row] = value
            if exclusion > 0 and abs(where[q] - held_at[row]) < exclusion:
                product[q, row] = np.inf
                continue
            if value < best[plain - 1]:
                place = plain - 1
                while place > 0 and best[place - 1] > value:
                    best[place] = best[place - 1]
                    near[q, place] = near[q, place - 1]
                    place -= 1
                best[place] = value
                near[q, place] = row
        for turn in range(spaced):
            chosen = -1
            least = np.float32(np.inf)
            for row in range(size):
                if product[q, row] < least:
                    least = product[q, row]
                    chosen = row
            if chosen < 0:
                break
            far[q, turn] = chosen
            row = chosen
            while row >= 0 and held_at[chosen] - held_at[row] < apart:
                product[q, row] = np.inf
                row -= 1
            row = chosen + 1
            while row < size and held_at[row] - held_at[chosen] < apart:
                product[q, row] = np.inf
                row += 1
    return near, far


def measured(queries, bank, where, held_at, exclusion, apart):
    """Distances [queries, PLAIN] and [queries, APART]; inf where there are none."""
    centre = bank.mean(0, dtype=np.float64)
    near_bank = np.ascontiguousarray(bank - centre, dtype=np.float32)
    squares = np.einsum("kd,kd->k", near_bank, near_bank)
    plain, spaced = [], []
    block = max(1, 2**24 // (4 * len(bank)))
    for start in range(0, len(queries), block):
        part = queries[start : start + block]
        product = np.ascontiguousarray(part - centre, dtype=np.float32) @ near_bank.T
        rows = _nearest_rows(
            product, squares, where[start : start + block], held_at, exclusion, apart,
            min(PLAIN, len(bank)), min(APART, len(bank)),
        )  # fmt: skip
        for found, kept in zip(rows, (plain, spaced), strict=True):
            gaps = (bank[np.maximum(found, 0)] - part[:, None]).astype(np.float64)
            kept.append(np.where(found < 0, np.inf, np.sqrt((gaps**2).sum(2))))
    return np.concatenate(plain), np.concatenate(spaced)


def mean_of(found: np.ndarray, count: int) -> np.ndarray:
    found = found[:, :count]
    known = np.isfinite(found)
    mean = np.where(known, found, 0).sum(1) / np.maximum(known.sum(1), 1)
    return np.where(known.any(1), mean, mean.max(initial=0.0))


def patch_distances(
    case: Case, kind: str, width: int, settings: dict
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """By way of counting neighbours: honest distances of the training patches, and distances of all."""
    train = case.values[: case.train]
    encoded = vectors(kind, width, settings, case.values, train)
    own = encoded[: case.train - width + 1]
    held_at = np.unique(np.linspace(0, len(own) - 1, min(len(own), MOST)).astype(np.int64))
    bank, exclusion = own[held_at], max(1, min(width, len(own) // 3))
    apart = max(1, width // 2)
    honest = measured(own, bank, np.arange(len(own)), held_at, exclusion, apart)
    every = measured(encoded, bank, np.zeros(len(encoded), np.int64), held_at, 0, apart)
    return {
        way: tuple(mean_of(found[way[0] == "a"], k) for found in (honest, every)) for way, k in KINDS.items()
    }


def series_terms(name: str, until: float) -> dict:
    case = load(name)
    flat, flat_all = np.ones(case.train), np.ones(len(case.values))
    out: dict = {"name": name, "terms": {}}
    surprise = (flat, flat_all)
    wanted = STANDARD if len(case.values) > 31_000 else STANDARD + OTHERS
    for kind, width, settings in wanted:
        if 3 * width > case.train or time.time() > until:
            continue
        ways = patch_distances(case, kind, width, settings)
        for way in KINDS if (kind, width, settings) in STANDARD else ("p3",):
            finest = (kind, width, settings) == STANDARD[0]
            given = (flat, flat_all) if finest else surprise
            honest, every = (Timing(width).spread(d, s) for d, s in zip(ways[way], given, strict=True))
            honest = honest[~np.isnan(honest)]
            standard = Standardizer.of(honest)
            z, usual = standard(every), standard(honest)
            if finest and way == "p3":
                surprise = tuple(
                    sharpness(standard(d), SHARP_FROM, SHARP_SLOPE)
                    for d in (Timing(width).spread(ways[way][0], flat), every)
                )
            code = np.clip((tempered(z) - LOW) / STEP, 0, 255).round().astype(np.uint8)
            marks = np.quantile(usual, [0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0])
            out["terms"][f"{label(kind, width, settings)} {way}"] = (
                code,
                marks,
                standard.centre,
                standard.scale,
            )
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--longest", type=int, default=130_000)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    until = time.time() + 60 * given.minutes
    cases = [load(name) for name in half_names("choice") + half_names("spiky")]
    names = [c.name for c in sorted(cases, key=lambda c: -len(c.values)) if len(c.values) <= given.longest]
    found = []
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for one in pool.imap_unordered(_one, [(name, until) for name in names]):
            found.append(one)
            print(f"{one['name']}: {len(one['terms'])} terms, {until - time.time():.0f} s left", flush=True)
    save(found, given.out)


def _one(given: tuple[str, float]) -> dict:
    return series_terms(*given)


def save(found: list[dict], folder: Path, most: int = 14 * 2**20) -> None:
    """In files of at most about `most` bytes."""
    import lzma

    number, held, size = 0, [], 0
    for one in found:
        packed = lzma.compress(pickle.dumps(one), preset=1)
        if held and size + len(packed) > most:
            (folder / f"sweep-{number}.pickle").write_bytes(pickle.dumps(held))
            number, held, size = number + 1, [], 0
        held.append(packed)
        size += len(packed)
    (folder / f"sweep-{number}.pickle").write_bytes(pickle.dumps(held))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
