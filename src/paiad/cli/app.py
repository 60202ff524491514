"""The commands by name, one line each; a command's module is imported when it is run, not to list it."""

import difflib
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from paiad.cli.defaults import defaults_of
from paiad.config import check_keys, read_config
from paiad.errors import SettingError

# name -> "module:function or Typer app", what it does
COMMANDS: dict[str, tuple[str, str]] = {
    "detect": ("paiad.cli.detect:detect", "Find anomalous stretches in files; write a report."),
    "score": ("paiad.cli.score:score", "Write the rows of a file with a score each."),
    "fit": ("paiad.cli.fit:fit", "Learn what is normal from a file, and save it."),
    "stream": ("paiad.cli.stream:stream", "Score values as they come, on standard input."),
    "fuse": ("paiad.cli.fuse:fuse", "Add the amplitude terms to any detector's scores."),
    "diagnose": ("paiad.cli.diagnose:diagnose", "Say what an encoder sees of amplitude."),
    "evaluate": ("paiad.cli.evaluate:evaluate", "Measure scores against labels."),
    "bench": ("paiad.cli.bench:app", "Run a benchmark of detectors, and its tables."),
    "detectors": ("paiad.cli.detectors:detectors", "List the detectors there are."),
    "example": ("paiad.cli.example:example", "Write the bundled example to a file."),
    "version": ("paiad.cli.version:version", "Print the version."),
}


class LazyGroup(TyperGroup):
    """A group that knows its commands by name and loads the one that is run."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return TyperCommand(cmd_name, short_help=COMMANDS[cmd_name][1]) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in COMMANDS:
            close = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(COMMANDS)}"
            raise SettingError(f"no command is called {name!r}; {hint}")
        return name, load(name), args[1:]


def load(name: str) -> Any:
    """The command of that name, ready to be run."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(name, epilog=EVERYWHERE)(found)
    return typer.main.get_command(alone)


EVERYWHERE = (
    "Every command also takes --config FILE.toml (a table for each command) and --debug (full tracebacks)."
)

app = typer.Typer(
    cls=LazyGroup,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    help="Amplitude-aware time-series anomaly detection. Start with: paiad detect FILE",
    epilog="Exit codes: 0 done; 1 events found (with --fail-on-events); 2 input or settings refused; "
    "3 a bug in paiad; 130 interrupted.",
)


def _version(asked: bool) -> None:
    if asked:
        load("version")(args=[], standalone_mode=False)
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml", help="Settings for all commands, a table each; options win over it."
        ),
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks, and notes of what is done.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read the configuration; `main` has moved these two options here from wherever they stood."""
    if config is not None:
        context.default_map = _tables(config)


def _tables(config: Path) -> dict[str, Any]:
    """Defaults of the options of every command that the file has a table for."""
    tables = read_config(config)
    try:
        check_keys(tables, COMMANDS, "a configuration file")
        for name, table in tables.items():
            if not isinstance(table, Mapping):
                raise SettingError(f"{name} must be a table: [{name}]")
        return {name: defaults_of(load(name), table, f"[{name}]") for name, table in tables.items()}
    except SettingError as error:
        raise SettingError(f"{config}: {error}") from error
