"""The bundled example: visits to a shop, eight weeks of them, with four things wrong in the last three."""

from dataclasses import dataclass

import numpy as np

from paiad.series import Series
from paiad.shapes import Labels, Values

SEED = 7
STEP = np.timedelta64(15, "m")
DAY = 96  # steps
WEEKS = 8
START = np.datetime64("2026-01-05T00:00")  # a Monday


@dataclass(frozen=True)
class Fault:
    """What is wrong, and the steps it lasts."""

    what: str
    first: int
    length: int

    @property
    def steps(self) -> slice:
        return slice(self.first, self.first + self.length)


FAULTS = (
    Fault("spike", 37 * DAY + 58, 3),
    Fault("level shift", 42 * DAY + 30, 60),
    Fault("shape change", 46 * DAY + 28, 64),
    Fault("variance change", 51 * DAY + 24, 48),
)


def example() -> Series:
    """Visits a quarter of an hour, busy by day, calmer at the weekend, and labels of what is wrong.

    >>> series = example()
    >>> len(series), int(series.labels.sum()), str(series.time[0])
    (5376, 175, '2026-01-05T00:00')
    """
    rng = np.random.default_rng(SEED)
    step = np.arange(WEEKS * 7 * DAY)
    values = _normal(step, rng)
    labels = np.zeros(len(step), dtype=np.int64)
    for fault in FAULTS:
        values[fault.steps] = _faulty(fault, values[fault.steps], rng)
        labels[fault.steps] = 1
    return Series("visits", np.round(np.maximum(values, 0.0), 1), labels, time=START + step * STEP)


def _normal(step: np.ndarray, rng: np.random.Generator) -> Values:
    hour, weekday = (step % DAY) / 4.0, (step // DAY) % 7
    by_day = np.exp(-(((hour - 11.0) / 3.2) ** 2)) + 0.9 * np.exp(-(((hour - 18.5) / 2.6) ** 2))
    busy = np.where(weekday < 5, 1.0, np.where(weekday == 5, 0.75, 0.6))
    size_of_day = np.repeat(rng.normal(1.0, 0.03, size=len(step) // DAY), DAY)
    noise = rng.normal(scale=5.0, size=len(step))
    return np.asarray(40.0 + 160.0 * by_day * busy * size_of_day + noise)


def _faulty(fault: Fault, values: Values, rng: np.random.Generator) -> Values:
    if fault.what == "spike":
        return np.asarray(values + np.array([90.0, 220.0, 110.0]))
    if fault.what == "level shift":
        return values + 75.0
    if fault.what == "shape change":
        return np.asarray(2 * np.mean(values) - values)  # upside down: as many visits, at the wrong hours
    return values + rng.normal(scale=32.0, size=len(values))


def example_rows() -> dict[str, Labels | Values]:
    """The example as columns of a table."""
    series = example()
    assert series.time is not None
    assert series.labels is not None
    return {"time": series.time, series.name: series.values, "label": series.labels}
