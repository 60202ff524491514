"""Every bad input is refused in one line that names the file, the place and what to do."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from paiad.errors import InputError, MissingExtraError, SettingError
from paiad.reading import read

ROWS = "".join(f"2024-01-01 00:{k // 60:02d}:{k % 60:02d},{k % 7}\n" for k in range(600))
CSV = "time,value\n" + ROWS


def refusal(source: object, **settings: object) -> str:
    """The message with which reading is refused: one line, so that it can be shown as it is."""
    with pytest.raises(InputError) as caught:
        read(source, **settings)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    return message


def saved(folder: Path, content: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("", ["empty", "header"]),
        ("\n\n  \n", ["empty"]),
        ("time,value\n", ["no rows"]),
        ("time,value", ["no rows"]),
        ("name,city\nanna,bonn\nberta,ulm\n", ["no numeric column", "'name' is text ('anna')"]),
        ("time load\n1 2\n3 4\n", ["no numeric column", "'1 2'", "cut them by commas or tabs"]),
        ("value\n1\nbroken\n3\n", ["line 3", "'value'", "'broken'", "not a number"]),
        ("time,value\n[-],[kW]\n" + ROWS, ["line 2", "'time'", "'[-]' is not a time"]),
        ("of the station\nof 2024\n\n" + CSV, ["line 4", "text above the header"]),
        ("9999-12-31,1\n" + ROWS, ["line 1", "'9999-12-31' is not a time", "from 1678 to 2261"]),
        (CSV.replace("\n", "\r"), ["CR alone", "mac2unix"]),
        (CSV.encode("utf-16-le"), ["UTF-16", "iconv"]),
        (b"FEA1" + bytes(100), ["Feather of version 1", "export it as"]),
        (b"\xff\xff\xff\xff" + bytes(100), ["an Arrow stream", "export it as"]),
        ('{"time": "2024-01-01", "m": {"v": 1}}\n' * 9, ["no numeric column", "'m' holds nested fields"]),
        ('{"v": [1, 2]}\n' * 9, ["no numeric column", "'v' holds lists"]),
        (CSV + "2024-01-01 00:10:00,broken\n", ["line 602", "'value'", "'broken'", "not a number"]),
        (CSV + "2024-01-01 00:10:00,1\n\n2024-01-01 00:10:01,x\n", ["line 604", "'x'"]),
        (CSV + "yesterday,1\n", ["line 602", "'time'", "'yesterday'", "not a time"]),
        (CSV + ",1\n", ["line 602", "'time'", "missing"]),
        (CSV + "2024-01-01 00:10:00\n", ["line 602", "1 cells where 2"]),
        (CSV + "2024-01-01 00:10:00,1,2\n", ["line 602", "3 cells where 2"]),
        ("time,value\n2024-01-01,\n2024-01-02,NaN\n", ["'value'", "all 2 values are missing"]),
        ("value\n5\n5\n5\n", ["'value'", "all 3 values are 5", "constant"]),
        ("time,value\n2024-01-01,7\n", ["'value'", "one value"]),
        (CSV.replace("00:00:30,2", "00:00:30,1e300"), ["line 32", "'value'", "1e+300", "too large"]),
        (CSV + '2024-01-01 00:10:00,"4\n', ["line 602", "quote"]),
        (CSV.encode() + b"2024-01-01 00:10:00,\xe9\n", ["line 602", "UTF-8", "iconv"]),
        (CSV.encode("utf-16"), ["UTF-16"]),
        (b"PK\x03\x04" + bytes(100), ["Excel", "export it as CSV"]),
        (CSV.replace("\n", "\r\n") + ROWS, ["lines end in different ways", "dos2unix"]),
        (",".join(f"c{k}" for k in range(20_000)) + "\n" + ",".join("1" * 20_000) + "\n", ["20000 columns"]),
        (CSV + "2024-01-01 00:10:00+02:00,1\n", ["line 2", "no time zone", "offset"]),
        ("time,value\n01/02/2024,1\n02/03/2024,2\n03/04/2024,1\n", ["day/month/year or month/day/year"]),
        ("time,value\n" + "2024-01-01,1\n2024-01-02,2\n" * 50, ["100 rows have only 2 different times"]),
    ],
)  # fmt: skip
def test_bad_text_file_is_refused_by_name_place_and_remedy(
    tmp_path: Path, content: str | bytes, parts: list[str]
) -> None:
    path = saved(tmp_path, content)
    message = refusal(path)
    assert message.startswith(str(path))
    for part in parts:
        assert part in message


def test_non_utf8_far_into_a_large_file_is_named_too(tmp_path: Path) -> None:
    many = "".join(f"{k},{k % 13}\n" for k in range(60_000))
    message = refusal(saved(tmp_path, b"step,value\n" + many.encode() + b"60001,\xe9\n"))
    assert "line 60002" in message
    assert "UTF-8" in message


def test_a_million_columns_are_refused_quickly(tmp_path: Path) -> None:
    header = ",".join(f"c{k}" for k in range(1_000_000))
    path = saved(tmp_path, header + "\n" + ",".join(["1"] * 1_000_000) + "\n")
    assert "1000000 columns" in refusal(path)


def test_files_that_are_not_there_or_not_files(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "absent.csv")
    assert "is a directory" in refusal(tmp_path)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission(tmp_path: Path) -> None:
    path = saved(tmp_path, CSV)
    path.chmod(0)
    assert "no permission" in refusal(path)


def test_unreadable_file_is_refused_also_for_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, CSV)

    def denied(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert "no permission" in refusal(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_truncated_gzip(tmp_path: Path, share: float) -> None:
    many = "step,value\n" + "".join(f"{k},{k * 7919 % 1009}\n" for k in range(80_000))
    whole = gzip.compress(many.encode())
    path = saved(tmp_path, whole[: int(len(whole) * share)], "data.csv.gz")
    assert "gzip data end too early" in refusal(path)


def test_damaged_gzip(tmp_path: Path) -> None:
    whole = bytearray(gzip.compress(CSV.encode()))
    whole[len(whole) // 2 : len(whole) // 2 + 40] = bytes(40)
    assert "gzip data" in refusal(saved(tmp_path, bytes(whole), "data.csv.gz"))


@pytest.mark.parametrize("cut", [slice(0, 3), slice(0, 500), slice(0, -20), slice(100, None)])
def test_truncated_parquet(tmp_path: Path, cut: slice) -> None:
    import duckdb

    whole = tmp_path / "whole.parquet"
    duckdb.sql(f"COPY (SELECT range AS value FROM range(10000)) TO '{whole}'")
    path = saved(tmp_path, whole.read_bytes()[cut], "cut.parquet")
    message = refusal(path)
    assert "Parquet" in message
    assert "again" in message


@pytest.mark.parametrize("middle", [0.2, 0.5, 0.8])
def test_parquet_damaged_inside(tmp_path: Path, middle: float) -> None:
    import duckdb

    whole = tmp_path / "whole.parquet"
    duckdb.sql(
        f"COPY (SELECT hash(range)::DOUBLE AS value FROM range(10000)) TO '{whole}' (COMPRESSION zstd)"
    )
    data = bytearray(whole.read_bytes())
    start = int(len(data) * middle)
    data[start : start + 400] = os.urandom(400)
    path = saved(tmp_path, bytes(data), "damaged.parquet")
    message = ""
    try:
        read(path)  # damage inside the values may leave no trace; what is noticed must be said in one line
    except InputError as error:
        message = str(error)
    assert not message or (message.startswith(str(path)) and "\n" not in message)


@pytest.mark.parametrize("line", ['{"value": ', "{oops}", "not json"])
@pytest.mark.parametrize("zipped", [False, True])
def test_broken_json_line(tmp_path: Path, line: str, zipped: bool) -> None:
    rows = "".join(f'{{"value": {k % 5}}}\n' for k in range(100))
    text = (rows[:520] + "\n" + rows[520:] + line + "\n" + rows).encode()
    message = refusal(saved(tmp_path, gzip.compress(text) if zipped else text, "data.jsonl"))
    assert "line 102: is not JSON" in message


def test_broken_json_array(tmp_path: Path) -> None:
    rows = ",\n".join(f'{{"value": {k % 5}}}' for k in range(100))
    assert "line 101: is not JSON" in refusal(saved(tmp_path, f"[{rows},\n{{oops}}]", "data.json"))


def test_text_among_numbers_in_json_is_named_by_its_line(tmp_path: Path) -> None:
    rows = "".join(f'{{"value": {k % 5}}}\n' for k in range(100))
    message = refusal(saved(tmp_path, rows[:520] + "\n" + rows[520:] + '{"value": "x"}\n', "data.jsonl"))
    assert "line 102, column 'value': 'x' is not a number" in message
    listed = "[" + rows.strip().replace("\n", ",\n") + ',{"value": "x"}]'
    assert "row 100 (counted from 0)" in refusal(saved(tmp_path, listed, "data.json"))


def test_feather_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, b"ARROW1" + bytes(100), "data.feather")
    monkeypatch.setitem(sys.modules, "pyarrow.feather", None)
    with pytest.raises(MissingExtraError, match=r"paiad\[arrow\]"):
        read(path)


def test_damaged_feather(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    message = refusal(saved(tmp_path, b"ARROW1" + bytes(100), "data.feather"))
    assert "Feather" in message


def test_columns_asked_for_that_are_not_there(tmp_path: Path) -> None:
    path = saved(tmp_path, CSV)
    assert "did you mean 'value'?" in refusal(path, values=["valve"])
    assert "it has 'time', 'value'" in refusal(path, time="zzzzz")
    assert "'when'" in refusal(path, series_id="when")
    assert [one.name for one in read(path, values="value").series] == ["value"]


def test_text_column_asked_for_as_values(tmp_path: Path) -> None:
    path = saved(tmp_path, "host,value\na,1\nb,2\n")
    message = refusal(path, values=["host"])
    assert "line 2" in message
    assert "'a' is not a number" in message


def test_labels_asked_for_that_are_none(tmp_path: Path) -> None:
    message = refusal(saved(tmp_path, CSV), labels="time")
    assert "a label must be 0 or 1" in message
    message = refusal(saved(tmp_path, "value,mark\n1,0\n2,1\n3,7\n"), labels="mark")
    assert "line 4" in message


def test_missing_name_of_a_series(tmp_path: Path) -> None:
    path = saved(tmp_path, "unique_id,ds,y\na,2024-01-01,1\n,2024-01-02,2\n")
    assert "line 3" in refusal(path)


def test_refusing_missing_values_names_the_first(tmp_path: Path) -> None:
    path = saved(tmp_path, CSV.replace("00:00:30,2", "00:00:30,"))
    message = refusal(path, missing="refuse")
    assert "line 32" in message
    assert "interpolate" in message


def test_unknown_policy() -> None:
    with pytest.raises(SettingError, match="interpolate, previous, refuse"):
        read([1.0, 2.0], missing="zero")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (np.zeros((3, 3, 3)), "shape (3, 3, 3)"),
        ([], "no rows"),
        ([1.0], "one value"),
        ([[1.0, 2.0], [3.0]], "differ in length"),
        (["a", "b"], "no numeric column"),
        ([1.0, "x", 2.0], "'x' is not a number"),
        (np.array([1.0, 1e300]), "row 1"),
        (np.full(10, np.inf), "all 10 values are missing"),
        (np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]"), "no numeric column"),
        ({"a": [1, 2], "b": [1, 2, 3]}, "differ in length"),
        (np.array([1 + 2j, 3]), "no numeric column"),
        (object(), "got one object"),
        (iter([1.0, 2.0]), "got one list_iterator"),
        (np.array([True, False]), "'value' is true or false"),
    ],
)
def test_bad_arrays(data: object, part: str) -> None:
    assert part in refusal(data)


def test_lazy_frame_and_repeated_names() -> None:
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    assert "collect()" in refusal(polars.LazyFrame({"a": [1, 2]}))
    assert "cannot be used" in refusal(pandas.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))


def test_standard_input_is_called_so(tmp_path: Path) -> None:
    code = "from paiad.reading import read; read('-')"
    done = subprocess.run(
        [sys.executable, "-c", code], input=b"time,value\n", capture_output=True, check=False
    )
    assert b"standard input: there is a header but no rows" in done.stderr


def test_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = saved(tmp_path, CSV)
    table = read(path)
    saved(tmp_path, CSV + ROWS)
    with pytest.raises(InputError, match="changed"):
        table.with_columns({})
