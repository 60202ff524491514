"""The Ray engine on a cluster of two nodes, one of which is killed in the middle."""

import time
from pathlib import Path

import numpy as np
import pytest

from odd_jobs import SHARING, data_key, load, misbehave, square, total
from paiad.benchmark.executors import Limits, Work, run_jobs
from paiad.benchmark.executors.ray import Ray
from paiad.benchmark.executors.serial import Serial

pytestmark = [
    pytest.mark.ray,
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning"
    ),
]


@pytest.fixture
def cluster(monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))  # for the jobs of these tests
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield cluster
    import ray

    ray.shutdown()
    cluster.shutdown()


def test_every_item_is_done_once_though_a_node_is_killed(cluster, tmp_path):
    path = tmp_path / "data.txt"
    np.savetxt(path, np.arange(50.0))
    items = [(factor, str(path)) for factor in range(1000)]
    expected = {o.index: o.value for o in run_jobs(Work(total, load, data_key), items, Serial())}
    found = []
    for outcome in run_jobs(Work(total, load, data_key), items, Ray(cluster.address)):
        found.append(outcome)
        if len(found) == 300:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
    assert len(found) == 1000
    assert {o.index: o.value for o in found} == expected
    assert (
        path.with_suffix(".loads").read_text() == "xx"
    )  # once for the serial run, once for the whole cluster


def test_bad_jobs_take_down_only_themselves(cluster):
    jobs = ["fine", "raise", "crash", "hang", "well"]
    started = time.perf_counter()
    outcomes = {jobs[o.index]: o for o in run_jobs(misbehave, jobs, Ray(cluster.address), Limits(seconds=5))}
    assert {what: o.status for what, o in outcomes.items()} == {
        "fine": "done",
        "raise": "failed",
        "crash": "crashed",
        "hang": "timeout",
        "well": "done",
    }
    assert time.perf_counter() - started < 90


def test_nothing_is_left_running_when_the_loop_is_left(cluster):
    running = run_jobs(square, range(100), Ray(cluster.address))
    next(running)
    running.close()
    assert sorted(o.value for o in run_jobs(square, range(5), Ray(cluster.address))) == [0, 1, 4, 9, 16]


def test_what_items_share_is_made_once_and_again_when_its_node_is_lost(cluster):
    items = [f"{letter}{number}" for letter in "ABCDEFGHIJ" for number in range(12)]
    found = []
    for outcome in run_jobs(SHARING, items, Ray(cluster.address)):
        found.append(outcome)
        if len(found) == 50:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
    assert sorted(o.index for o in found) == list(range(len(items)))
    assert {o.status for o in found} == {"done"}
    made = {o.value for o in found}
    assert {each[0] for each in made} == set("ABCDEFGHIJ")
    assert len(made) <= 11  # one was lost with its node
