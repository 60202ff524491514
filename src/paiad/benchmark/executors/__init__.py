"""Engines that run many independent jobs: in this process, in worker processes, many a batch, or on a Ray cluster.

Nothing here knows of detectors: `run_jobs` takes any picklable function and any items.
"""

from paiad.benchmark.executors.choice import ENGINES, Engine, engine_named, run_jobs
from paiad.benchmark.executors.gpu import Gpu, gpu_models, gpus_here
from paiad.benchmark.executors.work import Limits, Outcome, Shared, Status, Together, Work

__all__ = [
    "ENGINES",
    "Engine",
    "Gpu",
    "Limits",
    "Outcome",
    "Shared",
    "Status",
    "Together",
    "Work",
    "engine_named",
    "gpu_models",
    "gpus_here",
    "run_jobs",
]
