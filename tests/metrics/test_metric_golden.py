"""Values of independent implementations: TSB-AD 1.5, and dtaianomaly's compatibility mode for VUS of 2022."""

import json
from pathlib import Path

import numpy as np
import pytest

import naive_metrics as naive
from paiad.errors import InputError
from paiad.metrics import evaluate, get_metrics
from paiad.metrics.vus import threshold_ranks
from paiad.period import dominant_period, paper_period

FOLDER = Path(__file__).parent / "golden"
TOLERANCE = 1e-12


@pytest.mark.parametrize("family", ["tsb-ad", "vus-2022"])
def test_golden_values(family):
    inputs = np.load(FOLDER / "inputs.npz")
    rows = json.loads((FOLDER / f"{family}.json").read_text())
    assert len(rows) == 48
    for row in rows:
        scores, labels = inputs[f"{row['case']}_scores"], inputs[f"{row['case']}_labels"]
        got = evaluate(scores, labels, row["window"], row["measures"], definition=family)
        assert dict(got) == pytest.approx(row["measures"], abs=TOLERANCE, nan_ok=True), row


def test_periods_as_tsb_ad_finds_them():
    series = np.load(FOLDER / "periods.npz")
    periods = json.loads((FOLDER / "periods.json").read_text())
    assert {name: dominant_period(series[name]) for name in series.files} == periods
    assert len(set(periods.values())) > 15


def test_shared_golden_values(shared):
    folder = shared / "golden" / "metrics"
    arrays = np.load(folder / "golden_dev.npz")
    for case in json.loads((folder / "golden_dev.json").read_text())["cases"]:
        scores, labels = arrays[case["id"] + "__score"], arrays[case["id"] + "__label"]
        if case["id"].startswith("err"):
            with pytest.raises(InputError):
                get_metrics(scores, labels, slidingWindow=case["window"])
            if labels.all():  # what needs one class alone has its value all the same
                known = {name: value for name, value in case["metrics"].items() if isinstance(value, float)}
                assert len(known) == 6
                assert dict(evaluate(scores, labels, which=known)) == pytest.approx(known, abs=TOLERANCE)
            continue
        expected = {name: float(value) for name, value in case["metrics"].items()}
        got = get_metrics(scores, labels, slidingWindow=case["window"])
        assert got == pytest.approx(expected, abs=TOLERANCE, nan_ok=True), case["name"]


def test_shared_curves_of_every_window(shared):
    from paiad.metrics.labels import LabelContext
    from paiad.metrics.ranked import RankedScores

    folder = shared / "golden" / "metrics"
    arrays = np.load(folder / "golden_dev.npz")
    compared = 0
    for case in json.loads((folder / "golden_dev.json").read_text())["cases"]:
        if "by_window" not in case or case["id"].startswith("err"):
            continue
        context = LabelContext(arrays[case["id"] + "__label"])
        areas = RankedScores(context, arrays[case["id"] + "__score"]).tsb_ad_areas(case["window"])
        assert areas.precision_recall == pytest.approx(np.array(case["by_window"]["ap"]), abs=TOLERANCE)
        assert areas.roc == pytest.approx(np.array(case["by_window"]["auc"]), abs=TOLERANCE)
        compared += 1
    assert compared > 30


@pytest.mark.parametrize(("period", "field"), [(dominant_period, "head"), (paper_period, "pai")])
def test_shared_periods(shared, period, field):
    folder = shared / "golden" / "metrics"
    arrays = np.load(folder / "windows_dev.npz")
    for case in json.loads((folder / "windows_dev.json").read_text())["cases"]:
        assert period(arrays[case["id"]]) == case[field], case["name"]


def test_narrow_floats_meet_thresholds_rounded_to_their_own_type():
    """A level that is also a threshold: predicted or not is decided by the last bit."""
    levels = (np.arange(100) / np.float32(99)).astype(np.float32)
    thresholds = np.linspace(0.0, 1.0, 100)
    rounded_apart = levels.astype(float) > thresholds.astype(np.float32).astype(float)
    as_float64 = levels.astype(float) > thresholds
    assert rounded_apart.sum() != as_float64.sum()  # otherwise this test shows nothing
    labels = np.zeros(100, int)
    labels[[20, 21, 22, 60, 61, 90]] = 1
    shuffled = np.random.default_rng(4).permutation(levels)
    got = get_metrics(shuffled, labels)
    assert got["PA-F1"] == pytest.approx(naive.best(naive.pa_f1, shuffled, labels), abs=TOLERANCE)
    assert got["Affiliation-F"] == pytest.approx(
        naive.best(naive.affiliation_f, shuffled, labels), abs=TOLERANCE
    )


def test_ranks_of_the_thresholds_are_truncated_floats():
    """Floats fall short of two whole ranks at n = 22, where the integer quotient does not."""
    whole = np.arange(250) * 21 // 249
    assert np.flatnonzero(threshold_ranks(22) != whole).tolist() == [83, 166]
    for length in (1, 2, 249, 250, 251, 1000, 123_457):
        step = (length - 1) / 249
        assert threshold_ranks(length).tolist() == [*(int(j * step) for j in range(249)), length - 1]
