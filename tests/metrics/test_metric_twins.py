"""Every fast measure against its slow twin, on inputs hypothesis looks for."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_metrics as naive
from paiad.metrics import LabelContext, evaluate

TOLERANCE = 1e-12


@st.composite
def cases(draw, longest=60):
    """Labels of both classes, scores with or without ties, of every type that may come."""
    length = draw(st.integers(2, longest))
    labels = np.array(draw(st.lists(st.sampled_from([0, 0, 0, 1]), min_size=length, max_size=length)))
    position = draw(st.integers(0, length - 1))
    labels[position] = 1
    labels[(position + draw(st.integers(1, length - 1))) % length] = 0
    kind = draw(
        st.sampled_from(
            [
                "float64",
                "float32",
                "float16",
                "int64",
                "uint8",
                "few",
                "grid16",
                "grid32",
                "huge",
                "subnormal",
            ]
        )
    )
    seed = draw(st.integers(0, 2**32 - 1))
    return scores_of(kind, length, seed), labels


def scores_of(kind, length, seed):
    noise = np.random.default_rng(seed).normal(size=length)
    if kind == "few":
        return np.round(noise)
    if kind in ("grid16", "grid32"):
        return (np.round(noise * 33) / 99).astype(f"float{kind[-2:]}")
    if kind == "huge":
        return noise * 1e307
    if kind == "subnormal":
        return np.round(noise * 30) * 5e-324
    if kind in ("int64", "uint8"):
        return np.round(noise * 5 + 30).astype(kind)
    return noise.astype(kind)


def agree(got, expected):
    return (math.isnan(got) and math.isnan(expected)) or abs(got - expected) <= TOLERANCE


@given(cases(longest=40), st.integers(0, 30))
@settings(max_examples=30)
def test_volumes(case, window):
    scores, labels = case
    got = evaluate(scores, labels, window, ["VUS-PR", "VUS-ROC"])
    assert list(got.values()) == pytest.approx(naive.tsb_ad_volumes(scores, labels, window), abs=TOLERANCE)


@given(cases(longest=40), st.integers(0, 30))
@settings(max_examples=30)
def test_volumes_of_2022(case, window):
    scores, labels = case
    names = ["VUS-PR", "VUS-ROC", "R-AUC-PR", "R-AUC-ROC"]
    got = evaluate(scores, labels, window, names, definition="vus-2022")
    assert list(got.values()) == pytest.approx(naive.vldb_2022_volumes(scores, labels, window), abs=TOLERANCE)


@given(cases(), st.integers(0, 20))
@settings(max_examples=30)
def test_tab_averages_to_twice_the_window_of_its_single_curve(case, window):
    scores, labels = case
    got = evaluate(scores, labels, window, definition="tab")
    twice = evaluate(scores, labels, 2 * window, definition="vus-2022")
    once = evaluate(scores, labels, window, definition="vus-2022")
    assert (got["VUS-PR"], got["VUS-ROC"]) == (twice["VUS-PR"], twice["VUS-ROC"])
    assert got["R-AUC-PR"] == pytest.approx(once["R-AUC-PR"], abs=TOLERANCE)
    assert got["R-AUC-ROC"] == pytest.approx(once["R-AUC-ROC"], abs=TOLERANCE)


@pytest.mark.parametrize(
    ("name", "twin"),
    [("AUC-ROC", naive.auc_roc), ("AUC-PR", naive.auc_pr), ("Standard-F1", naive.point_f1)],
)
@given(case=cases())
def test_ranking(name, twin, case):
    scores, labels = case
    assert evaluate(scores, labels, which=name)[name] == pytest.approx(twin(scores, labels), abs=TOLERANCE)


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("PA-F1", naive.pa_f1),
        ("Event-based-F1", naive.event_f1),
        ("R-based-F1", naive.r_based_f1),
        ("Affiliation-F", naive.affiliation_f),
    ],
)
@given(case=cases())
def test_linear_thresholds(name, twin, case):
    scores, labels = case
    assert agree(evaluate(scores, labels, which=name)[name], naive.best(twin, scores, labels))


@given(cases(), st.integers(0, 30))
@settings(max_examples=30)
def test_a_reused_context_changes_nothing(case, window):
    scores, labels = case
    context = LabelContext(labels)
    evaluate(scores[::-1], context, window=3)
    evaluate(scores[::-1], context, window=window)
    assert dict(evaluate(scores, context, window)) == pytest.approx(
        dict(evaluate(scores, labels, window)), nan_ok=True
    )


@pytest.mark.parametrize(
    "kind", ["every eleventh point", "two borders", "gaps of 1 to 40", "one point short of all"]
)
def test_hard_labels(kind):
    """Buffers that overlap several deep, wider than gaps, and cut by the ends of the series."""
    labels = np.zeros(420, np.int64)
    if kind == "every eleventh point":
        labels[::11] = 1
    elif kind == "two borders":
        labels[:4] = labels[-1:] = 1
    elif kind == "gaps of 1 to 40":
        labels[np.cumsum(np.arange(1, 29))] = 1
    else:
        labels[:] = 1
        labels[200] = 0
    scores = np.convolve(np.random.default_rng(5).normal(size=420), np.ones(6), "same") + labels
    got = evaluate(scores, labels, 90)
    assert (got["VUS-PR"], got["VUS-ROC"]) == pytest.approx(
        naive.tsb_ad_volumes(scores, labels, 90), abs=TOLERANCE
    )
    for name, twin in (("R-based-F1", naive.r_based_f1), ("Affiliation-F", naive.affiliation_f)):
        assert got[name] == pytest.approx(naive.best(twin, scores, labels), abs=TOLERANCE)
