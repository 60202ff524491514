"""What the documentation of the command line says is so."""

import re
from pathlib import Path

import pytest

from command_line import Run
from paiad import detect, quality
from paiad.cli.app import COMMANDS, load
from paiad.example import example
from paiad.rules import NAMES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def test_every_command_and_no_other_is_listed() -> None:
    listed = re.findall(r"^\| `(\w+)[ `]", PAGE.read_text(encoding="utf-8").partition("## detect")[0], re.M)
    assert listed == list(COMMANDS)


def test_every_option_that_is_named_exists() -> None:
    known = {"--help", "--config", "--debug", "--version"}
    for name in COMMANDS:
        command = load(name)
        for part in [command, *getattr(command, "commands", {}).values()]:
            known |= {
                option for parameter in part.params for option in (*parameter.opts, *parameter.secondary_opts)
            }
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE.read_text(encoding="utf-8")))
    assert named
    assert named <= known


def test_the_columns_flags_and_thresholds_are_those_there_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = detect(example().values).rows()
    for column in rows.dtype.names:
        name = "score_<term>" if column.startswith("score_") else column
        assert f"`{name}`" in text or column == "value"
    assert all(f"`{flag}`" in text for flag in quality.NAMES)
    assert all(f"`{name}" in text for name in NAMES)


def test_the_configuration_shown_is_accepted(run: Run, hourly: Path) -> None:
    config = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert config is not None
    Path("paiad.toml").write_text(config[1].replace("data/*.csv", str(hourly)))
    ran = run("detect", "--config", "paiad.toml", "--no-picture")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(run: Run, name: str) -> None:
    ran = run(name, "--help")
    assert ran.code == 0
    assert name in ran.out
