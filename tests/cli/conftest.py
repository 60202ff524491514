"""The command line, run in this process: quick, and with its exit code, output and complaints."""

import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from command_line import Ran, Run
from paiad.cli import main


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run `paiad` with these arguments, in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    before = signal.getsignal(signal.SIGTERM)

    def call(*arguments: object) -> Ran:
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        said = capfd.readouterr()
        assert isinstance(end.value.code, int)
        return Ran(end.value.code, said.out, said.err)

    yield call
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def hourly(tmp_path: Path) -> Path:
    """700 hours of a daily wave, with a spike at hour 500, as CSV."""
    rng = np.random.default_rng(3)
    values = np.sin(np.arange(700) * 2 * np.pi / 24) + rng.normal(scale=0.1, size=700)
    values[500] += 6
    path = tmp_path / "hourly.csv"
    hours = np.datetime64("2026-01-01T00:00") + np.arange(700) * np.timedelta64(1, "h")
    lines = [f"{hour},{value:.5f}" for hour, value in zip(hours, values, strict=True)]
    path.write_text("\n".join(["time,load", *lines]) + "\n", encoding="utf-8")
    return path
