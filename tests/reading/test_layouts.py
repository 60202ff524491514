"""Text files as people have them: delimiters, headers, decimal commas, comments, quotes, compression."""

import gzip
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from paiad.errors import InputError
from paiad.reading import read
from paiad.reading.dialect import dialect_of

VALUES = [1.5, 2.25, -3.0, 1000.0]


def csv(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "time,value\n2024-01-01,1.5\n2024-01-02,2.25\n2024-01-03,-3\n2024-01-04,1e3\n",
        "time;value\n2024-01-01;1.5\n2024-01-02;2.25\n2024-01-03;-3\n2024-01-04;1000\n",
        "time;value\n2024-01-01;1,5\n2024-01-02;2,25\n2024-01-03;-3\n2024-01-04;1.000,0\n",
        "time\tvalue\n2024-01-01\t1,5\n2024-01-02\t2,25\n2024-01-03\t-3,0\n2024-01-04\t1000\n",
        "time|value\n2024-01-01|1.5\n2024-01-02|2.25\n2024-01-03|-3\n2024-01-04|1000\n",
        '"time","value"\n"2024-01-01","1.5"\n"2024-01-02","2.25"\n"2024-01-03","-3"\n"2024-01-04","1000"\n',
        "\ufefftime,value\r\n2024-01-01, 1.5\r\n2024-01-02, 2.25\r\n2024-01-03, -3\r\n2024-01-04, 1000",
        "# by hand\n#\ntime,value\n2024-01-01,1.5\n2024-01-02,2.25\n# pause\n2024-01-03,-3\n2024-01-04,1e3",
        "\ufeff# by hand\n#\ntime,value\n2024-01-01,1.5\n2024-01-02,2.25\n2024-01-03,-3\n2024-01-04,1e3",
        "\ufeff#time,value\n2024-01-01,1.5\n2024-01-02,2.25\n2024-01-03,-3\n2024-01-04,1000\n",
        "#time,value\n2024-01-01,1.5\n2024-01-02,2.25\n2024-01-03,-3\n2024-01-04,1000\n",
        "time,value\n\n2024-01-01,1.5\n2024-01-02,2.25\n\n2024-01-03,-3\n2024-01-04,1000\n\n",
        'time,value,why\n2024-01-01,1.5,"a, b"\n2024-01-02,2.25,"""x"""\n2024-01-03,-3,"two\nlines"\n2024-01-04,1000,',
    ],
)  # fmt: skip
def test_layouts_are_found(tmp_path: Path, text: str) -> None:
    table = read(csv(tmp_path, text))
    (series,) = table.series
    assert series.name == "value"
    np.testing.assert_array_equal(series.values, VALUES)
    assert series.time is not None
    np.testing.assert_array_equal(series.time, np.arange("2024-01-01", "2024-01-05", dtype="datetime64[D]"))


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_wrong_cell_is_on_its_line_behind_comments(tmp_path: Path, mark: str) -> None:
    path = csv(tmp_path, mark + "# by hand\ntime,value\n" + "2024-01-01,1.5\n" * 30 + "2024-01-31,x\n")
    with pytest.raises(InputError, match="line 33, column 'value': 'x' is not a number"):
        read(path)


def test_a_name_may_span_lines_and_hold_odd_line_ends(tmp_path: Path) -> None:
    table = read(csv(tmp_path, 'time,"load\nin kW \u2028 x"\n2024-01-01,1.5\n2024-01-02,2.5\n2024-01-03,4\n'))
    assert table.series[0].name == "load\nin kW \u2028 x"


@pytest.mark.parametrize("suffix", ["csv", "txt", "dat"])
@pytest.mark.parametrize("zipped", [False, True])
def test_compression_is_seen_by_content(tmp_path: Path, suffix: str, zipped: bool) -> None:
    content = b"value\n1.5\n2.25\n-3\n1000\n"
    path = tmp_path / f"data.{suffix}"
    path.write_bytes(gzip.compress(content) if zipped else content)
    np.testing.assert_array_equal(read(path).series[0].values, VALUES)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs pipes with a name")
def test_a_pipe_is_read_though_it_can_be_read_but_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=["value\n1.5\n2.25\n-3\n1000\n"])
    writer.start()
    np.testing.assert_array_equal(read(pipe).series[0].values, VALUES)
    writer.join()


def test_no_header(tmp_path: Path) -> None:
    (series,) = read(csv(tmp_path, "1.5\n2.25\n-3\n1000\n")).series
    assert series.name == "value"
    np.testing.assert_array_equal(series.values, VALUES)
    table = read(csv(tmp_path, "2024-01-01,1.5,1\n2024-01-02,2.25,2\n2024-01-03,-3,3\n"))
    assert [s.name for s in table.series] == ["column_2", "column_3"]
    assert table.series[0].time is not None


def test_columns_named_by_numbers(tmp_path: Path) -> None:
    table = read(csv(tmp_path, "time,1,2\n2024-01-01,5,6\n2024-01-02,7,9\n"))
    assert [s.name for s in table.series] == ["1", "2"]


def test_names_that_are_empty_or_repeated_or_odd(tmp_path: Path) -> None:
    text = ',a,a,,"it\'s ""x""",select\n0,1,2,3,4,5\n1,2,3,4,5,7\n'
    table = read(csv(tmp_path, text))
    assert [s.name for s in table.series] == ["a", "a_2", "column_4", 'it\'s "x"', "select"]
    assert "time from 'index'" in str(table.notes[0])


def test_path_that_looks_like_a_pattern(tmp_path: Path) -> None:
    csv(tmp_path, "value\n7\n8\n9\n", "data1.csv")
    path = csv(tmp_path, "value\n1.5\n2.25\n-3\n1000\n", "data*[1]'s.csv")
    np.testing.assert_array_equal(read(path).series[0].values, VALUES)


