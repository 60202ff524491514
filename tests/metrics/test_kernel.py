"""Compilation is told once, cached, and loaded without a word by the next process; numpy and numba suffice."""

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


ALONE = """
import sys

class NothingElse:
    def find_spec(self, name, path, target=None):
        root = name.partition(".")[0]
        if root not in {"paiad", "numpy", "numba", "llvmlite"} and root not in sys.stdlib_module_names:
            raise ImportError(f"{name} is not there")

sys.meta_path.insert(0, NothingElse())
from paiad.metrics import LabelContext, evaluate
from paiad.period import dominant_period
from paiad.significance import compare, compare_on_series, measure_interval
labels = [0, 1, 0, 0, 1, 0, 0]
print(evaluate([0, 3, 0, 1, 2, 0, 1], labels, window=2)["VUS-PR"])
print(measure_interval([0, 3, 0, 1, 2, 0, 1], labels, window=2, draws=5).cases)
print(compare([0.5, 0.6], [0.4, 0.7]).wins, dominant_period(range(9)))
"""


def test_measures_and_error_bars_need_numpy_and_numba_alone():
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1.0", "2", "1", "125"]
