"""Cheap encoders: one layer of random dilated kernels, instance-normalised, rectified and averaged over the patch."""

import numpy as np
from numba import njit
from numpy.lib.stride_tricks import sliding_window_view


@njit(cache=True, fastmath=True)
def pool(responses, inverse, bias, w, reach):
    """responses[t, k] of kernels starting at t; kernel k fits in a patch at t = 0..w-reach[k]."""
    n = len(inverse)
    K = responses.shape[1]
    out = np.zeros((n, K), np.float32)
    for i in range(n):
        s = inverse[i]
        for t in range(w):
            for k in range(K):
                v = responses[i + t, k] * s - bias[k]
                if v > 0 and t <= w - reach[k]:
                    out[i, k] += v
        for k in range(K):
            out[i, k] /= w - reach[k] + 1
    return out


def kernels(rng, count, length, max_dilation, kind="gauss"):
    h = rng.standard_normal((count, length))
    if kind == "walk":
        h = np.cumsum(h, 1)
    h -= h.mean(1, keepdims=True)
    h /= np.linalg.norm(h, axis=1, keepdims=True)
    top = np.log2(max_dilation) if max_dilation > 1 else 0
    dil = (2 ** rng.uniform(0, top + 0.999 if top else 0, count)).astype(int).clip(1, max_dilation)
    return h, dil


def respond(x, h, dil):
    n = len(x)
    L = h.shape[1]
    out = np.zeros((n, len(h)), np.float32)
    for d in np.unique(dil):
        r = (L - 1) * d + 1
        v = sliding_window_view(x, r)[:, ::d]
        out[: len(v), dil == d] = v @ h[dil == d].T
    return out, (L - 1) * dil + 1


def encode(x, n_train, w, count=128, length=9, max_dilation=1, bias="normal", floor=0.1, seed=0, kind="gauss"):
    rng = np.random.default_rng(seed)
    max_dilation = max(1, min(max_dilation, (w - 1) // (2 * (length - 1)))) 
    length = min(length, max(3, w // 2 + 1))
    h, dil = kernels(rng, count, length, max_dilation, kind)
    resp, reach = respond(x, h, dil)
    patches = sliding_window_view(x, w)
    inv = 1 / np.sqrt(patches.var(1) + floor**2)
    # unit spread of the normalised responses on the training part
    n_bank = max(n_train - w + 1, 3)
    pick = np.linspace(0, n_bank - 1, min(n_bank, 2000)).astype(int)
    offsets = rng.integers(0, w, len(pick))
    sample = resp[np.minimum(pick + offsets, len(x) - w)] * inv[pick][:, None]
    scale = np.sqrt((sample**2).mean(0)) + 1e-6
    resp /= scale.astype(np.float32)
    b = {"normal": rng.standard_normal(count), "zero": np.zeros(count), "wide": 2 * rng.standard_normal(count)}[bias]
    return pool(resp, inv.astype(np.float32), b.astype(np.float32), w, reach)


def scale_floor(patches, n_bank, kind, value):
    sd = patches[:n_bank].std(1)
    if kind == "train":
        return value
    if kind == "median":
        return value * max(np.median(sd), 0.01)
    if kind == "rms":
        return value * max(np.sqrt((sd**2).mean()), 0.01)
    raise ValueError(kind)


def encode2(x, n_train, w, count=128, lengths=(7,), bias="normal", floor=1.0, seed=0, floor_kind="train", level=0.0, dc=False, spreadf=0.0, bias_scale=1.0, parts=1, smooth=False):
    rng = np.random.default_rng(seed)
    patches = sliding_window_view(x, w)
    n_bank = max(n_train - w + 1, 3)
    inv = 1 / np.sqrt(patches.var(1) + scale_floor(patches, n_bank, floor_kind, floor) ** 2)
    resp = np.zeros((len(x), count), np.float32)
    reach = np.zeros(count, np.int64)
    for j, part in enumerate(np.array_split(np.arange(count), len(lengths))):
        L = min(lengths[j], max(3, w // 2 + 1))
        h = rng.standard_normal((len(part), L))
        if smooth:
            h = np.apply_along_axis(lambda r: np.convolve(r, np.ones(3), "same"), 1, h)
        if not dc:
            h -= h.mean(1, keepdims=True)
        v = sliding_window_view(x, L)
        resp[: len(v), part] = v @ h.T
        reach[part] = L
    pick = np.linspace(0, n_bank - 1, min(n_bank, 2000)).astype(int)
    offsets = rng.integers(0, w, len(pick))
    sample = resp[np.minimum(pick + offsets, len(x) - w)] * inv[pick][:, None]
    resp /= (np.sqrt((sample**2).mean(0)) + 1e-6).astype(np.float32)
    b = bias_scale * rng.standard_normal(count)
    if bias == "zero":
        b[:] = 0
    b = b.astype(np.float32)
    out = pool(resp, inv.astype(np.float32), b, w, reach)
    if parts > 1:
        step = w // parts
        n = len(out)
        sub = [pool(resp[i * step :], inv.astype(np.float32)[: n], b, step, np.minimum(reach, step)) for i in range(parts)]
        out = np.concatenate(sub, 1) / np.sqrt(parts)
    if level:
        out = np.column_stack([out, level * np.sqrt(count) * patches.mean(1) * (inv if dc else 1)])
    if spreadf:
        out = np.column_stack([out, spreadf * np.sqrt(count) * patches.std(1)])
    return out.astype(np.float32)
