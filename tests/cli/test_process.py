"""What only a process of its own shows: start-up time, pipes, signals, a full disk."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

PAIAD = [sys.executable, "-c", "from paiad.cli import main; main()"]


def paiad(*arguments: object, **more: object) -> subprocess.CompletedProcess[str]:
    command = [*PAIAD, *map(str, arguments)]
    return subprocess.run(command, text=True, capture_output=True, timeout=120, **more)  # type: ignore[call-overload]


@pytest.fixture
def wave_file(tmp_path: Path) -> Path:
    values = np.sin(np.arange(2000) / 8)
    path = tmp_path / "wave.csv"
    path.write_text("x\n" + "".join(f"{value:.4f}\n" for value in values))
    return path


def test_help_loads_none_of_the_heavy_packages() -> None:
    script = (
        "import sys\nfrom paiad.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numba', 'duckdb', 'numpy', 'torch', 'sklearn', 'matplotlib', 'rich'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, timeout=60)
    assert ran.stdout.splitlines()[-1] == "[]"
    for command in ("detect", "stream", "fuse", "evaluate", "bench"):
        assert f"  {command} " in ran.stdout


def test_a_pipe_in_and_a_pipe_out(wave_file: Path, tmp_path: Path) -> None:
    ran = paiad("detect", "-", "--no-picture", input=wave_file.read_text(), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "paiad-out/stdin/report.html").exists()
    assert ran.stderr == ""  # no progress bar where nobody looks


def test_a_reader_that_goes_away_is_no_error(wave_file: Path, tmp_path: Path) -> None:
    command = " ".join(f"'{part}'" for part in [*PAIAD, "score", str(wave_file)])
    ran = subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {command} | head -1"],
        text=True, capture_output=True, timeout=120, cwd=tmp_path,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "x,score,quality\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output(wave_file: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [*PAIAD, "score", str(wave_file)]
        ran = subprocess.run(command, text=True, stdout=full, stderr=subprocess.PIPE, timeout=120)
    assert ran.returncode == 2
    assert "No space left" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on the size of files")
@pytest.mark.parametrize("limit", [2_000, 80_000])
def test_a_full_disk_leaves_nothing_half_written(wave_file: Path, tmp_path: Path, limit: int) -> None:
    out = tmp_path / "found"
    script = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "from paiad.cli import main; main()"
    )
    command = [sys.executable, "-c", script, "detect", str(wave_file), "--out", str(out), "--no-picture"]
    ran = subprocess.run(
        command, text=True, capture_output=True, timeout=120, env={**os.environ, "NUMBA_CACHE_DIR": ""}
    )
    assert ran.returncode == 2, ran.stderr
    assert "cannot be written" in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert not out.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on the size of files")
def test_a_full_disk_leaves_the_results_of_the_run_before_together(wave_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "found"
    assert paiad("detect", wave_file, "--out", out, "--no-picture", "--missing", "previous").returncode == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "from paiad.cli import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, "detect", str(wave_file), "--out", str(out), "--no-picture"],
        text=True, capture_output=True, timeout=120, env={**os.environ, "NUMBA_CACHE_DIR": ""},
    )  # fmt: skip
    assert "cannot be written: File too large" in ran.stderr
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on the size of files")
@pytest.mark.parametrize(("command", "target"), [("score", "scores.csv"), ("fit", "model")])
def test_a_full_disk_is_told_with_the_name_of_what_was_written(
    wave_file: Path, tmp_path: Path, command: str, target: str
) -> None:
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))\n"
        "from paiad.cli import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, command, str(wave_file), "--out", target],
        text=True, capture_output=True, timeout=120, cwd=tmp_path, env={**os.environ, "NUMBA_CACHE_DIR": ""},
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (2, ran.stderr)
    assert f"{target}: cannot be written: File too large" in ran.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["wave.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("files", [1, 3])
def test_interrupted_in_the_middle(tmp_path: Path, files: int) -> None:
    values = np.random.default_rng(0).normal(size=60_000)
    names = [f"long{i}.csv" for i in range(files)]
    for name in names:
        (tmp_path / name).write_text("x\n" + "".join(f"{value:.4f}\n" for value in values))
    process = subprocess.Popen(
        [*PAIAD, "detect", *names, "--detector", "raw"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(4)
    assert process.poll() is None, "it ended before it could be interrupted"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert err == "paiad: interrupted\n"
    assert out == ""
    assert not list(tmp_path.rglob("*.part"))
    assert not list(tmp_path.rglob("report.html"))
