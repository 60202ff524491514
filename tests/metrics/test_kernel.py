"""Compilation is told once, cached, and loaded without a word by the next process."""

import os
import subprocess
import sys

CODE = """
import logging, numpy as np
logging.basicConfig(level=logging.INFO, format="%(message)s")
logging.getLogger("numba").setLevel(logging.ERROR)
from paiad.metrics.levels import threshold_levels
for _ in range(2):
    threshold_levels(np.array([0.0, 1.0]), np.linspace(0, 1, 100))
"""


def test_first_compilation_is_logged_and_cached(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    told = [
        subprocess.run(
            [sys.executable, "-c", CODE], env=environment, check=True, capture_output=True, text=True
        ).stderr
        for _ in range(2)
    ]
    assert told[0].count("compiled _levels in") == 1
    assert told[1] == ""
