"""The examples with other libraries: run, and better for it."""

import importlib.util
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def example(name: str, needs: str) -> ModuleType:
    with warnings.catch_warnings():  # what other libraries warn of at import is not ours to fail on
        warnings.simplefilter("ignore")
        pytest.importorskip(needs)
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def share_above(scores: np.ndarray, at: slice) -> float:
    """The share of the other steps that score above the typical step of the anomaly; 0 is best."""
    others = np.delete(scores, np.arange(len(scores))[at])
    return float((others > np.median(scores[at])).mean())


def steps_near_the_top(scores: np.ndarray) -> int:
    """How many steps score nearly as high as the highest."""
    return int((scores > np.median(scores) + 0.9 * (scores.max() - np.median(scores))).sum())


@pytest.mark.filterwarnings("ignore")
def test_a_pyod_detector_that_is_blind_to_level_sees_it_once_fused(capsys):
    module = example("pyod_fuse", "pyod")
    base, fused = module.main()
    assert share_above(base, module.SHIFT) > 0.2
    assert share_above(fused.score, module.SHIFT) < 0.02
    assert fused.receipt.leading(2350) == "T2"
    assert "steps 2" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")
def test_an_aeon_detector_points_at_the_step_once_fused(capsys):
    module = example("aeon_fuse", "aeon")
    base, fused = module.main()
    assert len(base) == 3000
    assert int(fused.score.argmax()) == module.SPIKE
    assert steps_near_the_top(fused.score) == 1 < 5 < steps_near_the_top(base)
    assert capsys.readouterr().out.startswith("steps 2")
