"""What each threshold rule finds, and raises for nothing, on labelled series of TSB-AD-U.

    python benchmarks/events/measure.py FOLDER [--detector pai-raw] [--longest 15000] [--write]

For every series the detector is fitted on its training part, and the rules on its calibration scores; events are
counted on the rest. `--write` puts the table into benchmarks/events/results.md.
"""

import argparse
import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paiad.catalog import DEFAULT, make
from paiad.datasets import tsb_ad
from paiad.events import find_events
from paiad.extremes import MERGE_GAP
from paiad.runs import runs_of
from paiad.series import Series
from paiad.thresholds import Conformal, ExtremeValue, Quantile, RobustDeviation, ThresholdRule

HERE = Path(__file__).parent
RULES: dict[str, ThresholdRule] = {
    "extreme value (default)": ExtremeValue(),
    "quantile 0.999": Quantile(0.999),
    "quantile 0.99": Quantile(0.99),
    "median + 6 MAD": RobustDeviation(6.0),
    "median + 10 MAD": RobustDeviation(10.0),
    "conformal 0.001": Conformal(0.001),
}


@dataclass(frozen=True)
class Count:
    """Events of one rule on one series; one that comes within MERGE_GAP steps of a labelled stretch is true."""

    found: int
    true: int
    labelled: int
    detected: int
    steps: int

    @property
    def f1(self) -> float:
        precision = self.true / self.found if self.found else 0.0
        recall = self.detected / self.labelled
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def counts(series: Series, detector: str) -> dict[str, Count]:
    """One count a rule, on the part after the training part."""
    assert series.train_end is not None
    assert series.labels is not None
    scorer = make(detector).fit(series.train)
    scores, labels = scorer.score(series.values)[series.train_end :], series.labels[series.train_end :]
    labelled = runs_of(labels > 0)
    return {name: count(scores, labelled, rule, scorer.calibration) for name, rule in RULES.items()}


def count(scores: np.ndarray, labelled: np.ndarray, rule: ThresholdRule, calibration: np.ndarray) -> Count:
    events = find_events(scores, rule.fit(calibration))
    starts = np.array([event.start for event in events], dtype=int)[:, None] - MERGE_GAP
    ends = np.array([event.end for event in events], dtype=int)[:, None] + MERGE_GAP
    meets = (starts <= labelled[:, 1]) & (ends >= labelled[:, 0])
    return Count(len(events), int(meets.any(1).sum()), len(labelled), int(meets.any(0).sum()), len(scores))


def rows(found: list[dict[str, Count]]) -> Iterator[str]:
    yield "| rule | stretches found | events that are true | F1 | false events in 10,000 steps | silent series |"
    yield "|---|---|---|---|---|---|"
    for name in RULES:
        all_counts = [one[name] for one in found]
        raised = [one for one in all_counts if one.found]
        recall = np.mean([one.detected / one.labelled for one in all_counts])
        precision = np.mean([one.true / one.found for one in raised]) if raised else np.nan
        false = np.median([(one.found - one.true) / one.steps * 1e4 for one in all_counts])
        f1, silent = np.mean([one.f1 for one in all_counts]), 1 - len(raised) / len(all_counts)
        yield f"| {name} | {recall:.0%} | {precision:.0%} | {f1:.2f} | {false:.1f} | {silent:.0%} |"


def usable(folder: Path, longest: int) -> Iterator[Series]:
    for series in tsb_ad(folder):
        if len(series) <= longest and series.labels is not None and series.labels[series.train_end :].any():
            yield series


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--detector", default=DEFAULT)
    parser.add_argument("--longest", type=int, default=15_000)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    found = [counts(series, chosen.detector) for series in usable(chosen.folder, chosen.longest)]
    what = (
        f"{datetime.date.today()}, {chosen.detector}, {len(found)} series of at most {chosen.longest:,} steps"
    )
    text = "\n".join(["# Threshold rules on TSB-AD-U", "", what, "", *rows(found), ""])
    print(text)
    if chosen.write:
        (HERE / "results.md").write_text(text)
