"""A suite: which series, which detectors, which protocol. Written as TOML, read into frozen records."""

import sys
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from paiad.benchmark.executors.work import Limits
from paiad.catalog import DEFAULT, make
from paiad.contracts import Detector
from paiad.errors import SettingError
from paiad.metrics.definitions import MEASURES, Definition

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Scope = Literal["full", "test", "as-released"]
Part = Literal["full", "test"]
SCOPES = ("full", "test", "as-released")
NO_LIMITS = Limits()
PAPER_METRICS = ("VUS-PR", "VUS-ROC", "Event-based-F1", "AUC-PR", "AUC-ROC", "Standard-F1")


@dataclass(frozen=True)
class DataSet:
    """Where the series lie: `folder` is taken relative to the data root given when the suite is run.

    `value` and `label` name the columns of a folder of your own files, where they are not plain.
    """

    layout: Literal["tsb-ad", "tab", "folder"]
    folder: str
    file_list: str | None = None
    train_fraction: float = 0.3
    only: tuple[str, ...] = ()
    value: str | None = None
    label: str | None = None

    def __post_init__(self) -> None:
        if self.layout != "folder" and (self.value or self.label):
            raise SettingError(f"value and label belong to layout folder, not to {self.layout}")
        if not 0 < self.train_fraction < 1:
            raise SettingError(f"train_fraction must lie between 0 and 1, got {self.train_fraction:g}")
        if self.layout not in ("tsb-ad", "tab", "folder"):
            raise SettingError(f"layout must be tsb-ad, tab or folder, got {self.layout!r}")

    def takes(self, name: str) -> bool:
        """Whether a series is wanted: with `only`, its name must contain one of those words."""
        return not self.only or any(word in name for word in self.only)


@dataclass(frozen=True)
class Entry:
    """One detector of a suite, and what it stands for in the tables.

    `fit_on` "whole" gives it the whole series to learn from, the test part included, which tables mark.
    `as_released` is the part its scores were evaluated on in the authors' release. `published` is its column
    in a file of published values.
    """

    name: str
    recipe: str
    settings: dict[str, Any] = field(default_factory=dict)
    group: str = ""
    method: str = ""
    variant: str = ""
    fit_on: Literal["train", "whole"] = "train"
    as_released: Part = "full"
    published: str = ""

    def __post_init__(self) -> None:
        if self.fit_on not in ("train", "whole"):
            raise SettingError(f"fit_on must be train or whole, got {self.fit_on!r}")
        if self.as_released not in ("full", "test"):
            raise SettingError(f"as_released must be full or test, got {self.as_released!r}")

    def make(self) -> Detector:
        """The recipe itself; "default" is the one the library takes when none is named."""
        try:
            return make(DEFAULT if self.recipe == "default" else self.recipe, self.settings)
        except SettingError as error:
            raise SettingError(f"detector {self.name!r}: {error}") from None


