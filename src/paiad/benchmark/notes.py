"""What the library logs while a job runs belongs to the job, not to the screen."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def notes() -> Iterator[list[str]]:
    """Collect the warnings logged inside, each once; nothing is shown.

    >>> with notes() as heard:
    ...     logging.getLogger("paiad.example").warning("the training values are constant")
    >>> heard
    ['the training values are constant']
    """
    logger = logging.getLogger("paiad")
    collector = _Collector()
    propagated, logger.propagate = logger.propagate, False
    logger.addHandler(collector)
    try:
        yield collector.heard
    finally:
        logger.removeHandler(collector)
        logger.propagate = propagated


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self.heard:
            self.heard.append(message)
