"""Engines that run many independent jobs: in this process, in worker processes, or on a Ray cluster.

Nothing here knows of detectors: `run_jobs` takes any picklable function and any items.
"""

from paiad.benchmark.executors.choice import ENGINES, Engine, engine_named, run_jobs
from paiad.benchmark.executors.work import Limits, Outcome, Status, Work

__all__ = ["ENGINES", "Engine", "Limits", "Outcome", "Status", "Work", "engine_named", "run_jobs"]
