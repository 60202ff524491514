"""`paiad evaluate`: columns by name, one file or two, table, JSON, picture, errors."""

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from paiad.cli.evaluate import evaluate as command
from paiad.errors import InputError, SettingError
from paiad.metrics import evaluate
from paiad.period import dominant_period

APP = typer.Typer(add_completion=False)
APP.command()(command)


@pytest.fixture
def series():
    generator = np.random.default_rng(3)
    labels = np.zeros(600, int)
    labels[200:230] = labels[420:440] = 1
    wave = np.sin(2 * np.pi * np.arange(600) / 24)
    return wave, generator.random(600) + labels, generator.random(600), labels


@pytest.fixture
def one_file(tmp_path, series):
    return write(tmp_path / "all.csv", "value,score_good,score_blind,label", *series)


@pytest.fixture
def two_files(tmp_path, series):
    _, good, blind, labels = series
    return write(tmp_path / "scores.csv", "good,blind", good, blind), write(
        tmp_path / "labels.csv", "truth", labels
    )


def write(path, header, *columns):
    rows = [",".join(repr(cell.item()) for cell in row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join([header, *rows]) + "\n")
    return str(path)


def run(*arguments):
    done = CliRunner().invoke(APP, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_one_file_gives_one_row_a_score_column(one_file, series):
    _, good, blind, labels = series
    answer = json.loads(run(one_file, "--json"))
    assert [row["score"] for row in answer] == ["score_good", "score_blind"]
    assert answer[0]["measures"] == dict(evaluate(good, labels))
    assert answer[1]["measures"] == dict(evaluate(blind, labels))


def test_labels_of_their_own_file_and_columns_by_name(two_files, series):
    scores, labels = two_files
    answer = json.loads(run(scores, "--labels", labels, "--score", "blind", "--window", "7", "--json"))
    assert [row["score"] for row in answer] == ["blind"]
    assert answer[0]["window"] == 7


@pytest.fixture
def timed(tmp_path, series):
    """Scores and labels, each in a file with times: the usual export."""
    _, good, _, labels = series
    minutes = np.datetime64("2026-01-01T00:00") + np.arange(600)
    paths = []
    for name, times, column in (
        ("scores", minutes, good),
        ("labels", minutes, labels),
        ("late", minutes + 5, labels),
    ):
        rows = [f"{time},{cell}" for time, cell in zip(times, column.tolist(), strict=True)]
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join([f"timestamp,{'score' if name == 'scores' else 'label'}", *rows]) + "\n")
        paths.append(str(path))
    return paths


def test_labels_with_times_of_their_own(timed, series):
    _, good, _, labels = series
    (row,) = json.loads(run(timed[0], "--labels", timed[1], "--json"))
    assert row["measures"] == dict(evaluate(good, labels))


def test_labels_of_other_times_are_refused_by_line(timed):
    with pytest.raises(InputError) as caught:
        run(timed[0], "--labels", timed[2])
    said = str(caught.value)
    assert "scores.csv, line 2, column 'timestamp': 2026-01-01, but" in said
    assert "2026-01-01T00:05 in that row (600 of 600 rows differ)" in said


def test_labels_in_words(tmp_path, series):
    _, good, _, labels = series
    path = tmp_path / "words.csv"
    words = np.array(["normal", "anomaly"])[labels]
    path.write_text(
        "\n".join(["score,label", *(f"{a!r},{b}" for a, b in zip(good.tolist(), words, strict=True))])
    )
    (row,) = json.loads(run(str(path), "--json"))
    assert row["measures"] == dict(evaluate(good, labels))


def test_zipped_and_parquet_files(tmp_path, one_file, series):
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(one_file)
    table.to_csv(tmp_path / "all.csv.gz", index=False)
    table.to_parquet(tmp_path / "all.parquet")
    for name in ("all.csv.gz", "all.parquet"):
        assert run(str(tmp_path / name), "--json") == run(one_file, "--json")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_table_fits_the_terminal(one_file, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [
        line
        for line in run(one_file, "--score", "score_good").splitlines()
        if line.startswith(("score", " "))
    ]
    assert max(map(len, rows)) <= columns
    assert " ".join(" ".join(rows[::2]).split()) == " ".join(evaluate([0, 1], [0, 1]))
    assert len(rows) == 2 * {40: 4, 80: 2, 200: 1}[columns]


def test_table_says_definition_window_scope_and_number_of_points(one_file):
    text = run(one_file, "--definition", "tab", "--train-until", "0.25")
    assert "tab, window 25, test scope, 450 points, 2 events" in text
    assert "R-AUC-PR" in text
    assert "PA-F1" not in text


def test_full_scope_counts_all_rows_even_with_a_train_part(one_file):
    assert "full scope, 600 points" in run(one_file, "--train-until", "100", "--scope", "full")


def test_window_from_the_period_of_a_column(one_file, series):
    answer = json.loads(run(one_file, "--period-of", "value", "--json"))
    assert answer[0]["window"] == dominant_period(series[0]) == 24


def test_error_bars(one_file):
    text = run(one_file, "--error-bars", "20")
    assert "score_good: VUS-PR" in text
    assert "against score_good: -" in text
    good, blind = json.loads(run(one_file, "--error-bars", "20", "--json"))
    assert "against" not in good["error_bars"]
    against = blind["error_bars"]["against"]
    assert against["score"] == "score_good"
    assert against["low"] <= against["difference"] <= against["high"] < 0 < against["p_value"]


def test_undefined_measures_are_null_with_a_reason(tmp_path):
    path = write(tmp_path / "x.csv", "score,label", np.arange(9.0), np.zeros(9, int))
    (row,) = json.loads(run(path, "--json"))
    assert row["measures"]["VUS-PR"] is None
    assert "nothing to find" in row["reasons"]["VUS-PR"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--label-column", "lable"], "no column 'lable'; did you mean 'label'"),
        (["--score", "score"], "no column 'score'; did you mean 'score_"),
        (["--label-column", "value"], "column 'value': a label must be 0 or 1, got "),
        (["--scope", "test"], "needs --train-until"),
        (["--window", "5", "--period-of", "value"], "not both"),
        (["--window", "-5"], "whole number"),
    ],
)
def test_errors_name_the_remedy(one_file, arguments, says):
    with pytest.raises((InputError, SettingError), match=says):
        run(one_file, *arguments)


def test_unequal_files_and_missing_scores_are_refused_by_place(tmp_path, two_files):
    scores, _ = two_files
    short = write(tmp_path / "short.csv", "label", np.array([0, 1]))
    with pytest.raises(InputError, match=r"600 rows, .*short\.csv has 2 labels"):
        run(scores, "--labels", short)
    path = tmp_path / "gap.csv"
    path.write_text("score,label\n0.5,0\n,1\n0.25,0\n")
    with pytest.raises(InputError, match=r"gap.csv.*3, column 'score'.*1 of 3 rows"):
        run(str(path))


def test_picture_for_each_score(one_file, tmp_path):
    pytest.importorskip("matplotlib")
    run(one_file, "--picture", str(tmp_path / "out.png"), "--definition", "vus-2022", "--window", "20")
    for place in (1, 2):
        assert (tmp_path / f"out-{place}.png").read_bytes()[:4] == b"\x89PNG"
    assert not list(tmp_path.glob(".*"))


def test_one_window_is_drawn_as_a_line():
    figures = pytest.importorskip("matplotlib.figure")
    from paiad.metrics.picture import draw_surface
    from paiad.metrics.vus import Surface

    panels = []
    for windows in (1, 3):
        rows = np.tile(np.linspace(0, 1, 250), (windows, 1))
        panels.append(figures.Figure().add_subplot(projection="3d"))
        draw_surface(panels[-1], Surface(rows, rows, rows))
    assert [len(panel.lines) for panel in panels] == [1, 0]
    assert [len(panel.collections) for panel in panels] == [0, 1]
    assert [panel.get_yticks().tolist() for panel in panels] == [[0], [0, 1, 2]]


def test_picture_needs_both_classes_and_leaves_no_file(tmp_path):
    pytest.importorskip("matplotlib")
    path = write(tmp_path / "x.csv", "score,label", np.arange(9.0), np.zeros(9, int))
    with pytest.raises(InputError, match="no surface to draw"):
        run(path, "--picture", str(tmp_path / "out.png"))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["x.csv"]


def test_threshold_of_the_picture_is_that_of_the_best_point_f1(series):
    from paiad.metrics.labels import LabelContext
    from paiad.metrics.picture import best_point_threshold
    from paiad.metrics.ranked import RankedScores

    _, good, _, labels = series
    scores = np.round(good, 1)
    threshold = best_point_threshold(RankedScores(LabelContext(labels), scores))

    def f1(level):
        predicted = scores >= level
        return 2 * (predicted & (labels == 1)).sum() / (predicted.sum() + labels.sum())

    assert f1(threshold) == max(f1(level) for level in scores)
