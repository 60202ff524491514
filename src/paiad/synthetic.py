"""Known anomalies put into normal data, and normal data to put them into; everything is seeded."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from paiad.errors import TooShortError
from paiad.shapes import Labels, Values

Alteration = Callable[[Values, float, np.random.Generator], Values]
"""Takes a stretch of normal values, a size in the data's units and a generator; returns the stretch altered."""


def _spike(stretch: Values, size: float, rng: np.random.Generator) -> Values:
    altered = stretch.copy()
    altered[len(stretch) // 2] += size * rng.choice((-1.0, 1.0))
    return altered


def _level_shift(stretch: Values, size: float, rng: np.random.Generator) -> Values:
    return stretch + size * rng.choice((-1.0, 1.0))


def _variance_change(stretch: Values, size: float, rng: np.random.Generator) -> Values:
    return stretch + rng.normal(scale=size, size=len(stretch))


def _intensity_change(stretch: Values, size: float, rng: np.random.Generator) -> Values:
    # The swing around the stretch's own mean grows until its largest excursion has moved by `size`.
    swing = stretch - stretch.mean()
    reach = float(np.max(np.abs(swing)))
    return stretch if reach == 0 else stretch.mean() + swing * (1.0 + size / reach)


def _shape_change(stretch: Values, size: float, rng: np.random.Generator) -> Values:
    # The stretch runs backwards and upside down about its mean: its spread and its mean stay exactly as they
    # were, its course does not. `size` says how much of the new course replaces the old one.
    middle = stretch.mean()
    share = size / (size + float(np.std(stretch)) + 1e-12)
    mixed = (1 - share) * (stretch - middle) - share * (stretch[::-1] - middle)
    spread = float(np.std(mixed))
    return middle + (mixed * (float(np.std(stretch)) / spread) if spread > 0 else mixed)


KINDS: dict[str, Alteration] = {
    "spike": _spike,
    "level shift": _level_shift,
    "variance change": _variance_change,
    "intensity change": _intensity_change,
    "shape change": _shape_change,
}


@dataclass(frozen=True, eq=False)
class Injected:
    """Values with known anomalies in them, and where they are."""

    values: Values
    labels: Labels


def inject(
    values: Values, kind: str, size: float, length: int, count: int, rng: np.random.Generator
) -> Injected:
    """Alter `count` stretches of `length` steps, well apart, each by `size` in the data's own units.

    >>> found = inject(np.zeros(100), "spike", 5.0, 10, 2, np.random.default_rng(0))
    >>> int(np.abs(found.values).sum()), int(found.labels.sum())
    (10, 2)
    """
    room = len(values) // count
    if room < 2 * length:
        raise TooShortError(
            f"{count} stretches of {length} steps need {2 * length * count} values, got {len(values)}"
        )
    altered, labels = values.copy(), np.zeros(len(values), dtype=np.int64)
    for place in range(count):
        start = place * room + int(rng.integers(length // 2, room - length - length // 2 + 1))
        part = slice(start, start + length)
        altered[part] = KINDS[kind](values[part], size, rng)
        touched = start + length // 2 if kind == "spike" else part
        labels[touched] = 1
    return Injected(altered, labels)


def seasonal(length: int, period: int = 48, noise: float = 0.1, seed: int = 0) -> Values:
    """A daily wave with a harmonic, a slow weekly swell, and noise; nothing is wrong with it.

    >>> seasonal(3, noise=0.0).round(3)
    array([0.3  , 0.424, 0.526])
    """
    step = np.arange(length) * 2 * np.pi / period
    clean = np.sin(step) + 0.3 * np.cos(2 * step) + 0.2 * np.sin(step / 7)
    return np.asarray(clean + np.random.default_rng(seed).normal(scale=noise, size=length))