@dataclass(frozen=True)
class Protocol:
    """How scores are judged. Everything here is printed with every table.

    `scope` "full" judges the whole series; "test" only what follows the training part; "as-released" does
    for each detector what the authors' release did, where a "test" detector also sees the test part alone
    when it scores. `window` is the rule for the VUS window: the series' own period on the judged part, as
    TSB-AD or the paper's code find it, the median length of its anomalies ("labels"), or a number of steps.
    Without `metrics`, those of the paper that the definition has.
    """

    scope: Scope = "full"
    window: Literal["tsb-ad", "paper", "labels"] | int = "tsb-ad"
    definition: Definition = "tsb-ad"
    metrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.scope not in SCOPES:
            raise SettingError(f"scope must be one of {', '.join(SCOPES)}, got {self.scope!r}")
        if self.window not in ("tsb-ad", "paper", "labels") and not isinstance(self.window, int):
            raise SettingError(
                f"window must be tsb-ad, paper, labels or a number of steps, got {self.window!r}"
            )
        if self.definition not in MEASURES:
            raise SettingError(f"definition must be one of {', '.join(MEASURES)}, got {self.definition!r}")
        known = MEASURES[self.definition]
        unknown = [name for name in self.metrics if name not in known]
        if unknown:
            raise SettingError(f"{self.definition} has no measure {unknown[0]!r}; it has {', '.join(known)}")

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures to take, in the order of the tables."""
        known = MEASURES[self.definition]
        return self.metrics or tuple(name for name in PAPER_METRICS if name in known)

    def part(self, entry: Entry) -> Part:
        """Which part of a series the scores of this detector are judged on."""
        return entry.as_released if self.scope == "as-released" else self.scope

    def scored(self, entry: Entry) -> Part:
        """Which part of a series this detector is given to score."""
        return self.part(entry) if self.scope == "as-released" else "full"


@dataclass(frozen=True)
class Suite:
    """Detectors over series under one protocol, with seeds for those that take one."""

    name: str
    data: DataSet
    entries: tuple[Entry, ...]
    protocol: Protocol = Protocol()
    seeds: tuple[int, ...] = (0,)
    limits: Limits = NO_LIMITS

    def __post_init__(self) -> None:
        names = [entry.name for entry in self.entries]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise SettingError(f"two detectors are called {repeated[0]!r}; give one of them another name")
        if not names:
            raise SettingError("there are no detectors: add a [[detector]] with name and recipe")

    def entry(self, name: str) -> Entry:
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise SettingError(
            f"no detector of the suite is called {name!r}; there are {', '.join(e.name for e in self.entries)}"
        )


def read_suite(path: Path) -> Suite:
    """A suite from its TOML file; errors name the file and the key."""
    try:
        raw = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingError(f"no suite at {path}") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingError(f"{path}: not valid TOML: {error}") from None
    return parsed_suite(raw, str(path))


def parsed_suite(raw: dict[str, Any], where: str) -> Suite:
    """A suite from the tables of its file.

    >>> parsed_suite({"name": "tiny", "data": {"layout": "tsb-ad", "folder": "."},
    ...               "detector": [{"name": "raw", "recipe": "raw"}]}, "tiny.toml").entries[0].recipe
    'raw'
    """
    _refuse_unknown(raw, KEYS, where)
    for needed in ("name", "data", "detector"):
        if needed not in raw:
            raise SettingError(f"{where}: {needed!r} is missing")
    detectors, seeds = raw["detector"], raw.get("seeds", [0])
    if not isinstance(detectors, list):
        raise SettingError(f"{where}: each detector stands under [[detector]], in double brackets")
    if not (isinstance(seeds, list) and seeds and all(type(seed) is int and seed >= 0 for seed in seeds)):
        raise SettingError(f"{where}: seeds must be a list of whole numbers from 0, got {seeds!r}")
    data = _record(DataSet, raw["data"], f"{where}: data")
    entries = tuple(
        _record(Entry, entry, f"{where}: detector {number}") for number, entry in enumerate(detectors, 1)
    )
    protocol = _record(Protocol, raw.get("protocol", {}), f"{where}: protocol")
    limits = _record(Limits, raw.get("limits", {}), f"{where}: limits")
    try:
        return Suite(str(raw["name"]), data, entries, protocol, tuple(seeds), limits)
    except SettingError as error:
        raise SettingError(f"{where}: {error}") from None


KEYS = ("name", "data", "protocol", "seeds", "limits", "detector")


def _record(kind: Any, raw: Any, where: str) -> Any:
    """A table of the file as the frozen record it describes; what its types or its own checks refuse is named."""
    if not isinstance(raw, dict):
        raise SettingError(f"{where}: expected a table of settings, got {raw!r}")
    if "name" in raw:
        where = f"{where} ({raw['name']})"
    _refuse_unknown(raw, tuple(kind.__dataclass_fields__), where)
    types = get_type_hints(kind)
    for name, value in raw.items():
        if not _fits(value, types[name]):
            raise SettingError(f"{where}: {name} must be {_words(types[name])}, got {value!r}")
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()}
    try:
        return kind(**given)
    except SettingError as error:
        raise SettingError(f"{where}: {error}") from None
    except TypeError:
        needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
        lacking = next(name for name in needed if name not in raw)
        raise SettingError(f"{where}: {lacking!r} is missing") from None


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value of the file can stand for a field of this type; which words it may be, the record knows."""
    if get_origin(kind) is Literal:
        return isinstance(value, str)
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(_fits(part, get_args(kind)[0]) for part in value)
    if get_origin(kind) in (Union, UnionType):
        return any(_fits(value, each) for each in get_args(kind))
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, get_origin(kind) or kind) and not isinstance(value, bool)


def _words(kind: Any) -> str:
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(_words(each) for each in get_args(kind) if each is not type(None))
    words = {float: "a number", int: "a number", dict: "a table", tuple: "a list of texts", Literal: "a text"}
    return words.get(get_origin(kind) or kind, "a text")


def _refuse_unknown(raw: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    unknown = sorted(set(raw) - set(known))
    if unknown:
        raise SettingError(f"{where}: unknown key {unknown[0]!r}; known: {', '.join(known)}")
