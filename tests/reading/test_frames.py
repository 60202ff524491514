"""Frames and arrays: the same type, index, order and number of rows out as in, with columns added."""

from typing import Any

import numpy as np
import pytest

from paiad.errors import InputError
from paiad.reading import Table, read


def scored(table: Table) -> Any:
    return table.with_columns({series.name: {"score": series.values * 2} for series in table.series})


def test_pandas_keeps_index_type_and_columns() -> None:
    pandas = pytest.importorskip("pandas")
    index = pandas.date_range("2024-03-30", periods=60, freq="h", tz="Europe/Berlin")
    frame = pandas.DataFrame({"cpu": np.sin(np.arange(60)), "host": "a"}, index=index).sample(
        frac=1, random_state=0
    )
    before = frame.copy()
    rows = scored(read(frame))
    pandas.testing.assert_frame_equal(frame, before)
    pandas.testing.assert_index_equal(rows.index, frame.index)
    pandas.testing.assert_frame_equal(rows[["cpu", "host"]], frame)
    np.testing.assert_array_equal(rows["score"], frame["cpu"] * 2)
    assert (rows["quality"] == "ok").all()


@pytest.mark.parametrize("index", [[5, 5, 7, 1], ["a", "b", "a", "c"], [(0, 1), (0, 2), (1, 1), (1, 2)]])
def test_pandas_with_any_index(index: list[Any]) -> None:
    pandas = pytest.importorskip("pandas")
    made = pandas.MultiIndex.from_tuples(index) if isinstance(index[0], tuple) else pandas.Index(index)
    rows = scored(read(pandas.Series([1.0, 2.0, 3.0, 5.0], index=made, name="k")))
    assert isinstance(rows, pandas.DataFrame)
    pandas.testing.assert_index_equal(rows.index, made)
    assert rows["score"].tolist() == [2.0, 4.0, 6.0, 10.0]


def test_pandas_with_its_own_kinds_of_missing() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "whole": pandas.array([1, None, 3, 4], dtype="Int64"),
            "real": pandas.array([1.0, None, 3.0, 4.0], dtype="Float64"),
            "object": np.array([1.5, None, 3.5, 4.0], dtype=object),
            "flag": pandas.array([True, None, False, True], dtype="boolean"),
            "kind": pandas.Categorical(["a", "b", None, "a"]),
        }
    )
    table = read(frame)
    assert [series.name for series in table.series] == ["whole", "real", "object"]
    for series in table.series:
        assert series.values[1] == (series.values[0] + series.values[2]) / 2
    assert table.with_columns({})["whole_quality"].tolist() == ["ok", "filled", "ok", "ok"]


def test_pandas_period_index() -> None:
    pandas = pytest.importorskip("pandas")
    index = pandas.period_range("2024-01", periods=5, freq="M")
    table = read(pandas.Series([1.0, 2.0, 3.0, 2.0, 1.0], index=index, name="y"))
    assert table.series[0].time is not None
    assert str(table.series[0].time[1]).startswith("2024-02-01")
    assert scored(table).index.equals(index)


def test_pandas_columns_without_text_for_names() -> None:
    pandas = pytest.importorskip("pandas")
    values = np.array([[1.0, 10.0], [2.0, 30.0], [3.0, 20.0]])
    for columns in (None, pandas.MultiIndex.from_product([["a"], ["x", "y"]])):
        frame = pandas.DataFrame(values, columns=columns)
        table = read(frame)
        assert [one.name for one in table.series] == (["0", "1"] if columns is None else ["a_x", "a_y"])
        rows = scored(table)
        assert list(rows.columns[:2]) == list(frame.columns)
        first = table.series[0].name
        np.testing.assert_array_equal(rows[f"{first}_score"].to_numpy().ravel(), 2 * values[:, 0])


def test_pandas_index_of_several_levels_tells_times_and_series() -> None:
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2024-01-01", periods=4)
    index = pandas.MultiIndex.from_product([["a", "b"], days], names=["unique_id", "day"])
    frame = pandas.DataFrame({"y": [1.0, 2.0, 3.0, 2.0, 5.0, 6.0, 7.0, 6.0]}, index=index)
    table = read(frame)
    assert [one.name for one in table.series] == ["a", "b"]
    np.testing.assert_array_equal(table.series[1].time, days.to_numpy())
    rows = scored(table)
    assert rows.index.equals(index)
    assert list(rows.columns) == ["y", "score", "quality"]
    frame.index.names = ["host", "day"]
    assert any("name the column that tells them apart" in str(note) for note in read(frame).notes)
    assert len(read(frame, series_id="host").series) == 2


