"""The series of a suite as files: found, named and hashed without being read, then read where they are needed."""

import hashlib
from collections.abc import Callable, Iterator
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
    value: str | None = None
    label: str | None = None

    def load(self) -> Series:
        """Values, labels and the end of the training part."""
        if self.layout == "tsb-ad":
            return read_tsb_ad(self.path)
        if self.layout == "tab":
            return read_tab(self.path, self.train_end)
        values = [self.value] if self.value else None
        table = read(self.path, values=values, labels=self.label, train_until=self.train_fraction)
        return _labelled(table.series, self.path)


@dataclass(frozen=True)
class Found:
    """The series there are, and the names of those the list asks for that are not there."""

    sources: tuple[Source, ...]
    missing: tuple[str, ...]


def find_sources(data: DataSet, root: Path) -> Found:
    """All series of a data set under `root`, in the order of its list.

    `root` may also be what an archive unpacks to (`Datasets` or what holds it), or the folder of the series itself.
    """
    folder = _found(data.folder, root, Path.is_dir)
    if folder is None and data.layout == "tab" and (root / "dataset").is_dir():
        folder = root
    if folder is None:
        raise InputError(
            f"no folder {data.folder} in {root}: give what holds it with --data; the suite takes {data.layout} series"
        )
    if data.layout == "folder":
        return Found(tuple(_own(data, folder)), ())
    collection = tab(folder) if data.layout == "tab" else tsb_ad(folder, _file_list(data, root))
    return Found(
        tuple(_members(collection, data)), tuple(name for name in collection.missing if data.takes(name))
    )


def _file_list(data: DataSet, root: Path) -> Path | None:
    if data.file_list is None:
        return None
    found = _found(data.file_list, root, Path.is_file)
    if found is None:
        raise InputError(
            f"no file {data.file_list} in {root}: the list comes with the benchmark, and says which series it has"
        )
    return found


def _found(below: str, root: Path, is_there: Callable[[Path], bool]) -> Path | None:
    """Where it is, of the places at which an archive may have been unpacked."""
    at = [root / below, root / "Datasets" / below, root.resolve().parent / below]
    if len(Path(below).parts) == 1 and root.resolve().name != below:
        at = at[:2]
    return next((path for path in at if is_there(path)), None)


def _members(collection: Collection, data: DataSet) -> Iterator[Source]:
    for member in collection.members:
        if data.takes(member.name):
            path, split = member.path.resolve(), member.train_end
            digest = _digest_of(path, split)
            yield Source(member.name, str(path), data.layout, digest, member.family, member.domain, split)


def _own(data: DataSet, folder: Path) -> Iterator[Source]:
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith(".") and data.takes(path.name):
            split = data.train_fraction
            digest = _digest_of(path, (split, data.value, data.label) if data.value or data.label else split)
            yield Source(
                path.stem,
                str(path.resolve()),
                data.layout,
                digest,
                train_fraction=data.train_fraction,
                value=data.value,
                label=data.label,
            )


def _labelled(series: tuple[Series, ...], path: str) -> Series:
    if len(series) != 1:
        raise InputError(
            f"{path}: expected one series a file, found {len(series)}; name its column with data.value in the suite"
        )
    if series[0].labels is None:
        raise InputError(
            f"{path}: there is no column of labels (0 and 1) to judge by; name it with data.label in the suite"
        )
    return series[0]


def _digest_of(path: Path, split: object) -> str:
    return hashlib.sha256(path.read_bytes() + repr(split).encode()).hexdigest()
