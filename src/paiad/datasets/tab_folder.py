"""TAB: a meta file that says where each training part ends, and long files of values, then labels."""

import csv
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from paiad.datasets.collection import Collection, Member, PathLike
from paiad.datasets.rows import checked_folder, labels_of, opened, rows_of
from paiad.errors import InputError
from paiad.series import Series

_TAB_META = "DETECT_META.csv"
_TAB_COLUMNS = ("file_name", "if_univariate", "dataset_name", "train_lens", "time_steps")
_TAB_FOLDERS = ("", "anomaly_detect", "dataset/anomaly_detect")


def tab(folder: PathLike) -> Collection:
    """The univariate series of TAB that its meta file lists; `folder` is `dataset/anomaly_detect` or what holds it."""
    meta = next((path for path in _tab_metas(folder) if path.is_file()), None)
    if meta is None:
        raise InputError(f"{folder}: there is no {_TAB_META} here nor in {', '.join(_TAB_FOLDERS[1:])}")
    rows = [row for row in rows_of(meta, _TAB_COLUMNS) if row["if_univariate"].strip().upper() == "TRUE"]
    listed = [_tab_member(meta.parent / "data", row, meta) for row in rows]
    here = tuple(member for member in listed if member.path.is_file())
    return Collection("TAB", here, tuple(member.path.name for member in listed if not member.path.is_file()))


def read_tab(path: PathLike, train_end: int | None = None, steps: int | None = None) -> Series:
    """One univariate TAB file: the rows of its channel are the values, those named `label` the labels.

    The blocks stand one below the other and are matched by position, as the benchmark does. `train_end` and the
    number of `steps` that there must be stand in the meta file.
    """
    path = Path(path)
    header, blocks = _tab_blocks(path)
    if header != ["date", "data", "cols"]:
        raise InputError(
            f"{path}: a TAB file has the columns date,data,cols; this has {','.join(header[:6])}"
        )
    channels = [name for name in blocks if name != "label"]
    if len(channels) != 1:
        raise InputError(
            f"{path}: expected one channel, found {len(channels)}; only univariate series are read"
        )
    values = _floats(blocks[channels[0]], path)
    if steps is not None and len(values) != steps:
        raise InputError(
            f"{path}: {len(values)} values where the meta file says {steps}; the split would be wrong"
        )
    labels = labels_of(_floats(blocks["label"], path), path) if "label" in blocks else None
    return Series(path.stem, values, labels, train_end)


def _tab_metas(folder: PathLike) -> list[Path]:
    return [checked_folder(folder) / below / _TAB_META for below in _TAB_FOLDERS]


def _tab_member(data: Path, row: dict[str, str], meta: Path) -> Member:
    path = data / row["file_name"].strip()
    try:
        train_end, steps = int(row["train_lens"]), int(row["time_steps"])
    except ValueError:
        raise InputError(
            f"{meta}: {row['file_name']}: train_lens and time_steps must be whole numbers"
        ) from None
    reader = partial(read_tab, train_end=train_end, steps=steps)
    return Member(path.stem, row["dataset_name"], row.get("type_value", ""), train_end, path, reader)


def _tab_blocks(path: Path) -> tuple[list[str], dict[str, list[str]]]:
    """Header and, by the name in the last column, the cells of each block."""
    blocks: dict[str, list[str]] = defaultdict(list)
    with opened(path) as file:
        reader = csv.reader(file)
        header = next(reader, [])
        for row in reader:
            if len(row) != 3:
                raise InputError(
                    f"{path}, line {reader.line_num}: {len(row)} cells where 3 are expected; correct it"
                )
            blocks[row[2]].append(row[1])
    return header, blocks


def _floats(cells: Sequence[str], path: Path) -> np.ndarray:
    try:
        values = np.array(cells, dtype=np.float64)
    except ValueError as error:
        raise InputError(f"{path}: {error}; the file is damaged") from None
    if not np.isfinite(values).all():
        first = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError(f"{path}: value {first} (counted from 0) is not finite; the file is damaged")
    return values
