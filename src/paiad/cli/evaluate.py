"""`paiad evaluate`: how well do score columns find the labelled anomalies?"""

import json
import shutil
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paiad.errors import SettingError

if TYPE_CHECKING:
    from paiad.cli.scored import Scored
    from paiad.metrics import Evaluation
    from paiad.significance import Interval


WIDE = (200, 24)  # what is not a terminal gets every measure in one line


class Definition(str, Enum):
    tsb_ad = "tsb-ad"
    tab = "tab"
    vus_2022 = "vus-2022"


class Scope(str, Enum):
    full = "full"
    test = "test"


def evaluate(
    file: Annotated[
        str, typer.Argument(metavar="SCORES", help="File with score columns; - for standard input.")
    ],
    labels: Annotated[str | None, typer.Option(help="File with labels, if they are not in SCORES.")] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(
            help="Score columns; those with 'score' in the name, or all numeric ones, if not given."
        ),
    ] = None,
    label_column: Annotated[str | None, typer.Option(help="Column with labels 0 and 1.")] = None,
    window: Annotated[
        int | None, typer.Option(help="Widest buffer VUS forgives; 100 if not given (tab: from labels).")
    ] = None,
    period_of: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Take the period of this column for the window, as TSB-AD does."),
    ] = None,
    definition: Annotated[Definition, typer.Option(help="Family of measures.")] = Definition.tsb_ad,
    scope: Annotated[
        Scope | None, typer.Option(help="Which rows count; test if --train-until is given, else full.")
    ] = None,
    train_until: Annotated[
        str | None, typer.Option(metavar="ROW|FRACTION", help="Where the training part ends.")
    ] = None,
    error_bars: Annotated[
        int, typer.Option(metavar="DRAWS", help="Resample events so often for an interval of VUS-PR.", min=0)
    ] = 0,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the surface, and what was found.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Measure score columns against labels: VUS, AUC and F1 of points, events and ranges, exactly as defined."""
    from paiad.cli.scored import read_scored
    from paiad.metrics import LabelContext
    from paiad.metrics import evaluate as measure

    if window is not None and period_of is not None:
        raise SettingError("give --window or --period-of, not both")
    scored = read_scored(file, labels, score, label_column, period_of)
    context = LabelContext(scored.labels, _train_end(scored, scope, train_until, file))
    size = window if period_of is None else _period(scored, context.train_end)
    found = {
        name: measure(scores, context, size, definition=definition.value)
        for name, scores in scored.scores.items()
    }
    bars = _error_bars(scored, found, context.train_end, error_bars)
    print(json.dumps(_plain(found, bars), indent=2) if as_json else described(found, bars))
    if picture is not None:
        _draw(scored, context, found, picture)


def described(found: "Mapping[str, Evaluation]", bars: "Mapping[str, tuple[Interval, Interval]]") -> str:
    """A table with one row a score, what it was computed on, and what is doubtful about it."""
    any_one = next(iter(found.values()))
    lines = table(found, shutil.get_terminal_size(WIDE).columns)
    lines += [
        "",
        f"{any_one.definition}, window {any_one.window}, {any_one.scope} scope, "
        f"{any_one.n:,} points, {any_one.events} events; higher is better",
    ]
    lines += [f"{measure}: {reason}" for measure, reason in any_one.reasons.items()]
    lines += [f"{name}: {warning}" for name, result in found.items() for warning in result.warnings]
    for name, (own, lead) in bars.items():
        lines.append(f"{name}: VUS-PR {own}" + (f" ({own.reason})" if own.reason else ""))
        if name != next(iter(bars)) and not lead.reason:
            lines.append(f"  against {next(iter(bars))}: {lead}, p = {lead.p_value:.2g}")
    return "\n".join(lines)


def table(found: "Mapping[str, Evaluation]", columns: int) -> list[str]:
    """One row a score and one column a measure, in as many blocks below each other as the terminal asks for."""
    names = max(map(len, found))
    measures = list(next(iter(found.values())))
    width = {measure: max(len(measure), len("0.0000")) + 2 for measure in measures}
    lines: list[str] = []
    while measures:
        block = [measures.pop(0)]
        while measures and names + sum(width[one] for one in [*block, measures[0]]) <= columns:
            block.append(measures.pop(0))
        lines += [""] if lines else []
        lines.append(" " * names + "".join(f"{measure:>{width[measure]}}" for measure in block))
        for name, result in found.items():
            lines.append(f"{name:<{names}}" + "".join(f"{result[one]:>{width[one]}.4f}" for one in block))
    return lines


def _train_end(scored: "Scored", scope: Scope | None, until: str | None, file: str) -> int:
    import numpy as np

    from paiad.reading.timeline import untimed
    from paiad.reading.train_part import train_end

    if scope is Scope.test and until is None:
        raise SettingError("--scope test needs --train-until: where does the test part begin?")
    if until is None or scope is Scope.full:
        return 0
    return train_end(until, untimed(np.arange(len(scored.labels))), file)


def _period(scored: "Scored", train_end: int) -> int:
    from paiad.period import dominant_period

    assert scored.values is not None
    return dominant_period(scored.values[train_end:])


def _error_bars(
    scored: "Scored", found: "Mapping[str, Evaluation]", train_end: int, draws: int
) -> "dict[str, tuple[Interval, Interval]]":
    """Per score: the interval of its VUS-PR, and that of its lead over the first score."""
    from paiad.significance import compare_on_series, measure_interval

    if not draws:
        return {}
    labels = scored.labels[train_end:]
    first = next(iter(scored.scores.values()))[train_end:]
    bars = {}
    for name, scores in scored.scores.items():
        window, definition = found[name].window, found[name].definition
        own = measure_interval(scores[train_end:], labels, "VUS-PR", window, definition, draws=draws)
        lead = compare_on_series(scores[train_end:], first, labels, "VUS-PR", window, definition, draws=draws)
        bars[name] = (own, lead)
    return bars


def _plain(
    found: "Mapping[str, Evaluation]", bars: "Mapping[str, tuple[Interval, Interval]]"
) -> list[dict[str, Any]]:
    rows = []
    for name, result in found.items():
        measures = {measure: None if value != value else value for measure, value in result.items()}
        row: dict[str, Any] = {"score": name, "measures": measures, "reasons": dict(result.reasons)}
        row |= {"definition": result.definition, "window": result.window, "scope": result.scope}
        row |= {"n": result.n, "events": result.events, "warnings": list(result.warnings)}
        if name in bars and not bars[name][0].reason:
            own, lead = bars[name]
            row["error_bars"] = {"VUS-PR": {"low": own.low, "high": own.high, "level": own.level}}
            first = next(iter(bars))
            if name != first:
                row["error_bars"]["against"] = {"score": first, "difference": lead.estimate}
                row["error_bars"]["against"] |= {"low": lead.low, "high": lead.high, "p_value": lead.p_value}
        rows.append(row)
    return rows


def _draw(scored: "Scored", context: Any, found: "Mapping[str, Evaluation]", picture: Path) -> None:
    from paiad.metrics.picture import draw_evaluation
    from paiad.writing import replacing

    for place, (name, scores) in enumerate(scored.scores.items()):
        path = picture if len(found) == 1 else picture.with_stem(f"{picture.stem}-{place + 1}")
        with replacing(path) as temporary:
            draw_evaluation(name, scores, context, found[name], temporary)
