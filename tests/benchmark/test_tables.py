"""Tables and figures from a finished store: right numbers, right notes, every form."""

import csv
import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from chromium import Browser, find_chromium
from paiad.benchmark.elsewhere import import_measures
from paiad.benchmark.executors.serial import Serial
from paiad.benchmark.figures import FIGURES, make_figure
from paiad.benchmark.figures.bars import grouped_bars
from paiad.benchmark.figures.ranks import ranked
from paiad.benchmark.paper import figure, printed_rows
from paiad.benchmark.published import read_published
from paiad.benchmark.render import FORMS, rendered
from paiad.benchmark.report import page
from paiad.benchmark.results import Choice, Results
from paiad.benchmark.runner import Plan, record_plan, run
from paiad.benchmark.store import Store
from paiad.benchmark.suite import Protocol, parsed_suite, read_suite
from paiad.benchmark.table import Column, Table
from paiad.benchmark.tables import Request, fitting, make_table
from paiad.benchmark.tables.differences import bootstrap_by_cluster
from paiad.cli.bench import app
from paiad.errors import InputError, SettingError
from paiad.significance import bootstrap_mean


@pytest.fixture(scope="module")
def results(tiny, tmp_path_factory) -> Results:
    suite = replace(read_suite(tiny / "suite.toml"), seeds=(0,))
    store = Store(tmp_path_factory.mktemp("store"), create=True)
    plan = Plan.of(suite, tiny)
    record_plan(store, plan, tiny / "suite.toml", tiny)
    assert all(each.outcome.status == "done" for each in run(plan, suite, store, Serial()))
    return Results.open(store)


def cells(table, method: str, column: str):
    names = [c.name for c in table.columns]
    at = names.index("Method") if "Method" in names else names.index("Base method")
    return [row[names.index(column)] for row in table.rows if row[at] == method]


def test_the_main_table_holds_plain_means_and_says_n(results):
    table = make_table("main", Request(results))
    values = results.per_series(Choice(results.suite.entry("T2")), "VUS-PR")
    assert cells(table, "T2", "VUS-PR") == [float(values.mean())]
    assert cells(table, "T2", "n") == [4]
    assert cells(table, "T2", "VUS-PR (paper)") == [0.36]
    assert cells(table, "PaAno + PAI", "VUS-PR (paper)") == [0.58]
    assert cells(table, "PaAno + PAI", "n") == [0]
    notes = " ".join(table.notes)
    assert "4 series of the 350 of TSB-AD-U-Eva; 1 listed series are not here" in notes
    assert "the whole series, training part included" in notes
    assert "seeds 0, 1" in notes


def test_a_detector_that_saw_the_test_part_is_marked(results):
    table = make_table("main", Request(results))
    assert cells(table, "Raw patches + PAI †", "n") == [4]
    assert any("fitted on the whole series" in note for note in table.notes)


def test_published_values_are_joined_by_file(results, tmp_path):
    path = tmp_path / "published.csv"
    first, second = (source.name for source in results.sources[:2])
    path.write_text(f"file,Theirs,ts_len\n{first}.csv,0.5,900\n{second},0.7,900\nelsewhere.csv,0.1,9\n")
    table = make_table("main", Request(results, read_published(path)))
    assert cells(table, "Theirs", "VUS-PR") == [0.6]
    assert cells(table, "Theirs", "n") == [2]
    for protocol in (Protocol(definition="vus-2022", window=20), Protocol(scope="test")):
        other = make_table("main", Request(replace(results, protocol=protocol), read_published(path)))
        assert cells(other, "Theirs", "VUS-PR") == []
        assert "The values of published.csv are left out" in other.notes[0]
    path.write_text(f"file,Theirs\n{first},high\n")
    with pytest.raises(InputError, match="row 2, column 'Theirs': expected a number, got 'high'"):
        read_published(path)


