"""Every window net of the catalog, in a configuration small enough to train in a blink."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def train_and_test() -> tuple[np.ndarray, np.ndarray]:
    """A noisy sine, and its continuation with one spike at step 150."""
    rng = np.random.default_rng(11)
    values = np.sin(np.arange(600) / 6) + rng.normal(scale=0.1, size=600)
    values[550] += 6
    return values[:400], values[400:]
