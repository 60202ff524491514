"""Throw-away fast VUS-PR used while searching; checked against the library's metrics."""

import numpy as np
from numba import njit


@njit(cache=True)
def _vus(bins, starts, ends, n, L, counts_at, dist1, dist2):
    K = 250
    E = len(starts)
    total_pr = 0.0
    total_roc = 0.0
    # histogram of positives
    A = np.zeros(K)
    inside = np.zeros(n, np.bool_)
    P = 0
    for i in range(E):
        for t in range(starts[i], ends[i] + 1):
            inside[t] = True
            A[bins[t]] += 1
            P += 1
    B = np.zeros(K)
    first = np.zeros(K)
    for w in range(L + 1):
        h = w // 2
        B[:] = 0
        first[:] = 0
        # groups
        groups = 0
        i = 0
        while i < E:
            j = i
            while j + 1 < E and ends[j] + h >= starts[j + 1] - h:
                j += 1
            lo = max(0, starts[i] - h)
            hi = min(n - 1, ends[j] + h)
            best = K
            for t in range(lo, hi + 1):
                b = bins[t]
                if b < best:
                    best = b
                if not inside[t]:
                    d1 = dist1[t]
                    if d1 <= h:
                        if dist2[t] <= h:
                            B[b] += 1.0
                        else:
                            B[b] += np.sqrt(1.0 - d1 / w)
            first[best] += 1
            groups += 1
            i = j + 1
        a = 0.0
        bb = 0.0
        e = 0.0
        ptpr = 0.0
        pfpr = 0.0
        pr = 0.0
        roc = 0.0
        for j in range(K):
            a += A[j]
            bb += B[j]
            e += first[j]
            N = counts_at[j]
            tp = a + bb
            pp = P + bb / 2
            tpr = min(tp / pp, 1.0) * e / groups
            fpr = (N - tp) / (n - pp)
            pr += (tpr - ptpr) * tp / N
            roc += (fpr - pfpr) * (tpr + ptpr) / 2
            ptpr = tpr
            pfpr = fpr
        roc += (1 - pfpr) * (1 + ptpr) / 2
        total_pr += pr
        total_roc += roc
    return total_roc / (L + 1), total_pr / (L + 1)


def runs(label):
    d = np.diff(np.concatenate([[0], label.astype(np.int64), [0]]))
    return np.flatnonzero(d == 1), np.flatnonzero(d == -1) - 1


def two_distances(starts, ends, n):
    big = 10**9
    t = np.arange(n)
    cols = []
    k = np.searchsorted(starts, t)  # runs starting at or after t
    for off in (0, 1):
        idx = k + off
        cols.append(
            np.where(
                idx < len(starts),
                np.append(starts, [big * 2, big * 2])[np.minimum(idx, len(starts))] - t,
                big,
            )
        )
    for off in (1, 2):
        idx = k - off
        e = ends[np.maximum(idx, 0)]
        cols.append(np.where((idx >= 0), np.maximum(t - e, 0), big))
    s = np.sort(np.stack(cols), axis=0)
    return s[0], s[1]


class Evaluator:
    """Prepared for one label vector; call with scores."""

    def __init__(self, label, window):
        self.starts, self.ends = runs(label)
        self.n = len(label)
        self.window = int(window)
        self.d1, self.d2 = two_distances(self.starts, self.ends, self.n)
        step = (self.n - 1) / 249
        self.index = np.append((np.arange(249) * step).astype(np.int64), self.n - 1)

    def __call__(self, score):
        order = np.sort(score)  # ascending
        theta = order[self.n - 1 - self.index]  # descending
        counts = self.n - np.searchsorted(order, theta, side="left")
        # bin: first j with theta_j <= x ; theta descending
        bins = np.searchsorted(-theta, -score, side="left")
        return _vus(
            bins, self.starts, self.ends, self.n, self.window, counts.astype(np.float64), self.d1, self.d2
        )[1]
