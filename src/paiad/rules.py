"""Threshold rules as users write them: `mad`, `mad=8`, `quantile=0.999`, or simply the score to exceed."""

import difflib
import math
from dataclasses import dataclass

from paiad.errors import SettingError
from paiad.extremes import MERGE_GAP
from paiad.normal import NormalScores
from paiad.shapes import Scores
from paiad.thresholds import Conformal, ExtremeValue, Quantile, RobustDeviation, Threshold, ThresholdRule

NAMES = ("extreme-value", "mad", "quantile", "conformal")


@dataclass(frozen=True)
class Given(ThresholdRule):
    """The score itself, as somebody chose it."""

    value: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise SettingError(f"a threshold must be a finite number, got {self.value}")

    def fit(self, calibration: Scores) -> Threshold:
        return Threshold(self.value, "as given", NormalScores.of(calibration))


def rule_of(text: str, merge_gap: int = MERGE_GAP) -> ThresholdRule:
    """The rule meant by a name, a name and its number, or a number alone.

    >>> rule_of("mad=8"), rule_of("12.5")
    (RobustDeviation(deviations=8.0), Given(value=12.5))
    """
    name, equals, number = text.strip().partition("=")
    alone = _number(name)
    if alone is not None and not equals:
        return Given(alone)
    if name not in NAMES:
        close = difflib.get_close_matches(name, NAMES, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise SettingError(
            f"no threshold is called {name!r}{hint}; there are {', '.join(NAMES)}, or a number"
        )
    value = _number(number) if equals else None
    if equals and value is None:
        raise SettingError(f"threshold {text!r}: {number!r} is not a number")
    if name == "extreme-value":
        return ExtremeValue(value, merge_gap)
    by_name = {"mad": RobustDeviation, "quantile": Quantile, "conformal": Conformal}
    rule: type[RobustDeviation] | type[Quantile] | type[Conformal] = by_name[name]  # type: ignore[assignment]
    return rule() if value is None else rule(value)


def threshold_by(rule: ThresholdRule, calibration: Scores, least: float) -> Threshold:
    """The threshold that the rule finds, at least `least` above normal; one that was given as a number stays."""
    threshold = rule.fit(calibration)
    return threshold if isinstance(rule, Given) else threshold.at_least(least)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
