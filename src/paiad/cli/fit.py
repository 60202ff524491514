"""`paiad fit`."""

from pathlib import Path
from typing import Annotated

import typer

from paiad.catalog import DEFAULT, make
from paiad.cli import options
from paiad.cli.showing import progress
from paiad.config import setting_of
from paiad.errors import InputError
from paiad.judging import robustly_calibrated
from paiad.normal_part import normal_part
from paiad.persistence import save_scorer
from paiad.reading import read

PROBE = 2_000  # of the values fitted on; their scores prove at loading that the scorer is the same


def fit(
    file: options.File,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to save the scorer in.")],
    values: options.Values = None,
    time: options.Time = None,
    series_id: options.SeriesId = None,
    label_column: options.LabelColumn = None,
    missing: options.Missing = "interpolate",
    train_until: options.TrainUntil = None,
    detector: options.DetectorName = DEFAULT,
    settings: options.Settings = None,
) -> None:
    """Learn what is normal from a file, and save it for detect, score and stream."""
    recipe = make(detector, dict(map(setting_of, settings or [])))
    with progress():
        table = read(
            file,
            values=values,
            time=time,
            series_id=series_id,
            labels=label_column,
            missing=options.missing_policy(missing),
            train_until=train_until,
        )
        if len(table.series) != 1:
            names = ", ".join(series.name for series in table.series[:6])
            raise InputError(
                f"{table.name}: holds {len(table.series)} series ({names}, …); choose one with --values"
            )
        series = table.series[0]
        part = normal_part(series, by_labels=label_column is not None)
        normal = part.values(series)
        scorer = (robustly_calibrated(recipe) if part.alone else recipe).fit(normal)
        save_scorer(scorer, out, probe=normal[-PROBE:])
    learnt = "all steps were learnt from" if part.alone else part.how
    print(f"{out}: {detector}, fitted on {series.name} of {table.name}; {learnt}")
