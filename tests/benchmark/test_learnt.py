"""Jobs whose recipes hold the same learner train it once, and score as if each had trained its own."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from paiad import catalog
from paiad.benchmark.executors.gpu import Gpu
from paiad.benchmark.executors.processes import Processes
from paiad.benchmark.executors.serial import Serial
from paiad.benchmark.job import run_job
from paiad.benchmark.learnt import fitted_around, learner_of
from paiad.benchmark.results import Results
from paiad.benchmark.runner import Plan, record_plan, run
from paiad.benchmark.store import Store
from paiad.benchmark.suite import parsed_suite
from paiad.benchmark.tables.cost import cost

TESTS = Path(__file__).parents[1]
RECIPES = {"slow": "slow", "slow-cosine": "slow_cosine", "slow-pai": "slow_pai"}
JOBS = 4 * (1 + 4 * 2)  # four series; one detector without a seed, four with two seeds
TRAININGS = 4 * 2 * 2  # on the training part of each series, and on the whole of it


@pytest.fixture
def planned(tiny, tmp_path, monkeypatch):
    """A suite of three recipes on one learner, and one that learns from the whole series; and its plan."""
    for name, function in RECIPES.items():
        monkeypatch.setitem(catalog.CATALOG, name, f"odd_jobs:{function}")
    diary = {"learner.diary": str(tmp_path / "diary")}
    detectors = [
        {"name": "slow", "recipe": "slow", "settings": diary},
        {"name": "magG", "recipe": "magg"},
        {"name": "slow, cosine", "recipe": "slow-cosine", "settings": diary},
        {"name": "slow + PAI", "recipe": "slow-pai", "settings": {f"base.{k}": v for k, v in diary.items()}},
        {"name": "slow, whole", "recipe": "slow", "settings": diary, "fit_on": "whole"},
    ]
    data = {"layout": "tsb-ad", "folder": "series", "file_list": "list.csv"}
    suite = parsed_suite({"name": "slow", "seeds": [0, 1], "data": data, "detector": detectors}, "slow")
    return suite, Plan.of(suite, tiny), tmp_path / "diary"


def content(store: Store) -> dict[str, tuple]:
    """Scores and measures of every job, by key."""
    measures = store.query("SELECT key, metric, value FROM measures ORDER BY ALL")
    keys = store.query("SELECT key FROM rows WHERE status = 'done'")
    return {
        key: (store.scores(key).tobytes(), tuple(row[1:] for row in measures if row[0] == key))
        for (key,) in keys
    }


def trainings(diary: Path) -> Counter:
    return Counter(diary.read_text().splitlines())


@pytest.mark.parametrize("engine", [Serial(), Processes(2), Gpu(2, batch=2)])
def test_an_encoder_is_trained_once_whatever_the_engine(planned, tmp_path, engine):
    suite, plan, diary = planned
    store = Store(tmp_path / "store", create=True)
    ended = list(run(plan, suite, store, engine))
    assert [each.outcome.reason for each in ended] == [""] * JOBS
    assert set(trainings(diary).values()) == {1}
    assert len(trainings(diary)) == TRAININGS
    found = content(store)
    for job in plan.jobs:  # each by itself
        scores, measures = found[job.key]
        with threadpool_limits(1):
            alone = run_job(job, job.source.load())
        assert alone.scores.tobytes() == scores
        assert dict(measures) == {measure.metric: measure.value for measure in alone.measures}


def test_what_learns_from_other_values_or_with_another_seed_trains_for_itself(planned):
    _, plan, _ = planned
    shares = Counter(job.shares for job in plan.jobs)
    assert shares.pop(None) == 4
    assert Counter(shares.values()) == {3: 8, 1: 8}


def test_the_cost_of_training_is_told_for_each_and_noted_where_it_was_not_spent(planned, tmp_path):
    suite, plan, _ = planned
    store = Store(tmp_path / "store", create=True)
    record_plan(store, plan, None, tmp_path)
    list(run(plan, suite, store, Serial()))
    told = cost(Results(store, suite, suite.protocol)).notes
    assert any(
        "the encoders of slow, cosine, slow + PAI had been trained for another" in note for note in told
    )
    rows = store.query("SELECT detector, fit_seconds, job_seconds, notes FROM rows WHERE detector != 'magG'")
    assert all(fit > 0.05 for _, fit, *_ in rows)
    trained = [job for *_, job, note in rows if "used again" not in note]
    reused = [note for *_, note in rows if "used again" in note]
    assert (len(trained), len(reused)) == (TRAININGS, JOBS - 4 - TRAININGS)
    assert min(trained) > 0.05
    assert all("s of the fit were spent in job" in note for note in reused)


def test_a_killed_run_trains_again_only_what_was_in_flight(planned, tiny, tmp_path):
    suite, plan, diary = planned
    whole = Store(tmp_path / "whole", create=True)
    list(run(plan, suite, whole, Serial()))
    diary.unlink()
    script = tmp_path / "driver.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import sys
            sys.path.insert(0, {str(TESTS)!r})
            from pathlib import Path
            from paiad import catalog
            from paiad.benchmark.executors.processes import Processes
            from paiad.benchmark.runner import Plan, run
            from paiad.benchmark.store import Store
            from paiad.benchmark.suite import parsed_suite
            if __name__ == "__main__":
                for name, function in {RECIPES!r}.items():
                    catalog.CATALOG[name] = f"odd_jobs:{{function}}"
                suite = parsed_suite({_raw(suite)!r}, "slow")
                plan = Plan.of(suite, Path({str(tiny)!r}))
                for each in run(plan, suite, Store(Path({str(tmp_path / "broken")!r}), create=True), Processes(2)):
                    print("ended", flush=True)
            """
        )
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        for _ in range(9):
            assert driver.stdout.readline() == "ended\n"
        os.kill(driver.pid, signal.SIGKILL)
    time.sleep(1)  # its workers end by themselves
    broken = Store(tmp_path / "broken", create=True)
    list(run(plan, suite, broken, Processes(2)))
    assert content(broken) == content(whole)
    assert len(trainings(diary)) == TRAININGS
    assert sum(trainings(diary).values()) <= TRAININGS + 2