def test_weights_refit_nothing_and_agree_with_the_detectors(results):
    table = make_table("weights", Request(results))
    whole = results.per_series(Choice(results.suite.entry("Raw patches + PAI")), "VUS-PR").mean()
    components = make_table("components", Request(results))
    full = [row for row in components.rows if row[:2] == ("Raw patches", "Euclidean + magG + T2 †")]
    assert full[0][3] == pytest.approx(whole, abs=1e-12)
    rows = [row for row in table.rows if row[0] == "Raw patches"]
    assert len(rows) == 16
    assert [row[1:4] for row in rows][:2] == [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)]


@pytest.mark.parametrize("form", FORMS)
def test_every_table_has_every_form(results, form):
    for name in fitting(results):
        text = rendered(make_table(name, Request(results)), form)
        assert "92.4" not in text
        assert "paiad" in text
        if form == "csv":
            rows = [line for line in text.splitlines() if not line.startswith("#")]
            assert len({len(row) for row in csv.reader(rows)}) == 1
        if form == "latex":
            assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
            assert text.isascii()


def test_latex_spells_out_what_it_would_take_for_a_command():
    odd = Table("t", r"50 % of C:\a_b ~ {x}^2 & $3", (Column("a − b"), Column("Δ", 2)), (("x_1", -0.5),))
    text = rendered(odd, "latex")
    assert (
        r"\caption{50 \% of C:\textbackslash{}a\_b \textasciitilde{} \{x\}\textasciicircum{}2 \& \$3}" in text
    )
    assert r"a $-$ b & $\Delta$ \\" in text
    assert r"x\_1 & $-$0.50 \\" in text


def test_tables_of_another_benchmark_are_refused(results):
    with pytest.raises(SettingError, match="is of a tab suite"):
        make_table("tab-full", Request(results))
    with pytest.raises(SettingError, match="no table is called"):
        make_table("mian", Request(results))


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_whole_svg(results, name):
    drawn = ElementTree.fromstring(make_figure(name, results))
    assert drawn.tag.endswith("svg")


def test_legends_and_labels_of_bars_stay_inside_the_picture():
    names = [f"a method of a rather long name {number}" for number in range(12)]
    drawn = ElementTree.fromstring(grouped_bars("t", names, [("one kind of many words", [0.5] * 12)], ()))
    width = float(drawn.attrib["width"])
    legend = [text for text in drawn.iter() if text.text in names]
    assert len({text.attrib["y"] for text in legend}) > 1
    assert all(float(text.attrib["x"]) + 6 * len(text.text) < width for text in legend)
    narrow = ElementTree.fromstring(grouped_bars("t", ["a"], [("one kind of many words", [0.5])], ()))
    assert "one kind of many words" not in [text.text for text in narrow.iter()]


def test_methods_that_were_not_run_are_not_in_the_bars(results):
    assert "Raw patches + PAI" in make_figure("by-type", results)
    none = replace(results, store=Store(results.store.folder), suite=results.suite)
    none.__dict__["rows"] = {}
    assert "Raw patches" not in make_figure("by-type", none)
    assert "Raw patches" not in make_figure("teaser", none)


def test_tab_measures_have_a_table_of_their_own(results):
    tab = Results.open(results.store, Protocol(definition="tab", window="labels"))
    table = make_table("main", Request(tab))
    assert "not comparable with TSB-AD's" in " ".join(table.notes)
    ours = make_table("main", Request(results))
    assert cells(table, "T2", "VUS-PR") != cells(ours, "T2", "VUS-PR")
    assert cells(table, "T2", "AUC-PR") == cells(ours, "T2", "AUC-PR")


def test_a_bootstrap_over_clusters_of_one_is_the_plain_one():
    values = np.random.default_rng(0).normal(size=40)
    ours, plain = bootstrap_by_cluster(values, np.arange(40)), bootstrap_mean(values, draws=2000, seed=42)
    assert ours.estimate == pytest.approx(plain.estimate)
    assert (ours.low, ours.high) == pytest.approx((plain.low, plain.high), abs=0.03)
    twice = bootstrap_by_cluster(np.repeat(values, 2), np.repeat(np.arange(40), 2))
    assert (twice.low, twice.high) == pytest.approx((ours.low, ours.high))


