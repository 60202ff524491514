"""TSB-AD: one file a series, whose name says where the training part ends."""

import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import numpy as np

from paiad.datasets.collection import Collection, Member, PathLike
from paiad.datasets.rows import checked_folder, labels_of, opened, rows_of
from paiad.errors import InputError
from paiad.series import Series

_TSB_AD_NAME = re.compile(
    r"(?P<index>\d+)_(?P<family>.+)_id_(?P<id>\d+)_(?P<domain>.+)_tr_(?P<train_end>\d+)_1st_(?P<first>\d+)\.csv"
)


def tsb_ad(folder: PathLike, file_list: PathLike | None = None) -> Collection:
    """The univariate series of a TSB-AD folder, all of them or those that a file list names.

    The list is a CSV file with a column `file_name`, as the benchmark publishes it.
    """
    here = {path.name: path for path in sorted(checked_folder(folder).glob("*.csv"))}
    wanted = list(here) if file_list is None else _names_in(Path(file_list))
    if not wanted:
        raise InputError(
            f"{folder}: there are no .csv files; give the folder that holds the series themselves"
        )
    members = tuple(_tsb_ad_member(here[name]) for name in wanted if name in here)
    return Collection("TSB-AD", members, tuple(name for name in wanted if name not in here))


def read_tsb_ad(path: PathLike) -> Series:
    """One TSB-AD file: its values and labels, and from its name where the training part ends.

    Rows in which anything is missing are dropped first, as the benchmark does; `train_end` counts what is left.
    """
    path = Path(path)
    train_end = _tsb_ad_member(path).train_end
    header, cells = _table(path)
    if [name.strip().lower() for name in header] != ["data", "label"]:
        raise InputError(
            f"{path}: a univariate TSB-AD file has the columns Data,Label; this has {','.join(header[:6])}"
        )
    kept = cells[~np.isnan(cells).any(axis=1)]
    if not np.isfinite(kept).all():
        raise InputError(f"{path}: a value is infinite; correct it or empty the cell")
    return Series(path.stem, np.ascontiguousarray(kept[:, 0]), labels_of(kept[:, 1], path), train_end)


def _names_in(file_list: Path) -> list[str]:
    return [row["file_name"].strip() for row in rows_of(file_list, needed=("file_name",))]


def _tsb_ad_member(path: Path) -> Member:
    name = _TSB_AD_NAME.fullmatch(path.name)
    if name is None:
        raise InputError(
            f"{path}: not a TSB-AD name; expected <index>_<source>_id_<k>_<domain>_tr_<n>_1st_<first anomaly>.csv"
        )
    return Member(path.stem, name["family"], name["domain"], int(name["train_end"]), path, read_tsb_ad)


def _table(path: Path) -> tuple[list[str], np.ndarray]:
    """Header and cells of a file of numbers, NaN where a cell is empty."""
    with opened(path) as file:
        header = file.readline().strip().split(",")
        body = file.read()
    if not body.strip():
        raise InputError(f"{path}: there are no rows below the header")
    try:
        return header, np.loadtxt(StringIO(body), delimiter=",", dtype=np.float64, ndmin=2, comments=None)
    except ValueError:
        lines = [line.split(",") for line in body.splitlines()]
        cells = [
            _numbers(line, len(header), f"{path}, line {k}")
            for k, line in enumerate(lines, start=2)
            if any(line)
        ]
        return header, np.array(cells, dtype=np.float64)


def _numbers(cells: Sequence[str], width: int, where: str) -> list[float]:
    """The numbers of one line, NaN where a cell is empty; slow, but says what is wrong where."""
    if len(cells) != width:
        raise InputError(f"{where}: {len(cells)} cells where {width} are expected; correct the line")
    try:
        return [float(cell) if cell.strip() else np.nan for cell in cells]
    except ValueError:
        raise InputError(
            f"{where}: {','.join(cells)[:60]!r} is not numbers alone; correct the line"
        ) from None
