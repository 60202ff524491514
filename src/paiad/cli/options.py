"""Options that several commands share, named and explained once."""

from typing import Annotated, cast

import typer

from paiad.missing import Missing as MissingPolicy
from paiad.missing import check_policy

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE…",
        help="CSV, TSV, JSON lines, Parquet, Feather, gzipped too; or a pattern; - is standard input.",
    ),
]
File = Annotated[
    str, typer.Argument(metavar="FILE", help="One file, read as detect does; - is standard input.")
]
Values = Annotated[
    list[str] | None,
    typer.Option(help="Column to score; may be repeated. Without it, every column of numbers."),
]
Time = Annotated[
    str | None, typer.Option(help="Column with the times. Without it, found by name and content.")
]
SeriesId = Annotated[str | None, typer.Option("--id", help="Column that tells series apart in a long table.")]
LabelColumn = Annotated[
    str | None,
    typer.Option(help="Column of labels (0 normal). The longest stretch of normal steps is learnt from."),
]
Missing = Annotated[str, typer.Option(help="Missing or infinite values: interpolate, previous or refuse.")]
TrainUntil = Annotated[
    str | None,
    typer.Option(
        metavar="TIME|ROW|SHARE", help="The steps before it are normal: 2024-01-31T12:00, 5000, 0.3 or 30%."
    ),
]
TrainFile = Annotated[
    str | None, typer.Option(metavar="FILE", help="A file of normal data, with the same columns.")
]
DetectorName = Annotated[str, typer.Option("--detector", help="Name of a detector; see `paiad detectors`.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting of the detector, such as bank_size=2000; may be repeated.",
    ),
]
Model = Annotated[
    str | None, typer.Option(metavar="DIR", help="A scorer saved by `paiad fit`; in place of a detector.")
]
ThresholdText = Annotated[
    str,
    typer.Option(
        "--threshold",
        metavar="RULE",
        help="extreme-value[=STEPS], mad[=N], quantile[=Q], conformal[=P], or the score to exceed.",
    ),
]
AlertsPerWeek = Annotated[
    float | None,
    typer.Option(
        min=0.0, metavar="N", help="Instead of a threshold: at most N events a week on normal data."
    ),
]
MergeGap = Annotated[
    int, typer.Option(min=0, metavar="STEPS", help="Events with at most so many steps between them are one.")
]
LeastLength = Annotated[int, typer.Option(min=1, metavar="STEPS", help="Shorter events are dropped.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")]


def missing_policy(text: str) -> MissingPolicy:
    """The policy of that name, or a refusal that names those there are."""
    check_policy(text)
    return cast(MissingPolicy, text)
