"""Evaluate fusions of cached terms in seconds."""

from functools import lru_cache

import numpy as np
import series
from quickvus import Evaluator
from series import load, measured, window
from terms import CACHE

BASE = "PaAno + PAI (1, 0.6, 0.4)"


def half_names(half, limit=10**9, needs=()):
    """The names of a half whose needed terms are cached and that are not too long."""
    named = [n for n in series.half_names(half) if all((CACHE / t / f"{n}.npy").exists() for t in needs)]
    return [n for n in named if len(case(n).values) <= limit]


@lru_cache(None)
def case(name):
    return load(name)


@lru_cache(None)
def evaluator(name):
    c = case(name)
    return Evaluator(c.labels, window(c.values))


@lru_cache(4000)
def patch(term, name):
    return np.load(CACHE / term / f"{name}.npy").astype(np.float64)


def spread(d, n):
    """Mean over covering patches."""
    w = n - len(d) + 1
    c = np.concatenate([np.zeros(w), np.cumsum(d), np.full(w - 1, d.sum())])
    num = c[w:] - c[:-w]
    t = np.arange(n)
    count = np.minimum(t, len(d) - 1) - np.maximum(t - w + 1, 0) + 1
    return num[:n] / count


@lru_cache(8000)
def point(term, name, k=3, honest=True):
    """(scores with honest training part, same with training self-matches at zero)."""
    c = case(name)
    n = len(c.values)
    if term == "magG" or term == "T2":
        tr = c.values[: c.train]
        med = np.median(tr)
        x = c.values
        if term == "T2":
            cs = np.concatenate([[0], np.cumsum(x - med)])
            i = np.arange(n)
            lo, hi = np.maximum(i - 32, 0), np.minimum(i + 33, n)
            return np.abs((cs[hi] - cs[lo]) / (hi - lo))
        return np.abs(x - med)
    d = patch(term, name)[0 if k == 1 else 1]
    if not honest:
        d = d.copy()
        w = n - len(d) + 1
        d[: max(c.train - w + 1, 0)] = 0
    return spread(d, n)


def standard(term, name, k=3, honest=True):
    n = case(name).train
    p = point(term, name, k, True)[:n]
    m, s = p.mean(), p.std()
    q = point(term, name, k, honest)
    return (q - m) / (s + 1e-9 + 1e-6 * abs(m))


def L(z):
    return np.sign(z) * np.log1p(np.abs(z))


def run(recipe, names):
    return np.array([evaluator(n)(np.nan_to_num(recipe(n))) for n in names])


def show(label, v, names, ref=None):
    fam = [case(n).family for n in names]
    parts = []
    for f in sorted(set(fam)):
        idx = [i for i, g in enumerate(fam) if g == f]
        parts.append(f"{f}{len(idx)} {v[idx].mean():.2f}")
    print(f"{label:44s} {v.mean():.4f} | " + " ".join(parts), flush=True)


def baseline(names, column=BASE):
    m = measured()
    return np.array([float(m[n][column]) if n in m and m[n][column] else np.nan for n in names])
