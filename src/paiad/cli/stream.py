"""`paiad stream`."""

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from paiad.cli import options
from paiad.errors import InputError
from paiad.judging import DEFAULT_THRESHOLD
from paiad.missing import LONGEST_SCORED
from paiad.persistence import load_scorer
from paiad.quality import FILLED, NAMES, OK, WARMING_UP
from paiad.reading.placing import LARGEST
from paiad.rules import rule_of, threshold_by
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
    limit = threshold_by(rule_of(threshold), scorer.calibration, scorer.least).value
    running = Stream(scorer) if state is None or not state.exists() else Stream.resume(scorer, state)
    told = _Told(limit, 0 if scorer.reach is None else scorer.reach.lookback, _counts(running.notes))
    lines = _Lines(*running.notes.get("last", ()))
    try:
        for value, missing in lines.read():
            if missing:
                told.missing[running.seen] = missing
            told.print(running.push(value), settled=True)
            if not settled_only:
                told.print(_newest(running.provisional()), settled=False)
        if not settled_only:
            told.print(running.provisional(), settled=False)
    finally:
        if state is not None:
            running.notes = {"last": lines.last, "missing": np.array([*told.missing.items()]).reshape(-1, 2)}
            running.save(state)


@dataclass
class _Lines:
    """One number a line of standard input; the value before stands for one that is missing."""

    before: float = math.nan
    missing: float = 0
    """How many have been missing since there was one."""

    @property
    def last(self) -> np.ndarray:
        return np.array([self.before, self.missing])

    def read(self) -> Iterator[tuple[float, int]]:
        """Each value, and how many have been missing up to it."""
        for number, line in enumerate(sys.stdin, start=1):
            value = _number(line.strip(), f"standard input, line {number}")
            if math.isfinite(value):
                self.before, self.missing = value, 0
            elif math.isnan(self.before):
                raise InputError(
                    f"standard input, line {number}: the first value is missing; begin with a number"
                )
            else:
                self.missing += 1
            yield self.before, int(self.missing)


def _number(text: str, where: str) -> float:
    try:
        value = float(text or "nan")
    except ValueError:
        raise InputError(f"{where}: {text[:40]!r} is not a number; give one a line") from None
    if math.isfinite(value) and abs(value) > LARGEST:
        raise InputError(
            f"{where}: {value:g} is too large to be measured (beyond {LARGEST:g});"
            " if it stands for a missing value, leave the line empty"
        )
    return value


def _counts(notes: dict[str, np.ndarray]) -> dict[int, int]:
    """By step, as they were noted."""
    return {int(step): int(count) for step, count in notes.get("missing", ())}


def _newest(pending: Stretch) -> Stretch:
    return Stretch(pending.start + max(len(pending) - 1, 0), pending.terms, pending.contributions[:, -1:])


@dataclass
class _Told:
    """What is printed of a stretch: a line a step, with what is known of its value."""

    limit: float
    lookback: int
    missing: dict[int, int]
    """Of each step whose value was missing, as far as it may be told again: how many were so up to it."""

    def print(self, stretch: Stretch, settled: bool) -> None:
        scores = stretch.scores.tolist()
        for i, score in enumerate(scores):
            print(json.dumps(self._line(stretch, i, score, settled)))
            if settled:
                self.missing.pop(stretch.start + i, None)
        if scores:
            sys.stdout.flush()

    def _line(self, stretch: Stretch, i: int, score: float, settled: bool) -> dict[str, Any]:
        step = stretch.start + i
        missing = self.missing.get(step, 0)
        known = math.isfinite(score) and missing <= LONGEST_SCORED
        flag = FILLED if missing else WARMING_UP if step < self.lookback else OK
        parts = zip(stretch.terms, stretch.contributions[:, i].tolist(), strict=True)
        return {
            "step": step,
            "score": score if known else None,
            "anomalous": known and score > self.limit,
            "settled": settled,
            "quality": NAMES[flag],
            "terms": dict(parts) if known else None,
        }
