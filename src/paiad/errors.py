"""What can go wrong, as one small tree.

PaiadError                     anything this library refuses, said in one line
├── InputError                 the data given: file, column, row and remedy are named
│   └── TooShortError          fewer values than the method needs
├── SettingError               a hyper-parameter, option or configuration key
├── OutputError                a file that cannot be written
├── StoredModelError           a saved scorer that is damaged, foreign or newer
├── MissingWeightsError        pretrained weights are needed; the message says which and where to put them
└── MissingExtraError          an optional package is needed; the message names the extra
"""

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


class PaiadError(Exception):
    """Anything this library refuses; the message is one line a user can act on."""


class InputError(PaiadError, ValueError):
    """The data given cannot be used as it is."""


class TooShortError(InputError):
    """Fewer values than the method needs."""


class SettingError(PaiadError, ValueError):
    """A hyper-parameter, option or configuration key has no meaning here."""


class OutputError(PaiadError):
    """A file cannot be written; what stood there before is untouched."""


class StoredModelError(PaiadError):
    """A saved scorer is damaged, foreign, or made by a newer version."""


class MissingWeightsError(PaiadError, FileNotFoundError):
    """Pretrained weights are needed."""


class MissingExtraError(PaiadError, ImportError):
    """An optional package is needed."""


@contextmanager
def writing_to(target: str | os.PathLike[str]) -> Iterator[None]:
    """What the system refuses while the block writes, said with the target's name: a full disk names no file."""
    try:
        yield
    except OSError as problem:
        if isinstance(problem, PaiadError):
            raise
        raise OutputError(f"{target}: cannot be written: {problem.strerror or problem}") from problem


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import an optional module, or say which extra brings it.

    >>> require("math", "torch", "training an encoder").__name__
    'math'
    """
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{purpose} needs the package '{package}': pip install 'paiad[{extra}]'"
        ) from missing
