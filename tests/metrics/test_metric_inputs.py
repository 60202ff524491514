"""Degenerate input: a clear error, or NaN with a reason; never a number that means nothing."""

import math

import numpy as np
import pytest

import paiad.metrics as metrics
from paiad.errors import InputError
from paiad.metrics import NAMES, LabelContext, evaluate, get_metrics

SCORES = np.array([0.1, 0.4, 0.9, 0.2, 0.3, 0.8])
LABELS = np.array([0, 0, 1, 0, 0, 1])


@pytest.mark.parametrize(
    ("scores", "labels", "says"),
    [
        ([0.1, np.nan, 0.3], [0, 1, 0], "finite, got nan at position 1"),
        ([0.1, np.inf, 0.3], [0, 1, 0], "finite, got inf at position 1"),
        ([-np.inf, 0.2, 0.3], [0, 1, 0], "finite, got -inf at position 0"),
        ([0.1, 0.2], [0, 1, 0], "equally long, got 2 and 3"),
        ([0.1, 0.2, 0.3], [0, 2, 0], "0 or 1, got 2 at position 1"),
        ([0.1, 0.2, 0.3], [0, np.nan, 0], "0 or 1, got nan at position 1"),
        ([0.1, 0.2, 0.3], ["0", "1", "0"], "0 or 1, got '0' at position 0 of an array of type <U1"),
        ([0.1, 0.2, 0.3], [0, 1, None], "0 or 1, got None at position 2"),
        ([0.1, 0.2, 0.3], np.array([0, 1, 0], object), "type object; convert it with astype"),
        ([0.1, 0.2, 0.3], [0, 0.5, 0], "0 or 1, got 0.5 at position 1"),
        ([0.1, 0.2, 0.3], np.array([0, 1, 0], complex), "0 or 1, got 0j at position 0"),
        ([0.1, 0.2, 0.3], np.ma.array([0, 1, 0], mask=[0, 0, 1]), "labels are masked at position 2"),
        (np.ma.array([0.1, 0.2, 0.3], mask=[0, 1, 0]), [0, 1, 0], "scores are masked at position 1"),
        ([0.1, None, 0.3], [0, 1, 0], "real numbers of at most 64 bits, got None at position 1"),
        ([[0.1], [0.2, 0.3]], [0, 1], "one-dimensional, got sequences of unequal length"),
        (np.array([0, 1], "datetime64[s]"), [0, 1], "real numbers"),
        (None, [0, 1], "scores must be one-dimensional"),
        ([0.1, 0.2, 0.3], [-1, 1, -1], "0 or 1, got -1 at position 0"),
        ([], [], "empty"),
        ([[0.1], [0.2]], [0, 1], "one-dimensional"),
        ([True, False], [0, 1], "booleans"),
        ([1 + 2j, 0], [0, 1], "real numbers"),
        (["a", "b"], [0, 1], "real numbers"),
        ([1, 2**60, 2], [0, 1, 0], "2\\*\\*53 .*got 1152921504606846976 at position 1"),
        ([1, 2, -(2**63)], [0, 1, 0], "got -9223372036854775808 at position 2"),
        (np.array([0, 2**64 - 1], np.uint64), [0, 1], "2\\*\\*53"),
        ([-1.7e308, 1.7e308], [0, 1], "overflows .*from -1.7e.308 at position 0 to 1.7e.308 at position 1"),
        (np.array([1, 2], np.longdouble), [0, 1], "at most 64 bits"),
    ],
)
def test_bad_input_is_refused_in_one_line(scores, labels, says):
    with pytest.raises(InputError, match=says) as caught:
        evaluate(scores, labels)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("window", [-1, 2.5, "10", True])