def _raw(suite) -> dict:
    """The suite as it stands in a file."""
    data = {"layout": "tsb-ad", "folder": suite.data.folder, "file_list": suite.data.file_list}
    detectors = [
        {"name": each.name, "recipe": each.recipe, "settings": each.settings, "fit_on": each.fit_on}
        for each in suite.entries
    ]
    return {"name": suite.name, "seeds": list(suite.seeds), "data": data, "detector": detectors}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("paano", {"learner.iterations": 2}),
        ("paano-euclidean", {"learner.iterations": 2}),
        ("paano-pai", {"base.learner.iterations": 2}),
        ("paano-release", {"learner.iterations": 2}),
        ("ts2vec", {"learner.iterations": 1}),
        ("ts2vec-pai", {"base.learner.iterations": 1}),
        ("dcdetector-pai", {}),
    ],
)
def test_a_recipe_around_an_encoder_is_the_recipe_fitted(name, settings):
    pytest.importorskip("torch")
    recipe = catalog.make(name, settings)
    values = np.sin(np.arange(700) / 9) + np.random.default_rng(0).normal(scale=0.1, size=700)
    learner = learner_of(recipe)
    assert learner is not None
    around = fitted_around(recipe, learner.fit(values[:500]), values[:500])
    assert around.score(values).tobytes() == recipe.fit(values[:500]).score(values).tobytes()


def test_the_variants_of_an_encoder_share_it_and_other_inputs_do_not():
    pytest.importorskip("torch")
    learners = {name: learner_of(catalog.make(name)) for name in ("paano", "paano-euclidean", "paano-pai")}
    assert len(set(map(repr, learners.values()))) == 1
    assert learner_of(catalog.make("paano-release")) != learners["paano"]
    assert learner_of(catalog.make("ts2vec")) == learner_of(catalog.make("ts2vec-pai"))
    assert learner_of(catalog.make("ts2vec-instance-norm-pai")) != learner_of(catalog.make("ts2vec-pai"))
    assert learner_of(catalog.make("sub-pca")) is None
