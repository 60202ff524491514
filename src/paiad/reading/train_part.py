"""Where the part taken as normal ends: given as a time, a number of rows, or a share."""

from datetime import date, datetime, timezone

import numpy as np

from paiad.errors import InputError
from paiad.moment import moment_text
from paiad.reading.timeline import Timeline

Until = str | int | float | np.datetime64 | datetime | date


def train_end(until: Until, timeline: Timeline, name: str) -> int:
    """How many steps lie in the training part: at least one, at most all.

    A whole number counts rows in time order; a number up to 1 with a decimal point, or a percentage, is a share
    of the rows; anything else is a time, and the steps before it are taken.

    >>> from paiad.reading.timeline import untimed
    >>> [train_end(until, untimed(np.arange(200)), "x") for until in (50, "50", 0.5, "25%")]
    [50, 50, 100, 50]
    """
    meant = _meaning(until, name)
    if isinstance(meant, np.datetime64):
        return _steps_before(meant, timeline, name)
    count = len(timeline.rows)
    rows = round(meant * count) if isinstance(meant, float) else meant
    if not 0 < rows <= count:
        raise InputError(f"{name}: the training part must hold 1 to {count} rows, got {until}")
    return int(timeline.step[rows - 1]) + 1


def _meaning(until: Until, name: str) -> int | float | np.datetime64:
    """A number of rows, a share, or a moment."""
    try:
        number = _number(until)
        if number is None:
            moment = _moment(until)
            if not np.isnat(moment):
                return moment
            number = -1.0
    except ValueError:
        number = -1.0
    if isinstance(number, float) and not 0 < number <= 1:
        raise InputError(
            f"{name}: the training part cannot end at {until!r};"
            " give a number of rows (500), a share (0.3 or 30%) or a time (2024-01-31T12:00)"
        )
    return number


def _number(until: Until) -> int | float | None:
    if isinstance(until, str):
        text = until.strip()
        if text.lstrip("+-").isdigit():
            return int(text)
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return float(text) if text.replace(".", "", 1).isdigit() else None
    if isinstance(until, float | np.floating):
        return float(until)
    return int(until) if isinstance(until, int | np.integer) else None


def _moment(until: Until) -> np.datetime64:
    """A moment in UTC; one without a zone is taken as it is, as times without one are."""
    moment = _parsed(until.strip()) if isinstance(until, str) else until
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        moment = moment.astimezone(timezone.utc).replace(tzinfo=None)
    return np.datetime64(moment).astype("datetime64[ns]")  # type: ignore[arg-type]


def _parsed(text: str) -> datetime | np.datetime64:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))  # Python 3.10 does not know the Z
    except ValueError:
        return np.datetime64(text)


def _steps_before(moment: np.datetime64, timeline: Timeline, name: str) -> int:
    time = timeline.time
    if time is None or time.dtype.kind != "M":
        raise InputError(
            f"{name}: the training part was to end at {moment_text(moment)}, but no column holds times;"
            " give rows or a share"
        )
    steps = int(np.searchsorted(time, moment, side="left"))
    if not steps:
        raise InputError(
            f"{name}: nothing lies before {moment_text(moment)}, where the training part was to end;"
            f" the times begin at {moment_text(time[0])}"
        )
    return steps
