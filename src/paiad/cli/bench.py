"""`paiad bench`: run a suite of detectors over labelled series, and make its tables, figures and page."""

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paiad.cli.showing import progress

if TYPE_CHECKING:
    from paiad.benchmark.results import Results

app = typer.Typer(
    help="Run suites of detectors over labelled series; make tables, figures and a page.",
    no_args_is_help=True,
)

StoreOption = Annotated[Path, typer.Option("--store", help="Folder with everything that has been run.")]
DataOption = Annotated[
    Path | None, typer.Option("--data", envvar="PAIAD_DATA", help="Data root; the suite's folder lies in it.")
]
EngineOption = Annotated[
    str, typer.Option("--engine", help="serial, processes, gpu (many series a batch) or ray.")
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, help="How many at once; every core if not given, with --engine gpu four a GPU."
    ),
]
AddressOption = Annotated[
    str | None, typer.Option("--address", help="Ray cluster to join, for example auto.")
]
GpusOption = Annotated[str | None, typer.Option("--gpus", help="GPUs to share among the workers, as in 0,1.")]
BatchOption = Annotated[
    int | None,
    typer.Option("--batch", min=1, help="With --engine gpu: series to fit together; 16 if not given."),
]
ScopeOption = Annotated[
    str | None, typer.Option("--scope", help="full, test or as-released; the suite's own if not given.")
]
DefinitionOption = Annotated[str | None, typer.Option("--definition", help="tsb-ad, tab or vus-2022.")]
WindowOption = Annotated[
    str | None, typer.Option("--window", help="tsb-ad, paper, labels or a number of steps.")
]
PublishedOption = Annotated[
    Path | None, typer.Option("--published", help="CSV: file names, then one column a method.")
]
FormOption = Annotated[str, typer.Option("--format", help="markdown, csv, latex or html.")]
OutOption = Annotated[Path | None, typer.Option("--out", help="File to write; the screen if not given.")]


@app.command()
def run(
    suite: Annotated[Path, typer.Argument(help="Suite as TOML.")],
    store: StoreOption = Path("bench-store"),
    data: DataOption = None,
    engine: EngineOption = "processes",
    workers: WorkersOption = None,
    address: AddressOption = None,
    gpus: GpusOption = None,
    batch: BatchOption = None,
) -> None:
    """Run what is not done yet. Stop it at any time: the same command goes on where it was."""
    _run(suite, store, data, engine, workers, address, gpus, batch, again=False)


@app.command()
def retry(
    store: StoreOption = Path("bench-store"),
    data: DataOption = None,
    engine: EngineOption = "processes",
    workers: WorkersOption = None,
    address: AddressOption = None,
    gpus: GpusOption = None,
    batch: BatchOption = None,
) -> None:
    """Run again what failed, crashed, overstayed or ran out of memory; what is done stays."""
    _run(store / "suite.toml", store, data, engine, workers, address, gpus, batch, again=True)


@app.command()
def status(store: StoreOption = Path("bench-store")) -> None:
    """Say what is done, what failed and why, and what is left."""
    from paiad.benchmark.progress import summary
    from paiad.benchmark.store import Store

    for line in summary(Store(store)):
        typer.echo(line)


@app.command()
def table(
    name: Annotated[str, typer.Argument(help="Name of a table, or all.")],
    store: StoreOption = Path("bench-store"),
    form: FormOption = "markdown",
    out: OutOption = None,
    data: DataOption = None,
    scope: ScopeOption = None,
    definition: DefinitionOption = None,
    window: WindowOption = None,
    published: PublishedOption = None,
) -> None:
    """Make a table of the paper from what has been run, the paper's figures beside it."""
    from paiad.benchmark.published import read_published
    from paiad.benchmark.render import SUFFIXES, rendered
    from paiad.benchmark.tables import Request, fitting, make_table
    from paiad.errors import PaiadError

    results = _results(store, data, scope, definition, window)
    request = Request(results, read_published(published) if published else None)
    if name != "all":
        with progress():
            made = make_table(name, request)
        _write(rendered(made, form), out)
        return
    folder = out or store / "tables"
    for each in fitting(results):
        try:
            with progress():
                made = make_table(each, request)
        except PaiadError as error:
            typer.echo(f"{each} cannot be made from this store: {error}", err=True)
            continue
        _write(rendered(made, form), folder / f"{each}{SUFFIXES[form]}")


