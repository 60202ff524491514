"""Settings from a TOML file: the same as on the line, the line wins, and no key is ignored."""

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Run, refused


def settings_of(run: Run, *arguments: object) -> dict[str, Any]:
    ran = run("detect", *arguments, "--json", "--no-picture", "--no-report")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["files"][0]


CONFIG = """
[detect]
detector = "pai-raw"
train-until = "400"
merge_gap = 3
threshold = "mad=9"

[detect.set]
half_width = 16
base.learner.width = 24
"""


def test_a_file_says_what_options_would(run: Run, hourly: Path) -> None:
    Path("paiad.toml").write_text(CONFIG)
    from_file = settings_of(run, hourly, "--config", "paiad.toml")
    options = ["--detector", "pai-raw", "--train-until", "400", "--merge-gap", "3", "--threshold", "mad=9"]
    sets = ["--set", "half_width=16", "--set", "base.learner.width=24"]
    assert from_file["settings"] == settings_of(run, hourly, *options, *sets)["settings"]
    assert "half_width=16" in from_file["settings"]["detector"]
    assert "width=24" in from_file["settings"]["detector"]
    assert from_file["series"][0]["training"] == [0, 400]


def test_an_option_wins_over_the_file(run: Run, hourly: Path) -> None:
    Path("paiad.toml").write_text(CONFIG)
    found = settings_of(run, hourly, "--threshold", "mad=5", "--config=paiad.toml")
    assert found["settings"]["threshold"] == "mad=5"
    assert found["settings"]["merge gap"] == "3 steps"


def test_even_the_files_can_stand_there(run: Run, hourly: Path) -> None:
    Path("paiad.toml").write_text(f'[detect]\nfiles = ["{hourly}"]\n')
    ran = run("--config", "paiad.toml", "detect", "--no-picture")
    assert ran.code == 0, ran.err
    assert "hourly.csv" in ran.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[detect]\ntreshold = 3", ["[detect]", "'treshold'", "'threshold'"]),
        ("[detekt]\nthreshold = 3", ["'detekt'", "'detect'"]),
        ("threshold = 3", ["'threshold'"]),
        ("detect = 3", ["[detect]"]),
        ("[detect\n", ["not a TOML file", "line 1"]),
        ("[score]\nouts = 3", ["[score]", "'outs'", "'out'"]),
        ("[detect.set]\nbank_siez = 3", ["'bank_siez'", "'bank_size'"]),
    ],
)
def test_what_means_nothing_is_refused(run: Run, hourly: Path, text: str, said: list[str]) -> None:
    Path("wrong.toml").write_text(text)
    named = [] if "bank_siez" in text else ["wrong.toml"]
    refused(run("detect", hourly, "--config", "wrong.toml"), *named, *said)


def test_a_value_of_the_wrong_kind(run: Run, hourly: Path) -> None:
    Path("wrong.toml").write_text('[detect]\nmerge-gap = "wide"')
    ran = run("detect", hourly, "--config", "wrong.toml")
    assert ran.code == 2
    assert "--merge-gap" in ran.err
    assert "wide" in ran.err


def test_a_file_that_is_not_there(run: Run, hourly: Path) -> None:
    refused(run("detect", hourly, "--config", "absent.toml"), "absent.toml", "cannot be read")
