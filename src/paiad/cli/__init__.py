"""The command line: parse, call, print. `main` is what the command `paiad` runs."""

from paiad.cli.main import main

__all__ = ["main"]
