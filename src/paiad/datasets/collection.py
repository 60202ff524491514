"""A benchmark on disk: what it lists, what of it is here, and each series when it is asked for."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from paiad.series import Series

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Member:
    """One series of a benchmark, known by its name; its values are read when `read` is called."""

    name: str
    family: str
    """Where it comes from, in the benchmark's own words: NAB, UCR, KDD21, ..."""
    domain: str
    """What it is about (TSB-AD), or what kind of anomaly it holds (TAB); may be empty."""
    train_end: int
    path: Path
    reader: Callable[[Path], Series]

    def read(self) -> Series:
        """The values, the labels, and where the training part ends."""
        return self.reader(self.path)


@dataclass(frozen=True)
class Collection:
    """The series of a benchmark that are here, in the order of its list, and the names of those that are not."""

    name: str
    members: tuple[Member, ...]
    missing: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Series]:
        """The series one after the other; only the one at hand is in memory."""
        return (member.read() for member in self.members)
