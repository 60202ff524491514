"""Generated series of many kinds, to pre-train on: no measured value is in them, and each is known by its number.

A series is made of one to three parts, each of a kind of `KINDS`, that are added, multiplied or take turns
(regime changes), and is then seen as an instrument sees it: with noise, in steps, clipped, upside down.
"""

from collections.abc import Callable

import numpy as np

from paiad.shapes import Values

Kind = Callable[[int, np.random.Generator], Values]
"""Takes a length and a generator; returns that many values of any level and scale."""

LENGTH = 2048
SHORTEST, LONGEST = 4.0, 1000.0  # steps, of periods and dwell times


def generated(number: int, seed: int = 0, length: int = LENGTH) -> Values:
    """The series of that number: mean 0, standard deviation 1 (all 0 where nothing varies).

    >>> generated(7, length=4).round(3), bool((generated(7) == generated(7)).all())
    (array([ 0.726,  0.411,  0.584, -1.721]), True)
    """
    rng = np.random.default_rng((seed, number))
    return standardised(_observed(_composed(length, rng), rng))


def standardised(values: Values) -> Values:
    """Brought to mean 0 and standard deviation 1; what does not vary becomes 0."""
    centred = values - values.mean()
    spread = float(centred.std())
    return centred / spread if spread > 1e-9 else np.zeros_like(centred)


def _composed(length: int, rng: np.random.Generator) -> Values:
    parts = [_part(length, rng) for _ in range(rng.choice((1, 2, 3), p=(0.4, 0.4, 0.2)))]
    manner = rng.choice(("sum", "product", "turns"), p=(0.7, 0.1, 0.2))
    if manner == "turns":
        return _taking_turns(parts if len(parts) > 1 else [*parts, _part(length, rng)], rng)
    if manner == "product":
        return np.asarray(np.prod([1 + 0.3 * part for part in parts], axis=0))
    return np.asarray(sum(_between(0.1, 1, rng) * part for part in parts))


def _part(length: int, rng: np.random.Generator) -> Values:
    return standardised(KINDS[rng.choice(list(KINDS))](length, rng))


def _taking_turns(parts: list[Values], rng: np.random.Generator) -> Values:
    """One part at a time, each at its own level and size, for dwell times of its own."""
    length = len(parts[0])
    bounds = _events(length, _between(60, length, rng), rng)
    whose = np.searchsorted(bounds, np.arange(length), side="right") % len(parts)
    placed = [_between(0.2, 2, rng) * part + rng.normal() for part in parts]
    return np.choose(whose, placed)


def _observed(values: Values, rng: np.random.Generator) -> Values:
    """As an instrument sees it."""
    values = standardised(values)
    if rng.random() < 0.7:
        values = values + rng.normal(scale=_between(0.003, 0.5, rng), size=len(values))
    if rng.random() < 0.15:
        values = np.exp(_between(0.2, 1, rng) * values)
    if rng.random() < 0.1:
        values = np.clip(values, *np.quantile(values, (rng.uniform(0, 0.3), rng.uniform(0.7, 1))))
    if rng.random() < 0.15:
        step = _between(0.02, 0.7, rng) * float(values.std() + 1e-9)
        values = np.round(values / step) * step
    if rng.random() < 0.05:
        values = _held(values, rng)
    return -values if rng.random() < 0.5 else values


def _held(values: Values, rng: np.random.Generator) -> Values:
    """The last value is repeated where a sample got lost."""
    lost = rng.random(len(values)) < rng.uniform(0.02, 0.5)
    lost[0] = False
    return values[np.maximum.accumulate(np.where(lost, 0, np.arange(len(values))))]


# Kinds ------------------------------------------------------------------------------------------------------


def _trend(length: int, rng: np.random.Generator) -> Values:
    time = np.linspace(0, 1, length)
    if rng.random() < 0.3:
        return np.asarray(np.tanh((time - rng.random()) * _between(2, 40, rng)))
    knots = np.sort(rng.random(rng.integers(1, 8)))
    bends = np.maximum(time[:, None] - knots, 0) @ rng.normal(size=len(knots))
    return np.asarray(rng.normal() * time + 2 * bends)


def _seasonal(length: int, rng: np.random.Generator) -> Values:
    """One to three waves of any form, whose height swells slowly and whose period may waver."""
    waves = []
    for _ in range(rng.integers(1, 4)):
        phase = _phase(length, _between(SHORTEST, LONGEST / 2, rng), rng)
        swell = 1 + rng.uniform(0, 0.5) * _smooth(length, _between(100, 1000, rng), rng)
        waves.append(_between(0.2, 1, rng) * swell * _wave(phase, rng))
    return np.asarray(np.sum(waves, axis=0))


