"""What each way to say what is normal costs: the same series judged in every one of them.

    python benchmarks/detect/modes.py FOLDER [--most 15000] [--half split.csv:confirm] [--write]

FOLDER holds series in TSB-AD's layout. `--train-until` learns from the training part; `--train-file` from the same
values in a file of their own, with the test part alone to judge; `--label-column` from the longest stretch without a
label, wherever it lies; with none of them the series is compared with itself. The training part alone, compared with
itself, shows how many events are raised for nothing. Events count as found when they come within 16 steps of a
labelled one; VUS-PR is that of the scores of the test part. `--write` puts the table into benchmarks/detect/modes.md.
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
from paiad.normal_part import NormalPart, normal_part
from paiad.period import dominant_period
from paiad.runs import runs_of
from paiad.series import Series

HERE = Path(__file__).parent
SLACK = 16


def ways(series: Series) -> dict[str, tuple[Series, NormalPart]]:
    """For each way, the series that is judged and what is known to be normal."""
    begin = series.train_end or 0
    bare = replace(series, train_end=None)
    assert series.labels is not None
    test = Series(series.name, series.values[begin:], labels=series.labels[begin:])
    return {
        "`--train-until`": (series, normal_part(series)),
        "`--train-file`": (test, NormalPart("from a file", other=series.train)),
        "`--label-column`": (bare, normal_part(bare, by_labels=True)),
        "nothing is known": (bare, normal_part(bare)),
    }


def judged(series: Series, part: NormalPart, judging: Judging, detector: str) -> Detection:
    return judging.judge(series, make(detector), part, np.zeros(len(series), dtype=bool))


def found_of(one: Detection, begin: int) -> tuple[float, float, float, float]:
    """Recall and precision of events in the test part, how many there are, and VUS-PR there."""
    series = one.series
    assert series.labels is not None
    labelled = [run for run in runs_of(np.asarray(series.labels) > 0).tolist() if run[1] >= begin]
    events = [(event.start, event.end) for event in one.events if event.end >= begin]
    near = lambda a, b: a[0] <= b[1] + SLACK and a[1] >= b[0] - SLACK  # noqa: E731
    recall = float(np.mean([any(near(event, run) for event in events) for run in labelled]))
    precision = (
        float(np.mean([any(near(event, run) for run in labelled) for event in events])) if events else 0.0
    )
    window = dominant_period(series.values[begin:])
    surface = evaluate(one.scores[begin:], series.labels[begin:], window=window, which=["VUS-PR"])["VUS-PR"]
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
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    series = chosen(given.folder, given.most, given.half)
    judging = Judging(given.threshold)
    rows: dict[str, list[tuple[float, ...]]] = {}
    false_events = []
    for one in series:
        for way, (asked, part) in ways(one).items():
            begin = (one.train_end or 0) - (len(one) - len(asked))
            found = judged(asked, part, judging, given.detector)
            rows.setdefault(way, []).append(found_of(found, begin))
        calm = Series(one.name, one.train)
        false_events.append(len(judged(calm, normal_part(calm), judging, given.detector).events))
    lines = [
        "# What each way to say what is normal costs",
        "",
        f"{date.today()}, {platform.machine()}, {given.detector}, {given.threshold}, {len(series)} series of at most "
        f"{given.most:,} steps; means over series",
        "",
        "| what is normal | stretches found | events that are true | events told | VUS-PR |",
        "|---|---|---|---|---|",
    ]
    for way, found_in in rows.items():
        recall, precision, count, surface = np.mean(found_in, axis=0)
        lines.append(f"| {way} | {recall:.0%} | {precision:.0%} | {count:.1f} | {surface:.3f} |")
    lines += [
        "",
        f"Training parts alone, compared with themselves: {np.mean(false_events):.2f} events a series.",
        "",
    ]
    text = "\n".join(lines)
    print(text)
    if given.write:
        (HERE / "modes.md").write_text(text)


if __name__ == "__main__":
    main()
