"""Folders as users have them: odd files, columns of any name, archives unpacked one level higher or lower."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from paiad.benchmark.executors.serial import Serial
from paiad.benchmark.facts import facts_of
from paiad.benchmark.report import page
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.runner import Plan, record_plan, run
from paiad.benchmark.sources import find_sources
from paiad.benchmark.store import Store
from paiad.benchmark.suite import DataSet, read_suite
from paiad.benchmark.tables import Request, fitting, make_table
from paiad.cli.bench import app
from paiad.errors import InputError, SettingError

SUITE = """
name = "own"
[data]
layout = "folder"
folder = "mine"
train_fraction = 0.5
{columns}
[[detector]]
name = "magG"
recipe = "magg"
[[detector]]
name = "Raw patches"
recipe = "raw"
settings = {{ "learner.width" = 16 }}
"""


def write(folder: Path, name: str, *columns, head: str = "value,label") -> None:
    folder.mkdir(exist_ok=True)
    rows = "\n".join(",".join(map(str, cells)) for cells in zip(*columns, strict=True))
    (folder / name).write_text(f"{head}\n{rows}\n")


@pytest.fixture
def mine(tmp_path) -> Path:
    """A folder in which little is as it should be."""
    rng, folder = np.random.default_rng(0), tmp_path / "mine"
    values, labels = rng.normal(size=400), np.zeros(400, dtype=int)
    values[300:305] += 9
    labels[300:305] = 1
    write(folder, "good.csv", values, labels)
    write(folder, "without-anomaly.csv", values, labels * 0)
    write(folder, "all-anomalous.csv", values, labels * 0 + 1)
    write(folder, "constant.csv", values * 0, labels)
    write(folder, "short.csv", values[:5], [0, 0, 0, 1, 0])
    write(folder, "unlabelled.csv", values, head="value")
    write(folder, "words.csv", ["x"] * 400, labels)
    write(folder, "two.csv", values, values, labels, head="a,b,label")
    holes = ["" if step in (30, 350) else value for step, value in enumerate(values)]
    write(folder, "holes.csv", holes, labels)
    (folder / "empty.csv").write_text("")
    (folder / "below").mkdir()
    return tmp_path


def ran(root: Path, columns: str = "") -> Results:
    (root / "own.toml").write_text(SUITE.format(columns=columns))
    suite = read_suite(root / "own.toml")
    plan, store = Plan.of(suite, root), Store(root / "store", create=True)
    record_plan(store, plan, root / "own.toml", root)
    list(run(plan, suite, store, Serial()))
    return Results.open(store)


def test_odd_files_fail_with_their_reason_and_nothing_else_does(mine):
    results = ran(mine)
    store = results.store
    told = dict(store.query("SELECT series, reason FROM rows WHERE detector = 'magG' AND status != 'done'"))
    assert told.keys() == {"constant", "unlabelled", "words", "two", "empty"}
    assert "data.label" in told["unlabelled"]
    assert "data.value" in told["two"]
    choice = Choice(results.suite.entry("magG"))
    values = dict(zip((s.name for s in results.sources), results.per_series(choice, "VUS-PR"), strict=True))
    assert values["good"] > 0.9
    assert values["holes"] > 0.9
    assert np.isnan([values["without-anomaly"], values["all-anomalous"], values["constant"]]).all()
    assert results.reasons(choice).keys() == {"without-anomaly", "all-anomalous"}


def test_every_table_and_the_page_are_made_of_what_is_there(mine):
    results = ran(mine)
    main = make_table("main", Request(results))
    names = [column.name for column in main.columns]
    counted = {row[names.index("Method")]: row[names.index("n")] for row in main.rows}
    assert counted == {"magG": 3, "Raw patches": 2}  # five steps are too few for patches
    notes = " ".join(main.notes)
    assert "no scores on 5 series" in notes
    assert "no point is labelled 1" in notes
    for name in fitting(results):
        make_table(name, Request(results))
    text = page(results)
    assert '"name":"good"' in text
    assert '"name":"words"' not in text
    facts = facts_of(results.store, results.sources, Serial())
    assert (facts["words"].length, facts["words"].kind) == (0, "undetermined")
    drawn = CliRunner().invoke(app, ["figure", "all", "--store", str(mine / "store")])
    assert drawn.exit_code == 0
    assert "heat-map cannot be drawn" in drawn.output
    assert (mine / "store/figures/kinds.svg").exists()


def test_columns_can_be_named(mine):
    rng = np.random.default_rng(1)
    flags = ["yes" if 250 <= step < 260 else "no" for step in range(400)]
    for path in (mine / "mine").glob("*.csv"):
        path.unlink()
    write(mine / "mine", "a.csv", rng.normal(size=400), rng.normal(size=400), flags, head="load,heat,fault")
    results = ran(mine, 'value = "heat"\nlabel = "fault"')
    series = results.sources[0].load()
    assert series.labels.sum() == 10
    assert results.store.query("SELECT DISTINCT status FROM rows") == [("done",)]
    with pytest.raises(SettingError, match="belong to layout folder"):
        DataSet("tsb-ad", ".", label="fault")
    with pytest.raises(SettingError, match="train_fraction must lie between"):
        DataSet("folder", ".", train_fraction=1.0)


@pytest.mark.parametrize("below", ["", "Datasets", "Datasets/TSB-AD-U"])
def test_the_archive_of_tsb_ad_is_found_wherever_it_was_unpacked(tmp_path, below):
    at = tmp_path / "Datasets"
    (at / "File_List").mkdir(parents=True)
    name = "001_MADE_id_1_Sensor_tr_5_1st_8.csv"
    write(at / "TSB-AD-U", name, range(10), [0] * 8 + [1, 1], head="Data,Label")
    (at / "File_List/eva.csv").write_text(f"file_name\n{name}\n002_MADE_id_2_Sensor_tr_5_1st_8.csv\n")
    found = find_sources(DataSet("tsb-ad", "TSB-AD-U", "File_List/eva.csv"), tmp_path / below)
    assert [source.name for source in found.sources] == [name.removesuffix(".csv")]
    assert found.missing == ("002_MADE_id_2_Sensor_tr_5_1st_8.csv",)


@pytest.mark.parametrize("below", ["", "TAB"])
def test_the_archive_of_tab_is_found_wherever_it_was_unpacked(tmp_path, below):
    data = tmp_path / "TAB/dataset/anomaly_detect/data"
    data.mkdir(parents=True)
    (data / "a.csv").write_text("date,data,cols\n1,0,c\n2,1,c\n3,2,c\n1,0,label\n2,0,label\n3,1,label\n")
    (data.parent / "DETECT_META.csv").write_text(
        "file_name,dataset_name,train_lens,test_lens,time_steps,if_univariate\na.csv,NAB,1,2,3,TRUE\n"
    )
    found = find_sources(DataSet("tab", "TAB"), tmp_path / below)
    assert [(source.name, source.train_end) for source in found.sources] == [("a", 1)]


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(InputError, match=r"no folder TSB-AD-U in .*--data"):
        find_sources(DataSet("tsb-ad", "TSB-AD-U"), tmp_path)
    (tmp_path / "TSB-AD-U").mkdir()
    with pytest.raises(InputError, match=r"no file list\.csv"):
        find_sources(DataSet("tsb-ad", "TSB-AD-U", "list.csv"), tmp_path)
