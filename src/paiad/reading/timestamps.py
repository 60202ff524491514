"""How points in time are written, and reading them as datetime64[ns]."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from paiad.errors import InputError
from paiad.shapes import Times

_CLOCKS = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", "T%H:%M:%S", " %I:%M %p", " %I:%M:%S %p", " %H")
_DATES = {
    "day/month/year": ("%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y"),
    "month/day/year": ("%m/%d/%Y", "%m.%d.%Y", "%m-%d-%Y"),
    "month by name": ("%d %b %Y", "%d-%b-%Y", "%b %d %Y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y"),
    "year and month": ("%Y-%m", "%Y/%m"),
    "hour alone": ("%Y-%m-%d %H", "%Y/%m/%d %H"),
    "year first, AM or PM": tuple(
        f"{date} {clock} %p" for date in ("%Y-%m-%d", "%Y/%m/%d") for clock in ("%I:%M:%S", "%I:%M", "%I")
    ),
    "without separators": ("%Y%m%d %H%M%S", "%Y%m%dT%H%M%S", "%Y%m%dT%H%M", "%Y%m%d-%H%M%S"),
}
_WITH_CLOCK = ("day/month/year", "month/day/year", "month by name")
ISO = "ISO 8601"
IN_UTC = "in UTC"
"""How times with a zone are given."""
FORMATS = (ISO, *_DATES)
"""Every way of writing a time that is known, the surest first."""

# Two-digit years are not read: 01/02/03 has six meanings.
_ZONE = r":\d\d(\.\d+)?\s*(Z|UTC|GMT|[+-]\d\d(:?\d\d)?|[A-Z][A-Za-z]+/[A-Za-z_]+)$"
# The engine's cast leaves out what it does not know behind the time: PM, or CEST.
_PLAIN = r"^\s*\d{1,5}[-/]\d{1,2}[-/]\d{1,2}([T ]\s*\d{1,2}:\d{1,2}(:\d{1,2}([.,]\d*)?)?)?\s*Z?\s*$"
# A number this large is a count of that unit since 1970: the years from 1973 to 5138, in each unit.
_EPOCH_UNITS = ((1e8, 1e11, "s"), (1e11, 1e14, "ms"), (1e14, 1e17, "us"), (1e17, 9.2e18, "ns"))


def zoned_sql(cell: str) -> str:
    """SQL: whether a text cell says which zone its time is in."""
    return f"regexp_matches(trim({cell}), '{_ZONE}')"


def nanoseconds_sql(cell: str, written: str) -> str:
    """SQL: nanoseconds since 1970 in UTC of a text cell written in that way, NULL where it is not."""
    if written == ISO:
        # A plain cast drops the offset without a word, so zoned cells go another way.
        closed_up = f"regexp_replace({cell}, '\\s+([+-]\\d)', '\\1')"
        in_utc = f"TRY_CAST({closed_up} AS TIMESTAMPTZ) AT TIME ZONE 'UTC'"
        plain = f"CASE WHEN regexp_matches({cell}, '{_PLAIN}') THEN replace(trim({cell}), ',', '.') END"
        as_moment = [f"TRY_CAST({moment} AS TIMESTAMP_NS)" for moment in (in_utc, plain)]
        return f"epoch_ns(CASE WHEN {zoned_sql(cell)} THEN {as_moment[0]} ELSE {as_moment[1]} END)"
    clocks = _CLOCKS if written in _WITH_CLOCK else ("",)
    formats = ", ".join(f"'{date}{clock}'" for clock in clocks for date in _DATES[written])
    return f"epoch_ns(TRY_CAST(try_strptime(trim({cell}), [{formats}]) AS TIMESTAMP_NS))"


def recognise(connection: Any, sample: Sequence[str]) -> tuple[str, ...]:
    """The ways of writing that read most of the sample, and at least half of it; several when they tie."""
    if not sample:
        return ()
    counts = ", ".join(f"count({nanoseconds_sql('cell', written)})" for written in FORMATS)
    found = connection.execute(f"SELECT {counts} FROM (SELECT unnest(?) AS cell)", [list(sample)]).fetchall()[
        0
    ]
    best = max(found)
    if best < len(sample) / 2:
        return ()
    return tuple(written for written, count in zip(FORMATS, found, strict=True) if count == best)


def looks_like_epoch(numbers: np.ndarray) -> bool:
    """Whether the numbers are whole, rising, and lie between 1990 and 2100 in one of the usual units.

    >>> looks_like_epoch(np.array([1_700_000_000, 1_700_000_060])), looks_like_epoch(np.array([3, 4]))
    (True, False)
    """
    unit = epoch_unit(numbers)
    if unit is None or numbers.dtype.kind != "i" or not (np.diff(numbers) >= 0).all():
        return False
    years = numbers[[0, -1]].astype(f"datetime64[{unit}]").astype("datetime64[Y]").astype(int) + 1970
    return bool(years[0] >= 1990 and years[1] <= 2100)


def epoch_unit(numbers: np.ndarray) -> str | None:
    """The unit in which all the numbers count the time since 1970, or None when they do not.

    >>> epoch_unit(np.array([1_700_000_000_000.0]))
    'ms'
    """
    if not len(numbers):
        return None
    lowest, highest = float(numbers.min()), float(numbers.max())
    return next((unit for low, high, unit in _EPOCH_UNITS if low <= lowest and highest < high), None)


def times_of_numbers(numbers: np.ndarray) -> tuple[Times, str]:
    """Numbers taken as times: as dates when they count from 1970 or spell a date, else as they are.

    >>> times_of_numbers(np.array([20240131, 20240201]))[0].astype("datetime64[D]")
    array(['2024-01-31', '2024-02-01'], dtype='datetime64[D]')
    """
    spelled = _spelled_dates(numbers)
    if spelled is not None:
        return spelled, "yyyymmdd"
    unit = epoch_unit(numbers)
    if unit is None:
        return numbers, "plain numbers"
    scale = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}[unit]
    if numbers.dtype.kind == "i":
        nanoseconds = numbers * scale
    else:
        whole = np.floor(numbers)
        nanoseconds = whole.astype(np.int64) * scale + np.rint((numbers - whole) * scale).astype(np.int64)
    return nanoseconds.astype("datetime64[ns]"), f"{unit} since 1970, UTC"


def _spelled_dates(numbers: np.ndarray) -> Times | None:
    if numbers.dtype.kind != "i" or not len(numbers):
        return None
    years, months, days = numbers // 10_000, numbers // 100 % 100, numbers % 100
    plausible = (
        (years >= 1800) & (years <= 2200) & (months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)
    )
    if not plausible.all():
        return None
    first_of_month = ((years - 1970) * 12 + months - 1).astype("datetime64[M]")
    return (first_of_month.astype("datetime64[D]") + (days - 1)).astype("datetime64[ns]")


def to_nanoseconds(times: np.ndarray, where: str) -> Times:
    """datetime64 of any unit as datetime64[ns]; what that cannot hold (before 1678, after 2261) is refused."""
    if times.dtype == np.dtype("datetime64[ns]"):
        return times
    years = times.astype("datetime64[Y]")
    outside = ~np.isnat(times) & ((years < np.datetime64("1678")) | (years > np.datetime64("2261")))
    if outside.any():
        row = int(outside.argmax())
        raise InputError(
            f"{where}: {times[row]} at row {row} lies outside the years 1678 to 2261; correct or empty it"
        )
    return times.astype("datetime64[ns]")
