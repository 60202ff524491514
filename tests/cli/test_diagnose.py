import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from paiad.cli.app import app
from paiad.errors import InputError, SettingError
from paiad.synthetic import seasonal

run = CliRunner().invoke


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "load.csv"
    np.savetxt(path, seasonal(1500), header="load", comments="", fmt="%.5f")
    return path


def test_the_verdict_is_printed(file: Path) -> None:
    result = run(app, ["diagnose", str(file), "--set", "learner.width=24"])
    assert result.exit_code == 0, result.output
    assert "load: ShapePatches, fitted on 900 values, tried on 600" in result.output
    assert "level shift: the encoder" in result.output


def test_json_holds_every_injection(file: Path) -> None:
    result = run(
        app, ["diagnose", str(file), "--encoder", "pai-raw", "--set", "base.learner.width=24", "--json"]
    )
    (found,) = json.loads(result.stdout)
    assert found["encoder"] == "RawPatches"
    assert {"cosine", "euclidean", "pai"} == set(found["injections"][0]["auc"])


def test_the_picture_is_written(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "seen.png"
    assert (
        run(app, ["diagnose", str(file), "--set", "learner.width=24", "--picture", str(out)]).exit_code == 0
    )
    assert out.read_bytes().startswith(b"\x89PNG")


def test_a_detector_without_an_encoder_is_refused(file: Path) -> None:
    result = run(app, ["diagnose", str(file), "--encoder", "sub-pca"])
    assert isinstance(result.exception, SettingError)
    assert "no single encoder" in str(result.exception)


def test_a_series_that_is_too_short_is_named_and_does_not_stop_the_others(file: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.csv"
    short.write_text("load\n" + "".join(f"{k % 7}\n" for k in range(90)))
    result = run(app, ["diagnose", str(short)])
    assert isinstance(result.exception, InputError)
    assert str(result.exception).startswith("short.csv, load: ")
    both = tmp_path / "both.csv"
    values = seasonal(1500)
    rows = [f"long,{value:.4f}" for value in values] + [f"brief,{value:.4f}" for value in values[:90]]
    both.write_text("series_id,load\n" + "\n".join(rows) + "\n")
    result = run(app, ["diagnose", str(both), "--set", "learner.width=24"])
    assert result.exit_code == 0
    assert "long: ShapePatches" in result.output
    assert "left out: both.csv, brief: " in result.output
