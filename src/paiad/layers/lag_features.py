"""What Lag-Llama sees of time: lags that matter at any common sampling rate, and the calendar."""

from datetime import datetime, timedelta

import torch
from torch import Tensor

LONGEST = 1200
SHORTEST = 8  # but for lag 1, which is always there

# How many steps of each sampling rate make the units of time that are no shorter.
_RATES: dict[str, dict[str, int]] = {
    "second": {"second": 1, "minute": 60, "hour": 3600},
    "minute": {"minute": 1, "hour": 60, "day": 1440, "week": 10_080},
    "hour": {"hour": 1, "day": 24, "week": 168},
    "day": {"day": 1, "week": 7},
    "week": {"week": 1},
    "month": {"month": 1},
    "quarter": {"quarter": 1},
}


def _around(middle: int, reach: int) -> set[int]:
    return set(range(middle - reach, middle + reach + 1))


def _of_unit(unit: str, steps: int) -> set[int]:
    """Lags around whole multiples of the next larger unit, given the steps in this one."""
    if unit in ("second", "minute"):
        return set().union(*(_around(k * 60 * steps, 2) for k in (1, 2, 3)))
    if unit == "hour":
        return set().union(*(_around(k * 24 * steps, 1) for k in range(1, 8)))
    if unit == "day":
        return set().union(*(_around(k * 7 * steps, 1) for k in range(1, 5))) | _around(30 * steps, 1)
    if unit == "week":
        return set().union(*(_around(k * 52 * steps, 1) for k in (1, 2, 3))) | {
            4 * steps,
            8 * steps,
            12 * steps,
        }
    a_year = 12 if unit == "month" else 4
    return set().union(*(_around(k * a_year * steps, 1) for k in (1, 2, 3)))


def _all_lags() -> tuple[int, ...]:
    found = {1}
    for units in _RATES.values():
        for unit, steps in units.items():
            found |= {lag for lag in _of_unit(unit, steps) if SHORTEST <= lag <= LONGEST}
    return tuple(lag - 1 for lag in sorted(found))


LAGS = _all_lags()  # 0 is the value itself


def hourly_calendar(steps: int) -> Tensor:
    """Second, minute, hour, day of week, of month and of year, each in -0.5 … 0.5, of hours from 2021-01-01 on.

    >>> hourly_calendar(2)[1, 2].item() == 1 / 23 - 0.5
    True
    """
    moments = [datetime(2021, 1, 1) + timedelta(hours=step) for step in range(steps)]
    rows = [
        (
            0.0,
            0.0,
            moment.hour / 23,
            moment.weekday() / 6,
            (moment.day - 1) / 30,
            (moment.timetuple().tm_yday - 1) / 365,
        )
        for moment in moments
    ]
    return torch.tensor(rows, dtype=torch.float64) - 0.5
