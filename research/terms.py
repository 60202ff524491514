"""Cache, per series and term, the per-patch distances (nearest; mean of 3 nearest), honest on the training part."""

import sys
import time
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from nearest import nearest3
from series import load, names

CACHE = Path("/tmp/research_cache")


def scaled(case):
    tr = case.values[: case.train]
    return (case.values - tr.mean()) / max(tr.std(), 1e-8 * max(1, abs(tr.mean())))


def raw(x, w):
    v = sliding_window_view(x, w)
    if w > 64:
        f = w // 64
        v = v[:, : 64 * f].reshape(len(v), 64, f).mean(2) * np.sqrt(f)
    return v


def zn(x, w, floor):
    v = raw(x, w)
    full = sliding_window_view(x, w)
    mu = full.mean(1, keepdims=True)
    sd = np.sqrt(full.var(1, keepdims=True) + floor**2)
    return (v - mu * np.sqrt(w / v.shape[1])) / sd


def cached(term, name, make):
    path = CACHE / term / f"{name}.npy"
    if not path.exists():
        path.parent.mkdir(exist_ok=True, parents=True)
        np.save(path, make().astype(np.float32))
    return path


def distances(vectors, case, w, exclusion=None):
    n_bank = max(case.train - w + 1, 3)
    d = nearest3(vectors, n_bank, exclusion or w)
    return np.stack([d[:, 0], d.mean(1)])


def todo(limit):
    if limit < 0:
        return [load(f"spiky-{i:02d}") for i in range(16)]
    cases = [load(n) for n in names()]
    return sorted((c for c in cases if len(c.values) <= limit), key=lambda c: len(c.values))


def main(which, limit):
    for case in todo(limit):
        x = scaled(case)
        t = time.time()
        for spec in which.split(","):
            kind, *rest = spec.split("-")
            w = int(rest[0])
            if case.train < w + 8:
                w_ = max(8, case.train // 4)
            else:
                w_ = w
            if kind == "raw":
                cached(spec, case.name, lambda: distances(raw(x, w_), case, w_))
            elif kind == "zn":
                cached(spec, case.name, lambda: distances(zn(x, w_, float(rest[1])), case, w_))
            elif kind == "diff":
                y = np.diff(x, prepend=x[0])
                cached(spec, case.name, lambda: distances(raw(y, w_), case, w_))
        print(case.name, round(time.time() - t, 2), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
