"""`paiad score`."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from paiad.catalog import DEFAULT
from paiad.cli import options
from paiad.cli.showing import progress
from paiad.config import setting_of
from paiad.detecting import detect
from paiad.writing import write


def score(
    file: options.File,
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
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="CSV, TSV, JSON lines or Parquet. [default: CSV on standard output]"
        ),
    ] = None,
) -> None:
    """Write the rows of a file with a score each, and nothing else; higher is more anomalous."""
    with progress():
        found = detect(
            file,
            values=values,
            time=time,
            series_id=series_id,
            labels=label_column,
            missing=options.missing_policy(missing),
            train_until=train_until,
            train=train_file,
            detector=detector,
            settings=dict(map(setting_of, settings or [])),
            model=model,
        )
        rows = found.table.with_columns({one.series.name: {"score": one.scores} for one in found})
    if out is not None:
        write(out, rows)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        write(path, rows)
        with path.open("rb") as text:
            shutil.copyfileobj(text, sys.stdout.buffer)
