"""Missing and infinite values: filled by the chosen rule, flagged, and without a score where the run is long."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiad import quality
from paiad.missing import LONGEST_SCORED, fill, unscored
from paiad.reading import read


def with_holes(values: np.ndarray, *holes: slice) -> np.ndarray:
    values = values.astype(float)
    for hole in holes:
        values[hole] = np.nan
    return values


def test_interpolation_follows_time_not_rows() -> None:
    table = read({"time": [0, 1, 4, 5], "v": [0.0, np.nan, 8.0, 9.0]}, time="time")
    np.testing.assert_array_equal(table.series[0].values, [0.0, 2.0, 8.0, 9.0])
    held = read({"time": [0, 1, 4, 5], "v": [0.0, np.nan, 8.0, 9.0]}, time="time", missing="previous")
    np.testing.assert_array_equal(held.series[0].values, [0.0, 0.0, 8.0, 9.0])


def test_the_previous_value_never_looks_ahead() -> None:
    values = with_holes(np.arange(30.0), slice(5, 9), slice(20, 28))
    whole = read(values, missing="previous").series[0].values
    for end in range(10, 30):
        np.testing.assert_array_equal(read(values[:end], missing="previous").series[0].values, whole[:end])


def test_short_runs_are_scored_and_long_ones_are_not() -> None:
    short, long = slice(10, 10 + LONGEST_SCORED), slice(40, 40 + LONGEST_SCORED + 1)
    table = read(with_holes(np.sin(np.arange(100)), short, long))
    assert np.isfinite(table.series[0].values).all()
    rows = table.with_columns({"value": {"score": np.arange(100.0), "flagged": np.ones(100, dtype=bool)}})
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(rows["score"])), np.arange(100)[long])
    np.testing.assert_array_equal(
        np.flatnonzero(rows["quality"] == "filled"), np.r_[np.arange(100)[short], np.arange(100)[long]]
    )
    (note,) = [note for note in table.notes if note.kind == "filled"]
    assert note.count == 2 * LONGEST_SCORED + 1
    assert f"{LONGEST_SCORED + 1} of them" in note.text


def test_infinite_values_are_missing_values_and_told_apart() -> None:
    table = read([1.0, np.inf, 3.0, -np.inf, 5.0])
    np.testing.assert_array_equal(table.series[0].values, [1.0, 2.0, 3.0, 4.0, 5.0])
    assert any("2 of them infinite" in str(note) for note in table.notes)


def test_infinite_values_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("value\n1\ninf\n3\n-Infinity\n5\n")
    np.testing.assert_array_equal(read(path).series[0].values, [1.0, 2.0, 3.0, 4.0, 5.0])


def test_large_but_measurable_values_stay() -> None:
    np.testing.assert_array_equal(read([1.0, 1e99, 2.0]).series[0].values, [1.0, 1e99, 2.0])


def test_one_bad_series_does_not_stop_the_others() -> None:
    data = {"good": [1.0, 2.0, 4.0], "flat": [7.0, 7.0, np.nan], "gone": [np.nan] * 3, "also": [3, 1, 2]}
    table = read(data)
    assert [series.name for series in table.series] == ["good", "also"]
    dropped = {note.series: note.text for note in table.notes if note.kind == "dropped" and note.series}
    assert "constant" in dropped["flat"]
    rows = table.with_columns({"good": {"score": np.arange(3.0)}, "also": {"score": np.arange(3.0)}})
    assert rows["good_quality"].tolist() == ["ok", "ok", "ok"]
    assert rows["flat_quality"].tolist() == ["constant", "constant", "filled"]
    assert "flat_score" not in rows


def test_series_left_out_of_a_long_table_have_flags_and_no_score() -> None:
    data = {
        "unique_id": ["a"] * 4 + ["b"] * 4 + ["c"],
        "y": [1.0, 2.0, 3.0, 5.0, 7.0, 7.0, 7.0, 7.0, 1.0],
    }
    table = read(data)
    assert [series.name for series in table.series] == ["a"]
    rows = table.with_columns({"a": {"score": np.arange(4.0)}})
    np.testing.assert_array_equal(rows["score"], [0, 1, 2, 3, *[np.nan] * 5])
    assert rows["quality"].tolist() == ["ok"] * 4 + ["constant"] * 5


def test_codes_given_by_others_are_merged_into_the_flags() -> None:
    codes = np.full(4, quality.WARMING_UP, dtype=np.uint8)
    rows = read([1.0, np.nan, 2.0, 3.0]).with_columns({"value": {"quality": codes}})
    assert rows["quality"].tolist() == ["warming_up", "filled", "warming_up", "warming_up"]


@given(
    st.lists(st.one_of(st.none(), st.floats(-5, 5)), min_size=1, max_size=40).filter(
        lambda v: any(x is not None for x in v)
    )
)
def test_filling_is_what_a_loop_would_do(cells: list[float | None]) -> None:
    values = np.array([np.nan if cell is None else cell for cell in cells])
    held = []
    last = next(cell for cell in cells if cell is not None)
    for cell in cells:
        last = last if cell is None else cell
        held.append(last)
    np.testing.assert_array_equal(fill(values, np.arange(len(cells), dtype=float), "previous"), held)
    filled = fill(values, np.arange(len(cells), dtype=float), "interpolate")
    known = np.isfinite(values)
    np.testing.assert_array_equal(filled[known], values[known])
    assert (filled >= values[known].min()).all()
    assert (filled <= values[known].max()).all()


@given(st.lists(st.booleans(), max_size=40))
def test_long_runs_are_what_a_loop_would_find(missing: list[bool]) -> None:
    expected = []
    for step, gone in enumerate(missing):
        first = last = step
        while first > 0 and missing[first - 1]:
            first -= 1
        while last < len(missing) - 1 and missing[last + 1]:
            last += 1
        expected.append(gone and last - first + 1 > LONGEST_SCORED)
    np.testing.assert_array_equal(unscored(np.array(missing, dtype=bool)), np.array(expected, dtype=bool))


@pytest.mark.parametrize("missing", ["interpolate", "previous"])
def test_the_input_is_not_altered(missing: str) -> None:
    values = np.array([3.0, np.nan, 1.0])
    before = values.copy()
    read(values, missing=missing)  # type: ignore[arg-type]
    np.testing.assert_array_equal(values, before)