@app.command()
def figure(
    name: Annotated[str, typer.Argument(help="Name of a figure, or all.")],
    store: StoreOption = Path("bench-store"),
    out: Annotated[Path | None, typer.Option("--out", help="SVG file, or folder for all.")] = None,
    data: DataOption = None,
    scope: ScopeOption = None,
    definition: DefinitionOption = None,
    window: WindowOption = None,
) -> None:
    """Draw a figure from what has been run, as SVG."""
    from paiad.benchmark.figures import FIGURES, make_figure
    from paiad.errors import PaiadError

    results = _results(store, data, scope, definition, window)
    for each in FIGURES if name == "all" else [name]:
        target = out or store / "figures"
        try:
            with progress():
                drawn = make_figure(each, results)
        except PaiadError as error:
            if name != "all":
                raise
            typer.echo(f"{each} cannot be drawn from this store: {error}", err=True)
            continue
        _write(drawn, target if target.suffix == ".svg" and name != "all" else target / f"{each}.svg")


@app.command()
def compare(
    first: Annotated[str, typer.Argument(help="A detector of the suite.")],
    second: Annotated[str, typer.Argument(help="Another.")],
    store: StoreOption = Path("bench-store"),
    form: FormOption = "markdown",
    out: OutOption = None,
    data: DataOption = None,
    scope: ScopeOption = None,
    definition: DefinitionOption = None,
    window: WindowOption = None,
) -> None:
    """Say whether one detector is better than another, or only luckier."""
    from paiad.benchmark.render import rendered
    from paiad.benchmark.results import Choice
    from paiad.benchmark.tables.differences import Pair, differences

    results = _results(store, data, scope, definition, window)
    choices = [Choice(results.suite.entry(name)) for name in (first, second)]
    pair = Pair(f"{first} − {second}", *choices)
    with progress():
        compared = differences(results, [pair], "compare", f"{first} against {second}")
    _write(rendered(compared, form), out)


@app.command()
def report(
    store: StoreOption = Path("bench-store"),
    out: OutOption = None,
    data: DataOption = None,
    scope: ScopeOption = None,
    definition: DefinitionOption = None,
    window: WindowOption = None,
) -> None:
    """Make one HTML page of everything: table, ranks, cost, and every series with its scores."""
    from paiad.benchmark.report import page

    results = _results(store, data, scope, definition, window)
    with progress():
        text = page(results)
    _write(text, out or store / "report.html")


@app.command()
def export(
    out: Annotated[Path, typer.Argument(help="Parquet or CSV file to write.")],
    store: StoreOption = Path("bench-store"),
) -> None:
    """Write every measure of every job, with how it was made, as one table."""
    from paiad.benchmark.store import Store

    typer.echo(f"wrote {Store(store).export(out)} rows to {out}")


@app.command("import")
def import_(
    suite: Annotated[
        Path, typer.Argument(help="Suite as TOML, under whose protocol the measures were taken.")
    ],
    files: Annotated[
        list[Path], typer.Argument(help="CSV or Parquet: detector, series, seed, metric, value.")
    ],
    store: StoreOption = Path("bench-store"),
    data: DataOption = None,
) -> None:
    """Take measures from elsewhere into a store: what export writes, or any table of them; tables say so."""
    from paiad.benchmark.elsewhere import import_measures
    from paiad.benchmark.runner import Plan, record_plan
    from paiad.benchmark.store import Store
    from paiad.benchmark.suite import read_suite

    asked = read_suite(suite)
    plan, into = Plan.of(asked, data or Path()), Store(store, create=True)
    record_plan(into, plan, suite, data or Path())
    for path in files:
        told = import_measures(plan, asked, into, path)
        typer.echo(f"{path}: measures of {told.jobs} jobs")
        if told.left_out:
            shown = "; ".join(told.left_out[:3])
            typer.echo(f"{path}: {len(told.left_out)} belong to no job of the suite: {shown}", err=True)


