"""How well events lie on labelled stretches when they are cut back to a share of their peak (`paiad.extent`).

    python benchmarks/events/extent.py FOLDER [--detector best] [--longest 9000] [--most 28] [--write]

FOLDER holds series in TSB-AD's layout, of which some are taken at random (the same ones every time). Each is judged
with its training part known, and compared with itself. `--write` puts the table into benchmarks/events/extents.md.
"""

import argparse
import datetime
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from paiad.catalog import DEFAULT, make
from paiad.datasets import read_tsb_ad
from paiad.extent import SHARE, without_slopes
from paiad.extremes import MERGE_GAP
from paiad.judging import Judging
from paiad.normal_part import normal_part
from paiad.runs import Mask, mask_of, runs_of
from paiad.series import Series

HERE = Path(__file__).parent
SHARES = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Judged:
    """What was found of one series, and where its labelled stretches are: in the test part alone."""

    scores: np.ndarray
    threshold: float
    normal: float
    labelled: Mask

    def events(self, share: float) -> np.ndarray:
        runs = runs_of(self.scores > self.threshold, MERGE_GAP)
        if not share or not len(runs):
            return runs
        cut = [without_slopes(self.scores[first : last + 1], self.normal, share) for first, last in runs]
        return runs[:, :1] + np.array(cut)


def judged(series: Series, alone: bool, detector: str) -> Judged:
    """Known training part, or `alone` for the series compared with itself."""
    begin = series.train_end or 0
    asked = replace(series, train_end=None) if alone else series
    one = Judging().judge(asked, make(detector), normal_part(asked), np.zeros(len(series), dtype=bool))
    scores, labelled = one.scores.copy(), np.asarray(series.labels) > 0
    scores[:begin], labelled[:begin] = -np.inf, False
    return Judged(scores, one.threshold.value, one.threshold.normal.median, labelled)


def overlaps(one: Judged, share: float) -> Iterator[tuple[float, float]]:
    """Of every labelled stretch that was found: intersection over union with the event that fits it best, and how
    many times as long as it the events near it are."""
    events = one.events(share)
    for first, last in runs_of(one.labelled):
        near = events[(events[:, 0] <= last + MERGE_GAP) & (events[:, 1] >= first - MERGE_GAP)]
        if len(near):
            both = np.minimum(near[:, 1], last) - np.maximum(near[:, 0], first) + 1
            either = np.maximum(near[:, 1], last) - np.minimum(near[:, 0], first) + 1
            length = (near[:, 1] - near[:, 0] + 1).sum() / (last - first + 1)
            yield float(max(0.0, (both / either).max())), float(length)


def row(share: float, known: list[Judged], alone: list[Judged]) -> str:
    cells = [f"{share:g}" + (" (used)" if share == SHARE else "")]
    for found in (known, alone):
        pairs = np.array([pair for one in found for pair in overlaps(one, share)])
        masks = [(mask_of(one.events(share), len(one.scores)), one.labelled) for one in found]
        precision = np.mean([(mask & true).sum() / mask.sum() for mask, true in masks if mask.any()])
        recall = np.mean([(mask & true).sum() / true.sum() for mask, true in masks])
        cells += [
            f"{pairs[:, 0].mean():.3f}",
            f"{np.median(pairs[:, 1]):.2f}",
            f"{2 * precision * recall / (precision + recall):.3f}",
        ]
    return "| " + " | ".join(cells) + " |"


def chosen_of(folder: Path, longest: int, most: int) -> Iterator[Series]:
    paths = sorted(folder.glob("*.csv"))
    random.Random(3).shuffle(paths)
    for path in paths:
        series = read_tsb_ad(path)
        if len(series) <= longest and np.any(np.asarray(series.labels)[series.train_end or 0 :]):
            yield series
            most -= 1
            if not most:
                return


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--detector", default=DEFAULT)
    parser.add_argument("--longest", type=int, default=9_000)
    parser.add_argument("--most", type=int, default=28)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    series = list(chosen_of(given.folder, given.longest, given.most))
    known, alone = ([judged(one, how, given.detector) for one in series] for how in (False, True))
    head = (
        f"{datetime.date.today()}, {given.detector}, {len(series)} series of at most {given.longest:,} steps; overlap"
        " is intersection over union with the labelled stretch, length that of the events in its lengths, F1 of steps"
    )
    text = "\n".join(
        [
            "# Where events end",
            "",
            head,
            "",
            "| share of the peak | overlap, training known | length | F1 | overlap, with itself | length | F1 |",
            "|---|---|---|---|---|---|---|",
            *(row(share, known, alone) for share in SHARES),
            "",
        ]
    )
    print(text)
    if given.write:
        (HERE / "extents.md").write_text(text)


if __name__ == "__main__":
    main()
