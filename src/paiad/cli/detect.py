"""`paiad detect`."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from paiad.benchmark.executors import Engine, Gpu, engine_named, gpus_here
from paiad.catalog import DEFAULT
from paiad.cli import options
from paiad.cli.file_jobs import FileJob, Judged, Refused, detect_file, detect_files
from paiad.cli.inputs import expanded, folders
from paiad.cli.showing import progress
from paiad.config import setting_of
from paiad.errors import SettingError
from paiad.extremes import MERGE_GAP
from paiad.judging import DEFAULT_THRESHOLD
from paiad.report.files import Format

FORMATS: dict[str, Format] = {"csv": "csv", "parquet": "parquet", "jsonl": "jsonl"}


def detect(
    files: options.Files,
    values: options.Values = None,
    time: options.Time = None,
    series_id: options.SeriesId = None,
    label_column: options.LabelColumn = None,
    missing: options.Missing = "interpolate",
    train_until: options.TrainUntil = None,
    train_file: options.TrainFile = None,
    detector: options.DetectorName = DEFAULT,
    settings: options.Settings = None,
    model: options.Model = None,
    threshold: options.ThresholdText = DEFAULT_THRESHOLD,
    alerts_per_week: options.AlertsPerWeek = None,
    merge_gap: options.MergeGap = MERGE_GAP,
    least_length: options.LeastLength = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the results go. [default: paiad-out/<name of the file>]"),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="Of the scores: csv, parquet or jsonl.")] = "csv",
    report: Annotated[bool, typer.Option(help="Make report.html.")] = True,
    picture: Annotated[bool, typer.Option(help="Make report.png (needs matplotlib).")] = True,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Files at once. [default: one for each core]")
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            help="What runs several files: processes, serial, gpu (many a batch) or ray (a shared file system)."
        ),
    ] = "processes",
    address: Annotated[str | None, typer.Option(help="Ray cluster to join, for example auto.")] = None,
    fail_on_events: Annotated[
        bool, typer.Option("--fail-on-events", help="Exit with 1 when there are events.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Find anomalous stretches in files; write scores, events and a report."""
    if form not in FORMATS:
        raise SettingError(f"--format must be one of {', '.join(FORMATS)}; got {form!r}")
    found_files = expanded(files)
    judged = {
        "values": values,
        "time": time,
        "series_id": series_id,
        "labels": label_column,
        "missing": missing,
        "train_until": train_until,
        "train": train_file,
        "detector": detector,
        "settings": dict(map(setting_of, settings or [])),
        "model": model,
        "threshold": threshold,
        "alerts_per_week": alerts_per_week,
        "merge_gap": merge_gap,
        "least_length": least_length,
    }
    work = [
        FileJob(file, folder, judged, FORMATS[form], report, picture)
        for file, folder in zip(found_files, folders(found_files, out), strict=True)
    ]
    with progress():
        ended: Sequence[Judged | Refused] = (
            [detect_file(work[0])]
            if len(work) == 1
            else detect_files(work, _engine(engine, jobs, address), quiet=as_json)
        )
    _tell(ended, as_json)
    if any(isinstance(one, Refused) for one in ended):
        raise typer.Exit(2)
    if fail_on_events and any(isinstance(one, Judged) and one.events for one in ended):
        raise typer.Exit(1)


def _engine(name: str, jobs: int | None, address: str | None) -> Engine:
    engine = engine_named(name, jobs, address)
    if isinstance(engine, Gpu) and not gpus_here():
        print("paiad: there is no GPU here; batches are computed on the CPU", file=sys.stderr)
    return engine


def _tell(ended: Sequence[Judged | Refused], as_json: bool) -> None:
    judged = [one for one in ended if isinstance(one, Judged)]
    refused = [one for one in ended if isinstance(one, Refused)]
    if as_json:
        document = {"files": [one.document for one in judged], "failed": [vars(one) for one in refused]}
        print(json.dumps(document, indent=2))
    elif len(ended) == 1 and judged:
        print(judged[0].text)
    for one in judged:
        for what in one.lacking:
            print(f"paiad: {what}", file=sys.stderr)
    if len(ended) > 1 and refused:
        print(f"paiad: {len(refused)} of {len(ended)} files failed:", file=sys.stderr)
        for bad in refused:
            print(f"  {bad.reason}", file=sys.stderr)
