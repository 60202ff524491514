"""What it costs not to say what is normal: the same series judged with their normal part and compared with themselves.

    python benchmarks/detect/modes.py FOLDER [--most 15000] [--half split.csv:confirm]

FOLDER holds series in TSB-AD's layout. Three ways: `train` learns from the normal part, `all` is the series compared
with itself, `calm` the normal part alone, compared with itself, where every event is a false one. Events count as
found when they come within 16 steps of a labelled one; VUS-PR is that of the scores of the test part.
"""

import argparse
import csv
import platform
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np

from paiad.catalog import DEFAULT, make
from paiad.datasets import read_tsb_ad
from paiad.detection import Detection
from paiad.judging import DEFAULT_THRESHOLD, Judging
from paiad.metrics import evaluate
from paiad.normal_part import normal_part
from paiad.period import dominant_period
from paiad.runs import runs_of
from paiad.series import Series

SLACK = 16


def judged(series: Series, judging: Judging, detector: str) -> Detection:
    part = normal_part(series)
    return judging.judge(series, make(detector), part, np.zeros(len(series), dtype=bool))


def found_of(one: Detection, series: Series) -> tuple[float, float, float, float]:
    """Recall and precision of events in the test part, how many there are, and VUS-PR there."""
    begin = series.train_end or 0
    labelled = [run for run in runs_of(np.asarray(series.labels) > 0).tolist() if run[1] >= begin]
    events = [(event.start, event.end) for event in one.events if event.end >= begin]
    near = lambda a, b: a[0] <= b[1] + SLACK and a[1] >= b[0] - SLACK  # noqa: E731
    recall = float(np.mean([any(near(event, run) for event in events) for run in labelled]))
    precision = (
        float(np.mean([any(near(event, run) for run in labelled) for event in events])) if events else 0.0
    )
    window = dominant_period(series.values[begin:])
    surface = evaluate(one.scores, series.labels, window=window, which=["VUS-PR"], train_end=begin)["VUS-PR"]
    return recall, precision, float(len(events)), surface


def chosen(folder: Path, most: int, half: str | None) -> list[Series]:
    names = None
    if half is not None:
        table, _, wanted = half.rpartition(":")
        with open(table, encoding="utf-8") as file:
            names = {row["file"] for row in csv.DictReader(file) if row["half"] == wanted}
    series = []
    for path in sorted(folder.glob("*.csv")):
        if names is not None and path.stem not in names:
            continue
        one = read_tsb_ad(path)
        if len(one) <= most and one.labels is not None and one.labels[one.train_end :].any():
            series.append(one)
    return series


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=15_000, help="longest series taken")
    parser.add_argument("--half", help="FILE.csv:NAME, a table with the columns file and half")
    parser.add_argument("--detector", default=DEFAULT)
    parser.add_argument("--threshold", default=DEFAULT_THRESHOLD)
    given = parser.parse_args()
    series = chosen(given.folder, given.most, given.half)
    judging = Judging(given.threshold)
    rows: dict[str, list[tuple[float, ...]]] = {"train": [], "all": []}
    false_events = []
    for one in series:
        alone = replace(one, train_end=None)
        rows["train"].append(found_of(judged(one, judging, given.detector), one))
        rows["all"].append(found_of(judged(alone, judging, given.detector), one))
        calm = Series(one.name, one.train)
        false_events.append(len(judged(calm, judging, given.detector).events))
    print(f"{date.today()}, {platform.machine()}, {given.detector}, {given.threshold}, {len(series)} series")
    print(
        "| what is normal | events found | of those told, right | events told | VUS-PR |\n|---|---|---|---|---|"
    )
    for way, said in (("train", "the training part"), ("all", "nothing is known")):
        recall, precision, count, surface = np.mean(rows[way], axis=0)
        print(f"| {said} | {recall:.0%} | {precision:.0%} | {count:.1f} | {surface:.3f} |")
    print(f"normal parts alone, compared with themselves: {np.mean(false_events):.2f} events a series")


if __name__ == "__main__":
    main()
