"""Progress of long work: code says how far it is, and whoever runs it decides whether that is shown.

Library code wraps its loops in `track`; nothing is shown unless the command line (or a notebook)
has installed a listener with `listen`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Listener = Callable[[str, int, int], None]
"""Called with what is being done, how many steps are done, and how many there are in all."""

_Item = TypeVar("_Item")
_listener: ContextVar[Listener | None] = ContextVar("paiad_progress", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Send the progress of everything run inside to `listener`.

    >>> with listen(lambda what, done, total: print(what, done, "of", total)):
    ...     for _ in track([10, 20], "adding"): pass
    adding 0 of 2
    adding 1 of 2
    adding 2 of 2
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def track(items: Iterable[_Item], what: str, total: int | None = None) -> Iterator[_Item]:
    """Yield the items, telling the listener, if there is one, how many are done."""
    listener = _listener.get()
    if listener is None:
        yield from items
        return
    known = total if total is not None else len(items)  # type: ignore[arg-type]
    listener(what, 0, known)
    try:
        for done, item in enumerate(items, start=1):
            yield item
            listener(what, done, known)
    except GeneratorExit:  # left early, as by training without further progress: no more will be told
        listener(what, known, known)
        raise
