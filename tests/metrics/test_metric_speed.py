"""Whatever the scores and labels look like, the nine measures stay a matter of milliseconds."""

import time
from functools import cache

import numpy as np
import pytest

from paiad.metrics import evaluate

LENGTH = 500_000
BAR = 0.6  # CPU seconds; some 0.03 to 0.15 on a quiet machine


@cache
def all_scores():
    rng = np.random.default_rng(2)
    steps = np.arange(LENGTH)
    noise = rng.normal(size=LENGTH)
    return {
        "noise": noise,
        "walk": noise.cumsum(),
        "ten values": np.round(noise * 3),
        "constant": np.ones(LENGTH),
        "outlier": np.where(steps == 5, 1e12, noise),
        "two clusters": noise * 1e-9 + steps % 2,
        "sorted": np.sort(noise),
        "saw": (steps % 1000).astype(float),
    }


@cache
def all_labels():
    steps = np.arange(LENGTH)
    return {
        "one event": (steps > 1000) & (steps < 2000),
        "ten thousand events": steps % 50 < 2,
        "every other point": steps % 2 == 0,
        "one normal point": steps != 7,
    }


@pytest.mark.slow
@pytest.mark.parametrize("window", [0, 500])
@pytest.mark.parametrize(
    "labels", ["one event", "ten thousand events", "every other point", "one normal point"]
)
@pytest.mark.parametrize(
    "scores", ["noise", "walk", "ten values", "constant", "outlier", "two clusters", "sorted", "saw"]
)
def test_no_shape_of_input_blows_up(scores, labels, window):
    scores, labels = all_scores()[scores], all_labels()[labels]
    evaluate(scores[:2000], labels[:2000], window)  # load what is compiled
    started = time.process_time()
    evaluate(scores, labels, window)
    assert time.process_time() - started < BAR
