"""From rows to events in one call."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from paiad.catalog import DEFAULT, make
from paiad.contracts import Detector, Scorer
from paiad.detection import Detection, Detections
from paiad.errors import InputError, PaiadError, SettingError, TooShortError
from paiad.extremes import MERGE_GAP
from paiad.judging import DEFAULT_THRESHOLD, Judging
from paiad.missing import Missing
from paiad.naming import shown
from paiad.normal_part import NormalPart, normal_part
from paiad.persistence import load_scorer
from paiad.progress import track
from paiad.reading import Table, read
from paiad.reading.train_part import Until
from paiad.thresholds import ThresholdRule

FITTED_BEFORE = "what is normal was learnt before, by a fitted scorer"


def detect(
    source: Any,
    *,
    values: str | Sequence[str] | None = None,
    time: str | None = None,
    series_id: str | None = None,
    labels: str | None = None,
    missing: Missing = "interpolate",
    train_until: Until | None = None,
    train: Any = None,
    detector: str | Detector = DEFAULT,
    settings: Mapping[str, Any] | None = None,
    model: str | os.PathLike[str] | Scorer | None = None,
    threshold: str | ThresholdRule = DEFAULT_THRESHOLD,
    alerts_per_week: float | None = None,
    merge_gap: int = MERGE_GAP,
    least_length: int = 1,
) -> Detections:
    """Find the anomalous stretches of every series in a file, a data frame or an array.

    What is normal: the steps before `train_until` (a time, a number of rows, a share), or the data in `train`
    (anything that can be read), or the longest stretch that the column `labels` calls normal. When none of them
    is given, the series is compared with itself: no stretch may match itself, and calibration is robust.
    A `model`, fitted or saved before, takes the place of all this and of the detector. `threshold` to
    `least_length` are those of `Judging`; the other settings those of `paiad.reading.read`.

    >>> import numpy as np
    >>> values = np.sin(np.arange(1500) / 8) + np.random.default_rng(0).normal(scale=0.1, size=1500)
    >>> values[1200:1206] += 4
    >>> found = detect(values, train_until=800)
    >>> [(event.start <= 1200, event.end >= 1205) for event in found.only.events]
    [(True, True)]
    """
    judging = Judging(threshold, alerts_per_week, merge_gap, least_length)
    judge = recipe_of(detector, settings) if model is None else _model(model)
    if sum(given is not None for given in (train, train_until, model)) > 1:
        raise SettingError("say once what is normal: by train_until, by train or by a model")
    reading = partial(read, values=values, time=time, series_id=series_id, missing=missing)
    table = reading(source, labels=labels, train_until=train_until)
    normal = None if train is None else reading(train)
    return judge_all(table, judge, judging, normal, by_labels=labels is not None)


def recipe_of(detector: str | Detector, settings: Mapping[str, Any] | None = None) -> Detector:
    """The recipe of that name with its settings, or the recipe given."""
    if isinstance(detector, str):
        return make(detector, settings)
    if settings:
        raise SettingError(
            "settings change a detector of the catalog; change a recipe of your own where it is made"
        )
    return detector


def judge_all(
    table: Table,
    detector: Detector | Scorer,
    judging: Judging,
    normal: Table | None = None,
    by_labels: bool = False,
) -> Detections:
    """Judge every series of a table; `normal` holds normal data for them, by the same names, or one for all."""
    unscored = {placed.name: placed.unscored for placed in table.placed}
    found: list[Detection] = []
    left_out: list[tuple[str, PaiadError]] = []
    for series in track(table.series, f"series of {table.name}"):
        try:
            fitted = isinstance(detector, Scorer)
            part = NormalPart(FITTED_BEFORE) if fitted else normal_part(series, normal, by_labels)
            found.append(judging.judge(series, detector, part, unscored[series.name]))
        except PaiadError as error:  # noqa: PERF203 - one series that cannot be judged does not keep the others from it
            left_out.append((series.name, error))
    if not found:
        name, why = left_out[0]
        remedy = (
            f"; {_longer(table, normal)}, or choose another detector"
            if isinstance(why, TooShortError)
            else ""
        )
        raise InputError(f"{table.name}, {name}: {why}{remedy}") from why
    notes = [str(note) for note in table.notes]
    notes += [f"{shown(name)}: left out, {why}" for name, why in left_out]
    return Detections(table, tuple(found), said(detector, judging), tuple(notes))


def _longer(table: Table, normal: Table | None) -> str:
    """What to give when there are too few values to learn from."""
    if normal is not None:
        return f"give more normal data than {normal.name} holds"
    ended = any(series.train_end is not None for series in table.series)
    return "end the normal part later" if ended else "give a longer series"


def _model(model: str | os.PathLike[str] | Scorer) -> Scorer:
    return model if isinstance(model, Scorer) else load_scorer(model)


def said(detector: Detector | Scorer, judging: Judging) -> dict[str, str]:
    """The settings in words."""
    return {
        "detector": f"a fitted {type(detector).__name__}" if isinstance(detector, Scorer) else repr(detector),
        "threshold": f"{judging.alerts_per_week:g} alerts a week"
        if judging.alerts_per_week
        else str(judging.threshold),
        "merge gap": _steps(judging.merge_gap),
        "least length": _steps(judging.least_length),
    }


def _steps(count: int) -> str:
    return f"{count} step{'' if count == 1 else 's'}"
