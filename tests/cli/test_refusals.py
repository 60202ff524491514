"""Every way a file can be bad ends in one line that says what, where and what to do, and leaves nothing behind."""

import gzip
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from command_line import Ran, Run, refused

WAVE = [f"{value:.4f}" for value in np.sin(np.arange(400) / 7)]


def column(*cells: str, header: str = "x") -> str:
    return "\n".join([header, *cells]) + "\n"


def with_cell(cell: str) -> str:
    return column(*WAVE[:100], cell, *WAVE[101:])


TEXTS = {
    "empty": ("", ["empty"]),
    "header only": ("time,x\n", ["no rows"]),
    "no numeric column": (column(*["a,b"] * 90, header="p,q"), ["no numeric column", "'p' is text"]),
    "text among numbers": (with_cell("oops"), ["line 102", "column 'x'", "'oops'", "correct or empty it"]),
    "all missing": (column(*["2026-01-01,"] * 90, header="time,x"), ["no numeric column", "'x' is empty"]),
    "constant": (column(*["5"] * 90), ["column 'x'", "all 90 values are 5"]),
    "one value": (column("5"), ["column 'x'", "one value only"]),
    "shorter than a patch": (column(*WAVE[:20]), ["got 20", "give a longer series"]),
    "too large": (with_cell("1e300"), ["line 102", "column 'x'", "1e+300", "empty the cell"]),
    "time missing": (
        column("2026-01-01,1", ",2", "2026-01-03,4", header="time,x"),
        ["line 3", "column 'time'"],
    ),
}


@pytest.mark.parametrize(("text", "said"), TEXTS.values(), ids=TEXTS.keys())
def test_bad_text(run: Run, text: str, said: list[str]) -> None:
    Path("bad.csv").write_text(text)
    _refused(run("detect", "bad.csv", "--out", "found"), ["bad.csv", *said])


