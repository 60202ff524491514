"""`paiad stream`."""

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from paiad.cli import options
from paiad.errors import InputError
from paiad.judging import DEFAULT_THRESHOLD
from paiad.persistence import load_scorer
from paiad.rules import rule_of
from paiad.streaming import Stream, Stretch


def stream(
    model: Annotated[str, typer.Option(metavar="DIR", help="A scorer saved by `paiad fit`.")],
    threshold: options.ThresholdText = DEFAULT_THRESHOLD,
    settled_only: Annotated[
        bool,
        typer.Option("--settled-only", help="Only scores that will not change; none for the newest steps."),
    ] = False,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Go on where this file says, if it is there; saved at the end."),
    ] = None,
) -> None:
    """Score values as they come: one a line on standard input, one JSON object a line out.

    A score is settled some steps after its own and never changes again; before that it is provisional. Every
    value gives the provisional score of its own step and those that it settles.
    """
    scorer = load_scorer(model)
    limit = rule_of(threshold).fit(scorer.calibration).value
    running = Stream(scorer) if state is None or not state.exists() else Stream.resume(scorer, state)
    try:
        for value in _values():
            settled = running.push(value)
            _print(settled, 0, limit, settled=True)
            if not settled_only:
                _print_newest(running, limit)
        if not settled_only:
            _print(running.provisional(), 0, limit, settled=False)
    finally:
        if state is not None:
            running.save(state)


def _values() -> Iterator[float]:
    """One number a line; an empty line or a missing value repeats the value before it."""
    before: float | None = None
    for number, line in enumerate(sys.stdin, start=1):
        text = line.strip()
        try:
            value = float(text or "nan")
        except ValueError:
            raise InputError(
                f"standard input, line {number}: {text[:40]!r} is not a number; give one a line"
            ) from None
        if not math.isfinite(value):
            if before is None:
                raise InputError(
                    f"standard input, line {number}: the first value is missing; begin with a number"
                )
            value = before
        before = value
        yield value


def _print_newest(running: Stream, limit: float) -> None:
    pending = running.provisional()
    if len(pending):
        _print(pending, len(pending) - 1, limit, settled=False)


def _print(stretch: Stretch, first: int, limit: float, settled: bool) -> None:
    scores = stretch.scores
    for i in range(first, len(stretch)):
        print(json.dumps(_line(stretch, i, float(scores[i]), limit, settled)))
    if len(stretch):
        sys.stdout.flush()


def _line(stretch: Stretch, i: int, score: float, limit: float, settled: bool) -> dict[str, Any]:
    known = math.isfinite(score)
    parts = zip(stretch.terms, stretch.contributions[:, i].tolist(), strict=True)
    return {
        "step": stretch.start + i,
        "score": score if known else None,
        "anomalous": known and score > limit,
        "settled": settled,
        "terms": dict(parts) if known else None,
    }
