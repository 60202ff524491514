"""Running a suite: what is done stays done, whatever interrupts it, and all engines give the same numbers."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import naive_metrics
from odd_jobs import Sociable, Squeezed
from paiad.benchmark.elsewhere import Imported, import_measures
from paiad.benchmark.executors.gpu import Gpu
from paiad.benchmark.executors.processes import Processes
from paiad.benchmark.executors.serial import Serial
from paiad.benchmark.footer import problem_notes
from paiad.benchmark.measure import Ruler
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.runner import Plan, record_plan, run
from paiad.benchmark.store import Store
from paiad.benchmark.suite import Entry, Protocol, read_suite
from paiad.benchmark.together import fits_together
from paiad.catalog import make
from paiad.contracts import Detector
from paiad.errors import InputError, SettingError

JOBS = 4 * (3 + 2 * 2)  # four series; three detectors without a seed, two with two seeds each


def run_all(tiny: Path, folder: Path, engine=None, suite=None, again=False) -> tuple[Store, list]:
    suite = suite or read_suite(tiny / "suite.toml")
    plan, store = Plan.of(suite, tiny), Store(folder, create=True)
    record_plan(store, plan, tiny / "suite.toml", tiny)
    return store, list(run(plan, suite, store, engine or Serial(), again))


def content(store: Store) -> dict[str, tuple]:
    """Scores and measures of every job, by key."""
    measures = store.query("SELECT key, metric, value, n, vus_window FROM measures ORDER BY ALL")
    keys = store.query("SELECT key FROM rows WHERE status = 'done'")
    return {
        key: (store.scores(key).tobytes(), tuple(row[1:] for row in measures if row[0] == key))
        for (key,) in keys
    }


@pytest.fixture(scope="module")
def finished(tiny, tmp_path_factory) -> Store:
    store, ended = run_all(tiny, tmp_path_factory.mktemp("store"))
    assert [each.outcome.reason for each in ended] == [""] * JOBS
    return store


def test_every_job_is_done_once(tiny, finished):
    assert len(content(finished)) == JOBS
    _, ended = run_all(tiny, finished.folder)
    assert ended == []


def test_processes_give_what_serial_gives(tiny, finished, tmp_path):
    store, _ = run_all(tiny, tmp_path, Processes(2))
    assert content(store) == content(finished)


def sociable(tiny: Path, kind: type[Detector] = Sociable) -> Plan:
    """The tiny suite, its raw patches replaced by some that are fitted together."""
    plan = Plan.of(read_suite(tiny / "suite.toml"), tiny)
    jobs = [replace(job, recipe=kind()) if job.detector == "Raw patches" else job for job in plan.jobs]
    return replace(plan, jobs=tuple(jobs))


def run_plan(plan: Plan, tiny: Path, folder: Path, engine) -> tuple[Store, list]:
    store = Store(folder, create=True)
    return store, list(run(plan, read_suite(tiny / "suite.toml"), store, engine))


def fitted_together(store: Store) -> set[int]:
    rows = store.query("SELECT DISTINCT fitted_together FROM rows WHERE detector = 'Raw patches'")
    return {count for (count,) in rows}


def test_batches_give_what_serial_gives_to_the_bit(tiny, tmp_path):
    serial, _ = run_plan(sociable(tiny), tiny, tmp_path / "serial", Serial())
    batched, ended = run_plan(sociable(tiny), tiny, tmp_path / "batched", Gpu(2, batch=3))
    assert [each.outcome.status for each in ended] == ["done"] * JOBS
    assert content(batched) == content(serial)
    assert (fitted_together(serial), fitted_together(batched)) == ({1}, {3, 1})


def test_what_a_batch_has_no_memory_for_is_fitted_one_by_one(tiny, finished, tmp_path):
    serial, _ = run_plan(sociable(tiny), tiny, tmp_path / "serial", Serial())
    batched, _ = run_plan(sociable(tiny, Squeezed), tiny, tmp_path / "batched", Gpu(2))
    assert content(batched) == content(serial)
    assert fitted_together(batched) == {1}
    noted = batched.query("SELECT count(*) FROM rows WHERE notes LIKE '%came to grief%out of memory%'")
    assert noted == [(8,)]


def test_leaving_a_run_of_batches_loses_at_most_those_in_flight(tiny, tmp_path):
    plan, suite = sociable(tiny), read_suite(tiny / "suite.toml")
    serial, _ = run_plan(plan, tiny, tmp_path / "serial", Serial())
    store = Store(tmp_path / "batched", create=True)
    running = run(plan, suite, store, Gpu(1, batch=4))
    for _ in range(6):
        next(running)
    running.close()
    assert len(content(store)) == 6
    _, ended = run_plan(plan, tiny, store.folder, Gpu(1, batch=4))
    assert len(ended) == JOBS - 6
    assert content(store) == content(serial)


def test_only_what_gains_is_fitted_together():
    assert fits_together(Sociable())
    assert not fits_together(make("pai-raw"))
    assert not fits_together(make("sub-pca"))


def test_stopping_loses_nothing_and_repeats_nothing(tiny, finished, tmp_path):
    suite = read_suite(tiny / "suite.toml")
    plan, store = Plan.of(suite, tiny), Store(tmp_path, create=True)
    for _ in range(2):
        running = run(plan, suite, store, Serial())
        for _ in range(5):
            next(running)
        running.close()
    assert len(content(store)) == 10
    _, ended = run_all(tiny, tmp_path)
    assert len(ended) == JOBS - 10
    assert content(store) == content(finished)


def test_a_killed_run_goes_on_where_it_was(tiny, finished, tmp_path):
    command = [
        sys.executable,
        "-c",
        "from paiad.cli.bench import app; app()",
        "run",
        str(tiny / "suite.toml"),
    ]
    command += ["--store", str(tmp_path), "--data", str(tiny), "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("rows/*.parquet"))) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        driver.kill()
    before = {path.name for path in tmp_path.glob("rows/*.parquet")}
    assert len(before) >= 3
    store, ended = run_all(tiny, tmp_path)
    assert len(ended) == JOBS - len(before)
    assert content(store) == content(finished)


def test_ctrl_c_in_the_middle_of_a_query_is_ctrl_c(tmp_path):
    store = Store(tmp_path, create=True)
    waiting = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    waiting.start()
    with pytest.raises(KeyboardInterrupt):
        store.query("SELECT sum(a.range * b.range % 7) FROM range(1000000) a, range(1000000) b")


class Stubborn(Detector):
    """Not a dataclass, so its hyper-parameters cannot be told."""

    def fit(self, train):
        raise NotImplementedError


def test_a_recipe_that_is_not_plain_data_is_refused():
    from paiad.benchmark.key import as_text

    with pytest.raises(SettingError, match="holds a Stubborn"):
        as_text(Stubborn())


def test_failures_keep_their_reason_and_are_retried_only_when_asked(tiny, tmp_path):
    suite = read_suite(tiny / "suite.toml")
    wide = Entry("too wide", "raw", {"learner.width": 5000})
    suite = replace(suite, entries=(suite.entries[0], wide), seeds=(0,))
    store, ended = run_all(tiny, tmp_path, suite=suite)
    failed = [each for each in ended if each.outcome.status == "failed"]
    assert len(failed) == 4
    assert all("TooShortError" in each.outcome.reason for each in failed)
    assert run_all(tiny, tmp_path, suite=suite)[1] == []
    _, again = run_all(tiny, tmp_path, suite=suite, again=True)
    assert {each.job.detector for each in again} == {"too wide"}
    assert store.query("SELECT DISTINCT attempts FROM rows WHERE status = 'failed'") == [(2,)]


def test_a_changed_recipe_series_or_seed_is_another_job(tiny):
    suite = read_suite(tiny / "suite.toml")
    keys = [job.key for job in Plan.of(suite, tiny).jobs]
    assert len(set(keys)) == JOBS
    changed = replace(suite, entries=(Entry("magG", "t2", {"half_width": 9}),))
    assert not set(keys) & {job.key for job in Plan.of(changed, tiny).jobs}
    assert keys == [job.key for job in Plan.of(suite, tiny).jobs]


def test_the_key_follows_the_code_a_recipe_uses_and_not_what_is_said_of_it(monkeypatch):
    from paiad.benchmark import key
    from paiad.catalog import make

    recipe, before = make("magg"), key.code_digest(make("magg"))
    sources, edits = key._source, {}

    def edited(module: str) -> bytes:
        return sources(module) + edits.get(module, b"")

    monkeypatch.setattr(key, "_source", edited)
    for module, added, same in (
        ("paiad.amplitude", b"\nEDITED = 1", False),
        ("paiad.median", b"\nEDITED = 1", False),
        ("paiad.report.page", b"\nEDITED = 1", True),
        ("paiad.errors", b"\nEDITED = 1", True),
        ("paiad.amplitude", b"\n# a comment\n\n", True),
        ("paiad.amplitude", b'\n"""A string\nto be read."""', True),
    ):
        edits.clear()
        edits[module] = added
        key.source_digest.cache_clear()
        assert (key.code_digest(recipe) == before) is same, (module, added)
    key.source_digest.cache_clear()


def test_amplitude_detectors_equal_a_twin_in_all_six_measures(tiny, finished):
    results = Results.open(finished, Protocol(window=20))
    for place, source in enumerate(results.sources):
        series = source.load()
        for name, scores in amplitude_twin(series.values, series.train_end).items():
            expected = six(naive_metrics, scores, series.labels, 20)
            choice = Choice(results.suite.entry(name))
            for metric, value in expected.items():
                assert results.per_series(choice, metric)[place] == pytest.approx(value, abs=1e-9), (
                    name,
                    metric,
                )


def amplitude_twin(values, split):
    train = values[:split]
    median = sorted(train)[split // 2 - 1] / 2 + sorted(train)[split // 2] / 2
    gaps = sorted(abs(value - median) for value in train)
    mad = gaps[split // 2 - 1] / 2 + gaps[split // 2] / 2 + 1e-12
    far = [abs(value - median) / mad for value in values]
    windows = [values[max(0, t - 32) : t + 33] for t in range(len(values))]
    shifted = [abs(sum(window) / len(window) - median) / mad for window in windows]
    # In training the window ends with the training part.
    cut = [values[max(0, t - 32) : min(split, t + 33)] for t in range(split)]
    known = [abs(sum(window) / len(window) - median) / mad for window in cut]
    far, shifted, known = np.array(far), np.array(shifted), np.array(known)
    z_far = (far - far[:split].mean()) / (far[:split].std() + 1e-9)
    z_shifted = (shifted - known.mean()) / (known.std() + 1e-9)
    return {"magG": far, "T2": shifted, "magG+T2": z_far + 0.5 * z_shifted}


def six(naive, scores, labels, window):
    precision_recall, roc = naive.tsb_ad_volumes(scores, labels, window)
    return {
        "VUS-PR": precision_recall,
        "VUS-ROC": roc,
        "AUC-PR": naive.auc_pr(scores, labels),
        "AUC-ROC": naive.auc_roc(scores, labels),
        "Standard-F1": naive.point_f1(scores, labels),
        "Event-based-F1": naive.best(naive.event_f1, scores, labels),
    }


def test_another_scope_is_measured_from_the_stored_scores(finished):
    full, test = (Results.open(finished, Protocol(scope=scope)) for scope in ("full", "test"))
    choice = Choice(full.suite.entries[0])
    assert not np.allclose(full.per_series(choice, "AUC-PR"), test.per_series(choice, "AUC-PR"), atol=1e-6)
    from paiad.metrics import evaluate

    series = test.sources[0].load()
    key = next(job.key for job in test.done(choice.entry) if job.source.name == series.name)
    expected = evaluate(finished.scores(key)[300:], series.labels[300:], 10, ["AUC-PR"])["AUC-PR"]
    assert test.per_series(choice, "AUC-PR")[0] == expected


def test_as_released_scores_the_test_part_alone(tiny, tmp_path):
    suite = read_suite(tiny / "suite.toml")
    entry = replace(suite.entries[1], as_released="test")
    suite = replace(suite, entries=(entry,), protocol=Protocol(scope="as-released"))
    store, _ = run_all(tiny, tmp_path, suite=suite)
    assert {len(store.scores(key)) for (key,) in store.query("SELECT key FROM rows")} == {600}


def test_as_released_is_not_made_from_other_scores(finished):
    with pytest.raises(SettingError, match="run the suite with that scope"):
        Results.open(finished, Protocol(scope="as-released"))


def test_any_tool_can_read_the_store(finished, tmp_path):
    import duckdb

    joined = f"'{finished.folder}/rows/*.parquet' JOIN '{finished.folder}/measures/*.parquet' USING (key)"
    own = duckdb.sql(
        f"SELECT count(DISTINCT detector), avg(value) FROM {joined} WHERE metric = 'VUS-PR'"
    ).fetchall()
    assert own[0][0] == 5
    assert 0 < own[0][1] <= 1
    assert finished.export(tmp_path / "all.csv") > JOBS
    assert (tmp_path / "all.csv").read_text().startswith("key,suite,detector")


def test_measures_from_elsewhere_stand_beside_ones_own(tiny, finished, tmp_path):
    finished.export(tmp_path / "all.csv")
    suite, plan = read_suite(tiny / "suite.toml"), Plan.of(read_suite(tiny / "suite.toml"), tiny)
    store = Store(tmp_path / "store", create=True)
    record_plan(store, plan, tiny / "suite.toml", tiny)
    own = replace(plan, jobs=tuple(job for job in plan.jobs if job.detector == "T2"))
    list(run(own, suite, store, Serial()))
    assert import_measures(plan, suite, store, tmp_path / "all.csv") == Imported(JOBS - 4, ())
    assert list(run(plan, suite, store, Serial())) == []
    ours, theirs = Results.open(store), Results.open(finished)
    for entry in suite.entries:
        for metric in ours.protocol.measures:
            there = theirs.per_series(Choice(entry), metric)
            np.testing.assert_allclose(ours.per_series(Choice(entry), metric), there, atol=1e-15)
    notes = " ".join(problem_notes(ours, [Choice(entry) for entry in suite.entries]))
    assert "magG; magG+T2: 4 of 4 jobs were measured elsewhere (all.csv)" in notes
    assert ours.reasons(Choice(suite.entries[0])) == {}


def test_measures_that_belong_nowhere_are_named(tiny, tmp_path):
    suite, plan = read_suite(tiny / "suite.toml"), Plan.of(read_suite(tiny / "suite.toml"), tiny)
    store, path = Store(tmp_path / "store", create=True), tmp_path / "few.csv"
    series = plan.jobs[0].series
    path.write_text(
        f"detector,series,seed,metric,value\nRaw patches,{series}.csv,1,VUS-PR,0.25\n"
        f"Raw patches,{series},7,VUS-PR,0.5\nmagG,elsewhere,0,VUS-PR,0.5\n"
    )
    record_plan(store, plan, tiny / "suite.toml", tiny)
    told = import_measures(plan, suite, store, path)
    assert (told.jobs, len(told.left_out)) == (1, 2)
    assert "magG on elsewhere, seed 0" in told.left_out
    values = Results.open(store).per_series(Choice(suite.entry("Raw patches")), "VUS-PR")
    assert (values[0], np.isnan(values[1:]).all()) == (0.25, True)
    path.write_text(path.read_text().replace("0.25", "0.75"))
    assert import_measures(plan, suite, store, path).jobs == 1  # what was imported before is renewed
    assert Results.open(store).per_series(Choice(suite.entry("Raw patches")), "VUS-PR")[0] == 0.75
    path.write_text("detector,series,value\nmagG,x,1\n")
    with pytest.raises(InputError, match="there is no column 'metric'"):
        import_measures(plan, suite, store, path)


def test_measures_from_elsewhere_outlive_a_change_of_the_code(tiny, tmp_path, monkeypatch):
    suite, plan = read_suite(tiny / "suite.toml"), Plan.of(read_suite(tiny / "suite.toml"), tiny)
    store, path = Store(tmp_path / "store", create=True), tmp_path / "few.csv"
    path.write_text(f"detector,series,seed,metric,value\nT2,{plan.jobs[0].series},,VUS-PR,0.25\n")
    record_plan(store, plan, tiny / "suite.toml", tiny)
    import_measures(plan, suite, store, path)
    monkeypatch.setattr(Ruler, "digest", property(lambda ruler: f"changed {ruler.part} {ruler.window}"))
    choice = Choice(suite.entry("T2"))
    assert Results.open(store).per_series(choice, "VUS-PR")[0] == 0.25
    assert problem_notes(Results.open(store), [choice])[-1].startswith(
        "T2: 1 of 4 jobs were measured elsewhere"
    )
    other = Results.open(store, Protocol(window=20))
    assert np.isnan(other.per_series(choice, "VUS-PR")).all()
    assert "T2: 1 jobs have no measures of this kind" in problem_notes(other, [choice])[-1]


def test_the_number_of_series_is_told_of_each_measure(tiny, finished, tmp_path):
    suite, plan = read_suite(tiny / "suite.toml"), Plan.of(read_suite(tiny / "suite.toml"), tiny)
    store, path = Store(tmp_path / "store", create=True), tmp_path / "few.csv"
    names = [job.series for job in plan.jobs if job.detector == "T2"]
    path.write_text(
        "detector,series,metric,value\n"
        + "".join(f"T2,{name},VUS-PR,0.25\n" for name in names)
        + f"T2,{names[0]},AUC-PR,0.5\n"
    )
    record_plan(store, plan, tiny / "suite.toml", tiny)
    import_measures(plan, suite, store, path)
    notes = problem_notes(Results.open(store), [Choice(suite.entry("T2"))])
    assert "T2: not all measures are of the same series: VUS-PR 4, AUC-PR 1." in notes
    assert not [
        note for note in problem_notes(Results.open(finished), [Choice(suite.entry("T2"))]) if "same" in note
    ]


def test_a_store_reads_what_another_writes_and_rows_of_an_older_version(tiny, finished, tmp_path):
    reader, writer = Store(tmp_path, create=True), Store(tmp_path)
    row = {"key": "a", "status": "failed", "attempts": 1, "detector": "x", "series": "y", "seed": 0}
    assert reader.statuses() == {}
    writer.save_job(row, None, {})
    assert reader.statuses() == {"a": ("failed", 1)}
    writer.save_job({**row, "status": "done", "attempts": 2}, None, {})
    writer.save_job({**row, "key": "b", "reason": "a column of a later version"}, None, {})
    assert reader.statuses() == {"a": ("done", 2), "b": ("failed", 1)}
    (tmp_path / "rows" / "a.parquet").unlink()
    assert reader.query("SELECT key, reason, fitted_together FROM rows") == [
        ("b", "a column of a later version", None)
    ]


def test_why_a_measure_is_undefined_is_exported_and_imported(tiny, tmp_path):
    suite, plan = read_suite(tiny / "suite.toml"), Plan.of(read_suite(tiny / "suite.toml"), tiny)
    ours, theirs = (Store(tmp_path / name, create=True) for name in ("ours", "theirs"))
    job, given = plan.jobs[0], tmp_path / "given.csv"
    given.write_text(
        f"detector,series,metric,value,undefined\n{job.detector},{job.series},VUS-PR,,there is no anomaly\n"
    )
    for store, path in ((ours, given), (theirs, tmp_path / "all.csv")):
        record_plan(store, plan, tiny / "suite.toml", tiny)
        assert import_measures(plan, suite, store, path).jobs == 1
        told = Results.open(store).reasons(Choice(suite.entry(job.detector)))
        assert told == {job.series: "there is no anomaly"}
        store.export(tmp_path / "all.csv")
