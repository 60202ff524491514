"""A moment in time, as people write it."""

import numpy as np


def moment_text(time: np.datetime64, day_alone: bool = True) -> str:
    """As short as it can be said; with `day_alone` False midnight is said too, so that a column of times is even.

    >>> moment_text(np.datetime64("2026-01-01T12:30:00.000000000")), moment_text(np.datetime64("2026-01-01", "ns"))
    ('2026-01-01 12:30', '2026-01-01')
    >>> moment_text(np.datetime64("2026-01-01", "ns"), day_alone=False)
    '2026-01-01 00:00'
    """
    day, _, clock = str(np.datetime_as_string(time, unit="ns")).partition("T")
    clock, _, fraction = clock.partition(".")
    fraction = fraction.rstrip("0")
    if fraction:
        return f"{day} {clock}.{fraction}"
    return day if day_alone and clock == "00:00:00" else f"{day} {clock.removesuffix(':00')}"
