"""Exact nearest distances in float32 blocks, the winners refined in float64."""

import numpy as np
from numba import njit


@njit(cache=True, fastmath=False)
def _top3(gram, half_norms, lo, hi, where, best_index):
    n, k = gram.shape
    for i in range(n):
        a = b = c = np.float32(np.inf)
        ia = ib = ic = -1
        for j in range(k):
            p = where[j]
            if lo[i] <= p < hi[i]:
                continue
            d = half_norms[j] - gram[i, j]
            if d < c:
                if d < b:
                    c, ic = b, ib
                    if d < a:
                        b, ib = a, ia
                        a, ia = d, j
                    else:
                        b, ib = d, j
                else:
                    c, ic = d, j
        best_index[i, 0] = ia
        best_index[i, 1] = ib
        best_index[i, 2] = ic


@njit(cache=True)
def _refine(queries, bank, index, out):
    n, d = queries.shape
    for i in range(n):
        last = np.inf
        for m in range(3):
            j = index[i, m]
            if j < 0:
                out[i, m] = last
                continue
            s = 0.0
            for t in range(d):
                e = np.float64(queries[i, t]) - np.float64(bank[j, t])
                s += e * e
            out[i, m] = np.sqrt(s)
            last = out[i, m]


def nearest3(vectors, n_bank, exclusion, cap=20000, bank=None, block=2048):
    """Distances to the 3 nearest of the first n_bank vectors; bank members skip those within `exclusion`."""
    vectors = np.ascontiguousarray(vectors, np.float32)
    n = len(vectors)
    where = np.arange(n_bank)
    if n_bank > cap:
        where = np.unique(np.linspace(0, n_bank - 1, cap).astype(np.int64))
    bank = vectors[where]
    centre = bank.mean(0)
    bank = bank - centre
    half = (0.5 * np.einsum("ij,ij->i", bank, bank)).astype(np.float32)
    t = np.arange(n)
    # a shorter exclusion when the bank is too short for it
    exclusion = max(1, min(exclusion, n_bank // 3))
    lo = np.where(t < n_bank, t - exclusion + 1, -1)
    hi = np.where(t < n_bank, t + exclusion, -1)
    out = np.empty((n, 3))
    for s in range(0, n, block):
        q = vectors[s : s + block] - centre
        gram = q @ bank.T
        index = np.empty((len(q), 3), np.int64)
        _top3(gram, half, lo[s : s + block], hi[s : s + block], where, index)
        _refine(q, bank, index, out[s : s + block])
    return out