def test_arrow_record_batch() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = scored(read(pyarrow.record_batch({"v": [1.0, 2.0, 4.0]})))
    assert rows.column_names == ["v", "score", "quality"]


def test_polars_keeps_type_and_gives_null() -> None:
    polars = pytest.importorskip("polars")
    times = np.datetime64("2024-01-01T00", "us") + np.arange(20).astype("timedelta64[h]")
    frame = polars.DataFrame({"ts": times, "v": [float(k % 6) for k in range(10)] + [None] * 8 + [1.0, 2.0]})
    rows = scored(read(frame))
    assert rows.select("ts", "v").equals(frame)
    assert rows["score"].null_count() == 8
    assert rows["quality"].to_list() == ["ok"] * 10 + ["filled"] * 8 + ["ok"] * 2
    assert isinstance(scored(read(frame["v"])), polars.DataFrame)


def test_polars_zones_dates_and_decimals() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"d": [1, 2, 3], "v": ["1.5", "2.5", "4"]}).with_columns(
        (polars.date(2024, 1, 1) + polars.duration(days=polars.col("d"))).alias("day"),
        polars.col("v").cast(polars.Decimal(10, 2)).alias("price"),
    )
    table = read(frame.select("day", "price"))
    np.testing.assert_array_equal(table.series[0].values, [1.5, 2.5, 4.0])
    assert str(table.series[0].time[0]).startswith("2024-01-02")  # type: ignore[index]
    zoned = frame.select(
        polars.col("day").cast(polars.Datetime("ms")).dt.replace_time_zone("Asia/Tokyo"), "price"
    )
    assert str(read(zoned).series[0].time[0]).startswith("2024-01-01T15")  # type: ignore[index]


def test_arrow_keeps_type() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"v": [1.0, None, 3.0, 4.0], "w": ["a", "b", "c", "d"]})
    rows = scored(read(table))
    assert isinstance(rows, pyarrow.Table)
    assert rows.select(["v", "w"]).equals(table)
    assert rows.column_names == ["v", "w", "score", "quality"]


def test_numpy_becomes_a_structured_array() -> None:
    rows = scored(read(np.array([[1.0, 10.0], [2.0, 30.0], [3.0, 20.0]])))
    assert rows.dtype.names == (
        "value_0",
        "value_1",
        "value_0_score",
        "value_0_quality",
        "value_1_score",
        "value_1_quality",
    )
    np.testing.assert_array_equal(rows["value_1_score"], [20.0, 60.0, 40.0])
    again = scored(read(rows, values=["value_0"]))
    assert "value_0_score_2" not in again.dtype.names
    assert again.dtype.names[-2:] == ("score", "quality")


def test_columns_of_the_same_name_are_never_overwritten() -> None:
    rows = scored(read({"v": [1.0, 2.0, 3.0], "score": [7, 8, 9], "quality": ["x", "y", "z"]}, values=["v"]))
    assert rows["score"].tolist() == [7, 8, 9]
    assert rows["score_2"].tolist() == [2.0, 4.0, 6.0]
    assert rows["quality_2"].tolist() == ["ok"] * 3


def test_masked_arrays_lists_and_text() -> None:
    masked = np.ma.array([1, 99, 3], mask=[False, True, False])
    np.testing.assert_array_equal(read(masked).series[0].values, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(read([1, None, 3]).series[0].values, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(read(["1", "NA", "3"]).series[0].values, [1.0, 2.0, 3.0])


def test_a_row_vector_is_not_taken_for_many_series() -> None:
    with pytest.raises(InputError, match="one value"):
        read(np.arange(10.0).reshape(1, 10))


def test_wrong_length_and_unknown_series_are_refused() -> None:
    table = read([1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="each of 3 steps"):
        table.with_columns({"value": {"score": np.zeros(4)}})
    with pytest.raises(InputError, match="no series 'v'"):
        table.with_columns({"v": {"score": np.zeros(3)}})


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_arrays_and_files_give_the_same_series(library: str, tmp_path: Any) -> None:
    module = pytest.importorskip(library)
    times = np.datetime64("2024-01-01T00", "ns") + np.arange(30).astype("timedelta64[m]")
    values = np.random.default_rng(5).normal(size=30)
    build = module.table if library == "pyarrow" else module.DataFrame
    path = tmp_path / "data.csv"
    path.write_text("time,v\n" + "".join(f"{t},{v!r}\n" for t, v in zip(times, values.tolist(), strict=True)))
    (ours,), (theirs,) = read(build({"time": times, "v": values})).series, read(path).series
    np.testing.assert_array_equal(ours.values, theirs.values)
    np.testing.assert_array_equal(ours.time, theirs.time)
    assert ours.time is not None
    assert ours.time.dtype == np.dtype("datetime64[ns]")