def test_a_window_is_a_whole_number(window):
    with pytest.raises(InputError, match="window must be a whole number"):
        evaluate(SCORES, LABELS, window=window)


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(InputError, match="tab has no measure 'PA-F1'"):
        evaluate(SCORES, LABELS, which=["PA-F1"], definition="tab")
    with pytest.raises(InputError, match="definition must be one of"):
        evaluate(SCORES, LABELS, definition="vus")


def test_no_anomaly_leaves_every_measure_without_a_value_and_says_why():
    result = evaluate(SCORES, np.zeros(6))
    assert all(math.isnan(value) for value in result.values())
    assert set(result.reasons) == set(NAMES)
    assert "no point is labelled 1" in result.reasons["VUS-PR"]
    with pytest.raises(InputError, match="no point is labelled 1"):
        get_metrics(SCORES, np.zeros(6))


def test_only_anomalies_leave_what_needs_both_classes_without_a_value():
    result = evaluate(SCORES, np.ones(6))
    assert set(result.reasons) == {"VUS-PR", "VUS-ROC", "AUC-ROC"}
    assert result["AUC-PR"] == 1.0
    assert result["R-based-F1"] == 0.0  # TSB-AD finds no run in labels that are 1 throughout


@pytest.mark.parametrize("definition", ["tab", "vus-2022"])
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_in_the_other_families(definition, label):
    result = evaluate(SCORES, np.full(6, label), definition=definition)
    assert math.isnan(result["VUS-PR"])
    assert set(result.reasons) == {name for name, value in result.items() if math.isnan(value)}


def test_a_constant_score_is_flagged_and_its_affiliation_has_a_reason():
    result = evaluate(np.ones(6), LABELS)
    assert result["AUC-ROC"] == 0.5
    assert result["AUC-PR"] == pytest.approx(2 / 6)
    assert list(result.reasons) == ["Affiliation-F"]
    assert "constant" in result.warnings[0]


def test_heavy_ties_and_a_far_outlier_are_flagged():
    generator = np.random.default_rng(0)
    scores = generator.random(1000)
    labels = np.zeros(1000, int)
    labels[100:120] = labels[500:530] = 1
    assert evaluate(scores, labels).warnings == ()
    assert "heavily tied" in evaluate(np.round(scores, 1), labels).warnings[0]
    assert "outlier" in evaluate(np.where(np.arange(1000) == 7, 1e9, scores), labels).warnings[0]


def test_types_of_scores_and_labels_do_not_matter():
    whole = np.array([3, 40, 90, 20, 30, 80])
    expected = dict(evaluate(whole.astype(float), LABELS))
    for kind in (np.int8, np.uint8, np.uint16, np.int32, np.int64, np.float32, np.float16, ">f8"):
        assert dict(evaluate(whole.astype(kind), LABELS)) == pytest.approx(expected)
    for kind in (bool, np.uint8, np.int8, float, np.float32):
        assert dict(evaluate(whole, LABELS.astype(kind))) == pytest.approx(expected)
    assert dict(evaluate(whole.tolist(), LABELS.tolist())) == pytest.approx(expected)


def test_strided_and_read_only_arrays_are_taken_and_left_alone():
    scores, labels = np.repeat(SCORES, 2)[::2], np.repeat(LABELS, 2)[::2]
    scores.flags.writeable = labels.flags.writeable = False
    before = scores.copy()
    assert dict(evaluate(scores, labels)) == dict(evaluate(SCORES, LABELS))
    assert (scores == before).all()


@pytest.mark.parametrize(
    "scores",
    [
        np.arange(6) * 5e-324,
        np.arange(6) * 1e-310,
        np.arange(1, 7, dtype=np.uint16).view(np.float16),  # subnormal too
        np.arange(6) * 3e307,
        (np.arange(6) * 6e37).astype(np.float32),
    ],
)
def test_the_scale_of_scores_does_not_matter_nor_how_the_caller_treats_underflow(scores):
    labels = [0, 1, 0, 0, 1, 1]
    with np.errstate(all="raise"):
        got = evaluate(scores, labels, window=2)
    expected = evaluate(np.arange(6.0), labels, window=2)
    for name in ("VUS-PR", "VUS-ROC", "AUC-PR", "AUC-ROC", "Standard-F1", "PA-F1", "Event-based-F1"):
        assert got[name] == pytest.approx(expected[name], abs=1e-12)