def test_detectors_that_differ_share_no_bar():
    rng = np.random.default_rng(1)
    base = rng.uniform(size=60)
    found = ranked(
        ["a", "b", "c"],
        np.stack([base, base + 0.1 * rng.uniform(size=60), base + 1e-3 * rng.normal(size=60)]),
    )
    assert found.names[0] == "b"
    assert found.together == ((1, 2),)


def test_the_paper_is_transcribed_whole():
    counts = {
        table: len(printed_rows(table))
        for table in ("main", "weights", "tab-full", "components", "bootstrap")
    }
    assert counts == {"main": 21, "weights": 48, "tab-full": 14, "components": 21, "bootstrap": 8}
    assert figure("tab-full", "TSPulse-ZS", "+ PAI", "AUC-PR") == 0.229
    assert figure("weights", "TS2Vec", "0.6/0.4/0.2", "VUS-PR") == 0.473


def test_a_native_score_that_is_a_cosine_bank_stands_for_both(results):
    own = {"name": "x", "data": {"layout": "tsb-ad", "folder": "."}}
    both = [
        {
            "name": "mine",
            "recipe": "raw",
            "settings": {"metric": metric},
            "method": metric,
            "variant": "native",
        }
        for metric in ("cosine", "euclidean")
    ]
    named = [{**one, "name": one["method"]} for one in both]
    found = replace(results, suite=parsed_suite({**own, "detector": named}, "x.toml"))
    assert found.find("cosine", "cosine bank") == found.find("cosine", "native")
    assert found.find("euclidean", "cosine bank") is None


def test_suites_say_what_is_wrong():
    detector = {"name": "a", "recipe": "raw"}
    good = {"name": "x", "data": {"layout": "tsb-ad", "folder": "."}, "detector": [detector]}
    for change, message in (
        ({"detektor": []}, "unknown key 'detektor'"),
        ({"protocol": {"scope": "train"}}, "scope must be one of"),
        ({"protocol": {"metrics": ["VUS"]}}, "has no measure 'VUS'"),
        ({"data": {"layout": "csv", "folder": "."}}, "layout must be"),
        ({"detector": [*good["detector"], *good["detector"]]}, "two detectors are called 'a'"),
        ({"detector": []}, "there are no detectors"),
        ({"detector": {"name": "a"}}, "in double brackets"),
        ({"detector": [{"recipe": "raw"}]}, "detector 1: 'name' is missing"),
        (
            {"detector": [{**detector, "settings": [1]}]},
            r"detector 1 \(a\): settings must be a table, got \[1\]",
        ),
        ({"detector": [{**detector, "fit_on": "all"}]}, "fit_on must be train or whole"),
        ({"data": {"layout": "tab"}}, "data: 'folder' is missing"),
        ({"data": {**good["data"], "only": "010"}}, "only must be a list of texts, got '010'"),
        ({"data": {**good["data"], "train_fraction": True}}, "train_fraction must be a number"),
        ({"data": []}, "expected a table of settings"),
        ({"seeds": 3}, "seeds must be a list of whole numbers from 0, got 3"),
        ({"seeds": []}, "seeds must be"),
        ({"limits": {"seconds": "a"}}, "limits: seconds must be a number, got 'a'"),
        ({"limits": {"seconds": -1}}, "seconds must be more than 0"),
        ({"protocol": {"window": 1.5}}, "window must be a text or a number"),
    ):
        with pytest.raises(SettingError, match=message) as refused:
            parsed_suite({**good, **change}, "x.toml")
        assert str(refused.value).startswith("x.toml: ")
    assert (
        parsed_suite({**good, "protocol": {"window": 12}, "limits": {"seconds": 1.5}}, "x").limits.seconds
        == 1.5
    )


