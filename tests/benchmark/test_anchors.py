"""Published values beside ours, and detectors that wait for their weights."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from paiad.benchmark.executors.serial import Serial
from paiad.benchmark.published import read_published
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.runner import Plan, record_plan, run
from paiad.benchmark.store import Store
from paiad.benchmark.suite import Entry, Suite, read_suite
from paiad.benchmark.tables import Request, fitting, make_table
from paiad.cli.bench import app

SUITES = Path(__file__).parents[2] / "benchmarks" / "suites"


def finished(suite: Suite, written: Path, data: Path, folder: Path) -> Results:
    store = Store(folder, create=True)
    plan = Plan.of(suite, data)
    record_plan(store, plan, written, data)
    assert all(each.outcome.status == "done" for each in run(plan, suite, store, Serial()))
    return Results.open(store)


def rows_of(table):
    names = [column.name for column in table.columns]
    return {row[0]: dict(zip(names, row, strict=True)) for row in table.rows}


def test_published_values_stand_beside_ours(tiny, tmp_path):
    told = (tiny / "suite.toml").read_text()
    written = tmp_path / "suite.toml"
    for name, column in (("T2", "Theirs"), ("magG", "Others")):
        told = told.replace(f'name = "{name}"\n', f'name = "{name}"\npublished = "{column}"\n')
    written.write_text(told)
    results = finished(replace(read_suite(written), seeds=(0,)), written, tiny, tmp_path / "store")
    ours = results.per_series(Choice(results.suite.entry("T2")), "VUS-PR")
    others = results.per_series(Choice(results.suite.entry("magG")), "VUS-PR")
    lines = [
        f"{source.name}.csv,{ours[number] + 0.02 * (number == 0)},{1 - others[number]}"
        for number, source in enumerate(results.sources[:3])  # of the fourth nothing was published
    ]
    file = tmp_path / "published.csv"
    file.write_text("\n".join(["file,Theirs,Others", *lines]))
    request = Request(results, read_published(file))
    assert "anchors" in fitting(results)
    told = rows_of(make_table("anchors", request))
    same = told["T2"]
    assert same["n"] == 3
    assert same["VUS-PR, ours"] == pytest.approx(ours[:3].mean())
    assert same["difference"] == pytest.approx(-0.02 / 3)
    assert same["within 0.01"] == pytest.approx(2 / 3)
    assert same["as published"] == "yes"
    assert told["magG"]["rank correlation"] == pytest.approx(-1.0)
    assert told["magG"]["as published"] == "no"
    assert told["magG+T2"]["published"] is None
    each = make_table("anchors-by-file", request)
    assert [column.name for column in each.columns][1:3] == ["magG", "Others (published)"]
    assert len(each.rows) == len(results.sources)
    assert each.rows[0][4] == pytest.approx(ours[0] + 0.02)
    assert np.isnan(each.rows[3][4])
    alone = make_table("anchors", Request(results))
    assert rows_of(alone)["T2"]["VUS-PR, ours"] == pytest.approx(ours.mean())
    assert any("No published values were given" in note for note in alone.notes)


def test_suites_without_published_columns_have_no_anchors(tiny, tmp_path):
    suite = replace(read_suite(tiny / "suite.toml"), seeds=(0,))
    results = finished(suite, tiny / "suite.toml", tiny, tmp_path / "store")
    assert "anchors" not in fitting(results)


def test_a_detector_without_its_weights_waits_and_says_what_it_lacks(tiny, tmp_path):
    pytest.importorskip("torch")
    written, store = tmp_path / "suite.toml", tmp_path / "store"
    lines = ["[[detector]]", 'name = "DADA"', 'recipe = "dada"', f'settings.weights = "{tmp_path}"']
    written.write_text((tiny / "suite.toml").read_text() + "\n".join(["", *lines]))
    runner = CliRunner()
    command = ["run", str(written), "--store", str(store), "--data", str(tiny), "--engine", "serial"]
    ran = runner.invoke(app, command)
    assert ran.exit_code == 0, ran.output
    reason = f"DADA: the folder {tmp_path} lacks pytorch_model.bin"
    assert f"DADA is left for later: {reason}" in ran.output.replace("\n", "")
    assert "28 done" in ran.output
    results = Results.open(Store(store))
    assert results.lacking == {"DADA": reason}
    assert f"DADA: not run. {reason}." in make_table("main", Request(results)).notes
    assert f"DADA: 8 to do of 8; {reason}" in runner.invoke(app, ["status", "--store", str(store)]).output


def test_the_suite_of_the_papers_tables_names_every_baseline(shared):
    pytest.importorskip("torch")
    suite = read_suite(SUITES / "paper-table.toml")
    header = (shared / "data" / "published_vus_pr.csv").read_text().splitlines()[0].split(",")
    made = {entry.name: entry.make() for entry in suite.entries}
    assert len({entry.recipe for entry in suite.entries}) == 19
    assert {entry.published for entry in suite.entries} - {""} <= set(header)
    of_parity: list[Entry] = [entry for entry in suite.entries if entry.variant == "as published"]
    assert all(made[entry.name] == replace(made[entry.method], parity="published") for entry in of_parity)
