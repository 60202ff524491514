"""Slow, obvious twins of the run and event kernels."""

import numpy as np


def runs(mask: np.ndarray, merge_gap: int, least_length: int) -> list[list[int]]:
    """Runs of True found step by step."""
    found: list[list[int]] = []
    for step, inside in enumerate(mask):
        if not inside:
            continue
        if found and step - found[-1][1] - 1 <= merge_gap:
            found[-1][1] = step
        else:
            found.append([step, step])
    return [run for run in found if run[1] - run[0] + 1 >= least_length]


def run_counts(scores: np.ndarray, merge_gap: int) -> tuple[list[float], list[int]]:
    """How many runs reach every distinct score, each counted anew."""
    levels = sorted(set(scores.tolist()), reverse=True)
    return levels, [len(runs(scores >= level, merge_gap, 1)) for level in levels]