def _damaged_gzip() -> bytes:
    noise = column(*map(str, np.random.default_rng(0).random(5000)))
    whole = gzip.compress(noise.encode())
    return whole[: len(whole) // 2]


def _damaged_parquet() -> bytes:
    import duckdb

    duckdb.sql("COPY (SELECT range AS x FROM range(1000)) TO 'whole.parquet' (FORMAT parquet)")
    whole = Path("whole.parquet").read_bytes()
    return whole[: len(whole) // 2]


def test_damaged_files(run: Run) -> None:
    Path("cut.csv.gz").write_bytes(_damaged_gzip())
    Path("cut.parquet").write_bytes(_damaged_parquet())
    Path("latin.csv").write_bytes(column(*WAVE, header="größe").encode("latin-1"))
    _refused(run("detect", "cut.csv.gz", "--out", "found"), ["cut.csv.gz", "gzip", "copy the file again"])
    _refused(run("detect", "cut.parquet", "--out", "found"), ["cut.parquet", "Parquet", "again"])
    _refused(run("detect", "latin.csv", "--out", "found"), ["latin.csv", "line 1", "UTF-8", "iconv"])


def test_what_is_no_file(run: Run, tmp_path: Path) -> None:
    Path("folder").mkdir()
    _refused(run("detect", "folder", "--out", "found"), ["folder", "directory", "folder/*.csv"])
    _refused(run("detect", "absent.csv", "--out", "found"), ["absent.csv", "no such file"])
    _refused(run("detect", "*.nothing", "--out", "found"), ["*.nothing", "no file matches"])


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_no_permission(run: Run) -> None:
    Path("secret.csv").write_text(column(*WAVE))
    Path("secret.csv").chmod(0)
    _refused(run("detect", "secret.csv", "--out", "found"), ["secret.csv", "permission"])


def test_where_nothing_can_be_written(run: Run) -> None:
    Path("x.csv").write_text(column(*WAVE))
    Path("taken").write_text("a file")
    ran = run("detect", "x.csv", "--out", "taken")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "taken" in ran.err


ODD_BUT_FINE = {
    "infinite": (with_cell("inf"), "1 missing value filled"),
    "missing": (with_cell(""), "1 missing value filled"),
    "duplicate times": (
        column(
            *(f"2026-01-{1 + i // 48:02d} {i // 2 % 24:02d}:00,{x}" for i, x in enumerate(WAVE)),
            header="time,x",
        ),
        "share",
    ),
    "unsorted times": (
        column(*(f"{2400 - i},{x}" for i, x in enumerate(WAVE)), header="time,x"),
        "not in time order",
    ),
    "the future": (
        column(
            *(f"2090-01-{1 + i // 24:02d}T{i % 24:02d}:00,{x}" for i, x in enumerate(WAVE)), header="time,x"
        ),
        "lie in the future",
    ),
    "mixed zones": (
        column(
            *(
                f"2026-01-{1 + i // 24:02d}T{i % 24:02d}:00:00{'+02:00' if i % 2 else 'Z'},{x}"
                for i, x in enumerate(WAVE)
            ),
            header="time,x",
        ),
        "UTC",
    ),
}


@pytest.mark.parametrize(("text", "note"), ODD_BUT_FINE.values(), ids=ODD_BUT_FINE.keys())
def test_odd_input_is_judged_and_said(run: Run, text: str, note: str) -> None:
    Path("odd.csv").write_text(text)
    ran = run("detect", "odd.csv", "--out", "found", "--no-picture")
    assert ran.code == 0, ran.err
    assert note in ran.out
    assert len(Path("found/scores.csv").read_text().splitlines()) == text.count("\n")


def test_missing_values_can_be_refused(run: Run) -> None:
    Path("x.csv").write_text(with_cell(""))
    _refused(run("detect", "x.csv", "--missing", "refuse"), ["x.csv", "line 102", "column 'x'"])
    _refused(run("detect", "x.csv", "--missing", "ignore"), ["interpolate, previous, refuse", "'ignore'"])


def test_settings_that_mean_nothing(run: Run, hourly: Path) -> None:
    _refused(run("detekt", hourly), ["'detekt'", "'detect'"])
    _refused(run("detect", hourly, "--detector", "pai-rwa"), ["'pai-rwa'", "'pai-raw'"])
    _refused(run("detect", hourly, "--threshold", "quantil=0.9"), ["'quantil'", "'quantile'"])
    _refused(run("detect", hourly, "--threshold", "mad=high"), ["'high' is not a number"])
    _refused(run("detect", hourly, "--set", "bank_siez=3"), ["'bank_siez'", "'bank_size'"])
    _refused(run("detect", hourly, "--set", "bank_size"), ["KEY=VALUE"])
    _refused(run("detect", hourly, "--values", "laod"), ["hourly.csv", "'laod'", "'load'"])
    _refused(run("detect", hourly, "--format", "xlsx"), ["--format", "'xlsx'"])
    _refused(run("detect", hourly, "--train-until", "9999"), ["9999"])
    _refused(run("detect", hourly, "--train-until", "2030-01-01"), ["hourly.csv", "none is left to judge"])
    _refused(run("detect", hourly, "--train-until", "2020-01-01"), ["hourly.csv", "begin at 2026-01-01"])
    _refused(run("detect", hourly, "--train-until", "5", "--train-file", hourly), ["say once"])
    _refused(run("detect", hourly, "--train-until", "9"), ["hourly.csv", "got 9; end the normal part later"])
    Path("few.csv").write_text("load\n" + "1\n2\n" * 5)
    _refused(
        run("detect", hourly, "--train-file", "few.csv"), ["got 10", "more normal data than few.csv holds"]
    )
    _refused(run("detect", hourly, "--model", "nowhere"), ["nowhere"])


def test_interrupted_while_it_starts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["paiad.cli.main"], "_run", interrupted)
    assert run("version") == Ran(130, "", "paiad: interrupted\n")


def test_a_bug_is_told_as_one_and_shown_with_debug(
    run: Run, hourly: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paiad.detecting.make", lambda *_: 1 / 0)
    ran = run("detect", hourly)
    assert (ran.code, ran.err.count("\n")) == (3, 1)
    assert "bug in paiad" in ran.err
    assert "--debug" in ran.err
    assert "Traceback" in run("detect", hourly, "--debug").err


def _refused(ran: Ran, said: list[str]) -> None:
    refused(ran, *said)
    left = [path for path in Path("found").rglob("*") if path.is_file()] if Path("found").is_dir() else []
    assert not left
