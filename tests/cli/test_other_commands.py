"""fit, score, stream, fuse, example, detectors, version."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import Run, refused, rows_of
from paiad import __version__
from paiad.catalog import names
from paiad.example import FAULTS, example
from paiad.persistence import load_scorer


@pytest.fixture
def model(run: Run, hourly: Path) -> str:
    ran = run("fit", hourly, "--train-until", "400", "--out", "model")
    assert ran.code == 0, ran.err
    return "model"


def column(text: str, name: str) -> np.ndarray:
    return np.array([float(row[name]) for row in csv.DictReader(io.StringIO(text))])


def values_of(path: Path) -> np.ndarray:
    return column(path.read_text(), "load")


def test_score_writes_the_rows_with_the_model_s_scores(run: Run, hourly: Path, model: str) -> None:
    ran = run("score", hourly, "--model", model)
    expected = load_scorer(model).score(values_of(hourly))
    np.testing.assert_array_equal(column(ran.out, "score"), expected)
    assert ran.err == ""
    assert run("score", hourly, "--model", model, "--out", "scores.tsv").code == 0
    assert Path("scores.tsv").read_text().splitlines()[0] == "time\tload\tscore\tquality"


def test_a_saved_model_detects_what_it_would_have_when_fitted(run: Run, hourly: Path, model: str) -> None:
    def series(*arguments: str) -> dict[str, Any]:
        ran = run("detect", hourly, *arguments, "--json", "--no-picture")
        return json.loads(ran.out)["files"][0]["series"][0]

    saved, fitted = series("--model", model), series("--train-until", "400")
    assert saved["threshold"] == fitted["threshold"]
    assert "learnt before" in saved["notes"][0]
    assert {event["peak"] for event in fitted["events"]} <= {event["peak"] for event in saved["events"]}


def test_the_stream_settles_on_the_batch_scores(
    run: Run, hourly: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = values_of(hourly)
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{value}\n" for value in values)))
    lines = [json.loads(line) for line in run("stream", "--model", model).out.splitlines()]
    settled = [line for line in lines if line["settled"]]
    expected = load_scorer(model).score(values)
    assert [line["step"] for line in settled] == list(range(len(settled)))
    np.testing.assert_allclose(
        [line["score"] for line in settled], expected[: len(settled)], rtol=1e-9, atol=1e-9
    )
    assert [line["step"] for line in settled if line["anomalous"]].count(500) == 1
    # Every value is answered at once, provisionally, and the last ones are told again at the end.
    newest = [line["step"] for line in lines if not line["settled"]]
    assert newest[: len(values)] == list(range(len(values)))
    assert newest[len(values) :] == list(range(len(settled), len(values)))


def test_a_stream_goes_on_where_it_stopped(
    run: Run, hourly: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def streamed(values: np.ndarray, *arguments: str) -> list[str]:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{value}\n" for value in values)))
        ran = run("stream", "--model", model, "--settled-only", *arguments)
        assert ran.code == 0, ran.err
        return ran.out.splitlines()

    values = values_of(hourly)
    in_two = streamed(values[:300], "--state", "state") + streamed(values[300:], "--state", "state")
    assert in_two == streamed(values)
    values = values.copy()
    values[290:330] = np.nan  # a gap that goes on after the stop, told of steps that are settled after it
    in_two = streamed(values[:300], "--state", "gap") + streamed(values[300:], "--state", "gap")
    assert in_two == streamed(values)


def test_a_stream_refuses_what_is_no_number(run: Run, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n1\n"))
    refused(run("stream", "--model", model), "line 1", "the first value is missing")
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n2,3\n"))
    ran = run("stream", "--model", model)
    assert ran.code == 2
    assert "line 2: '2,3' is not a number" in ran.err


def test_a_stream_says_what_is_known_of_each_value(
    run: Run, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ["0.5"] * 300 + ["", "nan", "inf", "", "", "", "-inf"] + ["0.5"] * 300
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{value}\n" for value in given)))
    lines = [json.loads(line) for line in run("stream", "--model", model).out.splitlines()]
    lookback = load_scorer(model).reach.lookback
    assert 0 < lookback < 300
    for line in lines:
        step = line["step"]
        missing = 300 <= step < 307
        assert line["quality"] == ("filled" if missing else "warming_up" if step < lookback else "ok")
        assert (line["score"] is None) == (305 <= step < 307)
    settled = [line["step"] for line in lines if line["settled"]]
    assert settled == list(range(len(settled)))


def test_a_stream_refuses_what_is_too_large(run: Run, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n1e300\n"))
    assert "line 2: 1e+300 is too large" in run("stream", "--model", model).err


def test_fit_wants_one_series(run: Run) -> None:
    Path("two.csv").write_text("a,b\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(200)))
    refused(run("fit", "two.csv", "--out", "model"), "two.csv", "2 series", "--values")
    assert run("fit", "two.csv", "--values", "b", "--out", "model").code == 0


def test_fuse_adds_the_amplitude_terms_to_any_scores(run: Run, hourly: Path) -> None:
    values = values_of(hourly)
    cells = ["" if i < 10 else f"{i % 3}" for i in range(len(values))]  # a detector that knows nothing
    Path("own.csv").write_text("\n".join(["vendor", *cells]) + "\n")
    ran = run("fuse", "own.csv", "--values", hourly, "--train-until", "400", "--out", "found")
    assert ran.code == 0, ran.err
    rows = rows_of(Path("found/scores.csv"))
    assert [row["score"] == "" for row in rows] == [True] * 10 + [False] * (len(values) - 10)
    events = rows_of(Path("found/events.csv"))
    assert [int(event["peak"]) for event in events] == [500]
    assert events[0]["leading"] == "magG"
    Path("short.csv").write_text("score\n" + "1\n2\n" * 10)
    refused(run("fuse", "short.csv", "--values", hourly), "expected one a value (700), got 20")


def test_the_example_is_what_it_says_and_its_faults_are_found(run: Run) -> None:
    assert run("example", "--out", "new/example.csv").code == 0
    np.testing.assert_array_equal(column(Path("new/example.csv").read_text(), "visits"), example().values)
    ran = run("detect", "new/example.csv", "--json", "--no-picture")
    events = json.loads(ran.out)["files"][0]["series"][0]["events"]
    for fault in FAULTS:
        assert any(
            event["start"] < fault.first + fault.length and event["end"] >= fault.first for event in events
        )
    for event in events:
        assert any(
            event["start"] < fault.first + fault.length and event["end"] >= fault.first for fault in FAULTS
        )


def test_detectors_and_version(run: Run) -> None:
    listed = json.loads(run("detectors", "--json").out)
    assert tuple(listed["detectors"]) == names()
    assert all(listed["detectors"].values())
    assert listed["default"] in run("detectors").out
    assert __version__ in run("version").out
    assert run("--version") == run("version")
