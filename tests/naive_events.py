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


def extent(scores, normal):
    """First and last step that stands half as high as the highest, or that a step half as high as it stands before,
    seen from the highest: a second peak."""
    height = [score - normal for score in scores]
    top = max(height)
    if top <= 0:
        return 0, len(height) - 1
    high = [step for step, one in enumerate(height) if one >= top / 2]
    first, last = high[0], high[-1]
    return first - _beyond(height[: first + 1][::-1]), last + _beyond(height[last:])


def _beyond(height):
    for step in range(1, len(height)):
        if height[step] > 0 and min(height[: step + 1]) < height[step] / 2:
            hill = max(height[step:])
            end = max(place for place in range(step, len(height)) if height[place] >= hill / 2)
            return end + _beyond(height[end:])
    return 0
