"""Many files a command: the engines give the same results, whether each is fitted alone or all at once."""

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import Run
from paiad.catalog import make
from paiad.cli.fitted_together import FittedBefore

FAST = ["--detector", "paano-pai", "--set", "base.learner.iterations=2", "--set", "base.learner.width=16"]


@pytest.fixture
def fleet(tmp_path: Path) -> list[str]:
    rng = np.random.default_rng(0)
    for number in range(3):
        values = np.sin(np.arange(300) / (3 + number)) + rng.normal(scale=0.1, size=300)
        values[200 + 10 * number] += 5
        Path(f"{number}.csv").write_text("load\n" + "\n".join(map(str, values)) + "\n")
    Path("bad.csv").write_text("load\nx\n")
    return ["0.csv", "1.csv", "2.csv", "bad.csv"]


def judged(run: Run, fleet: list[str], engine: str, *more: str) -> dict[str, object]:
    out = ["--out", engine, "--no-report", "--no-picture", "--json", "--engine", engine, "--jobs", "1"]
    ran = run("detect", *fleet, *out, *more)
    assert ran.code == 2, ran.err  # for one file cannot be read
    document = json.loads(ran.out)
    assert [bad["file"] for bad in document["failed"]] == ["bad.csv"]
    for one in document["files"]:
        one["scores"] = Path(one.pop("outputs")["scores"]).read_text()
    return document["files"]


@pytest.mark.parametrize("normal", [["--train-until", "0.5"], [], ["--train-file", "2.csv"]])
def test_files_fitted_together_are_judged_as_alone(run: Run, fleet: list[str], normal: list[str]) -> None:
    pytest.importorskip("torch")
    together = judged(run, fleet, "gpu", *FAST, *normal)
    assert together == judged(run, fleet, "serial", *FAST, *normal)
    assert len(together) == 3


def test_what_gains_nothing_is_run_one_by_one(run: Run, fleet: list[str]) -> None:
    found = judged(run, fleet, "gpu", "--detector", "raw", "--set", "learner.width=16")
    assert found == judged(run, fleet, "processes", "--detector", "raw", "--set", "learner.width=16")


def test_equal_values_are_fitted_once() -> None:
    values = np.sin(np.arange(100.0))
    fitted = FittedBefore.on(
        make("pai-raw", {"base.learner.width": 16}), [(values, False)] * 3 + [(values, True)]
    )
    assert len(fitted.scorers) == 1
    assert repr(fitted) == repr(make("pai-raw", {"base.learner.width": 16}))
    np.testing.assert_array_equal(
        fitted.fit(values).calibration,
        make("pai-raw", {"base.learner.width": 16, "calibration": "median"}).fit(values).calibration,
    )
