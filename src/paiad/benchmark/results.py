"""What has been run, as one array a measure: detectors by series, averaged over seeds, NaN where there is none."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paiad.benchmark.executors import Engine
from paiad.benchmark.executors.serial import Serial
from paiad.benchmark.measure import Ruler
from paiad.benchmark.remeasure import Wanted, ensure_measured, view_of
from paiad.benchmark.sources import Source
from paiad.benchmark.store import Store
from paiad.benchmark.suite import Entry, Protocol, Suite, read_suite
from paiad.detectors.prototype import NearestPrototype
from paiad.errors import InputError, PaiadError, SettingError
from paiad.fusion import Weights

Values = NDArray[np.float64]

REPRESENTATION = Weights(1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Choice:
    """Whose scores: a detector of the suite, as they are or with its terms weighted anew."""

    entry: Entry
    view: str = ""


@dataclass(frozen=True)
class PlannedJob:
    """A line of the plan."""

    key: str
    detector: str
    source: Source
    seed: int


@dataclass
class Results:
    """The store read under one protocol."""

    store: Store
    suite: Suite
    protocol: Protocol
    engine: Engine = field(default_factory=Serial)

    @classmethod
    def open(
        cls,
        store: Store,
        protocol: Protocol | None = None,
        data_root: Path | None = None,
        engine: Engine | None = None,
    ) -> "Results":
        """Read the suite and the plan a store holds; `protocol` None is the suite's own."""
        suite = read_suite(store.folder / "suite.toml")
        results = cls(store, suite, protocol or suite.protocol, engine or Serial())
        if "as-released" in (results.protocol.scope, suite.protocol.scope) and (
            results.protocol.scope != suite.protocol.scope
        ):
            raise SettingError(
                f"the store was run with scope {suite.protocol.scope}: as-released needs scores of its own; "
                "run the suite with that scope into another store"
            )
        if data_root is not None:
            results.__dict__["jobs"] = [_moved(job, results.data_root, data_root) for job in results.jobs]
        return results

    @cached_property
    def _plan(self) -> list[tuple[Any, ...]]:
        if not (self.store.folder / "plan.parquet").exists():
            raise InputError(f"{self.store.folder}: nothing has been run here yet")
        return self.store.query("SELECT key, detector, seed, source, missing, data_root FROM plan")

    @cached_property
    def jobs(self) -> list[PlannedJob]:
        """Every job that was asked for, done or not."""
        known: dict[str, Source] = {}
        jobs = []
        for key, detector, seed, source, *_ in self._plan:
            if source not in known:
                known[source] = Source(**json.loads(source))
            jobs.append(PlannedJob(key, detector, known[source], int(seed)))
        return jobs

    @property
    def missing(self) -> tuple[str, ...]:
        """Series the suite asks for that were not there."""
        return tuple(json.loads(self._plan[0][4])) if self._plan else ()

    @cached_property
    def lacking(self) -> dict[str, str]:
        """What detectors lacked, without which they could not be run."""
        if "lacking" not in (name for name, *_ in self.store.query("DESCRIBE plan")):
            return {}  # a plan of an older version
        return dict(self.store.query("SELECT DISTINCT detector, lacking FROM plan WHERE lacking != ''"))

    @property
    def data_root(self) -> Path:
        return Path(self._plan[0][5])

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The series, in the order of the plan."""
        return tuple({job.source.name: job.source for job in self.jobs}.values())

    @cached_property
    def position(self) -> dict[str, int]:
        return {source.name: index for index, source in enumerate(self.sources)}

    @cached_property
    def rows(self) -> dict[str, dict[str, Any]]:
        """How each planned job ended, by key; jobs that have not are absent."""
        names = (
            "key",
            "status",
            "reason",
            "fit_seconds",
            "score_seconds",
            "peak_mb",
            "parameters",
            "constant",
            "fitted_together",
            "code",
            "notes",
        )
        planned = {job.key for job in self.jobs}
        found = self.store.query(f"SELECT {', '.join(names)} FROM rows") if self.store.statuses() else []
        return {row[0]: dict(zip(names, row, strict=True)) for row in found if row[0] in planned}

    def done(self, entry: Entry) -> list[PlannedJob]:
        """Jobs of a detector that are done."""
        of_entry = [job for job in self.jobs if job.detector == entry.name]
        return [job for job in of_entry if self.rows.get(job.key, {}).get("status") == "done"]

    def find(self, method: str, variant: str) -> Choice | None:
        """Whose scores stand for a method's variant: a detector of that name, or one whose terms contain it."""
        for entry in self.suite.entries:
            if (entry.method or entry.name, entry.variant) == (method, variant):
                return Choice(entry)
        if variant == "cosine bank":
            native = self.find(method, "native")
            if native is not None and _is_cosine_bank(native.entry):
                return native
        contained = CONTAINED.get(variant)
        whole = self.find(method, contained) if contained else None
        if whole is None or method in NATIVE_BASE:
            return None
        return Choice(whole.entry, view_of(REPRESENTATION))

    def has_terms(self, choice: Choice) -> bool:
        """Whether terms of a + PAI detector are here, and not only what was measured of them elsewhere."""
        return any(self.store.has_scores(job.key) for job in self.done(choice.entry))

    def prepare(self, choices: Iterable[Choice]) -> None:
        """Take all measures that these choices need and that are not there yet, together."""
        wanted = [
            Wanted(job.source, job.key, choice.view, self.ruler(choice.entry))
            for choice in choices
            for job in self.done(choice.entry)
        ]
        ensure_measured(self.store, wanted, self.engine)

    def ruler(self, entry: Entry) -> Ruler:
        return Ruler.of(self.protocol, self.protocol.part(entry))

    def per_series(self, choice: Choice, metric: str) -> Values:
        """One value a series, in the order of `sources`; the mean over seeds, NaN where there is none."""
        return self._table(choice)[metric]

    def reasons(self, choice: Choice) -> dict[str, str]:
        """Series on which a measure of this choice is undefined, and why."""
        self._table(choice)
        return self._reasons[choice.entry.name, choice.view]

    def unmeasured(self, choice: Choice) -> int:
        """Done jobs of this choice without measures under this protocol: they were run elsewhere."""
        self._table(choice)
        return self._unmeasured[choice.entry.name, choice.view]

    def _table(self, choice: Choice) -> dict[str, Values]:
        at = (choice.entry.name, choice.view)
        if at not in self._tables:
            self.prepare([choice])
            self._tables[at] = self._read(choice)
        return self._tables[at]

    @cached_property
    def _tables(self) -> dict[tuple[str, str], dict[str, Values]]:
        return {}

    @cached_property
    def _unmeasured(self) -> dict[tuple[str, str], int]:
        return {}

    @cached_property
    def _reasons(self) -> dict[tuple[str, str], dict[str, str]]:
        return {}

    def _read(self, choice: Choice) -> dict[str, Values]:
        jobs = {job.key: job.source.name for job in self.done(choice.entry)}
        ruler = self.ruler(choice.entry)
        rows = self.store.query(
            "SELECT DISTINCT key, metric, value, reason FROM measures "
            f"WHERE ruler IN ('{ruler.digest}', '{ruler.digest_elsewhere}') AND view = '{choice.view}'"
        )
        tables = {metric: np.full(len(self.sources), np.nan) for metric in self.protocol.measures}
        cells: dict[tuple[str, str], list[float]] = {}
        reasons = {}
        for key, metric, value, reason in rows:
            if key in jobs and metric in tables:  # what was measured elsewhere may be of more measures
                # An undefined measure is NaN, which the store keeps as no value.
                cells.setdefault((metric, jobs[key]), []).append(np.nan if value is None else value)
                if reason:
                    reasons[jobs[key]] = reason
        self._reasons[choice.entry.name, choice.view] = reasons
        self._unmeasured[choice.entry.name, choice.view] = len(jobs.keys() - {key for key, *_ in rows})
        for (metric, series), values in cells.items():
            tables[metric][self.position[series]] = float(np.mean(values))
        return tables


def _is_cosine_bank(entry: Entry) -> bool:
    """Whether a method's own score is the cosine distance to a bank, as PaAno's is."""
    try:
        recipe = entry.make()
    except PaiadError:  # it lacks a package
        return False
    return isinstance(recipe, NearestPrototype) and recipe.metric == "cosine"


# A variant whose scores are the representation term of another.
CONTAINED = {"Euclidean bank": "+ PAI", "cosine bank": "cosine bank + raw-scale"}
# Methods whose PAI keeps the native score as its base, so that it contains no bank score.
NATIVE_BASE = ("TSPulse-ZS", "TSPulse-FT")


def _moved(job: PlannedJob, before: Path, after: Path) -> PlannedJob:
    path = after / Path(job.source.path).relative_to(before)
    return replace(job, source=replace(job.source, path=str(path.resolve())))