def _run(
    suite_path: Path,
    folder: Path,
    data: Path | None,
    engine_name: str,
    workers: int | None,
    address: str | None,
    gpus: str | None,
    batch: int | None,
    again: bool,
) -> None:
    if engine_name == "serial":
        _one_thread()
    from paiad.benchmark.executors import Gpu, engine_named, gpus_here
    from paiad.benchmark.runner import Plan, record_plan, run
    from paiad.benchmark.store import Store
    from paiad.benchmark.suite import read_suite

    suite = read_suite(suite_path)
    engine = engine_named(engine_name, workers, address, tuple(gpus.split(",")) if gpus else (), batch)
    if isinstance(engine, Gpu) and not (engine.gpus or gpus_here()):
        typer.echo("There is no GPU here; batches are computed on the CPU.", err=True)
    plan = Plan.of(suite, data or Path())
    store = Store(folder, create=True)
    record_plan(store, plan, suite_path, data or Path())
    if plan.missing:
        typer.echo(
            f"{len(plan.missing)} of the listed series are not here; the tables will say so.", err=True
        )
    for detector, lacking in plan.lacking.items():
        typer.echo(f"{detector} is left for later: {lacking}", err=True)
    ended: Counter[str] = Counter()
    try:
        with progress():
            for each in run(plan, suite, store, engine, again):
                ended[each.outcome.status] += 1
                if each.outcome.status != "done":
                    where = f"{each.job.detector} on {each.job.series}"
                    typer.echo(f"{each.outcome.status}: {where}: {each.outcome.reason}", err=True)
    except KeyboardInterrupt:
        typer.echo(
            f"\nStopped after {ended.total()} jobs; what has ended is kept, the same command goes on.",
            err=True,
        )
        raise typer.Exit(130) from None
    told = ", ".join(f"{count} {status}" for status, count in ended.most_common()) or "nothing was left to do"
    typer.echo(f"{told}; see `paiad bench status --store {folder}`")


def _results(
    folder: Path, data: Path | None, scope: str | None, definition: str | None, window: str | None
) -> "Results":
    from dataclasses import replace

    from paiad.benchmark.executors import engine_named
    from paiad.benchmark.results import Results
    from paiad.benchmark.store import Store
    from paiad.benchmark.suite import read_suite

    store = Store(folder)
    protocol = read_suite(folder / "suite.toml").protocol
    changes: dict[str, object] = {"scope": scope, "definition": definition}
    changes["window"] = int(window) if window and window.isdigit() else window
    if definition is not None and definition != protocol.definition:
        changes["metrics"] = ()
        changes["window"] = changes["window"] or ("labels" if definition == "tab" else None)
    given = {name: value for name, value in changes.items() if value is not None}
    return Results.open(store, replace(protocol, **given), data, engine_named("processes"))  # type: ignore[arg-type]


def _one_thread() -> None:
    """In this process as in a worker: sums in one order, whatever the number of cores."""
    from paiad.benchmark.executors.threads import THREAD_VARIABLES

    for name in THREAD_VARIABLES:
        os.environ[name] = "1"


def _write(text: str, out: Path | None) -> None:
    if out is None:
        typer.echo(text)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.part")
    part.write_text(text + "\n", encoding="utf-8")
    os.replace(part, out)
    typer.echo(f"wrote {out}")
