"""Rewrite the golden values in this folder from independent implementations.

    python make_golden.py tsb-ad      # where TSB-AD 1.5, numpy 1.26.4 and scikit-learn 1.4.2 are installed
    python make_golden.py vus-2022    # where dtaianomaly 0.5.1 is installed (its compatibility mode)
    python make_golden.py periods     # where TSB-AD 1.5 is installed; writes series and their periods

The inputs are in `inputs.npz`; `python make_golden.py inputs` made them.
"""

import json
import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent
WINDOWS = (0, 1, 2, 7, 30, 61)


def make_inputs() -> None:
    generator = np.random.default_rng(20261118)
    arrays = {}
    for case, (length, runs, longest) in enumerate(
        [
            (40, 1, 5),
            (300, 4, 12),
            (300, 60, 1),
            (260, 5, 40),
            (777, 9, 25),
            (1500, 3, 120),
            (90, 30, 2),
            (1000, 6, 30),
        ]
    ):
        labels = np.zeros(length, np.int64)
        for start in generator.integers(0, length, runs):
            labels[start : start + int(generator.integers(1, longest + 1))] = 1
        if case in (3, 4):
            labels[:3] = 1
            labels[-1] = 1
        noise = generator.normal(size=length)
        scores = np.convolve(noise, np.ones(5) / 5, "same") + np.convolve(labels, np.ones(9) / 6, "same")
        if case in (1, 6):
            scores = np.round(scores * 3)
        if case in (4, 7):
            scores = scores.astype(np.float32)
        if case == 7:
            scores = np.round(scores * 20) / np.float32(7)
        arrays[f"{case}_scores"], arrays[f"{case}_labels"] = scores, labels
    np.savez_compressed(FOLDER / "inputs.npz", **arrays)


def tsb_ad(scores: np.ndarray, labels: np.ndarray, window: int) -> dict[str, float]:
    from TSB_AD.evaluation.metrics import get_metrics

    return get_metrics(scores, labels, slidingWindow=window)


def vus_2022(scores: np.ndarray, labels: np.ndarray, window: int) -> dict[str, float]:
    from dtaianomaly.evaluation import RangeAreaUnderPR, RangeAreaUnderROC

    curves = []
    for width in range(window + 1):
        buffer = max(width, 1)  # it takes no 0; both mean no buffer
        curves.append(
            [
                kind(buffer_size=buffer, compatibility_mode=True).compute(labels, scores)
                for kind in (RangeAreaUnderPR, RangeAreaUnderROC)
            ]
        )
    (r_pr, r_roc), (vus_pr, vus_roc) = curves[-1], np.mean(curves, axis=0)
    return {"VUS-PR": vus_pr, "VUS-ROC": vus_roc, "R-AUC-PR": r_pr, "R-AUC-ROC": r_roc}


def make_periods() -> None:
    from TSB_AD.utils.slidingWindows import find_length_rank

    generator = np.random.default_rng(7)
    arrays = {}
    for length in (40, 200, 399, 405, 800):
        steps, noise = np.arange(length), generator.normal(size=length)
        arrays[f"noise_{length}"] = noise
        arrays[f"walk_{length}"] = noise.cumsum()
        arrays[f"whole_{length}"] = np.round(3 * noise)
        for period in (5, 6, 24, 60.5, 302):
            arrays[f"wave_{period}_{length}"] = np.sin(2 * np.pi * steps / period) + 0.2 * noise
    arrays = {name: np.round(values, 2) for name, values in arrays.items()}
    np.savez_compressed(FOLDER / "periods.npz", **arrays)
    periods = {name: int(find_length_rank(values, rank=1)) for name, values in arrays.items()}
    (FOLDER / "periods.json").write_text(json.dumps(periods, indent=0) + "\n")


def main(family: str) -> None:
    if family == "inputs":
        return make_inputs()
    if family == "periods":
        return make_periods()
    reference = {"tsb-ad": tsb_ad, "vus-2022": vus_2022}[family]
    arrays = np.load(FOLDER / "inputs.npz")
    rows = []
    for case in range(len(arrays.files) // 2):
        for window in WINDOWS:
            measures = reference(arrays[f"{case}_scores"], arrays[f"{case}_labels"], window)
            rows.append(
                {"case": case, "window": window, "measures": {k: float(v) for k, v in measures.items()}}
            )
    (FOLDER / f"{family}.json").write_text(json.dumps(rows, indent=0) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
