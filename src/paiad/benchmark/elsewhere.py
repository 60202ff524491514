"""Measures taken elsewhere (another machine, an exported store) beside one's own; their scores stay where they are."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paiad.benchmark.executors import Outcome
from paiad.benchmark.job import Job
from paiad.benchmark.measure import Measure, Ruler
from paiad.benchmark.runner import Plan, row_of
from paiad.benchmark.store import Store
from paiad.benchmark.suite import Suite
from paiad.errors import InputError

NEEDED = ("detector", "series", "metric", "value")
FURTHER = ("seed", "status", "view", "n", "vus_window", "reason", "undefined", "ruler", "part", "definition")
ELSEWHERE = "elsewhere"
"""What stands for the code of a job that was run elsewhere."""
COSTS = ("fit_seconds", "score_seconds", "peak_mb", "parameters", "fitted_together", "machine", "python")


@dataclass(frozen=True)
class Imported:
    """How many jobs have got their measures, and what of the file belongs to no job of the suite."""

    jobs: int
    left_out: tuple[str, ...]


def import_measures(plan: Plan, suite: Suite, store: Store, path: Path) -> Imported:
    """Read a CSV or Parquet file, one row a measure, and keep its measures as those of the plan's jobs.

    It needs the columns of `NEEDED`, and `seed` where the suite has several; those of `FURTHER` and `COSTS` are kept
    where they are there: what `paiad bench export` writes can be read. The measures must have been taken under the
    suite's protocol, which nothing here can check. A job that was run here keeps its own; one that was imported
    before takes the new measures.
    """
    jobs = {(job.detector, job.series, job.seed): job for job in plan.jobs}
    rows = _rows(store, path)
    own = {key for (key,) in store.query(f"SELECT key FROM rows WHERE code IS DISTINCT FROM '{ELSEWHERE}'")}
    rulers = {row.get("ruler") for row in rows}
    given: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    by_key: dict[str, Job] = {}
    left_out: dict[str, None] = {}
    for row in rows:
        job = _job_of(jobs, row)
        if job is None:
            left_out[f"{row['detector']} on {row['series']}, seed {row.get('seed', '–')}"] = None
        elif job.key in own or row.get("status", "done") != "done":
            continue
        elif _of_protocol(job.ruler, row, rulers):
            by_key[job.key] = job
            given[job.key].append(row)
    for key, of_job in given.items():
        _keep(store, suite, by_key[key], of_job, path.name)
    return Imported(len(given), tuple(left_out))


def _rows(store: Store, path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise InputError(f"no file of measures at {path}")
    names = store.columns_of(path)
    lacking = [name for name in NEEDED if name not in names]
    if lacking:
        raise InputError(
            f"{path}: there is no column {lacking[0]!r}; a row is a measure, with {', '.join(NEEDED)}"
        )
    kept = [name for name in (*NEEDED, *FURTHER, *COSTS) if name in names]
    return [dict(zip(kept, row, strict=True)) for row in store.rows_of(path, kept)]


def _job_of(jobs: Mapping[tuple[str, str, int | None], Job], row: Mapping[str, Any]) -> Job | None:
    name, series = row["detector"], str(row["series"]).removesuffix(".csv")
    seed = row.get("seed")
    return jobs.get((name, series, None if seed is None else int(seed))) or jobs.get((name, series, None))


def _of_protocol(ruler: Ruler, row: Mapping[str, Any], rulers: Collection[str | None]) -> bool:
    """Whether a measure can have been taken under this protocol, as far as its row tells."""
    for digest in (ruler.digest, ruler.digest_elsewhere):
        if digest in rulers:
            return row["ruler"] == digest
    return row.get("part") in (None, ruler.part) and row.get("definition") in (None, ruler.definition)


def _keep(store: Store, suite: Suite, job: Job, rows: Sequence[Mapping[str, Any]], name: str) -> None:
    views: defaultdict[tuple[str, str], list[Measure]] = defaultdict(list)
    for row in rows:
        value = np.nan if row["value"] is None else float(row["value"])
        views[job.key, row.get("view") or ""].append(
            Measure(
                row["metric"],
                value,
                job.ruler.part,
                int(row.get("vus_window") or 0),
                job.ruler.definition,
                int(row.get("n") or 0),
                row.get("undefined" if "undefined" in row else "reason") or "",
            )
        )
    store.save_measures(job.ruler.digest_elsewhere, views)
    costs = {what: rows[0][what] for what in COSTS if rows[0].get(what) is not None}
    told = {
        "code": ELSEWHERE,
        "notes": f"measured elsewhere ({name})",
        "machine": "elsewhere",
        "python": "–",
    }
    store.save_job({**row_of(suite, job, Outcome(0, "done"), 1), **told, **costs}, None, {})
