"""What the command `paiad` runs: the commands, and one line instead of a traceback when something is wrong."""

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

DONE, FOUND, REFUSED, BUG, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in _before_dashes(given)
    try:
        signal.signal(signal.SIGTERM, _interrupted)
        code = _run(_hoisted(given), debug)
    except KeyboardInterrupt:
        code = _told("interrupted", INTERRUPTED, None, debug)
    sys.exit(code)


def _run(arguments: list[str], debug: bool) -> int:
    import logging

    from paiad.cli.app import app
    from paiad.errors import PaiadError

    logging.basicConfig(level=logging.INFO if debug else logging.ERROR, format="%(name)s: %(message)s")
    try:
        app(args=arguments, prog_name="paiad")
    except SystemExit as end:
        code = _code(end)
        return _told("interrupted", code, None, debug) if code == INTERRUPTED else code
    except PaiadError as error:
        return _told(str(error), REFUSED, error, debug)
    except BrokenPipeError:
        # Whoever read our output has gone; leave nothing for Python to complain about at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        return _told(_of_system(error), REFUSED, error, debug)
    except MemoryError as error:
        return _told("not enough memory for this much data", REFUSED, error, debug)
    except Exception as error:
        if "Query interrupted" in str(error):  # DuckDB heard Ctrl-C before Python did
            return _told("interrupted", INTERRUPTED, None, debug)
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        return _told(f"this is a bug in paiad ({what}); see it with --debug", BUG, error, debug)
    return DONE


def _hoisted(arguments: list[str]) -> list[str]:
    """--config FILE and --debug moved to the front, from wherever they stand.

    >>> _hoisted(["detect", "a.csv", "--config", "c.toml", "--json"])
    ['--config', 'c.toml', 'detect', 'a.csv', '--json']
    """
    front: list[str] = []
    rest = list(_before_dashes(arguments))
    after = arguments[len(rest) :]
    while "--debug" in rest:
        rest.remove("--debug")
        front = ["--debug"]
    for i, argument in enumerate(rest):
        if argument.startswith("--config="):
            return [*front, argument, *rest[:i], *rest[i + 1 :], *after]
        if argument == "--config":
            return [*front, *rest[i : i + 2], *rest[:i], *rest[i + 2 :], *after]
    return [*front, *rest, *after]


def _before_dashes(arguments: list[str]) -> list[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _told(message: str, code: int, error: BaseException | None, debug: bool) -> int:
    if debug and error is not None:
        import traceback

        traceback.print_exception(error)
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in " ".join(message.split()))
    print(f"paiad: {line}", file=sys.stderr)
    return code


def _of_system(error: OSError) -> str:
    what = error.strerror or str(error)
    return f"{error.filename}: {what}" if error.filename else what


def _code(end: SystemExit) -> int:
    return end.code if isinstance(end.code, int) else DONE if end.code is None else REFUSED


def _interrupted(number: int, frame: FrameType | None) -> None:
    """Being asked to end is ending as Ctrl-C does: what is half written is taken away."""
    raise KeyboardInterrupt
