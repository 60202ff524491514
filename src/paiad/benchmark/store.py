"""The store: one folder of Parquet files that any tool can query, and that no interruption can spoil.

    rows/<key>.parquet               how a job ended, one row; the row is what makes a job done
    scores/<key>.parquet             its scores, one row a time step, and its terms where it has them
    measures/<digest>.parquet        one row a measure, of one or more jobs under one ruler
    facts/<series>.parquet           length, recording and kind of anomaly of one series
    plan.parquet, suite.toml         what was last asked for

Every file is written beside its place and then renamed, so a file is whole or not there.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paiad.benchmark.key import digest
from paiad.benchmark.measure import Measure
from paiad.errors import InputError
from paiad.shapes import Scores

if TYPE_CHECKING:
    from paiad.benchmark.facts import Fact

Columns = Mapping[str, Any]


@contextmanager
def _hearing_interrupts() -> Iterator[None]:
    """DuckDB hears Ctrl-C before Python does, and takes it for an error."""
    try:
        yield
    except RuntimeError as error:
        if "Query interrupted" not in str(error):
            raise
        raise KeyboardInterrupt from None


class Store:
    """Reads and writes the folder; what is in it is the only progress there is."""

    def __init__(self, folder: Path, create: bool = False) -> None:
        import duckdb

        self.folder = Path(folder)
        if not create and not self.folder.is_dir():
            raise InputError(
                f"no store at {self.folder}: make one with `paiad bench run SUITE --store {self.folder}`"
            )
        for part in ("rows", "scores", "measures", "facts"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        self._connection = duckdb.connect()
        self._connection.execute("SET threads TO 1")
        self._connection.execute("SET enable_progress_bar = false")  # it would stand in the middle of a table
        self._read: dict[str, dict[str, int]] = {}

    def save_job(self, row: Columns, scores: Scores | None, terms: Mapping[str, Scores]) -> None:
        """Scores first and the row last: a job is done when its row is there."""
        key = row["key"]
        if scores is not None:
            self._write(self.folder / "scores" / f"{key}.parquet", {"score": scores, **terms})
        self._write(self.folder / "rows" / f"{key}.parquet", {name: [value] for name, value in row.items()})

    def save_measures(self, ruler: str, measures: Mapping[tuple[str, str], Sequence[Measure]]) -> None:
        """Measures under one ruler, by job and by view of its scores ("" is the scores themselves)."""
        flat = [(key, view, measure) for (key, view), several in measures.items() for measure in several]
        if not flat:
            return
        columns: dict[str, Any] = {
            "key": [key for key, _, _ in flat],
            "ruler": [ruler] * len(flat),
            "view": [view for _, view, _ in flat],
        }
        columns |= {
            field.name: [getattr(measure, field.name) for *_, measure in flat] for field in fields(Measure)
        }
        # The same measures always go to the same file, so that taking them twice does not double them.
        name = digest(ruler, *(part for key_and_view in measures for part in key_and_view))[:24]
        self._write(self.folder / "measures" / f"{name}.parquet", columns)

    def save_plan(self, columns: Columns, suite: Path | None) -> None:
        """What is asked for: one row a job, and the suite it comes from."""
        self._write(self.folder / "plan.parquet", columns)
        if suite is not None and suite.resolve() != (self.folder / "suite.toml").resolve():
            shutil.copyfile(suite, self.folder / "suite.toml.part")
            os.replace(self.folder / "suite.toml.part", self.folder / "suite.toml")

    def save_fact(self, series: str, rule: str, fact: "Fact") -> None:
        """What is known of one series, found by one version of the rules."""
        columns = {field.name: [getattr(fact, field.name)] for field in fields(fact)}
        self._write(
            self.folder / "facts" / f"{series}.parquet", {"series": [series], "rule": [rule], **columns}
        )

    def facts(self, rule: str) -> dict[str, "Fact"]:
        """The facts known by a version of the rules, by digest of the series."""
        from paiad.benchmark.facts import Fact

        names = ", ".join(field.name for field in fields(Fact))
        rows = self.query(f"SELECT series, {names} FROM facts WHERE rule = '{rule}'")
        return {series: Fact(*values) for series, *values in rows}

    def statuses(self) -> dict[str, tuple[str, int]]:
        """Status and number of attempts of every job that has ended, by key."""
        rows = self.query("SELECT key, status, attempts FROM rows")
        return {key: (status, int(attempts)) for key, status, attempts in rows}

    def scores(self, key: str) -> Scores:
        """The scores of a job."""
        return self._read_columns(key)["score"]

    def has_scores(self, key: str) -> bool:
        """Whether the scores of a job are here, and not only what was measured of them elsewhere."""
        return (self.folder / "scores" / f"{key}.parquet").exists()

    def terms(self, key: str) -> dict[str, Scores]:
        """Its standardised terms by name; empty when the detector has none."""
        columns = self._read_columns(key)
        return {name: column for name, column in columns.items() if name != "score"}

    def measured(self, ruler: str) -> set[tuple[str, str]]:
        """Job and view of every score that has been measured under a ruler."""
        rows = self.query(f"SELECT DISTINCT key, view FROM measures WHERE ruler = '{ruler}'")
        return {(key, view) for key, view in rows}

    @_hearing_interrupts()
    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """SQL over the tables `rows`, `measures`, `facts` and `plan`; a table without files is empty."""
        for table in ("rows", "measures", "facts"):
            self._refresh(table)
        plan = self.folder / "plan.parquet"
        if plan.exists():
            self._connection.execute(f"CREATE OR REPLACE TEMP VIEW plan AS SELECT * FROM '{_quoted(plan)}'")
        return self._connection.execute(sql).fetchall()

    def columns_of(self, path: Path) -> list[str]:
        """Names of the columns of a CSV or Parquet file."""
        return [name for name, *_ in self.query(f"DESCRIBE SELECT * FROM '{_quoted(path)}'")]

    def rows_of(self, path: Path, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """These columns of all rows of a CSV or Parquet file."""
        return self.query(f"SELECT {', '.join(columns)} FROM '{_quoted(path)}'")

    @_hearing_interrupts()
    def export(self, path: Path) -> int:
        """All measures with the rows they belong to, as one Parquet or CSV file; the number of its rows.

        `reason` is why a job failed, `undefined` why a measure has no value.
        """
        self.query("SELECT 1")
        kind = "csv" if path.suffix == ".csv" else "parquet"
        joined = (
            "SELECT rows.*, measures.* EXCLUDE (key, reason), measures.reason AS undefined "
            "FROM rows LEFT JOIN measures USING (key) ORDER BY detector, series, seed, view, metric"
        )
        part = path.with_name(f".{path.name}.part")
        count = self._connection.execute(f"COPY ({joined}) TO '{_quoted(part)}' (FORMAT {kind})").fetchone()
        os.replace(part, path)
        return int(count[0]) if count else 0

    def _refresh(self, table: str) -> None:
        """Have in memory what the files of a table hold; of thousands, only those are read that came since."""
        with os.scandir(self.folder / table) as entries:
            files = {e.path: e.stat().st_mtime_ns for e in entries if e.name.endswith(".parquet")}
        files = {path: at for path, at in files.items() if not Path(path).name.startswith(".")}
        known = self._read.get(table)
        if files == known:
            return
        if known and known.items() <= files.items():
            try:
                new = sorted(files.keys() - known.keys())
                self._connection.execute(f"INSERT INTO {table} BY NAME {_all_of(new)}")
            except RuntimeError:  # they have columns of a later version
                known = None
        else:
            known = None
        if known is None:
            read = f"{_all_of(sorted(files))} UNION ALL BY NAME {_EMPTY[table]}" if files else _EMPTY[table]
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {read}")
        self._read[table] = files

    @_hearing_interrupts()
    def _read_columns(self, key: str) -> dict[str, Scores]:
        path = self.folder / "scores" / f"{key}.parquet"
        if not path.exists():
            raise InputError(f"{self.folder}: there are no scores of job {key[:12]}")
        found = self._connection.execute(f"SELECT * FROM '{_quoted(path)}'").fetchnumpy()
        return {name: np.asarray(column, dtype=np.float64) for name, column in found.items()}

    @_hearing_interrupts()
    def _write(self, path: Path, columns: Columns) -> None:
        # DuckDB finds this table by the name of the local variable.
        columns_by_name = {name: _column(values) for name, values in columns.items()}  # noqa: F841
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._connection.execute(
            f"COPY (SELECT * FROM columns_by_name) TO '{_quoted(part)}' (FORMAT parquet, COMPRESSION zstd)"
        )
        os.replace(part, path)


# Every column a query names, so that a table without files, or of an earlier version, can be asked too.
_EMPTY = {
    "rows": "SELECT '' AS key, '' AS detector, '' AS series, 0 AS seed, '' AS status, 0 AS attempts, "
    "1 AS fitted_together, '' AS code, '' AS machine, '' AS python, '' AS ended WHERE false",
    "measures": "SELECT '' AS key, '' AS ruler, '' AS view, '' AS metric, 0.0 AS value, '' AS reason WHERE false",
    "facts": "SELECT '' AS series, '' AS rule, 0 AS length, '' AS recording, '' AS kind, 0.0 AS amplitude, "
    "0.0 AS pattern, 0 AS events WHERE false",
}


def _all_of(files: Sequence[str]) -> str:
    listed = ", ".join(f"'{_quoted(Path(file))}'" for file in files)
    return f"SELECT * FROM read_parquet([{listed}], union_by_name = true)"


def _column(values: Any) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return values
    texts = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=object) if texts else np.array(values)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
