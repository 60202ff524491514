"""Cache patch distances of candidate terms: to the nearest, and the mean to the 3 nearest, honest on training patches.

    python research/terms.py choice 31000 raw,zn-1,B 16,32,64,128

`raw` are patches of the series scaled by training mean and deviation, `zn-F` patches around their own mean and
divided by √(variance + F²), any other name a variant of filters_tried.py, `paano` the untrained PaAno encoder.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from filters_tried import VARIANTS, encode
from nearest import nearest3
from numpy.lib.stride_tricks import sliding_window_view
from series import Case, half_names, load

CACHE = Path(os.environ.get("PAIAD_RESEARCH_CACHE", Path(__file__).with_name(".cache")))


def scaled(case: Case) -> np.ndarray:
    train = case.values[: case.train]
    return (case.values - train.mean()) / max(train.std(), 1e-8 * max(1, abs(train.mean())))


def raw(x: np.ndarray, width: int) -> np.ndarray:
    """Patches, those wider than 64 averaged down to 64 points."""
    step = max(1, width // 64)
    patches = sliding_window_view(x, width)
    return patches.reshape(len(patches), width // step, step).mean(2) * np.sqrt(step)


def normalised(x: np.ndarray, width: int, floor: float) -> np.ndarray:
    whole = sliding_window_view(x, width)
    patches = raw(x, width)
    mean = whole.mean(1, keepdims=True) * np.sqrt(width / patches.shape[1])
    return (patches - mean) / np.sqrt(whole.var(1, keepdims=True) + floor**2)


def vectors(kind: str, case: Case, width: int) -> np.ndarray:
    if kind == "paano":
        from paano import vectors as untrained

        return untrained(case, width)
    if kind == "raw":
        return raw(scaled(case), width)
    if kind.startswith("zn-"):
        return normalised(scaled(case), width, float(kind[3:]))
    return encode(scaled(case), case.train, width, **VARIANTS[kind])


def folder(kind: str, width: int) -> Path:
    return CACHE / (f"zn-{width}-{kind[3:]}" if kind.startswith("zn-") else f"{kind}-{width}")


def cached(path: Path, make: Callable[[], np.ndarray]) -> None:
    if not path.exists():
        path.parent.mkdir(exist_ok=True, parents=True)
        np.save(path, make().astype(np.float32))


def distances(vectors: np.ndarray, case: Case, width: int) -> np.ndarray:
    found = nearest3(vectors, max(case.train - width + 1, 3), width)
    return np.stack([found[:, 0], found.mean(1)])


def main(half: str, limit: int, kinds: list[str], widths: list[int]) -> None:
    for case in sorted(map(load, half_names(half)), key=lambda c: len(c.values)):
        if len(case.values) > limit:
            break
        start = time.time()
        for kind in kinds:
            for width in widths:
                path = folder(kind, width) / f"{case.name}.npy"
                cached(path, lambda k=kind, w=width, c=case: distances(vectors(k, c, w), c, w))
        print(case.name, round(time.time() - start, 1), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3].split(","), [int(w) for w in sys.argv[4].split(",")])
