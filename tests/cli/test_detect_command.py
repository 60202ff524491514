"""`paiad detect`: what it writes, what it prints, and how it ends."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from command_line import Run, rows_of
from paiad.naming import shown


def test_a_file_becomes_scores_events_and_a_report(run: Run, hourly: Path) -> None:
    ran = run("detect", hourly, "--train-until", "400", "--out", "found")
    assert ran.code == 0, ran.err
    assert sorted(path.name for path in Path("found").iterdir()) == [
        "events.csv",
        "events.json",
        "report.html",
        "report.png",
        "scores.csv",
    ]
    assert Path("found/report.png").read_bytes().startswith(b"\x89PNG")
    events = rows_of(Path("found/events.csv"))
    assert len(events) == 1
    assert int(events[0]["start"]) <= 500 <= int(events[0]["end"])
    assert events[0]["direction"] == "above"
    assert events[0]["start_time"][:10] in ran.out


def test_the_rows_are_those_that_came_in_and_the_terms_sum_to_the_score(run: Run, hourly: Path) -> None:
    run("detect", hourly, "--train-until", "400", "--out", "found", "--no-picture", "--no-report")
    given, scored = rows_of(hourly), rows_of(Path("found/scores.csv"))
    assert [(row["time"], row["load"]) for row in scored] == [(row["time"], row["load"]) for row in given]
    for row in scored:
        parts = [float(part) for name, part in row.items() if name.startswith("score_")]
        assert sum(parts) == pytest.approx(float(row["score"]), rel=1e-12, abs=1e-12)
    assert {row["quality"] for row in scored} == {"ok"}
    numbered = {row["event"] for row in scored[400:]}
    assert numbered == {"0", "1"}
    assert not Path("found/report.html").exists()


def test_one_step_on_a_flat_line_is_found_though_most_scores_are_equal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "flat.csv").write_text("x\n" + "0\n" * 300 + "1\n" + "0\n" * 299)
    ran = run("detect", "flat.csv", "--out", "found", "--no-picture", "--no-report")
    assert ran.code == 0, ran.err
    (event,) = rows_of(Path("found/events.csv"))
    assert int(event["start"]) <= 300 <= int(event["end"])
    assert int(event["length"]) < 50


@pytest.mark.parametrize(("hole", "told"), [("missing values", "missing values"), ("rows left out", "a gap")])
def test_an_event_beside_a_hole_in_the_data_is_told_as_one(
    run: Run, hourly: Path, hole: str, told: str
) -> None:
    lines = hourly.read_text().splitlines()
    cut = slice(301, 340)
    lines[cut] = [] if hole == "rows left out" else [line.split(",")[0] + "," for line in lines[cut]]
    Path("holed.csv").write_text("\n".join(lines) + "\n")
    ran = run(
        "detect", "holed.csv", "--train-until", "200", "--out", "found", "--no-picture", "--threshold", "2"
    )
    assert f"beside {told}" in ran.out
    events = rows_of(Path("found/events.csv"))
    assert {event["beside"] for event in events} == {"", told}
    spike = 500 if told == "missing values" else 500 - 39
    assert [event["beside"] for event in events if int(event["start"]) <= spike <= int(event["end"])] == [""]


def test_without_a_normal_part_the_series_is_compared_with_itself(run: Run, hourly: Path) -> None:
    ran = run("detect", hourly, "--json", "--no-picture")
    series = json.loads(ran.out)["files"][0]["series"][0]
    assert series["training"] is None
    assert "compared with itself" in series["notes"][0]
    worst = max(series["events"], key=lambda event: event["score"])
    assert worst["peak"] == 500


def test_long_runs_of_missing_values_get_no_score(run: Run, hourly: Path) -> None:
    lines = hourly.read_text().splitlines()
    for hour in range(100, 110):
        lines[1 + hour] = lines[1 + hour].partition(",")[0] + ","
    hourly.write_text("\n".join(lines))
    run("detect", hourly, "--train-until", "400", "--out", "found", "--no-picture")
    scored = rows_of(Path("found/scores.csv"))
    assert [row["score"] for row in scored[100:110]] == [""] * 10
    assert {row["quality"] for row in scored[100:110]} == {"filled"}
    assert all(row["score"] for i, row in enumerate(scored) if not 100 <= i < 110)


def test_many_files_at_once_one_of_them_bad(run: Run, hourly: Path) -> None:
    for name in ("a", "b"):
        shutil.copy(hourly, f"{name}.csv")
    Path("bad.csv").write_text("x\nnot a number\n")
    ran = run("detect", "[ab]*.csv", "--out", "found", "--train-until", "400", "--no-picture", "--jobs", "2")
    assert ran.code == 2
    assert Path("found/a/report.html").exists()
    assert Path("found/b/events.csv").exists()
    assert not Path("found/bad").exists()
    assert "1 of 3 files failed" in ran.err
    assert "bad.csv" in ran.err
    assert "a.csv: 1 event," in ran.out


def test_many_files_as_json(run: Run, hourly: Path) -> None:
    shutil.copy(hourly, "a.csv")
    Path("bad.csv").write_text("x\n")
    document = json.loads(run("detect", "a.csv", "bad.csv", "--json", "--no-picture").out)
    assert [file["file"] for file in document["files"]] == ["a.csv"]
    assert [file["file"] for file in document["failed"]] == ["bad.csv"]
    assert Path(document["files"][0]["outputs"]["report"]).exists()


def test_exit_code_tells_of_events_when_asked_to(run: Run, hourly: Path) -> None:
    quiet = ("--no-picture", "--no-report", "--train-until", "400")
    assert run("detect", hourly, *quiet).code == 0
    assert run("detect", hourly, *quiet, "--fail-on-events").code == 1
    assert run("detect", hourly, *quiet, "--fail-on-events", "--threshold", "1e9").code == 0


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_other_forms_of_scores(run: Run, hourly: Path, form: str) -> None:
    import duckdb

    ran = run("detect", hourly, "--format", form, "--out", "found", "--no-picture", "--no-report")
    assert ran.code == 0, ran.err
    relation = duckdb.sql(f"SELECT * FROM 'found/scores.{form}'")
    assert len(relation.fetchall()) == 700
    assert {"time", "load", "score", "event", "quality"} <= set(relation.columns)


def test_normal_data_in_a_file_of_its_own(run: Run, hourly: Path) -> None:
    lines = hourly.read_text().splitlines(keepends=True)
    Path("normal.csv").write_text("".join(lines[:401]))
    Path("new.csv").write_text("".join([lines[0], *lines[401:]]))
    ran = run("detect", "new.csv", "--train-file", "normal.csv", "--json", "--no-picture")
    series = json.loads(ran.out)["files"][0]["series"][0]
    assert "400 steps of normal.csv" in series["notes"][0]
    assert [event["start"] <= 100 <= event["end"] for event in series["events"]] == [True]


def test_the_longest_stretch_labelled_normal_is_learnt_from(run: Run, hourly: Path) -> None:
    lines = hourly.read_text().splitlines()
    labels = ["wrong", *("1" if hour in (40, 500) else "0" for hour in range(700))]
    hourly.write_text("\n".join(f"{line},{label}" for line, label in zip(lines, labels, strict=True)))
    ran = run("detect", hourly, "--label-column", "wrong", "--json", "--no-picture")
    series = json.loads(ran.out)["files"][0]["series"][0]
    assert series["training"] == [41, 500]
    assert any(event["start"] <= 500 <= event["end"] for event in series["events"])


def test_an_alert_budget_says_when_it_cannot_be_promised(run: Run, hourly: Path) -> None:
    ran = run(
        "detect", hourly, "--train-until", "100", "--alerts-per-week", "1", "--no-picture", "--no-report"
    )
    assert "not enough data to promise 1 alerts a week yet" in ran.out
    Path("untimed.csv").write_text("x\n" + "\n".join(str(np.sin(i / 5)) for i in range(300)))
    ran = run("detect", "untimed.csv", "--alerts-per-week", "1")
    assert ran.code == 2
    assert "alerts a week need times" in ran.err


def test_several_series_of_one_file(run: Run) -> None:
    rng = np.random.default_rng(0)
    table = np.sin(np.arange(400)[:, None] / np.array([5.0, 9.0])) + rng.normal(scale=0.1, size=(400, 2))
    lines = [f"{a},{b},7" for a, b in table]
    Path("wide.csv").write_text("\n".join(["a,b,same", *lines]))
    ran = run("detect", "wide.csv", "--out", "found", "--no-picture")
    assert ran.code == 0
    scored = rows_of(Path("found/scores.csv"))
    assert {"a_score", "b_score", "same_quality"} <= set(scored[0])
    assert {row["same_quality"] for row in scored} == {"constant"}
    assert "all 400 values are 7" in ran.out


def test_what_is_told_fits_a_terminal_and_cannot_steer_it(run: Run) -> None:
    rng = np.random.default_rng(0)
    names = ["cpu\x1b[31m", "rack-17/" + "long" * 40, *(f"quiet {k}" for k in range(12))]
    values = rng.normal(size=(400, len(names)))
    values[300:305, :2] += [20.0, 40.0]
    lines = [",".join(names), *(",".join(f"{value:.3f}" for value in row) for row in values)]
    Path("many.csv").write_text("\n".join(lines) + "\n")
    ran = run("detect", "many.csv", "--detector", "raw", "--threshold", "mad=12", "--no-picture")
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out
    told = ran.out.splitlines()
    worst_first = [line.split(":")[0] for line in told if "1 event in 400 steps" in line]
    assert worst_first == [shown(names[1]), "cpu\ufffd[31m"]
    assert any(line.startswith("no events in 12 series: quiet 0, quiet 1") for line in told)
    tables = [line for line in told if line.startswith("  ") and not line.startswith("  ·")]
    assert 0 < max(map(len, tables)) <= 80
    assert ran.out.count("nothing was said to be normal") == 1


def test_without_matplotlib_all_but_the_picture_is_made(
    run: Run, hourly: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    ran = run("detect", hourly, "--out", "found")
    assert ran.code == 0
    assert "pip install 'paiad[plot]'" in ran.err
    assert not Path("found/report.png").exists()
    assert Path("found/report.html").exists()
