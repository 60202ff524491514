"""Progress on the terminal: a bar for what runs, on standard error, and none when nobody looks."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from paiad.progress import listen


@contextmanager
def progress() -> Iterator[None]:
    """Show what `paiad.progress.track` tells while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, object] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)  # type: ignore[arg-type]
            if done >= total:
                bars.remove_task(tasks.pop(what))  # type: ignore[arg-type]

        with listen(show):
            yield
