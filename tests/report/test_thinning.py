"""What a report keeps of a long series: every extreme, sums that are sums, and all of what is near an event."""

import base64

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paiad.detection import Detection
from paiad.events import Event
from paiad.receipt import Receipt
from paiad.report.packing import as_axis, packed, packed_positions
from paiad.report.thinning import MARGIN, mark_starts, marks_of
from paiad.series import Series
from paiad.thresholds import RobustDeviation


def detection(length: int, seed: int, events: list[int], holes: float) -> Detection:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=length)
    terms = rng.normal(size=(3, length))
    terms[:, rng.random(length) < holes] = np.nan
    receipt = Receipt(("a", "b", "c"), terms, rng.normal(size=length), values)
    found = tuple(Event(at, at, at, 1.0) for at in events)
    return Detection(Series("x", values), receipt, RobustDeviation().fit(rng.normal(size=50)), found)


@given(
    length=st.integers(1, 6000),
    most=st.integers(20, 3000),
    seed=st.integers(0, 1000),
    holes=st.sampled_from([0.0, 0.1, 0.97]),
    at=st.floats(0, 0.999),
)
def test_marks_keep_extremes_and_sums(length: int, most: int, seed: int, holes: float, at: float) -> None:
    one = detection(length, seed, [int(at * length)], holes)
    marks = marks_of(one, most)
    assert marks.first[0] == 0
    assert marks.first[-1] == length
    assert (np.diff(marks.first) > 0).all()
    for i, (begin, end) in enumerate(zip(marks.first[:-1], marks.first[1:], strict=True)):
        values, scores = one.series.values[begin:end], one.scores[begin:end]
        assert (marks.low[i], marks.high[i]) == (values.min(), values.max())
        known = scores[~np.isnan(scores)]
        if not len(known):
            assert np.isnan(marks.score_high[i])
            continue
        assert (marks.score_low[i], marks.score_high[i]) == (known.min(), known.max())
        assert (
            marks.score_high[i] == Receipt(("a", "b", "c"), marks.terms, marks.expected, marks.low).score[i]
        )


def test_steps_around_an_event_are_kept_one_by_one_and_the_rest_is_thinned() -> None:
    starts = mark_starts(1_000_000, [(500_000, 500_010)], most=20_000)
    assert len(starts) < 22_000
    near = np.arange(500_000 - MARGIN, 500_010 + MARGIN + 1)
    assert np.isin(near, starts).all()


def test_too_many_events_do_not_use_up_all_marks() -> None:
    events = [(at, at) for at in range(0, 1_000_000, 500)]
    starts = mark_starts(1_000_000, events, most=20_000)
    assert len(starts) < 32_000
    assert np.diff(starts).max() <= 120


@given(
    values=st.lists(
        st.floats(-1e308, 1e308) | st.just(float("nan")) | st.floats(1e9, 1e9 + 1), min_size=1, max_size=50
    )
)
def test_packed_values_come_back_as_near_as_32_bits_allow(values: list[float]) -> None:
    given_values = np.array(values)
    content = packed(given_values)
    if "constant" in content:
        back = np.full(content["length"], np.nan if content["constant"] is None else content["constant"])
    else:
        small = np.frombuffer(base64.b64decode(content["data"]), "<f4").astype(float)
        back = content["offset"] + content["scale"] * small
    finite = np.isfinite(given_values)
    np.testing.assert_array_equal(np.isnan(back), ~finite)
    if finite.any():
        spread = np.ptp(given_values[finite] / 4) * 4
        error = np.abs(back[finite] / 4 - given_values[finite] / 4)
        assert (error <= spread * 1e-7 + np.abs(given_values[finite]) * 1e-15).all()


def test_even_times_take_no_room_and_odd_ones_are_exact() -> None:
    even = np.datetime64("2026-01-01T00:00:00.000000000") + np.arange(5000) * np.timedelta64(250, "ms")
    kind, position = as_axis(even, len(even))
    assert kind == "date"
    assert set(packed_positions(position)) == {"start", "step", "length"}
    position[17] += 100
    exact = np.frombuffer(base64.b64decode(packed_positions(position)["exact"]), "<f8")
    np.testing.assert_array_equal(exact, position)
