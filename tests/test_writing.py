"""Writing: whole or not at all, in every format, and the same rows when read again."""

import gzip
import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from paiad.errors import MissingExtraError, OutputError
from paiad.reading import Table, read
from paiad.writing import replacing, write

TEXT = 'time;value;who\n01/02/2024 00:00;1,5;ann\n14/02/2024 00:00;;"b;c"\n13/02/2024 00:00;2,5;\n'


@pytest.fixture
def table(tmp_path: Path) -> Table:
    path = tmp_path / "in.csv"
    path.write_text(TEXT)
    return read(path)


def scored(table: Table) -> object:
    series = table.series[0]
    return table.with_columns({series.name: {"score": np.where(series.quality > 0, np.nan, series.values)}})  # type: ignore[operator]


def test_csv_keeps_every_cell_as_it_was(table: Table, tmp_path: Path) -> None:
    write(tmp_path / "out.csv", scored(table))
    assert (tmp_path / "out.csv").read_text().splitlines() == [
        "time,value,who,score,quality",
        '01/02/2024 00:00,"1,5",ann,1.5,ok',
        "14/02/2024 00:00,,b;c,,filled",
        '13/02/2024 00:00,"2,5",,2.5,ok',
    ]


def test_tsv_and_gzip(table: Table, tmp_path: Path) -> None:
    write(tmp_path / "out.tsv", scored(table))
    assert (tmp_path / "out.tsv").read_text().splitlines()[1] == "01/02/2024 00:00\t1,5\tann\t1.5\tok"
    write(tmp_path / "out.csv.gz", scored(table))
    with gzip.open(tmp_path / "out.csv.gz", "rt") as file:
        assert file.readline() == "time,value,who,score,quality\n"


@pytest.mark.parametrize("name", ["out.parquet", "out.jsonl", "out.json", "out.ndjson"])
def test_typed_formats_hold_numbers_and_times(table: Table, tmp_path: Path, name: str) -> None:
    write(tmp_path / name, scored(table))
    again = read(tmp_path / name, values=["value", "score"])
    np.testing.assert_array_equal(again.series[0].values, table.series[0].values)
    np.testing.assert_array_equal(again.series[0].time, table.series[0].time)


def test_json_lines_say_null_not_nan(table: Table, tmp_path: Path) -> None:
    write(tmp_path / "out.jsonl", scored(table))
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["score"] for row in rows] == [1.5, None, 2.5]
    assert rows[1]["value"] is None


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz"])
def test_columns_that_differ_in_capitals_keep_their_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / "in.csv"
    path.write_text('Load,load,"a\tb,c"\n' + "".join(f"{k},{k % 3},x\n" for k in range(9)))
    write(tmp_path / name, read(path).with_columns({}))
    again = read(tmp_path / name)
    assert [column.name for column in again.source.columns[:3]] == ["Load", "load", "a\tb,c"]
    np.testing.assert_array_equal(again.series[1].values, np.arange(9) % 3)


def test_thousands_of_columns_are_written_in_seconds(tmp_path: Path) -> None:
    columns = {f"c{k}": np.array([1.0, np.nan, k]) for k in range(8_000)}
    before = time.process_time()
    write(tmp_path / "wide.csv", columns)
    assert time.process_time() - before < 10
    assert (tmp_path / "wide.csv").read_text().splitlines()[2] == "," * 7_999


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.feather"])
def test_frames_of_every_kind(tmp_path: Path, library: str, name: str) -> None:
    module = pytest.importorskip(library)
    times = np.datetime64("2024-01-01T00", "ns") + np.arange(20).astype("timedelta64[m]")
    data = {"time": times, "v": np.arange(20) % 7 / 4, "who": np.array(["x", "y"] * 10)}
    if library == "numpy":
        frame = read(data).with_columns({"v": {"score": data["v"]}})
    else:
        build = module.table if library == "pyarrow" else module.DataFrame
        frame = read(build(data)).with_columns({"v": {"score": data["v"]}})
    if name == "out.feather":
        pytest.importorskip("pyarrow")
    write(tmp_path / name, frame)
    again = read(tmp_path / name, values=["v", "score"])
    for series in again.series:
        np.testing.assert_array_equal(series.values, data["v"])
        np.testing.assert_array_equal(series.time, times)


def test_pandas_index_is_written(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    index = pandas.date_range("2024-01-01", periods=3, name="day", tz="UTC")
    write(tmp_path / "out.csv", scored(read(pandas.Series([1.0, 2.0, 4.0], index=index, name="y"))))
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "day,y,score,quality"


def test_a_scored_file_can_take_the_place_of_its_source(table: Table, tmp_path: Path) -> None:
    write(tmp_path / "in.csv", scored(table))
    assert (tmp_path / "in.csv").read_text().startswith("time,value,who,score,quality\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv"]


def test_links_and_permissions_are_kept(table: Table, tmp_path: Path) -> None:
    target = tmp_path / "real.csv"
    target.write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    write(link, scored(table))
    assert link.is_symlink()
    assert target.read_text().startswith("time")
    umask = os.umask(0)
    os.umask(umask)
    write(tmp_path / "new.csv", scored(table))
    assert (tmp_path / "new.csv").stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("nowhere/out.csv", "there is no folder"),
        ("out.xlsx", "the suffix does not say what to write"),
        ("out", "the suffix does not say what to write"),
        ("out.parquet.gz", "the suffix does not say what to write"),
        ("folder.csv", "is a directory"),
    ],
)
def test_targets_that_cannot_be_written(table: Table, tmp_path: Path, name: str, part: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OutputError, match=part):
        write(tmp_path / name, scored(table))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv", "in.csv"]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ('IO Error: Cannot open file "/a/.b.part": Permission denied\nLINE 1: COPY', "Permission denied"),
        ('IO Error: x {"errno":"28"}', "No space left on device"),
        ("IO Error: something else", "IO Error: something else"),
    ],
)
def test_what_the_engine_says_of_the_system_is_said_shortly(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, said: str
) -> None:
    import duckdb

    class Full:
        def register(self, *_: object) -> None: ...

        unregister = register

        def execute(self, sql: str) -> None:
            raise duckdb.IOException(told)

    monkeypatch.setattr("paiad.writing.connect", Full)
    with pytest.raises(OutputError) as caught:
        write(tmp_path / "out.csv", {"x": np.arange(3.0)})
    assert str(caught.value) == f"{tmp_path / 'out.csv'}: cannot be written: {said}"


def test_nothing_is_left_of_an_interrupted_write(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")

    def interrupted() -> None:
        with replacing(target) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on the size of files")
@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet", "out.jsonl"])
def test_full_disk_leaves_the_old_file_and_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("old")
    code = """
        import resource, sys
        import numpy as np
        from paiad.reading import read
        from paiad.writing import write
        values = np.random.default_rng(0).normal(size=300_000)
        rows = read(values).with_columns({"value": {"score": values}})
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        try:
            write(sys.argv[1], rows)
        except Exception as error:
            print(type(error).__name__, error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith(f"OutputError {tmp_path / name}: cannot be written: "), done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert (tmp_path / name).read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_devices_are_written_to_directly(table: Table, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with replacing(pipe) as path:
        assert path == pipe


def test_feather_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"paiad\[arrow\]"):
        write(tmp_path / "out.feather", read([1.0, 2.0]).with_columns({}))
    assert list(tmp_path.iterdir()) == []