def test_containers_of_other_libraries():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    expected = dict(evaluate(SCORES, LABELS))
    for library in (pandas, polars):
        assert dict(evaluate(library.Series(SCORES), library.Series(LABELS))) == expected
    shifted = pandas.Series(SCORES, index=range(5, 11))
    assert dict(evaluate(shifted, pandas.Series(LABELS == 1, dtype="boolean"))) == expected
    with pytest.raises(InputError, match="got nan at position 1"):
        evaluate(polars.Series([0.1, None, 0.3]), [0, 1, 0])
    with pytest.raises(InputError, match=r"got .*(nan|NA).* at position 1"):
        evaluate(pandas.Series([1, None, 3], dtype="Int64"), [0, 1, 0])


def test_a_prepared_context_does_not_see_later_changes_of_the_labels():
    labels = LABELS.astype(bool)
    context = LabelContext(labels)
    expected = dict(evaluate(SCORES, context))
    labels[:] = True
    assert dict(evaluate(SCORES, context)) == expected


def test_smallest_series():
    assert dict(evaluate([0.0, 1.0], [0, 1])) == pytest.approx(get_metrics([0.0, 1.0], [0, 1]))
    assert evaluate([1.0, 0.0], [0, 1])["AUC-ROC"] == 0.0


def test_result_says_what_it_was_computed_on():
    result = evaluate(SCORES, LABELS, window=3, which=["Range-F1", "VUS-PR"], train_end=2)
    assert list(result) == ["Event-based-F1", "VUS-PR"]
    assert (result.definition, result.window, result.scope, result.n, result.events) == (
        "tsb-ad",
        3,
        "test",
        4,
        2,
    )
    assert result["Range-F1"] == result["Event-based-F1"]


def test_test_scope_is_the_test_part_alone():
    cut = evaluate(SCORES[2:], LABELS[2:], window=3)
    assert dict(evaluate(SCORES, LABELS, window=3, train_end=2)) == dict(cut)
    context = LabelContext(LABELS, train_end=2)
    assert dict(evaluate(SCORES, context, window=3)) == dict(cut)
    with pytest.raises(InputError, match="train_end"):
        evaluate(SCORES, context, train_end=3)
    with pytest.raises(InputError, match="train_end must be a position"):
        evaluate(SCORES, LABELS, train_end=6)
    with pytest.raises(InputError, match=r"train_end must be a position .*got 2\.5"):
        evaluate(SCORES, LABELS, train_end=2.5)


def test_tab_takes_its_window_from_the_labels():
    labels = np.zeros(60, int)
    labels[3:8] = labels[20:28] = labels[50:58] = 1
    assert evaluate(np.arange(60.0), labels, definition="tab").window == 8
    assert evaluate(np.arange(60.0), labels, definition="tab", window=2).window == 2


def test_each_measure_is_also_a_function():
    expected = evaluate(SCORES, LABELS, window=4)
    functions = {
        "VUS-PR": metrics.vus_pr,
        "VUS-ROC": metrics.vus_roc,
        "AUC-PR": metrics.auc_pr,
        "AUC-ROC": metrics.auc_roc,
        "Point-F1": metrics.point_f1,
        "Range-F1": metrics.event_f1,
        "PA-F1": metrics.pa_f1,
        "R-based-F1": metrics.r_based_f1,
        "Affiliation-F": metrics.affiliation_f,
    }
    for name, function in functions.items():
        arguments = (SCORES, LABELS, 4) if name.startswith("VUS") else (SCORES, LABELS)
        assert function(*arguments) == expected[name]
