"""How a series is judged once it is read: fit, score, threshold, events."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from paiad.contracts import Detector, Scorer
from paiad.detection import Detection, without_score
from paiad.errors import InputError, SettingError
from paiad.events import Event, find_events
from paiad.extremes import MERGE_GAP
from paiad.normal_part import NormalPart, undisturbed
from paiad.quality import FILLED, GAP
from paiad.receipt import Receipt
from paiad.rules import rule_of, threshold_by
from paiad.runs import Mask
from paiad.series import Series
from paiad.shapes import Scores, Values
from paiad.thresholds import AlertBudget, ThresholdRule

DEFAULT_THRESHOLD = "extreme-value"


@dataclass(frozen=True)
class Judging:
    """Settings of the step from values to events.

    `threshold` is written as on the command line (`extreme-value`, `mad=8`, `quantile=0.999`, `12.5`), or a rule
    of `paiad.thresholds`; `alerts_per_week` takes its place. Close stretches (at most `merge_gap` steps between
    them) are one event; those shorter than `least_length` steps are dropped.
    """

    threshold: str | ThresholdRule = DEFAULT_THRESHOLD
    alerts_per_week: float | None = None
    merge_gap: int = MERGE_GAP
    least_length: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.threshold, str):
            rule_of(self.threshold)
        if self.merge_gap < 0 or self.least_length < 1:
            raise SettingError(
                f"merge_gap must be at least 0 and least_length at least 1; got {self.merge_gap} and "
                f"{self.least_length}"
            )

    def judge(
        self, series: Series, detector: Detector | Scorer, normal: NormalPart, unscored: Mask
    ) -> Detection:
        """Fit on what is normal, unless that is done already, score every step, and find the events outside of
        the normal part."""
        if normal.steps == (0, len(series)):
            raise InputError(
                f"all {len(series):,} steps lie in the part taken as normal, and none is left to judge; end it"
                " earlier, or name no normal part: the series is then compared with itself"
            )
        if isinstance(detector, Scorer):
            scorer, receipt = detector, detector.explain(series.values)
        elif normal.alone:
            scorer, receipt = _compared_with_itself(series, detector)
        else:
            scorer, receipt = _scored(series, detector, normal)
        receipt = without_score(receipt, unscored)
        calibration = undisturbed(receipt.score) if normal.alone else scorer.calibration
        return self.find(series, receipt, calibration, normal, scorer.least, scorer.trifles)

    def find(
        self,
        series: Series,
        receipt: Receipt,
        calibration: Scores,
        normal: NormalPart,
        least: float = 0.0,
        trifles: Mapping[str, float] | None = None,
    ) -> Detection:
        """Events in scores that are there already; `calibration` are scores of normal steps, and what is less than
        `least` above them is no event unless the threshold was given as a number. `trifles` are those of a scorer."""
        threshold = threshold_by(self.rule(series), calibration, least)
        searched = receipt.score
        if normal.steps is not None:
            searched[slice(*normal.steps)] = np.nan
        events = find_events(searched, threshold, receipt, series.time, self.merge_gap, self.least_length)
        if trifles:
            limits = {term: share * _interquartile_range(receipt.values) for term, share in trifles.items()}
            events = tuple(event for event in events if not _is_trifle(event, receipt, limits))
        events = tuple(replace(event, beside=_hole_beside(event, series, receipt.score)) for event in events)
        notes = [normal.how, *([f"threshold: {threshold.caveat}"] if threshold.caveat else [])]
        return Detection(series, receipt, threshold, events, normal.steps, tuple(notes))

    def rule(self, series: Series) -> ThresholdRule:
        """The threshold rule for this series; an alert budget needs to know how long a step lasts."""
        if self.alerts_per_week is not None:
            return AlertBudget(self.alerts_per_week, _seconds_per_step(series), merge_gap=self.merge_gap)
        return rule_of(self.threshold, self.merge_gap) if isinstance(self.threshold, str) else self.threshold


def robustly_calibrated(detector: Detector) -> Detector:
    """The recipe calibrating by median and MAD, where it can: the anomalies in the data then weigh little."""
    if is_dataclass(detector) and any(field.name == "calibration" for field in fields(detector)):
        changed: Any = replace(detector, calibration="median")
        return changed
    return detector


def _compared_with_itself(series: Series, detector: Detector) -> tuple[Scorer, Receipt]:
    scorer = robustly_calibrated(detector).fit(series.values)
    return scorer, scorer.explain_training(series.values)


def _scored(series: Series, detector: Detector, normal: NormalPart) -> tuple[Scorer, Receipt]:
    train = normal.values(series)
    scorer = detector.fit(train)
    receipt = scorer.explain(series.values)
    if normal.steps is not None:
        receipt = _with_training(receipt, scorer.explain_training(train), slice(*normal.steps))
    return scorer, receipt


def _with_training(receipt: Receipt, of_training: Receipt, steps: slice) -> Receipt:
    """Training steps are judged by the other training data: matched against themselves they would look too normal."""
    contributions, expected = receipt.contributions.copy(), receipt.expected.copy()
    contributions[:, steps], expected[steps] = of_training.contributions, of_training.expected
    return Receipt(receipt.terms, contributions, expected, receipt.values)


def _interquartile_range(values: Values) -> float:
    low, high = np.nanquantile(values, (0.25, 0.75)) if len(values) else (0.0, 0.0)
    return float(high - low)


def _is_trifle(event: Event, receipt: Receipt, limits: Mapping[str, float]) -> bool:
    """Whether the term that lifted it speaks of how values differ from the expected ones, and none does."""
    limit = limits.get(event.leading or "", 0.0)
    steps = slice(event.start, event.end + 1)
    return limit > 0 and bool((np.abs(receipt.values[steps] - receipt.expected[steps]) <= limit).all())


def _hole_beside(event: Event, series: Series, scores: Scores) -> str | None:
    """What is missing where the event is: its patches reach over it, and may be odd for that reason alone."""
    if series.quality is None:
        return None
    near = slice(max(0, event.start - MERGE_GAP), event.end + MERGE_GAP + 1)
    flags = series.quality[near]
    if ((flags == FILLED) & np.isnan(scores[near])).any():
        return "missing values"
    return "a gap" if (flags == GAP).any() else None


def _seconds_per_step(series: Series) -> float:
    time = series.time
    if time is None or time.dtype.kind != "M" or len(time) < 2:
        raise SettingError(
            "alerts a week need times; name the column that holds them, or choose another threshold"
        )
    return float(np.median(np.diff(time)) / np.timedelta64(1, "s"))
