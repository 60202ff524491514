"""The pretrained detectors with their real weights, below the folder that PAIAD_WEIGHTS names:

PAIAD_WEIGHTS=FOLDER pytest -m weights tests/detectors
"""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from paiad.catalog import make  # noqa: E402
from paiad.contracts import Detector  # noqa: E402
from paiad.metrics import evaluate  # noqa: E402
from paiad.period import dominant_period  # noqa: E402
from paiad.ranks import spearman  # noqa: E402

pytestmark = [
    pytest.mark.weights,
    pytest.mark.skipif("PAIAD_WEIGHTS" not in os.environ, reason="PAIAD_WEIGHTS is not set"),
]
NAMES = ("dada", "lag-llama", "ofa", "moment", "moment-tuned", "timesfm")
# name -> column of the published values, and whether the published run was fitted on the whole series. TimesFM is
# not among them: theirs is version 1.0.
PUBLISHED = {
    "lag-llama": ("Lag-Llama", True),
    "ofa": ("OFA", False),
    "moment": ("MOMENT (ZS)", True),
    "moment-tuned": ("MOMENT (FT)", False),
}
SERIES = 12  # the shortest
MOST_APART, LEAST_CORRELATION = 0.04, 0.7


def ready(name: str, parity: str) -> Detector:
    recipe = make(name, {"parity": parity})
    folder = Path(os.environ["PAIAD_WEIGHTS"]) / Path(recipe.weights).name
    if not folder.is_dir():
        pytest.skip(f"there is no folder {folder}")
    return recipe


@pytest.mark.parametrize("name", NAMES)
def test_a_spike_in_a_wave_stands_out(name: str) -> None:
    noise = np.random.default_rng(3).normal(scale=0.05, size=1000)
    values = np.sin(np.arange(1000) * 2 * np.pi / 24) + noise
    values[850] += 3
    scores = ready(name, "none").fit(values[:600]).score(values)
    assert abs(int(scores[600:].argmax()) + 600 - 850) <= 32  # half of the widest window whose mean is taken
    assert scores[840:861].max() > 3 * np.quantile(scores[600:800], 0.9)


@pytest.mark.parametrize("name", PUBLISHED)
def test_short_series_score_as_published(name: str, shared: Path) -> None:
    column, whole = PUBLISHED[name]
    recipe = ready(name, "published")
    with open(shared / "data" / "published_vus_pr.csv") as file:
        published = {row["file"]: float(row[column]) for row in csv.DictReader(file)}
    paths = sorted((shared / "data" / "TSB-AD-U").glob("*.csv"), key=lambda path: path.stat().st_size)[
        :SERIES
    ]
    ours = np.array([_vus_pr(recipe, path, whole) for path in paths])
    theirs = np.array([published[path.name] for path in paths])
    assert abs((ours - theirs).mean()) <= MOST_APART
    assert spearman(ours, theirs) >= LEAST_CORRELATION


def _vus_pr(recipe: Detector, path: Path, whole: bool) -> float:
    values, labels = np.loadtxt(path, delimiter=",", skiprows=1).T
    train_end = int(path.name.split("_tr_")[1].split("_")[0])
    scores = recipe.fit(values if whole else values[:train_end]).score(values)
    found = evaluate(scores, labels.astype(np.int64), window=dominant_period(values), which=["VUS-PR"])
    return found["VUS-PR"]
