"""`paiad fuse`."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from paiad.bring import fuse as fused
from paiad.cli import options
from paiad.cli.inputs import stem_of
from paiad.cli.told import told
from paiad.detection import Detection, Detections, without_score
from paiad.errors import InputError
from paiad.extremes import MERGE_GAP
from paiad.fusion import PRESETS, Weights
from paiad.judging import DEFAULT_THRESHOLD, Judging
from paiad.normal_part import normal_part, undisturbed
from paiad.quality import FILLED
from paiad.reading import Table, read
from paiad.report import write_results
from paiad.report.files import as_json
from paiad.series import Series


def fuse(
    scores: Annotated[str, typer.Argument(metavar="SCORES", help="File with a score for every row.")],
    values: Annotated[str, typer.Option(metavar="FILE", help="File with the series that was scored.")],
    score_column: Annotated[
        str | None, typer.Option(help="Column of the scores. [default: the only one, or 'score']")
    ] = None,
    value_column: Annotated[
        str | None, typer.Option(help="Column of the values. [default: the only one]")
    ] = None,
    time: options.Time = None,
    label_column: options.LabelColumn = None,
    missing: options.Missing = "interpolate",
    train_until: options.TrainUntil = None,
    weights: Annotated[str, typer.Option(help=f"Of the terms: {' or '.join(PRESETS)}.")] = "paper",
    threshold: options.ThresholdText = DEFAULT_THRESHOLD,
    alerts_per_week: options.AlertsPerWeek = None,
    merge_gap: options.MergeGap = MERGE_GAP,
    least_length: options.LeastLength = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the results go. [default: paiad-out/<name of the scores>]"),
    ] = None,
    as_json_text: options.Json = False,
) -> None:
    """Add the amplitude terms to the scores of any detector; write scores, events and a report."""
    table = read(
        values,
        values=None if value_column is None else [value_column],
        time=time,
        labels=label_column,
        missing=options.missing_policy(missing),
        train_until=train_until,
    )
    series = _only(table, "--value-column")
    base = _scores(scores, score_column)
    judging = Judging(threshold, alerts_per_week, merge_gap, least_length)
    one = _judged(series, base, judging, Weights.named(weights), by_labels=label_column is not None)
    settings = {"scores": scores, "weights": weights, "threshold": threshold}
    found = Detections(table, (one,), settings, tuple(map(str, table.notes)))
    written = write_results(found, out or Path("paiad-out") / stem_of(scores))
    print(json.dumps(as_json(found), indent=2) if as_json_text else told(found, written.files))
    for lacking in written.missing:
        print(f"paiad: {lacking}", file=sys.stderr)


def _judged(series: Series, base: Series, judging: Judging, weights: Weights, by_labels: bool) -> Detection:
    normal = normal_part(series, by_labels=by_labels)
    steps = None if normal.steps is None else slice(*normal.steps)
    result = fused(base.values, series.values, steps, weights)
    absent = base.quality == FILLED if base.quality is not None else None
    receipt = result.receipt if absent is None else without_score(result.receipt, absent)
    calibration = undisturbed(receipt.score) if normal.alone else receipt.score[steps]
    return judging.find(series, receipt, calibration, normal, result.least)


def _scores(file: str, column: str | None) -> Series:
    if column is not None:
        return _only(read(file, values=[column]), "--score-column")
    table = read(file)
    named = [series for series in table.series if series.name == "score"]
    return named[0] if len(named) == 1 else _only(table, "--score-column")


def _only(table: Table, option: str) -> Series:
    if len(table.series) != 1:
        names = ", ".join(series.name for series in table.series[:6])
        raise InputError(
            f"{table.name}: holds {len(table.series)} series ({names}, …); choose one with {option}"
        )
    return table.series[0]
