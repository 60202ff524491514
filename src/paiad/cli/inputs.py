"""From what stands on the line to files to read and folders to write to."""

import glob
from collections.abc import Iterable, Sequence
from pathlib import Path

from paiad.errors import InputError, SettingError

STANDARD_INPUT = "-"
_SUFFIXES = (
    ".gz",
    ".csv",
    ".tsv",
    ".txt",
    ".parquet",
    ".pq",
    ".feather",
    ".arrow",
    ".jsonl",
    ".ndjson",
    ".json",
)


def expanded(given: Iterable[str]) -> list[str]:
    """The files meant, each once, patterns filled in (a shell does that as well, where it can)."""
    files: dict[str, None] = {}
    for one in given:
        matches = [one]
        if glob.has_magic(one) and not Path(one).exists():
            matches = sorted(glob.glob(one, recursive=True))
            if not matches:
                raise InputError(f"{one}: no file matches")
        files |= dict.fromkeys(matches)
    if STANDARD_INPUT in files and len(files) > 1:
        raise SettingError("- (standard input) cannot be one of several files")
    return list(files)


def folders(files: Sequence[str], out: Path | None) -> list[Path]:
    """Where the results of each file go: `out` itself for one file, a folder in it for each of several.

    >>> [str(folder) for folder in folders(["a/x.csv", "b/x.csv.gz"], None)]
    ['paiad-out/x', 'paiad-out/x-2']
    """
    if len(files) == 1 and out is not None:
        return [out]
    root, taken = out or Path("paiad-out"), set()
    chosen = []
    for file in files:
        name = stem = stem_of(file)
        count = 1
        while name in taken:
            count += 1
            name = f"{stem}-{count}"
        taken.add(name)
        chosen.append(root / name)
    return chosen


def stem_of(file: str) -> str:
    """The name of a file without the suffixes that say how it is written.

    >>> stem_of("data/cpu.load.csv.gz"), stem_of("-")
    ('cpu.load', 'stdin')
    """
    if file == STANDARD_INPUT:
        return "stdin"
    name = Path(file).name
    while Path(name).suffix.lower() in _SUFFIXES and Path(name).stem:
        name = Path(name).stem
    return name