def test_every_word_for_missing(tmp_path: Path) -> None:
    words = ["", "NA", "n/a", "NaN", "null", "None", "#N/A", "-", "?", "nil", " "]
    text = "time,value\n" + "".join(f"{k},{word}\n{k}.5,{k}\n" for k, word in enumerate(words))
    (series,) = read(csv(tmp_path, text)).series
    assert series.quality is not None
    np.testing.assert_array_equal(np.flatnonzero(series.quality), np.arange(0, 22, 2))


def test_values_are_read_to_the_last_bit(tmp_path: Path) -> None:
    values = np.random.default_rng(3).normal(size=2000) * 10.0 ** np.arange(-10, 10).repeat(100)
    path = csv(tmp_path, "value\n" + "\n".join(map(repr, values.tolist())) + "\n")
    np.testing.assert_array_equal(read(path).series[0].values, values)


def test_decimal_comma_refuses_a_dot_it_cannot_place(tmp_path: Path) -> None:
    path = csv(tmp_path, "time;value\n2024-01-01;1,5\n2024-01-02;2.25\n2024-01-03;3,5\n")
    with pytest.raises(InputError, match=r"line 3.*'2.25' is not a number"):
        read(path)


def test_a_text_file_needs_no_time_and_says_so() -> None:
    assert dialect_of(["a", "1", "2"]).names == ("a",)
    assert "no time column" in str(read([1.0, 2.0]).notes[0])


def test_json_lines_and_arrays(tmp_path: Path) -> None:
    lines = '{"t": "2024-01-01", "v": 1.5, "tags": {"a": 1}}\n'
    lines += '{"t": "2024-01-02", "v": null}\n{"t": "2024-01-03", "v": 2}\n'
    for name, text in (
        ("a.jsonl", lines),
        ("b.json", "[" + ",".join(lines.splitlines()) + "]"),
        ("c.ndjson", lines),
    ):
        table = read(csv(tmp_path, text, name))
        assert [s.name for s in table.series] == ["v"]
        np.testing.assert_array_equal(table.series[0].values, [1.5, 1.75, 2.0])
        assert table.series[0].time is not None
    path = tmp_path / "d.jsonl.gz"
    path.write_bytes(gzip.compress(lines.encode()))
    np.testing.assert_array_equal(read(path).series[0].values, [1.5, 1.75, 2.0])


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "data.parquet"
    duckdb.sql(
        "COPY (SELECT TIMESTAMPTZ '2024-01-01 00:00:00+02' + INTERVAL (range) MINUTE AS t, (range % 7)::DECIMAL(9,2)"
        f" AS d, range::UINTEGER AS u, range % 2 = 0 AS flag, 'x' AS word FROM range(100)) TO '{path}'"
    )
    table = read(path)
    assert [s.name for s in table.series] == ["d", "u"]
    time = table.series[0].time
    assert time is not None
    assert str(time[0]) == "2023-12-31T22:00:00.000000000"
    assert "'flag' (true or false), 'word' (text)" in " ".join(map(str, table.notes))


def test_feather(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    path = tmp_path / "data.feather"
    feather.write_feather(pyarrow.table({"t": ["2024-01-01", "2024-01-02"], "v": [1.5, 2.0]}), path)
    (series,) = read(path).series
    np.testing.assert_array_equal(series.values, [1.5, 2.0])
    assert series.time is not None


def test_long_and_wide_give_the_same_series(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(50, 3)).round(6)
    days = np.arange("2024-01-01", "2024-02-20", dtype="datetime64[D]")
    wide = "ds,a,b,c\n" + "".join(
        f"{d},{','.join(map(repr, row))}\n" for d, row in zip(days, values.tolist(), strict=True)
    )
    cells = [
        (name, d, v) for k, name in enumerate("abc") for d, v in zip(days, values[:, k].tolist(), strict=True)
    ]
    rng.shuffle(cells)
    long = "unique_id,ds,y\n" + "".join(f"{n},{d},{v!r}\n" for n, d, v in cells)
    by_name = {s.name: s for s in read(csv(tmp_path, wide)).series}
    for series in read(csv(tmp_path, long)).series:
        np.testing.assert_array_equal(series.values, by_name[series.name].values)
        np.testing.assert_array_equal(series.time, by_name[series.name].time)


def test_long_with_other_names_and_several_values(tmp_path: Path) -> None:
    text = "host,when,cpu,mem\n" + "".join(f"{h},{k},{k % 3},{k % 4}\n" for h in ("x", "y") for k in range(9))
    table = read(csv(tmp_path, text), series_id="host", time="when")
    assert [s.name for s in table.series] == ["x/cpu", "x/mem", "y/cpu", "y/mem"]
    scored = table.with_columns({"y/mem": {"score": np.arange(9.0)}})
    assert scored.columns[-3:] == ("cpu_quality", "mem_quality", "mem_score")
    np.testing.assert_array_equal(scored["mem_score"][9:], np.arange(9.0))
    assert np.isnan(scored["mem_score"][:9]).all()


def test_labels_by_name_and_by_request(tmp_path: Path) -> None:
    text = "value,Label,other\n1,0,no\n2,1,yes\n3,0,no\n"
    table = read(csv(tmp_path, text))
    assert [s.name for s in table.series] == ["value"]
    np.testing.assert_array_equal(table.series[0].labels, [0, 1, 0])
    np.testing.assert_array_equal(
        read(csv(tmp_path, text), labels="other", values=["value"]).series[0].labels, [0, 1, 0]
    )
    kept = read(csv(tmp_path, "value,label\n1,3\n2,4\n3,5\n"))
    assert kept.series[0].labels is None
    assert "not taken for labels" in " ".join(map(str, kept.notes))
