"""Times: found by themselves, kept exactly, sorted, merged, and their holes marked."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiad import quality
from paiad.errors import InputError
from paiad.reading import Table, read

MOMENTS = [datetime(2024, 1, 30, 22, 30, 15) + timedelta(minutes=40 * k) for k in range(12)]


def table_of(folder: Path, times: list[str], name: str = "when") -> Table:
    path = folder / "data.csv"
    path.write_text(f"{name},value\n" + "".join(f'"{t}",{k % 5}\n' for k, t in enumerate(times)))
    return read(path)


@pytest.mark.parametrize(
    "written",
    [
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%dT%H:%M:%SZ",
        "%Y-%m-%d %H:%M:%S.%f",
        "%Y-%m-%d %H:%M:%S UTC",
        "%Y-%m-%d %H:%M:%S+00:00",
        "%Y-%m-%d %H:%M:%S +0000",
        "%Y-%m-%d %H:%M:%S,%f",
        "%Y-%m-%d %I:%M:%S %p",
        "%Y/%m/%d %H:%M:%S",
        "%d/%m/%Y %H:%M:%S",
        "%d.%m.%Y %H:%M:%S",
        "%m/%d/%Y %H:%M:%S",
        "%m/%d/%Y %I:%M:%S %p",
        "%d-%b-%Y %H:%M:%S",
        "%b %d, %Y %H:%M:%S",
        "%d %B %Y %H:%M:%S",
        "%Y%m%dT%H%M%S",
        "%Y%m%d %H%M%S",
    ],
)
def test_ways_of_writing_a_time(tmp_path: Path, written: str) -> None:
    time = table_of(tmp_path, [moment.strftime(written) for moment in MOMENTS]).series[0].time
    np.testing.assert_array_equal(time, np.array(MOMENTS, dtype="datetime64[ns]"))


@pytest.mark.parametrize(
    "name_and_scale", [("timestamp", 1), ("ts", 10**3), ("time", 10**6), ("ds", 10**9), ("clock", 1)]
)
def test_seconds_and_their_fractions_since_1970(tmp_path: Path, name_and_scale: tuple[str, int]) -> None:
    name, scale = name_and_scale
    seconds = [int(moment.replace(tzinfo=timezone.utc).timestamp()) for moment in MOMENTS]
    table = table_of(tmp_path, [str(second * scale) for second in seconds], name)
    np.testing.assert_array_equal(table.series[0].time, np.array(MOMENTS, dtype="datetime64[ns]"))
    assert len(table.series) == 1


def test_other_numbers_that_are_times(tmp_path: Path) -> None:
    time = table_of(tmp_path, ["20240131", "20240201", "20240202"], "date").series[0].time
    assert str(time[0] if time is not None else None).startswith("2024-01-31")
    plain = table_of(tmp_path, ["0.5", "1.0", "1.5", "2.0", "2.5", "3.0", "5.0"], "t").series[0]
    np.testing.assert_array_equal(plain.time, [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 5.0])
    assert plain.quality is not None
    np.testing.assert_array_equal(plain.quality, [quality.OK] * 6 + [quality.GAP])


def test_offsets_become_utc_and_mixed_offsets_too(tmp_path: Path) -> None:
    table = table_of(
        tmp_path, ["2024-03-31T01:00:00+01:00", "2024-03-31T03:00:00+02:00", "2024-03-31T02:00:00Z"]
    )
    expected = np.array(["2024-03-31T00", "2024-03-31T01", "2024-03-31T02"], dtype="datetime64[ns]")
    np.testing.assert_array_equal(table.series[0].time, expected)
    assert "in UTC" in " ".join(map(str, table.notes))


@pytest.mark.parametrize(
    "written", ["2024-01-{:02d} 12:00:00 CEST", "{:02d}/01/24", "Mon, {:02d} Jan 2024 00:00:00"]
)
def test_a_time_that_cannot_be_read_is_told_and_never_half_read(tmp_path: Path, written: str) -> None:
    table = table_of(tmp_path, [written.format(day) for day in range(1, 9)], "time")
    assert table.series[0].time is None
    (note,) = (note for note in table.notes if note.kind == "time")
    assert f"'time' does not read as a time ({written.format(1)!r})" in str(note)
    assert "+01:00" in str(note)


def test_nanoseconds_survive(tmp_path: Path) -> None:
    written = [f"2024-01-01T00:00:00.{k:09d}" for k in (1, 2, 3, 999_999_999)]
    time = table_of(tmp_path, written).series[0].time
    np.testing.assert_array_equal(time, np.array(written, dtype="datetime64[ns]"))


def test_day_or_month_first_is_settled_by_the_whole_column(tmp_path: Path) -> None:
    many = [datetime(2024, 1, 1) + timedelta(hours=k) for k in range(24 * 20)]
    time = table_of(tmp_path, [moment.strftime("%m/%d/%Y %H:%M") for moment in many]).series[0].time
    np.testing.assert_array_equal(time, np.array(many, dtype="datetime64[ns]"))


def test_time_column_is_the_named_one(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text(
        "created,timestamp,v\n" + "".join(f"2020-01-01,2024-01-{d:02d},{d}\n" for d in range(1, 9))
    )
    assert "time from 'timestamp'" in str(read(path).notes[0])
    with pytest.raises(InputError, match="8 rows have only 1 different times"):
        read(path, time="created")


def test_future_times_are_told(tmp_path: Path) -> None:
    table = table_of(tmp_path, ["2024-01-01", "2024-01-02", "2190-01-01"])
    assert any("1 row lies in the future, up to 2190" in str(note) for note in table.notes)


def test_unsorted_rows_are_scored_in_order_and_given_back_as_they_came(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("time,value\n2024-01-03,30\n2024-01-01,10\n2024-01-02,20\n2024-01-04,40\n")
    table = read(path)
    np.testing.assert_array_equal(table.series[0].values, [10.0, 20.0, 30.0, 40.0])
    assert any(note.kind == "order" for note in table.notes)
    rows = table.with_columns({"value": {"score": table.series[0].values / 10}})
    np.testing.assert_array_equal(rows["score"], [3.0, 1.0, 2.0, 4.0])


def test_rows_of_the_same_time_become_one_step(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text(
        "time,value,label\n2024-01-02,5,0\n2024-01-01,1,0\n2024-01-02,7,1\n2024-01-03,8,0\n2024-01-04,9,0\n"
    )
    table = read(path)
    np.testing.assert_array_equal(table.series[0].values, [1.0, 6.0, 8.0, 9.0])
    np.testing.assert_array_equal(table.series[0].labels, [0, 1, 0, 0])
    rows = table.with_columns({"value": {"score": np.array([0.1, 0.2, 0.3, 0.4])}})
    np.testing.assert_array_equal(rows["score"], [0.2, 0.1, 0.2, 0.3, 0.4])
    assert rows["quality"].tolist() == ["duplicate", "ok", "duplicate", "ok", "ok"]
    assert any(note.kind == "duplicate" and note.count == 2 for note in table.notes)


def test_a_missing_value_beside_one_of_the_same_time_does_no_harm() -> None:
    table = read({"time": [1, 2, 2, 3], "v": [1.0, np.nan, 4.0, 5.0]}, time="time")
    np.testing.assert_array_equal(table.series[0].values, [1.0, 4.0, 5.0])
    assert table.with_columns({})["quality"].tolist() == ["ok", "duplicate", "duplicate", "ok"]


def test_gaps_are_marked_and_counted() -> None:
    hours = np.delete(np.arange(200), slice(50, 60))
    table = read({"time": np.datetime64("2024-01-01") + hours.astype("timedelta64[h]"), "v": np.sin(hours)})
    flags = table.series[0].quality
    assert flags is not None
    np.testing.assert_array_equal(np.flatnonzero(flags == quality.GAP), [50])
    assert any(note.kind == "gap" and note.count == 1 and "11.0 steps" in note.text for note in table.notes)
    assert any(note.text == "one step every 1 h" for note in table.notes)


def test_months_and_clock_changes_are_no_gaps() -> None:
    months = np.arange("2020-01", "2024-01", dtype="datetime64[M]").astype("datetime64[ns]")
    table = read({"ds": months, "y": np.sin(np.arange(48))})
    assert not any(note.kind == "gap" for note in table.notes)


def test_irregular_times_are_told_but_not_all_gaps() -> None:
    times = np.cumsum(np.random.default_rng(0).exponential(60, size=500)).astype("timedelta64[s]")
    table = read(
        {"time": np.datetime64("2024-01-01") + np.unique(times), "v": np.arange(len(np.unique(times)))}
    )
    assert any("irregular" in str(note) for note in table.notes)
    flags = table.series[0].quality
    assert flags is not None
    assert (flags == quality.GAP).mean() < 0.1


@given(st.lists(st.integers(0, 60), min_size=2, max_size=40))
def test_steps_are_what_a_dictionary_would_make_of_them(moments: list[int]) -> None:
    values = np.arange(len(moments), dtype=float) + 0.5
    by_time: dict[int, list[float]] = {}
    for moment, value in zip(moments, values.tolist(), strict=True):
        by_time.setdefault(moment, []).append(value)
    data = {"time": np.array(moments), "v": values}
    if len(by_time) < len(moments) / 2 or len(by_time) < 2:
        with pytest.raises(InputError):
            read(data, time="time")
        return
    if len({np.mean(group) for group in by_time.values()}) < 2:
        return
    table = read(data, time="time")
    expected = [np.mean(by_time[moment]) for moment in sorted(by_time)]
    np.testing.assert_allclose(table.series[0].values, expected)
    rows = table.with_columns({"v": {"when": table.series[0].time.astype(float)}})  # type: ignore[union-attr]
    np.testing.assert_array_equal(rows["when"], moments)


@pytest.mark.parametrize(
    ("until", "steps"),
    [
        (40, 40),
        ("40", 40),
        (0.25, 25),
        ("25%", 25),
        ("0.5", 50),
        (1.0, 100),
        ("2024-01-03", 48),
        ("2024-01-03T02:00:00+02:00", 48),
        ("2024-01-03T00:00Z", 48),
        ("2024-01-02 23:30", 48),
        (np.datetime64("2024-01-03"), 48),
        (datetime(2024, 1, 3), 48),
        (datetime(2024, 1, 3, 2, tzinfo=timezone(timedelta(hours=2))), 48),
        ("2024-02", 100),
    ],
)
def test_where_the_training_part_ends(until: object, steps: int) -> None:
    times = np.datetime64("2024-01-01T00") + np.arange(100)
    table = read({"time": times, "v": np.sin(np.arange(100))}, train_until=until)  # type: ignore[arg-type]
    assert table.series[0].train_end == steps


@pytest.mark.parametrize(
    ("until", "part"),
    [
        (0, "1 to 100 rows"),
        (101, "1 to 100 rows"),
        (-3, "1 to 100 rows"),
        (1.5, "cannot end at 1.5"),
        ("0%", "cannot end"),
        ("soon", "'soon'"),
        ("", "cannot end at ''"),
        ("nan", "cannot end at 'nan'"),
        ("2023-12-31", "nothing lies before"),
        ("2024-01-01", "data, v: nothing lies before 2024-01-01, .* the times begin at 2024-01-01$"),
    ],
)
def test_training_parts_that_cannot_be(until: object, part: str) -> None:
    times = np.datetime64("2024-01-01T00") + np.arange(100)
    with pytest.raises(InputError, match=part):
        read({"time": times, "v": np.sin(np.arange(100))}, train_until=until)  # type: ignore[arg-type]


def test_training_rows_of_merged_steps_are_counted_in_rows() -> None:
    table = read({"time": [1, 1, 2, 3, 4], "v": [1, 2, 3, 4, 5]}, time="time", train_until=3)
    assert table.series[0].train_end == 2


def test_a_training_part_by_time_needs_times() -> None:
    with pytest.raises(InputError, match="no column holds times; give rows or a share"):
        read([1.0, 2.0, 3.0], train_until="2024-01-01")


def test_times_that_nanoseconds_cannot_hold() -> None:
    with pytest.raises(InputError, match="1678 to 2261"):
        read({"time": np.array(["0001-01-01", "2024-01-01"], dtype="datetime64[D]"), "v": [1, 2]})
