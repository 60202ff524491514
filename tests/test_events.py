"""Masks, runs and events: against slow twins, both ways, and what an event tells."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive_events
from paiad.errors import InputError
from paiad.events import events_mask, find_events, mask_events
from paiad.extent import without_slopes
from paiad.receipt import Receipt
from paiad.runs import mask_of, run_counts, runs_of
from paiad.thresholds import ExtremeValue

masks = arrays(bool, st.integers(0, 40))
tied_scores = arrays(np.float64, st.integers(1, 40), elements=st.integers(0, 6).map(float))


@given(masks, st.integers(0, 5), st.integers(1, 4))
def test_runs_equal_their_slow_twin(mask, merge_gap, least_length):
    assert runs_of(mask, merge_gap, least_length).tolist() == naive_events.runs(mask, merge_gap, least_length)


@given(masks)
def test_a_mask_comes_back_from_its_runs(mask):
    np.testing.assert_array_equal(mask_of(runs_of(mask), len(mask)), mask)


@given(tied_scores, st.integers(0, 5))
def test_run_counts_equal_their_slow_twin(scores, merge_gap):
    levels, counts = run_counts(scores, merge_gap)
    expected_levels, expected_counts = naive_events.run_counts(scores, merge_gap)
    assert levels.tolist() == expected_levels
    assert counts.tolist() == expected_counts


@given(masks)
def test_a_mask_comes_back_from_its_events(mask):
    np.testing.assert_array_equal(events_mask(mask_events(mask), len(mask)), mask)


def test_an_event_tells_where_how_severe_and_why():
    rng = np.random.default_rng(0)
    threshold = ExtremeValue().fit(rng.exponential(size=4000))
    values = np.zeros(200)
    values[100:104] = -7.0
    contributions = np.zeros((2, 200))
    contributions[:, 100:104] = [[1, 1, 2, 1], [40, 50, 60, 40]]
    receipt = Receipt(("shape", "magG"), contributions, np.zeros(200), values)
    time = np.datetime64("2026-01-01T00:00") + np.arange(200) * np.timedelta64(1, "m")

    (event,) = find_events(receipt.score, threshold, receipt, time)

    assert (event.start, event.end, event.peak, event.length) == (100, 103, 102, 4)
    assert event.score == 62 == sum(part for _, part in event.terms)
    assert event.leading == "magG"
    assert (event.direction, event.value, event.expected) == ("below", -7.0, 0.0)
    assert event.severity > 3
    assert event.return_period > 100_000
    row = json.loads(json.dumps(event.as_dict()))
    assert row["start_time"] == "2026-01-01T01:40"
    assert row["terms"] == {"magG": 60.0, "shape": 2.0}


def test_close_events_merge_and_short_ones_are_dropped():
    scores = np.zeros(60)
    scores[[10, 14, 30, 50]] = 5.0
    spans = lambda **rule: [(e.start, e.end) for e in find_events(scores, 1.0, **rule)]  # noqa: E731
    assert spans(merge_gap=2) == [(10, 10), (14, 14), (30, 30), (50, 50)]
    assert spans(merge_gap=3) == [(10, 14), (30, 30), (50, 50)]
    assert spans(merge_gap=3, least_length=2) == [(10, 14)]


def test_slopes_are_no_part_of_an_event_where_normal_is_known():
    """A spike that wide patches see from afar lifts many steps; the event is the spike."""
    threshold = ExtremeValue().fit(np.random.default_rng(0).exponential(size=4000))
    distance = np.abs(np.arange(600) - 300)
    scores = np.where(distance < 150, threshold.value + 20 - distance / 10, 0.0)
    scores[298:303] += 60
    (event,) = find_events(scores, threshold)
    assert (event.start, event.end) == (298, 302)
    (whole,) = find_events(scores, threshold.value)
    assert (whole.start, whole.end) == (151, 449)
    assert not find_events(scores, threshold, least_length=6)


@given(arrays(np.float64, st.integers(1, 30), elements=st.integers(0, 9).map(float)))
def test_an_extent_equals_its_slow_twin(scores):
    start, end = without_slopes(scores, normal=0.5)
    assert start <= scores.argmax() <= end
    assert (start, end) == naive_events.extent(scores, 0.5)


def test_unjudged_steps_inside_a_stretch_do_not_hide_its_second_half():
    scores = np.array([3.0, 9.0, 8.0, np.nan, np.nan, 3.0, 2.0])
    assert without_slopes(scores, normal=0.0) == (1, 6)


def test_an_event_above_constant_scores_is_plain_json():
    (event,) = find_events(np.array([0.0, 3.0, 0.0]), ExtremeValue().fit(np.zeros(50)))
    assert event.severity == np.inf
    assert json.loads(json.dumps(event.as_dict(), allow_nan=False))["severity"] is None


def test_nothing_above_the_threshold_is_no_event():
    assert find_events(np.zeros(10), 1.0) == ()
    assert not events_mask((), 10).any()


def test_rows_that_do_not_match_are_refused():
    with pytest.raises(InputError, match="time must have 10 rows as the scores do, got 3"):
        find_events(np.zeros(10), 1.0, time=np.arange(3))
