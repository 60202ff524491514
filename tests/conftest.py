"""What all tests share: where the optional developer data lies, and a series with one known anomaly."""

import signal
from pathlib import Path

import hypothesis
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

# The first example of a test may have to compile a kernel: no deadline. The same examples on every run.
hypothesis.settings.register_profile("paiad", deadline=None, derandomize=True, max_examples=60)
hypothesis.settings.load_profile("paiad")


def pytest_configure() -> None:
    # What starts the tests in the background may have them ignore Ctrl-C, and all that they start after them.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with benchmark data and golden files that may lie beside a developer's checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the developers' data folder beside the checkout ({SHARED.name}/)")
    return SHARED


@pytest.fixture
def wave() -> np.ndarray:
    """A noisy sine of 1,200 steps; nothing is wrong with it."""
    rng = np.random.default_rng(7)
    return np.sin(np.arange(1200) * 2 * np.pi / 50) + rng.normal(scale=0.05, size=1200)
