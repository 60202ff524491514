"""The series of a suite as files: found, named and hashed without being read, then read where they are needed."""

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paiad.benchmark.naming import origin_in_tsb_ad
from paiad.benchmark.suite import DataSet
from paiad.errors import InputError
from paiad.series import Series


@dataclass(frozen=True)
class Source:
    """One series in a file, and what its name or the data set's list says of it."""

    name: str
    path: str
    layout: str
    digest: str
    family: str = ""
    domain: str = ""
    train_end: int | None = None
    train_fraction: float = 0.3

    def load(self) -> Series:
        """Values, labels and the end of the training part."""
        if self.layout == "tab":
            return _read_tab(self)
        return _read_columns(self)


@dataclass(frozen=True)
class Found:
    """The series there are, and the names of those the list asks for that are not there."""

    sources: tuple[Source, ...]
    missing: tuple[str, ...]


def find_sources(data: DataSet, root: Path) -> Found:
    """All series of a data set under `root`, in the order of its list."""
    folder = root / data.folder
    if not folder.is_dir():
        raise InputError(f"no folder {folder}: give the data root with --data")
    if data.layout == "tab":
        return _find_tab(data, folder)
    names = _listed(data, root) or sorted(path.name for path in folder.glob("*.csv"))
    names = _chosen(names, data.only)
    here = [name for name in names if (folder / name).is_file()]
    sources = tuple(_source(folder / name, data) for name in here)
    return Found(sources, tuple(sorted(set(names) - set(here))))


def _source(path: Path, data: DataSet) -> Source:
    origin = origin_in_tsb_ad(path.stem)
    train_end = int(path.stem.split("_")[-3]) if data.layout == "tsb-ad" else None
    return Source(
        path.stem,
        str(path.resolve()),
        data.layout,
        _digest_of(path, train_end),
        origin.family,
        origin.domain,
        train_end,
        data.train_fraction,
    )


def _find_tab(data: DataSet, folder: Path) -> Found:
    lists = folder / (data.file_list or "DETECT_META.csv")
    if not lists.is_file():
        raise InputError(f"no {lists}: TAB's training lengths stand there")
    with open(lists, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["if_univariate"].upper() == "TRUE"]
    rows = [row for row in rows if not data.only or any(part in row["file_name"] for part in data.only)]
    sources, missing = [], []
    for row in rows:
        path = folder / "data" / row["file_name"]
        if not path.is_file():
            missing.append(row["file_name"])
            continue
        train_end = int(row["train_lens"])
        sources.append(
            Source(path.stem, str(path.resolve()), "tab", _digest_of(path, train_end), row["dataset_name"], "", train_end)
        )
    return Found(tuple(sources), tuple(missing))


def _listed(data: DataSet, root: Path) -> list[str]:
    if data.file_list is None:
        return []
    path = root / data.file_list
    if not path.is_file():
        raise InputError(f"no file list {path}")
    with open(path, newline="", encoding="utf-8") as file:
        return [row["file_name"] for row in csv.DictReader(file)]


def _chosen(names: list[str], only: tuple[str, ...]) -> list[str]:
    return [name for name in names if not only or any(part in name for part in only)]


def _digest_of(path: Path, train_end: int | None) -> str:
    return hashlib.sha256(path.read_bytes() + repr(train_end).encode()).hexdigest()


def _read_columns(source: Source) -> Series:
    import duckdb

    table = duckdb.sql(f"SELECT * FROM read_csv('{_quoted(source.path)}')").fetchnumpy()
    values, labels = (np.ma.filled(column.astype(np.float64), np.nan) for column in list(table.values())[:2])
    kept = ~(np.isnan(values) | np.isnan(labels))
    values, labels = values[kept], labels[kept].astype(np.int64)
    train_end = source.train_end or int(len(values) * source.train_fraction)
    return Series(source.name, np.ascontiguousarray(values), labels, train_end)


def _read_tab(source: Source) -> Series:
    import duckdb

    table = duckdb.sql(f"SELECT data, cols FROM read_csv('{_quoted(source.path)}')").fetchnumpy()
    values = np.asarray(table["data"], dtype=np.float64)
    is_label = np.asarray(table["cols"]) == "label"
    return Series(source.name, values[~is_label], values[is_label].astype(np.int64), source.train_end)


def _quoted(path: str) -> str:
    return path.replace("'", "''")
