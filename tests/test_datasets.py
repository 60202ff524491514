"""TSB-AD and TAB folders: their names, lists, splits and slips."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from paiad import datasets
from paiad.errors import InputError

NAME = "007_NAB_id_7_Web_Service_tr_3_1st_4.csv"
META = "file_name,dataset_name,train_lens,test_lens,time_steps,if_univariate,type_value\n"
TAB = "date,data,cols\n1,0.5,channel_1\n2,1.5,channel_1\n3,2.5,channel_1\n1,0,label\n2,0,label\n3,1,label\n"


@pytest.fixture
def tsb_ad(tmp_path: Path) -> Path:
    (tmp_path / NAME).write_text("Data,Label\n1.5,0\n2,0\n3,0\n9,1\n2,0\n")
    return tmp_path


@pytest.fixture
def tab(tmp_path: Path) -> Path:
    data = tmp_path / "dataset" / "anomaly_detect" / "data"
    data.mkdir(parents=True)
    rows = "a.csv,KDD21,1,2,3,TRUE,Global\ngone.csv,NAB,1,2,3,TRUE,mix\nmany.csv,SWAT,1,2,3,FALSE,mix\n"
    (data.parent / "DETECT_META.csv").write_text(META + rows)
    (data / "a.csv").write_text(TAB)
    return tmp_path


def test_tsb_ad_file(tsb_ad: Path) -> None:
    series = datasets.read_tsb_ad(tsb_ad / NAME)
    assert series.name == Path(NAME).stem
    assert series.train_end == 3
    np.testing.assert_array_equal(series.values, [1.5, 2.0, 3.0, 9.0, 2.0])
    np.testing.assert_array_equal(series.labels, [0, 0, 0, 1, 0])
    (member,) = datasets.tsb_ad(tsb_ad).members
    assert (member.family, member.domain, member.train_end) == ("NAB", "Web_Service", 3)


def test_tsb_ad_drops_rows_in_which_something_is_missing(tsb_ad: Path) -> None:
    (tsb_ad / NAME).write_text("Data,Label\n1,0\n,0\nnan,0\n2,0\n3,0\n9,1\n4,\n")
    np.testing.assert_array_equal(datasets.read_tsb_ad(tsb_ad / NAME).values, [1.0, 2.0, 3.0, 9.0])


def test_tsb_ad_list_gives_the_order_and_what_is_missing(tsb_ad: Path) -> None:
    second = NAME.replace("007", "001")
    (tsb_ad / second).write_text((tsb_ad / NAME).read_text())
    names = tsb_ad / "list.txt"
    names.write_text(f"file_name\n{NAME}\n999_UCR_id_1_Sensor_tr_9_1st_12.csv\n{second}\n")
    collection = datasets.tsb_ad(tsb_ad, names)
    assert [series.name for series in collection] == [Path(NAME).stem, Path(second).stem]
    assert collection.missing == ("999_UCR_id_1_Sensor_tr_9_1st_12.csv",)
    assert len(pickle.loads(pickle.dumps(collection))) == 2


def test_series_are_read_one_by_one(tsb_ad: Path) -> None:
    broken = NAME.replace("007", "008")
    (tsb_ad / broken).write_text("Data,Label\nx,0\n")
    series = iter(datasets.tsb_ad(tsb_ad))
    assert next(series).name == Path(NAME).stem
    with pytest.raises(InputError, match=broken):
        next(series)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("", "no rows"),
        ("Data,Label\n", "no rows"),
        ("a,b\n1,0\n", "Data,Label; this has a,b"),
        ("x,y,Label\n1,2,0\n", "Data,Label; this has x,y,Label"),
        ("Data,Label\n1,0\n2,0\noops,0\n4,0\n", "line 4: 'oops,0'"),
        ("Data,Label\n1,0\n2,7\n3,0\n4,1\n", "label 1 .* is 7"),
        ("Data,Label\n1,0\n2\n", "line 3: 1 cells where 2"),
        ("Data,Label\n1,0\n2,0\n", "train_end must lie inside"),
        ("Data,Label\n1,0\ninf,0\n3,0\n4,1\n", "infinite"),
    ],
)
def test_bad_tsb_ad_files(tsb_ad: Path, content: str, part: str) -> None:
    (tsb_ad / NAME).write_text(content)
    with pytest.raises(InputError, match=part):
        datasets.read_tsb_ad(tsb_ad / NAME)


def test_names_and_folders_that_are_not_tsb_ad(tsb_ad: Path) -> None:
    (tsb_ad / "mine.csv").write_text("Data,Label\n1,0\n")
    with pytest.raises(InputError, match="not a TSB-AD name"):
        datasets.tsb_ad(tsb_ad)
    with pytest.raises(InputError, match="no such folder"):
        datasets.tsb_ad(tsb_ad / "absent")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        datasets.read_tsb_ad(tsb_ad / NAME.replace("007", "555"))
    (tsb_ad / "twice.txt").write_text(f"file_name\n{NAME}\n{NAME}\n")
    with pytest.raises(InputError, match="listed twice"):
        datasets.tsb_ad(tsb_ad, tsb_ad / "twice.txt")
    (tsb_ad / "other.txt").write_text(f"{NAME}\n")
    with pytest.raises(InputError, match="no column 'file_name'"):
        datasets.tsb_ad(tsb_ad, tsb_ad / "other.txt")


@pytest.mark.parametrize("below", ["", "dataset", "dataset/anomaly_detect"])
def test_tab_folder_is_found_from_above(tab: Path, below: str) -> None:
    collection = datasets.tab(tab / below)
    assert collection.missing == ("gone.csv",)
    (series,) = pickle.loads(pickle.dumps(collection))
    assert (series.name, series.train_end) == ("a", 1)
    np.testing.assert_array_equal(series.values, [0.5, 1.5, 2.5])
    np.testing.assert_array_equal(series.labels, [0, 0, 1])
    assert collection.members[0].family == "KDD21"


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (TAB.replace("3,2.5,channel_1\n", ""), "2 values where the meta file says 3"),
        (TAB.replace("2,0,label\n", ""), "labels must have 3 rows"),
        (TAB.replace("2,1.5,channel_1", "2,1.5,channel_2"), "found 2"),
        (TAB.replace("2,1.5", "2,one"), "one"),
        (TAB.replace("2,1.5", "2,nan"), "not finite"),
        (TAB.replace("2,1.5,channel_1", "2,1.5"), "line 3: 2 cells"),
        (TAB.replace("3,1,label", "3,2,label"), "labels must be 0 or 1"),
        ("a,b\n1,2\n", "2 cells where 3|columns date,data,cols"),
    ],
)
def test_bad_tab_files(tab: Path, content: str, part: str) -> None:
    (tab / "dataset/anomaly_detect/data/a.csv").write_text(content)
    with pytest.raises(InputError, match=part):
        list(datasets.tab(tab))


def test_bad_tab_folders(tab: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no DETECT_META\.csv"):
        datasets.tab(tab / "dataset/anomaly_detect/data")
    meta = tab / "dataset/anomaly_detect/DETECT_META.csv"
    meta.write_text(META + "a.csv,KDD21,one,2,3,TRUE,Global\n")
    with pytest.raises(InputError, match="must be whole numbers"):
        datasets.tab(tab)


def test_published_series_are_what_their_lists_say(shared: Path) -> None:
    collection = datasets.tsb_ad(shared / "data/TSB-AD-U", shared / "data/File_List/TSB-AD-U-Eva-here.csv")
    assert len(collection) == 92
    assert collection.missing == ()
    for series in list(collection)[::10]:
        first = int(series.name.rsplit("_", 1)[1])
        assert series.labels is not None
        assert int(series.labels.argmax()) <= first  # a few hold labelled anomalies in the training part
        assert series.labels[first] == 1
    assert (
        len(datasets.tsb_ad(shared / "data/TSB-AD-U", shared / "data/File_List/TSB-AD-U-Eva.csv").missing)
        == 258
    )
    tab = datasets.tab(shared / "data/TAB")
    assert len(list(tab)) == 17
    assert tab.missing == ()
