"""The cheap encoders that were tried: one layer of random filters, rectified and averaged over the patch.

`VARIANTS` says what each code in the tables stands for. The winner was written anew as `paiad.best.texture`.
"""

import numpy as np
from numba import njit
from numpy.lib.stride_tricks import sliding_window_view

OLD = {"lengths": (9,), "floor": 0.1}  # the first ones were compared with a low floor
VARIANTS: dict[str, dict] = {
    "e1": {**OLD},
    "e2": {**OLD, "dilation": 16},
    "e3": {**OLD, "bias_scale": 0.0},
    "e4": {**OLD, "lengths": (15,)},
    "e5": {**OLD, "lengths": (7,)},
    "f5": {**OLD, "lengths": (7,), "seed": 1},
    "g5": {**OLD, "lengths": (7,), "seed": 2},
    "h5": {**OLD, "lengths": (7,), "count": 256},
    "e9": {**OLD, "lengths": (5,)},
    "j5": {**OLD, "lengths": (3,)},
    "e6": {**OLD, "floor": 0.01},
    "k5": {"lengths": (7,), "floor": 0.3},
    "l5": {"lengths": (7,), "floor": 0.5},
    "m5": {"lengths": (7,), "floor": 1.0},
    "n5": {"lengths": (7,), "floor": 3.0},
    "A": {},
    "A-seed1": {"seed": 1},
    "A-256": {"count": 256},
    "A-b0": {"bias_scale": 0.0},
    "A-b.5": {"bias_scale": 0.5},
    "A-b2": {"bias_scale": 2.0},
    "A-L5": {"lengths": (5,)},
    "A-L9": {"lengths": (9,)},
    "A-Lmix": {"lengths": (3, 5, 9, 15)},
    "A-lev.3": {"level": 0.3},
    "A-med": {"floor_kind": "median"},
    "A-rms": {"floor_kind": "rms"},
    "A-sp.1": {"spread": 0.1},
    "A-p2": {"parts": 2},
    "A-dc": {"keep_mean": True},
    "B": {"lengths": (3, 5, 9, 15)},
    "B0-64": {"lengths": (3, 5, 9, 15), "count": 64, "bias_scale": 0.0},
}


def encode(
    x: np.ndarray,
    n_train: int,
    width: int,
    count: int = 128,
    lengths: tuple[int, ...] = (7,),
    dilation: int = 1,
    bias_scale: float = 1.0,
    floor: float = 1.0,
    floor_kind: str = "train",
    level: float = 0.0,
    spread: float = 0.0,
    parts: int = 1,
    keep_mean: bool = False,
    seed: int = 0,
) -> np.ndarray:
    """One vector a patch of the scaled series `x`."""
    rng = np.random.default_rng(seed)
    patches = sliding_window_view(x, width)
    n_bank = max(n_train - width + 1, 3)
    gains = 1 / np.sqrt(patches.var(1) + _floor(patches[:n_bank], floor, floor_kind) ** 2)
    answers = np.zeros((len(x), count), np.float32)
    reach = np.zeros(count, np.int64)
    for length, part in zip(lengths, np.array_split(np.arange(count), len(lengths)), strict=True):
        length = min(length, max(3, width // 2 + 1))
        filters = rng.standard_normal((len(part), length))
        if not keep_mean:
            filters -= filters.mean(1, keepdims=True)
        most = max(1, min(dilation, (width - 1) // (2 * (length - 1))))
        steps = 2 ** rng.integers(0, int(np.log2(most)) + 1, len(part))
        for step in np.unique(steps):
            reach[part[steps == step]] = (length - 1) * step + 1
            windows = sliding_window_view(x, (length - 1) * step + 1)[:, ::step]
            answers[: len(windows), part[steps == step]] = windows @ filters[steps == step].T
    chosen = np.linspace(0, n_bank - 1, min(n_bank, 2000)).astype(int)
    places = np.minimum(chosen + rng.integers(0, width, len(chosen)), len(x) - width)
    size = np.sqrt(((answers[places] * gains[chosen][:, None]) ** 2).mean(0)) + 1e-6
    answers /= size.astype(np.float32)
    heights = (bias_scale * rng.standard_normal(count)).astype(np.float32)
    gains32 = gains.astype(np.float32)
    step = width // parts
    pooled = [
        _pool(answers[i * step :], gains32, heights, step, np.minimum(reach, step)) for i in range(parts)
    ]
    columns = [np.concatenate(pooled, 1) / np.sqrt(parts)]
    if level:
        columns.append(level * np.sqrt(count) * patches.mean(1))
    if spread:
        columns.append(spread * np.sqrt(count) * patches.std(1))
    return np.column_stack(columns).astype(np.float32)


def _floor(train_patches: np.ndarray, value: float, kind: str) -> float:
    deviations = train_patches.std(1)
    typical = {"train": 1.0, "median": np.median(deviations), "rms": np.sqrt((deviations**2).mean())}[kind]
    return value * max(float(typical), 0.01)


@njit(cache=True, fastmath=True)
def _pool(answers, gains, heights, width, reach):
    out = np.zeros((len(gains), len(heights)), np.float32)
    for i in range(len(gains)):
        for t in range(width):
            for k in range(len(heights)):
                v = answers[i + t, k] * gains[i] - heights[k]
                if v > 0 and t <= width - reach[k]:
                    out[i, k] += v
        for k in range(len(heights)):
            out[i, k] /= width - reach[k] + 1
    return out
