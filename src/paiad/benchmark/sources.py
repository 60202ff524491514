"""The series of a suite as files: found, named and hashed without being read, then read where they are needed."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from paiad.benchmark.suite import DataSet
from paiad.datasets import Collection, read_tab, read_tsb_ad, tab, tsb_ad
from paiad.errors import InputError
from paiad.reading import read
from paiad.series import Series


@dataclass(frozen=True)
class Source:
    """One series in a file, and what its name or the data set's list says of it.

    `digest` covers the bytes of the file and where the training part ends.
    """

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
        if self.layout == "tsb-ad":
            return read_tsb_ad(self.path)
        if self.layout == "tab":
            return read_tab(self.path, self.train_end)
        return _labelled(read(self.path, train_until=self.train_fraction).series, self.path)


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
    if data.layout == "folder":
        return Found(tuple(_own(data, folder)), ())
    collection = tab(folder) if data.layout == "tab" else tsb_ad(folder, _file_list(data, root))
    return Found(
        tuple(_members(collection, data)), tuple(name for name in collection.missing if data.takes(name))
    )


def _file_list(data: DataSet, root: Path) -> Path | None:
    return None if data.file_list is None else root / data.file_list


def _members(collection: Collection, data: DataSet) -> Iterator[Source]:
    for member in collection.members:
        if data.takes(member.name):
            path, split = member.path.resolve(), member.train_end
            digest = _digest_of(path, split)
            yield Source(member.name, str(path), data.layout, digest, member.family, member.domain, split)


def _own(data: DataSet, folder: Path) -> Iterator[Source]:
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith(".") and data.takes(path.name):
            digest = _digest_of(path, data.train_fraction)
            yield Source(
                path.stem, str(path.resolve()), data.layout, digest, train_fraction=data.train_fraction
            )


def _labelled(series: tuple[Series, ...], path: str) -> Series:
    if len(series) != 1:
        raise InputError(f"{path}: expected one series a file, found {len(series)}")
    if series[0].labels is None:
        raise InputError(f"{path}: there is no column of labels (0 and 1) to judge by")
    return series[0]


def _digest_of(path: Path, split: float) -> str:
    return hashlib.sha256(path.read_bytes() + repr(split).encode()).hexdigest()