def test_what_a_suite_cannot_find_is_named(tiny):
    suite = read_suite(tiny / "suite.toml")
    none = replace(suite, data=replace(suite.data, only=("nothing",)))
    with pytest.raises(InputError, match="asks for no series whose name contains nothing"):
        Plan.of(none, tiny)
    absent = replace(suite, data=replace(suite.data, only=("005_MADE",)))
    with pytest.raises(InputError, match="none of the 1 series is here"):
        Plan.of(absent, tiny)
    unknown = replace(suite, entries=(replace(suite.entries[0], recipe="mag"),))
    with pytest.raises(
        SettingError, match=r"detector 'magG': no detector is called 'mag' .did you mean 'magg'"
    ):
        Plan.of(unknown, tiny)


def test_the_command_line_runs_and_tells(tiny, tmp_path):
    runner = CliRunner()

    def told(*arguments: str) -> str:
        result = runner.invoke(app, list(arguments))
        assert result.exit_code == 0, result.output
        return result.output

    store = ["--store", str(tmp_path / "store")]
    assert "28 done" in told(
        "run", str(tiny / "suite.toml"), *store, "--data", str(tiny), "--engine", "serial"
    )
    assert "nothing was left to do" in told(
        "run", str(tiny / "suite.toml"), *store, "--data", str(tiny), "--engine", "serial"
    )
    assert "magG: 4 done of 4" in told("status", *store)
    assert "**Main results" in told("table", "main", *store)
    assert "magG − T2" in told("compare", "magG", "T2", *store)
    told("figure", "critical-difference", *store, "--out", str(tmp_path / "cd.svg"))
    assert (tmp_path / "cd.svg").read_text().startswith("<svg")
    told("export", str(tmp_path / "all.parquet"), *store)
    told("report", *store, "--out", str(tmp_path / "report.html"))
    assert "Series by series" in (tmp_path / "report.html").read_text()


def test_the_page_works_in_a_browser(results, tmp_path):
    program = find_chromium()
    if program is None:
        pytest.skip("needs Chromium")
    path = tmp_path / "report.html"
    path.write_text(page(results))
    with Browser(program) as browser:
        browser.call("Page.navigate", url=path.as_uri())
        browser.until("document.readyState === 'complete' && document.querySelectorAll('.track').length > 0")
        assert browser.run("document.querySelectorAll('#tracks .track').length") == 6
        browser.run(
            "document.querySelector('#series').value = 2;"
            "document.querySelector('#series').dispatchEvent(new Event('change'))"
        )
        assert results.sources[2].name in browser.run("document.querySelector('#tracks').textContent")
        browser.run("document.querySelectorAll('#table-main th button')[3].click()")
        column = browser.run(
            "[...document.querySelectorAll('#table-main tbody tr')].map(r => r.cells[3].dataset.value)"
        )
        known = [float(value) for value in column if value]
        assert known == sorted(known, reverse=True)
        assert len(known) == 5
        assert column[len(known) :] == [""] * (len(column) - len(known))
        browser.run("document.querySelector('#detectors input').click()")
        assert browser.run("document.querySelectorAll('#tracks .track').length") == 5
        assert json.dumps(browser.complaints) == "[]"


def test_the_paper_stands_only_beside_what_can_be_compared(results):
    other = Results.open(results.store, Protocol(definition="vus-2022", window=20))
    table = make_table("main", Request(other))
    assert cells(table, "T2", "VUS-PR (paper)") == [None]
    assert cells(table, "T2", "AUC-PR (paper)") == [0.33]
    own = replace(results.suite, data=replace(results.suite.data, layout="folder"))
    table = make_table("main", Request(replace(results, suite=own)))
    assert cells(table, "T2", "AUC-PR (paper)") == [None]
    assert cells(table, "PaAno", "n") == []


