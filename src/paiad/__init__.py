"""Amplitude-aware time-series anomaly detection.

>>> import numpy as np, paiad
>>> values = np.sin(np.arange(2000) / 8) + np.random.default_rng(0).normal(scale=0.05, size=2000)
>>> values[1500] += 3
>>> scorer = paiad.make("pai-raw").fit(values[:1000])
>>> int(scorer.score(values).argmax())
1500
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public names, and where each lives; a module is imported when one of its names is first used.
_HOMES = {
    "PAI": "paiad.pai",
    "Weights": "paiad.fusion",
    "Series": "paiad.series",
    "Detector": "paiad.contracts",
    "Scorer": "paiad.contracts",
    "Learner": "paiad.contracts",
    "Encoder": "paiad.contracts",
    "make": "paiad.catalog",
    "detect": "paiad.detecting",
    "Detection": "paiad.detection",
    "Detections": "paiad.detection",
    "write_results": "paiad.report",
    "fuse": "paiad.bring",
    "FusedScores": "paiad.bring",
    "find_events": "paiad.events",
    "save_scorer": "paiad.persistence",
    "load_scorer": "paiad.persistence",
    "Stream": "paiad.streaming",
    "PaiadError": "paiad.errors",
}

__all__ = ["__version__", *sorted(_HOMES)]

if TYPE_CHECKING:
    from paiad.bring import FusedScores as FusedScores
    from paiad.bring import fuse as fuse
    from paiad.catalog import make as make
    from paiad.contracts import Detector as Detector
    from paiad.contracts import Encoder as Encoder
    from paiad.contracts import Learner as Learner
    from paiad.contracts import Scorer as Scorer
    from paiad.detecting import detect as detect
    from paiad.detection import Detection as Detection
    from paiad.detection import Detections as Detections
    from paiad.errors import PaiadError as PaiadError
    from paiad.events import find_events as find_events
    from paiad.fusion import Weights as Weights
    from paiad.pai import PAI as PAI
    from paiad.persistence import load_scorer as load_scorer
    from paiad.persistence import save_scorer as save_scorer
    from paiad.report import write_results as write_results
    from paiad.series import Series as Series
    from paiad.streaming import Stream as Stream


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'paiad' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
