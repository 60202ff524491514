"""Engines: every job has exactly one outcome, whatever it does to its worker."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import only_in_driver
from odd_jobs import BATCHED, SHARING, data_key, load, misbehave, note, square, thread_settings, total
from paiad.benchmark.executors import Limits, Work, engine_named, run_jobs
from paiad.benchmark.executors.crew import EngineError
from paiad.benchmark.executors.gpu import Gpu, batches, gpus_here
from paiad.benchmark.executors.processes import Processes
from paiad.benchmark.executors.serial import Serial
from paiad.errors import SettingError

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("engine", [Serial(), Processes(2), Gpu(2)])
def test_every_item_has_its_own_outcome(engine):
    found = list(run_jobs(square, range(30), engine))
    assert sorted((o.index, o.value, o.status) for o in found) == [(i, i * i, "done") for i in range(30)]


def test_nothing_to_do_is_done_at_once():
    assert list(run_jobs(square, [], Processes(2))) == []


def test_bad_jobs_take_down_only_themselves():
    jobs = ["fine", "raise", "crash", "leave", "hang", "unsendable", "well"]
    outcomes = {jobs[o.index]: o for o in run_jobs(misbehave, jobs, Processes(2), Limits(seconds=3))}
    assert {what: o.status for what, o in outcomes.items()} == {
        "fine": "done",
        "raise": "failed",
        "crash": "crashed",
        "leave": "crashed",
        "hang": "timeout",
        "unsendable": "failed",
        "well": "done",
    }
    assert outcomes["raise"].reason == "ValueError: the value is"
    assert "misbehave" in outcomes["raise"].trace
    assert "SIGSEGV" in outcomes["crash"].reason
    assert "exit code 3" in outcomes["leave"].reason
    assert outcomes["hang"].reason == "stopped after 3 s"
    assert 3 <= outcomes["hang"].seconds < 30


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by Linux's accounting of private data")
def test_memory_is_limited():
    outcomes = sorted(
        run_jobs(misbehave, ["hog", "fine"], Processes(1), Limits(memory_mb=2000)), key=lambda o: o.index
    )
    assert [o.status for o in outcomes] == ["out of memory", "done"]


def test_workers_that_cannot_even_start_are_not_started_forever():
    with pytest.raises(EngineError, match=r"before they take a job: .* exit code 7"):
        list(run_jobs(only_in_driver.square, range(9), Processes(2)))


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores can be pinned on Linux only")
def test_workers_are_pinned_and_have_one_thread():
    assert {o.value for o in run_jobs(thread_settings, range(4), Processes(1))} == {("1", 1)}


def test_gpus_are_shared_out_in_turn():
    from paiad.benchmark.executors.processes import ProcessCrew

    crew = ProcessCrew(Work.of(square), [1], Limits(), Processes(3, gpus=("0", "1")))
    assert [crew._variables(seat)["CUDA_VISIBLE_DEVICES"] for seat in range(3)] == ["0", "1", "0"]


def test_batches_are_of_one_group_and_of_like_size():
    items = ["well:5", "alone:1", "well:7", "other:1", "well:6", "well:1", "alone:9"]
    assert batches(BATCHED, items, 2, workers=1) == [(2, 4), (0, 5), (3,), (1,), (6,)]
    # Three workers have something to do; without a group nothing is run together.
    assert batches(BATCHED, items[:3], 16, workers=3) == [(2,), (0,), (1,)]
    assert batches(Work.of(square), range(2), 16, workers=1) == [(0,), (1,)]


def test_the_gpus_are_those_the_environment_leaves(monkeypatch):
    for told, gpus in (("0,2", ("0", "2")), ("", ()), ("-1", ()), ("GPU-1a", ("GPU-1a",))):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", told)
        assert gpus_here() == gpus


def test_batches_are_run_together():
    outcomes = {o.value: o for o in run_jobs(BATCHED, [f"well:{n}" for n in range(6)], Gpu(2, batch=4))}
    assert set(outcomes) == {(f"well:{n}", 3) for n in range(6)}
    assert all(o.status == "done" and not o.note for o in outcomes.values())


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("raise", "ValueError: the value is"),
        ("crash", "SIGSEGV"),
        ("leave", "exit code 3"),
        ("hang", "stopped after 6 s"),
    ],
)
def test_a_batch_that_fails_is_run_one_by_one(how, told):
    items = [f"{how}:{n}" for n in range(3)]
    outcomes = list(run_jobs(BATCHED, items, Gpu(1, batch=3), Limits(seconds=2)))
    assert sorted(o.index for o in outcomes) == [0, 1, 2]
    for outcome in outcomes:
        assert (outcome.status, outcome.value) == ("done", (items[outcome.index], 1))
        assert outcome.note.startswith("run alone, for its batch of 3 came to grief: ")
        assert told in outcome.note


def test_what_fails_in_a_batch_fails_alone_with_its_own_reason():
    items = ["well:1", "well:bad:2", "well:absent:3", "well:4"]
    outcomes = {items[o.index]: o for o in run_jobs(BATCHED, items, Gpu(1))}
    assert [outcomes[item].status for item in items] == ["done", "failed", "failed", "done"]
    assert outcomes["well:bad:2"].reason == "ValueError: well:bad:2 cannot be finished"
    assert outcomes["well:absent:3"].reason == "FileNotFoundError: well:absent:3"
    assert outcomes["well:4"].value == ("well:4", 3)


def test_what_a_batch_shares_is_charged_in_equal_parts():
    outcomes = list(run_jobs(BATCHED, [f"slow:{n}" for n in range(4)], Gpu(1)))
    assert [o.seconds for o in outcomes] == pytest.approx([0.5] * 4, abs=0.1)


@pytest.mark.parametrize("engine", [Serial(), Processes(1)])
def test_neighbours_share_their_data(engine, tmp_path):
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    files[0].write_text("1\n2\n")
    files[1].write_text("10\n")
    items = [(factor, str(path)) for path in files for factor in (1, 2, 3)]
    outcomes = sorted(run_jobs(Work(total, load, data_key), items, engine), key=lambda o: o.index)
    assert [o.value for o in outcomes] == [3, 6, 9, 10, 20, 30]
    assert [path.with_suffix(".loads").read_text() for path in files] == ["x", "x"]


@pytest.mark.parametrize("engine", [Serial(), Processes(2)])
def test_what_items_share_is_made_once(engine):
    items = ["A1", "A2", "A3", "a", "B1", "B2", "b", "C1", "C2"]
    outcomes = {items[o.index]: o for o in run_jobs(SHARING, items, engine)}
    assert [o.reason for o in outcomes.values()] == [""] * len(items)
    made = {outcome.value for outcome in outcomes.values()}
    assert sorted(each[:1] for each in made) == ["", "A", "B", "C"]
    assert outcomes["a"].value == ""


def test_what_items_share_is_made_again_when_its_worker_is_lost():
    items = ["A1", "A-crash", "A2", "A-hang", "A3", "X1", "X2", "B1"]
    outcomes = {items[o.index]: o for o in run_jobs(SHARING, items, Processes(2), Limits(seconds=3))}
    ends = {item: outcome.status for item, outcome in outcomes.items()}
    assert ends == {
        **dict.fromkeys(["A1", "A2", "A3", "B1"], "done"),
        "A-crash": "crashed",
        "A-hang": "timeout",
        **dict.fromkeys(["X1", "X2"], "failed"),
    }
    assert len({outcomes[item].value for item in ("A1", "A2", "A3")}) == 3


def test_a_worker_finishes_what_it_has_at_hand_before_it_takes_over_what_was_lost():
    items = [f"{letter}{number}" for letter in "ABCD" for number in range(6)]
    items[2] = "A-crash"
    outcomes = {items[o.index]: o for o in run_jobs(SHARING, items, Processes(2))}
    assert {item for item, outcome in outcomes.items() if outcome.status != "done"} == {"A-crash"}
    made = {outcome.value for outcome in outcomes.values() if outcome.value}
    assert sorted(each[0] for each in made) == ["A", "A", "B", "C", "D"]


def test_data_that_cannot_be_loaded_fails_its_jobs_only(tmp_path):
    (tmp_path / "b.txt").write_text("10\n")
    items = [(1, str(tmp_path / "absent.txt")), (1, str(tmp_path / "b.txt"))]
    outcomes = sorted(run_jobs(Work(total, load, data_key), items, Processes(1)), key=lambda o: o.index)
    assert [o.status for o in outcomes] == ["failed", "done"]
    assert "absent.txt" in outcomes[0].reason


def test_leaving_the_loop_stops_the_workers(tmp_path):
    running = run_jobs(note, [str(tmp_path / "trace")] * 50, Processes(2))
    next(running)
    running.close()
    ended = (tmp_path / "trace").read_text()
    time.sleep(0.6)
    assert (tmp_path / "trace").read_text() == ended


def test_workers_do_not_outlive_a_killed_driver(tmp_path):
    script = tmp_path / "driver.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import sys
            sys.path.insert(0, {str(TESTS)!r})
            from odd_jobs import note
            from paiad.benchmark.executors import run_jobs
            from paiad.benchmark.executors.processes import Processes
            if __name__ == "__main__":
                for outcome in run_jobs(note, [{str(tmp_path / "trace")!r}] * 200, Processes(2)):
                    print("ended", flush=True)
            """
        )
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == "ended\n"
        driver.kill()
    time.sleep(0.5)
    ended = (tmp_path / "trace").read_text()
    time.sleep(0.6)
    assert (tmp_path / "trace").read_text() == ended


def test_unknown_engine_is_refused():
    with pytest.raises(SettingError, match="serial, processes, gpu, ray"):
        engine_named("dask")
    with pytest.raises(SettingError, match="at least 1"):
        Processes(0)


def test_a_thousand_trivial_jobs_cost_seconds():
    started = time.perf_counter()
    assert len(list(run_jobs(square, range(1000), Processes(2)))) == 1000
    assert time.perf_counter() - started < 20