def test_every_table_and_figure_of_what_was_measured_elsewhere(results, tiny, tmp_path):
    given, store = tmp_path / "all.csv", Store(tmp_path / "store", create=True)
    with given.open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ("detector", "series", "seed", "metric", "value"),
                *results.store.query(
                    "SELECT detector, series, seed, metric, value FROM rows JOIN measures USING (key) WHERE view = '' "
                    f"AND ruler = '{results.ruler(results.suite.entries[0]).digest}'"
                ),
            ]
        )
    plan = Plan.of(results.suite, tiny)
    record_plan(store, plan, tiny / "suite.toml", tiny)
    assert import_measures(plan, results.suite, store, given).jobs == 20
    told = CliRunner().invoke(
        app, ["table", "all", "--store", str(store.folder), "--out", str(tmp_path / "out")]
    )
    assert (told.exit_code, told.stderr) == (0, ""), told.output
    drawn = CliRunner().invoke(
        app, ["figure", "all", "--store", str(store.folder), "--out", str(tmp_path / "out")]
    )
    assert drawn.exit_code == 0, drawn.output
    assert drawn.stderr == (
        "heat-map cannot be drawn from this store: Raw patches + PAI has no stored terms here, "
        "which other weights are tried on\n"
    )
    ours, theirs = (make_table("correlation", Request(each)) for each in (Results.open(store), results))
    assert cells(ours, "Raw patches", "n of ρ") == [0]
    assert cells(theirs, "Raw patches", "n of ρ") == [4]
    assert cells(ours, "Raw patches", "VUS-PR") == pytest.approx(cells(theirs, "Raw patches", "VUS-PR"))
    shown = page(Results.open(store))
    if (program := find_chromium()) is not None:
        (tmp_path / "report.html").write_text(shown)
        with Browser(program) as browser:
            browser.call("Page.navigate", url=(tmp_path / "report.html").as_uri())
            browser.until(
                "document.readyState === 'complete' && document.querySelectorAll('.track').length > 0"
            )
            lines = browser.run(
                "[...document.querySelectorAll('#tracks > div')].map(each => each.textContent)"
            )
            assert len([told for told in lines if told.endswith("(its scores are not in this store)")]) == 5
            assert json.dumps(browser.complaints) == "[]"
    parts = make_table("components", Request(Results.open(store)))
    assert [row[2] for row in parts.rows if row[0] == "Raw patches"] == [0, 4, 4, 0, 0, 4, 4]


def test_a_mean_over_fewer_series_than_its_head_says_is_told(results, tiny, tmp_path):
    store, given = Store(tmp_path / "store", create=True), tmp_path / "few.csv"
    plan = Plan.of(results.suite, tiny)
    record_plan(store, plan, tiny / "suite.toml", tiny)
    given.write_text(f"detector,series,metric,value\nT2,{plan.jobs[0].series},VUS-PR,0.5\n")
    import_measures(plan, results.suite, store, given)
    notes = make_table("by-family", Request(Results.open(store))).notes
    assert "T2: means over fewer series than the heads say: MADE 1 of 4." in notes
    whole = make_table("by-family", Request(results)).notes
    assert not [note for note in whole if "fewer series" in note]


def test_a_measure_from_elsewhere_that_the_suite_does_not_ask_for_is_passed_over(results, tiny, tmp_path):
    store, given = Store(tmp_path / "store", create=True), tmp_path / "more.csv"
    plan = Plan.of(results.suite, tiny)
    record_plan(store, plan, tiny / "suite.toml", tiny)
    first = plan.jobs[0].series
    given.write_text(f"detector,series,metric,value\nT2,{first},VUS-PR,0.5\nT2,{first},PA-F1,0.9\n")
    import_measures(plan, results.suite, store, given)
    table = make_table("main", Request(Results.open(store)))
    assert cells(table, "T2", "VUS-PR") == [0.5]
    assert not [column for column in table.columns if "PA" in column.name]