def _calendar(length: int, rng: np.random.Generator) -> Values:
    """Days of one form; some days of the week are quieter, and no day is quite like another."""
    day = int(_between(12, 200, rng))
    days = length // day + 2
    of_week = np.where(rng.permutation(7) < rng.integers(0, 4), rng.uniform(0, 1), 1.0)
    height = of_week[np.arange(days) % 7] * (1 + rng.normal(scale=rng.uniform(0, 0.2), size=days))
    time = np.arange(length) + rng.integers(day)
    return height[time // day] * (_wave(time / day, rng) - rng.uniform(0, 1))


def _walk(length: int, rng: np.random.Generator) -> Values:
    steps = rng.standard_t(3, size=length) if rng.random() < 0.3 else rng.normal(size=length)
    walk = np.cumsum(steps * (rng.random(length) < rng.uniform(0.05, 1)))
    return np.cumsum(walk - walk.mean()) if rng.random() < 0.2 else walk


def _coloured(length: int, rng: np.random.Generator) -> Values:
    """Noise whose power falls with frequency."""
    frequency = np.fft.rfftfreq(2 * length)
    return _shaped(np.maximum(frequency, frequency[1]) ** -rng.uniform(0, 1.5), length, rng)


def _resonant(length: int, rng: np.random.Generator) -> Values:
    """Noise that rings at one or two frequencies, as a second-order autoregression does."""
    frequency = np.fft.rfftfreq(2 * length)
    gain = np.zeros(len(frequency))
    for _ in range(rng.integers(1, 3)):
        peak = 1 / _between(SHORTEST, 300, rng)
        gain += 1 / (1 + ((frequency - peak) / (peak * _between(0.005, 0.3, rng))) ** 2)
    return _shaped(gain, length, rng)


def _slow(length: int, rng: np.random.Generator) -> Values:
    return _smooth(length, _between(8, 500, rng), rng)


def _noise(length: int, rng: np.random.Generator) -> Values:
    """Nothing but noise, light or heavy of tail, its spread steady or breathing."""
    draws: Values = rng.standard_t(_between(2.2, 30, rng), size=length)
    return draws * np.exp(rng.uniform(0, 1) * _smooth(length, _between(50, 1000, rng), rng))


def _heartbeat(length: int, rng: np.random.Generator) -> Values:
    """Beats of five bumps each, as in an electrocardiogram, at a rate that varies, on a wandering base line."""
    phase = _phase(length, _between(25, 300, rng), rng) % 1
    centre = np.array([0.18, 0.36, 0.40, 0.44, 0.68]) + rng.normal(scale=0.02, size=5)
    width = np.array([0.025, 0.010, 0.012, 0.012, 0.045]) * _between(0.6, 2, rng)
    height = np.array([0.15, -0.12, 1.0, -0.25, 0.3]) * (1 + rng.normal(scale=0.4, size=5))
    beats = np.exp(-0.5 * ((phase[:, None] - centre) / width) ** 2) @ height
    return np.asarray(beats + rng.uniform(0, 0.2) * _smooth(length, _between(100, 800, rng), rng))


def _plateaus(length: int, rng: np.random.Generator) -> Values:
    """Levels that are held for a while, out of a few or never the same, reached at once or gradually."""
    bounds = _events(length, _between(10, LONGEST, rng), rng)
    levels = rng.normal(size=len(bounds) + 1)
    if rng.random() < 0.6:
        levels = rng.choice(rng.normal(size=rng.integers(2, 5)), size=len(levels))
    held = levels[np.searchsorted(bounds, np.arange(length), side="right")]
    return held if rng.random() < 0.5 else _decaying(held, _between(1, 60, rng))


def _switched(length: int, rng: np.random.Generator) -> Values:
    """A machine that is on and off by the clock, with a course of its own while it is on."""
    phase = _phase(length, _between(20, LONGEST / 2, rng), rng)
    on = (phase % 1) < rng.uniform(0.1, 0.9)
    course = _wave(phase * rng.integers(1, 12), rng)
    return on * (1 + _between(0.02, 0.6, rng) * course)


def _intermittent(length: int, rng: np.random.Generator) -> Values:
    """Counts that are mostly none, at a steady rate or one with a period."""
    rate = np.full(length, _between(0.02, 3, rng))
    if rng.random() < 0.6:
        rate = rate * np.exp(_wave(_phase(length, _between(12, 400, rng), rng), rng))
    counts = rng.poisson(np.minimum(rate, 50))
    return counts * (rng.lognormal(sigma=0.5, size=length) if rng.random() < 0.5 else 1.0)


def _bursts(length: int, rng: np.random.Generator) -> Values:
    """Packets of a fast oscillation, one after another, silent between them."""
    middle = _events(length, _between(60, 600, rng), rng)
    time = np.arange(length)
    if len(middle) == 0:
        middle = np.array([length // 2])
    nearest = np.abs(time[:, None] - middle[None, :64]).min(1)
    packet = np.exp(-0.5 * (nearest / _between(4, 60, rng)) ** 2)
    return packet * _wave(_phase(length, _between(SHORTEST, 40, rng), rng), rng)


def _shots(length: int, rng: np.random.Generator) -> Values:
    """Sudden rises that fade, by the clock or at random."""
    spacing = _between(8, 400, rng)
    at = _events(length, spacing, rng)
    if rng.random() < 0.5:
        at = np.arange(rng.uniform(0, spacing), length, spacing).astype(np.int64)
    hits = np.zeros(length)
    np.add.at(hits, at, rng.lognormal(sigma=rng.uniform(0, 0.7), size=len(at)))
    return _decaying(hits, _between(0.5, 80, rng))


def _ramps(length: int, rng: np.random.Generator) -> Values:
    """A tank that fills and is emptied: ramps of any length that end at once."""
    bounds = np.concatenate([[0], _events(length, _between(15, 500, rng), rng)])
    time = np.arange(length)
    since = time - bounds[np.searchsorted(bounds, time, side="right") - 1]
    return np.asarray((since * _between(0.5, 2, rng)) ** rng.uniform(0.4, 1.6))


def _glide(length: int, rng: np.random.Generator) -> Values:
    """A wave whose period slides from one to another."""
    first, last = _between(SHORTEST, 300, rng), _between(SHORTEST, 300, rng)
    return _wave(np.cumsum(1 / np.geomspace(first, last, length)), rng)


KINDS: dict[str, Kind] = {
    "trend": _trend,
    "seasonal": _seasonal,
    "calendar": _calendar,
    "random walk": _walk,
    "coloured noise": _coloured,
    "resonant noise": _resonant,
    "slow": _slow,
    "noise": _noise,
    "heartbeat": _heartbeat,
    "plateaus": _plateaus,
    "switched": _switched,
    "intermittent": _intermittent,
    "bursts": _bursts,
    "shots": _shots,
    "ramps": _ramps,
    "glide": _glide,
}


# What kinds are made of -------------------------------------------------------------------------------------


def _between(low: float, high: float, rng: np.random.Generator) -> float:
    """A size between two, as often in each of its octaves."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _events(length: int, spacing: float, rng: np.random.Generator) -> np.ndarray:
    """Steps at which something happens, so far apart on average, in a regular or an irregular way."""
    regularity = _between(0.5, 30, rng)
    count = int(2 * length / spacing) + 8
    at = np.cumsum(rng.gamma(regularity, spacing / regularity, size=count))
    return at[at < length].astype(np.int64)


def _phase(length: int, period: float, rng: np.random.Generator) -> Values:
    """Periods passed by each step, from anywhere; the period is steady, or varies a little."""
    pace = np.full(length, 1 / period)
    if rng.random() < 0.5:
        pace = pace * np.exp(_between(0.003, 0.15, rng) * _smooth(length, _between(1, 6, rng) * period, rng))
    return np.asarray(np.cumsum(pace) + rng.random())


def _wave(phase: Values, rng: np.random.Generator) -> Values:
    """A periodic form, drawn at random, at these phases."""
    turn = phase % 1
    form = rng.choice(("harmonics", "drawn", "square", "saw", "pulse"), p=(0.45, 0.25, 0.1, 0.1, 0.1))
    if form == "square":
        return np.sign(rng.uniform(0.1, 0.9) - turn)
    if form == "saw":
        peak = rng.uniform(0.01, 0.99)
        return np.asarray(2 * np.where(turn < peak, turn / peak, (1 - turn) / (1 - peak)) - 1)
    if form == "pulse":
        return np.asarray(np.exp(-0.5 * ((turn - 0.5) / _between(0.01, 0.15, rng)) ** 2))
    if form == "drawn":
        points = rng.normal(size=rng.integers(4, 24))
        return np.interp(turn * len(points), np.arange(len(points) + 1), np.append(points, points[0]))
    order = np.arange(1, 1 + rng.integers(1, 9))
    height = rng.normal(size=len(order)) * order ** -rng.uniform(0.5, 2.5)
    return np.sin(2 * np.pi * (turn[:, None] * order + rng.random(len(order)))) @ height


def _smooth(length: int, scale: float, rng: np.random.Generator) -> Values:
    """A wandering curve that forgets itself after about so many steps; standard deviation 1."""
    frequency = np.fft.rfftfreq(2 * length)
    return standardised(_shaped(np.exp(-0.5 * (frequency * 2 * scale) ** 2), length, rng))


def _shaped(gain: np.ndarray, length: int, rng: np.random.Generator) -> Values:
    """Noise with this gain at each frequency of twice the length, whose second half is cut off: it has no seam."""
    spectrum = gain * (rng.normal(size=len(gain)) + 1j * rng.normal(size=len(gain)))
    spectrum[0] = 0
    return np.fft.irfft(spectrum)[:length]


def _decaying(values: Values, time: float) -> Values:
    """Each value followed at a lag: what came before fades with this time constant."""
    lags = np.exp(-np.arange(int(8 * time) + 1) / time)
    padded = np.pad(values, (len(lags) - 1, 0), mode="edge")
    return np.convolve(padded, lags / lags.sum(), mode="valid")
