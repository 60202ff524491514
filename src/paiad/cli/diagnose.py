"""`paiad diagnose`: does an encoder see amplitude on the user's own data?"""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from paiad.errors import InputError, SettingError


def diagnose(
    file: Annotated[str, typer.Argument(help="CSV, Parquet, … as for detect; - for standard input.")],
    encoder: Annotated[
        str, typer.Option(help="A detector of the catalog that holds an encoder and a bank.")
    ] = "shape",
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a hyper-parameter.")
    ] = None,
    values: Annotated[
        list[str] | None, typer.Option(help="Columns to look at; all numeric ones if not given.")
    ] = None,
    time: Annotated[str | None, typer.Option(help="Column with the time.")] = None,
    series_id: Annotated[
        str | None, typer.Option("--id", help="Column that names the series (long format).")
    ] = None,
    label_column: Annotated[
        str | None, typer.Option(help="Column with labels; adds the metrics of each reading.")
    ] = None,
    train_until: Annotated[
        str | None,
        typer.Option(metavar="TIME|ROW|FRACTION", help="Where the normal part ends; all if not given."),
    ] = None,
    missing: Annotated[str, typer.Option(help="What to do with missing values.")] = "interpolate",
    seed: Annotated[int, typer.Option(help="Of the places and signs of the injected anomalies.")] = 0,
    picture: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw it (extra plot).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Put known anomalies into held-back normal data, and say how well cosine, Euclidean and PAI see them."""
    from paiad.cli.showing import progress
    from paiad.diagnostic import diagnose as run
    from paiad.progress import track
    from paiad.reading import read

    detector = bank_detector(encoder, setting or [])
    table = read(
        file,
        values=values,
        time=time,
        series_id=series_id,
        labels=label_column,
        missing=missing,  # type: ignore[arg-type]
        train_until=train_until,
    )
    found, left_out = [], []
    with progress():
        for series in track(table.series, f"series of {table.name}"):
            try:
                found.append(run(series, detector, seed))
            except InputError as error:  # noqa: PERF203 - the others are looked at all the same
                named = "" if str(error).startswith(f"{series.name}:") else f"{series.name}: "
                left_out.append(f"{table.name}, {named}{error}")
    if not found:
        raise InputError(left_out[0])
    for why in left_out:
        print(f"paiad: left out: {why}", file=sys.stderr)
    if as_json:
        print(json.dumps([asdict(diagnosis) for diagnosis in found], indent=2, default=dict))
    else:
        print("\n\n".join(described(diagnosis) for diagnosis in found))
    if picture is not None:
        _draw(found, picture)


def bank_detector(name: str, settings: list[str]) -> Any:
    """The encoder-and-bank part of a catalog entry, with PAI taken off if it has that around it."""
    from paiad.catalog import make
    from paiad.config import setting_of
    from paiad.detectors.prototype import NearestPrototype
    from paiad.pai import PAI

    recipe = make(name, dict(map(setting_of, settings)))
    inner = recipe.base if isinstance(recipe, PAI) else recipe
    if not isinstance(inner, NearestPrototype):
        raise SettingError(
            f"{name} has no single encoder and bank to diagnose; try shape, raw or paano-untrained"
        )
    return inner


def described(diagnosis: Any) -> str:
    """The diagnosis as lines of text."""
    from paiad.diagnostic import READINGS
    from paiad.synthetic import KINDS

    lines = [
        f"{diagnosis.name}: {diagnosis.encoder}, fitted on {diagnosis.fitted_on:,} values, "
        f"tried on {diagnosis.held_back:,}",
        *(f"  {line}" for line in diagnosis.verdict),
        "",
        "  smallest strength seen (MAD)" + "".join(f"{reading:>12}" for reading in READINGS),
    ]
    for kind in KINDS:
        seen = [diagnosis.smallest_seen(kind, reading) for reading in READINGS]
        lines.append(f"  {kind:<28}" + "".join(f"{'never' if s is None else f'{s:g}':>12}" for s in seen))
    alike = ", ".join(f"{diagnosis.untouched[reading]:.2f} ({reading})" for reading in READINGS)
    lines += ["", f"  AUC-ROC of the same places with nothing altered (0.5 but for luck): {alike}"]
    ranked = ", ".join(f"{term} {rho:+.2f}" for term, rho in diagnosis.correlation.items())
    lines += [f"  rank correlation of the encoder's score with {ranked}"]
    return "\n".join([*lines, *_metric_lines(diagnosis.labelled)])


def _metric_lines(labelled: Mapping[str, Mapping[str, float]]) -> list[str]:
    if not labelled:
        return []
    names = list(next(iter(labelled.values())))
    lines = ["", "  with the labels" + " " * 13 + "".join(f"{name:>12}" for name in names)]
    for reading, metrics in labelled.items():
        lines.append(f"  {reading:<28}" + "".join(f"{metrics[name]:>12.3f}" for name in names))
    return lines


def _draw(found: list[Any], picture: Path) -> None:
    from paiad.report.diagnosis import draw_diagnosis
    from paiad.writing import replacing

    for place, diagnosis in enumerate(found):
        path = picture if len(found) == 1 else picture.with_stem(f"{picture.stem}-{place + 1}")
        with replacing(path) as temporary:
            draw_diagnosis(diagnosis, temporary)
