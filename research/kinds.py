"""A second guard set of our own: kinds of series that the choice half lacks, labels known.

    python research/kinds.py best paano-untrained-pai --docs docs/default-recipe.md    # mean VUS-PR by kind

Each kind is a function of a generator: normal values, then what goes wrong in them. Nothing is tuned to a kind; the
set is there so that a change which helps the choice half is seen to harm, or not, what it does not hold.
"""

import argparse
import itertools
import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
from series import Case

EACH = 4  # series of a kind
Rng = np.random.Generator
Made = tuple[int, np.ndarray, np.ndarray]  # training steps, values, labels


def season(rng: Rng, n: int, period: int, harmonics: int = 3) -> np.ndarray:
    t = np.arange(n) / period
    return np.sum(
        [
            rng.uniform(0.3, 1) / k * np.sin(2 * np.pi * (k * t + rng.uniform()))
            for k in range(1, harmonics + 1)
        ],
        axis=0,
    )


def red(rng: Rng, n: int, memory: float) -> np.ndarray:
    """First-order autoregressive noise of unit deviation."""
    steps = rng.standard_normal(n) * np.sqrt(1 - memory**2)
    out = np.empty(n)
    out[0] = rng.standard_normal()
    for i in range(1, n):
        out[i] = memory * out[i - 1] + steps[i]
    return out


def places(rng: Rng, begin: int, end: int, count: int, length: tuple[int, int]) -> list[slice]:
    """Stretches well apart from each other, one to each equal share of what lies between begin and end."""
    edges = np.linspace(begin, end, count + 1).astype(int)
    out = []
    for low, high in itertools.pairwise(edges):
        size = int(rng.integers(length[0], length[1] + 1))
        start = int(rng.integers(low + 10, max(low + 11, high - size - 10)))
        out.append(slice(start, start + size))
    return out


def labelled(values: np.ndarray, stretches: list[slice], train: int) -> Made:
    labels = np.zeros(len(values), np.int64)
    for stretch in stretches:
        labels[stretch] = 1
    return train, values, labels


def backwards(values: np.ndarray, stretch: slice) -> None:
    values[stretch] = values[stretch][::-1].copy()


def short_training(rng: Rng) -> Made:
    train, n = int(rng.integers(100, 300)), 1000
    values = season(rng, n, int(rng.integers(12, 40))) + 0.1 * rng.standard_normal(n)
    found = places(rng, train, n, 3, (15, 40))
    backwards(values, found[0])
    values[found[1]] = values[found[1]].mean()
    values[found[2]] *= 1.8
    return labelled(values, found, train)


def coarse_steps(rng: Rng) -> Made:
    """Measured in a few steps, as cheap sensors do."""
    n, train = 3000, 900
    values = season(rng, n, int(rng.integers(40, 120))) + 0.1 * rng.standard_normal(n)
    found = places(rng, train, n, 3, (30, 60))
    backwards(values, found[0])
    values[found[1]] += 0.8
    values[found[2]] = values[found[2]].mean()
    return labelled(np.round(values * 2) / 2, found, train)


def sparse_counts(rng: Rng) -> Made:
    n, train = 3000, 1000
    rate = 0.3 * (1 + 0.8 * np.sin(2 * np.pi * np.arange(n) / 144))
    found = places(rng, train, n, 4, (6, 25))
    for stretch in found:
        rate[stretch] += 2.0
    return labelled(rng.poisson(rate).astype(float), found, train)


def on_and_off(rng: Rng) -> Made:
    """A machine that runs 20 to 40 steps and rests 30 to 80, at one power."""
    n, train = 4000, 1500
    values, at, starts = np.zeros(n), 0, []
    while at < n:
        at += int(rng.integers(30, 80))
        run = int(rng.integers(20, 40))
        values[at : at + run] = 1.0
        if train < at < n - 200:
            starts.append(slice(at, at + run))
        at += run
    odd = [starts[i] for i in np.linspace(2, len(starts) - 3, 3).astype(int)]
    values[odd[0]] = 0.6
    values[odd[1]][::2] = 0.0
    odd[2] = slice(odd[2].start, odd[2].start + 100)
    values[odd[2]] = 1.0
    return labelled(values + 0.03 * rng.standard_normal(n), odd, train)


def trend_and_season(rng: Rng) -> Made:
    n, train = 3000, 900
    t = np.arange(n)
    values = rng.uniform(1, 3) * t / 1000 + season(rng, n, 48) + 0.1 * rng.standard_normal(n)
    found = places(rng, train, n, 3, (20, 48))
    values[found[0]] = np.linspace(values[found[0]][0], values[found[0]][-1], len(values[found[0]]))
    backwards(values, found[1])
    values[found[2].start] += 1.5
    found[2] = slice(found[2].start, found[2].start + 1)
    return labelled(values, found, train)


def growing_season(rng: Rng) -> Made:
    """The swing grows with the level."""
    n, train = 3000, 900
    level = np.exp(0.3 * np.arange(n) / 1000)
    values = level * (2 + season(rng, n, 48)) + 0.05 * level * rng.standard_normal(n)
    found = places(rng, train, n, 3, (20, 48))
    backwards(values, found[0])
    values[found[1]] = values[found[1]].mean()
    values[found[2]] *= 1.25
    return labelled(values, found, train)


def prices(rng: Rng) -> Made:
    """A random walk; single large moves and a wild spell."""
    n, train = 3000, 900
    moves = rng.standard_t(6, n)
    found = places(rng, train, n, 5, (1, 1))
    for stretch in found:
        moves[stretch] += rng.choice([-1, 1]) * rng.uniform(7, 12)
    (wild,) = places(rng, n - 300, n, 1, (20, 60))
    moves[wild] *= 3
    return labelled(100 + np.cumsum(moves), [*found, wild], train)


def beats(rng: Rng) -> Made:
    """Like a heart: beats of one shape at nearly even times; one comes early, one is wide, one is missing."""
    n, train = 6000, 1800
    values, at, starts = np.zeros(n), 30, []
    while at < n - 100:
        starts.append(at)
        at += int(rng.normal(90, 4))
    odd = np.linspace(len(starts) * 0.4, len(starts) - 4, 3).astype(int)
    found = []
    for number, start in enumerate(starts):
        width, size, shift = 2.5, 1.0, 0
        if number == odd[0]:
            shift = -30
        if number == odd[1]:
            width, size = 9.0, 0.9
        if number in odd:
            found.append(slice(start + shift - 20, start + 40))
        if number == odd[2]:
            continue
        t = np.arange(n) - start - shift
        values += size * np.exp(-((t / width) ** 2) / 2) + 0.2 * np.exp(-(((t - 30) / 8) ** 2) / 2)
    return labelled(values + 0.02 * rng.standard_normal(n), found, train)


def lasting_level(rng: Rng) -> Made:
    n, train = 4000, 1200
    values = season(rng, n, 60) + 0.15 * rng.standard_normal(n)
    found = places(rng, train, n, 2, (300, 500))
    for stretch in found:
        values[stretch] += rng.choice([-1, 1]) * rng.uniform(1.5, 2.5)
    return labelled(values, found, train)


def slow_drift(rng: Rng) -> Made:
    n, train = 4000, 1200
    values = season(rng, n, 60) + 0.15 * rng.standard_normal(n)
    (stretch,) = places(rng, train, n, 1, (600, 900))
    rise = np.sin(np.linspace(0, np.pi, stretch.stop - stretch.start))
    values[stretch] += rng.uniform(1.5, 3.0) * rise
    return labelled(values, [stretch], train)


def restless(rng: Rng) -> Made:
    """Red noise that is wilder for a while."""
    n, train = 3000, 900
    values = red(rng, n, 0.9)
    found = places(rng, train, n, 3, (30, 80))
    for stretch in found:
        values[stretch] += rng.standard_normal(stretch.stop - stretch.start) * rng.uniform(0.8, 1.5)
    return labelled(values, found, train)


def stuck(rng: Rng) -> Made:
    """A sensor in whole numbers that stays at one value."""
    n, train = 3000, 900
    values = np.round(20 + 4 * red(rng, n, 0.97) + rng.standard_normal(n))
    found = places(rng, train, n, 3, (20, 80))
    for stretch in found:
        values[stretch] = values[stretch.start]
    return labelled(values, found, train)


def spoilt_training(rng: Rng) -> Made:
    """What goes wrong later has gone wrong before, in the training part."""
    n, train = 3000, 900
    values = season(rng, n, 60) + 0.1 * rng.standard_normal(n)
    found = places(rng, 0, train, 2, (10, 30)) + places(rng, train, n, 4, (10, 30))
    for number, stretch in enumerate(found):
        if number % 2:
            values[stretch] += rng.choice([-1, 1]) * rng.uniform(1.5, 2.5)
        else:
            backwards(values, stretch)
    return labelled(values, found, train)


def movements(rng: Rng) -> Made:
    """Rest and walking in turn, as worn sensors see them; then tremor, which is neither."""
    n, train = 6000, 2500
    values, at, number = np.zeros(n), 0, 0
    while at < n:
        length = int(rng.integers(200, 400))
        t = np.arange(min(length, n - at))
        if number % 2:
            values[at : at + length] = np.sin(2 * np.pi * t / 33) + 0.5 * np.sin(4 * np.pi * t / 33 + 1)
        at, number = at + length, number + 1
    found = places(rng, train, n, 3, (60, 120))
    for stretch in found:
        t = np.arange(stretch.stop - stretch.start)
        values[stretch] = 0.6 * np.sin(2 * np.pi * t / 8)
    return labelled(values + 0.15 * rng.standard_normal(n), found, train)


def load_of_a_server(rng: Rng) -> Made:
    """Bursty load; a leak that climbs, and a plateau."""
    n, train = 4000, 1500
    values = (
        rng.gamma(2.0, 0.5, n) + (rng.random(n) < 0.02) * rng.gamma(3.0, 1.0, n) + red(rng, n, 0.95) * 0.3
    )
    found = places(rng, train, n, 2, (80, 200))
    values[found[0]] += np.linspace(0, 3, found[0].stop - found[0].start)
    values[found[1]] += 2.0
    return labelled(values, found, train)


def points_in_red_noise(rng: Rng) -> Made:
    n, train = 3000, 900
    values = red(rng, n, 0.98) + 0.1 * rng.standard_normal(n)
    found = places(rng, train, n, 8, (1, 2))
    for stretch in found:
        values[stretch] += rng.choice([-1, 1]) * rng.uniform(0.7, 1.5)
    return labelled(values, found, train)


def another_rhythm(rng: Rng) -> Made:
    """Long smooth cycles; one runs faster, one has a notch."""
    n, train = 8000, 3000
    period = int(rng.integers(150, 350))
    speed = 1 + 0.02 * red(rng, n, 0.999)
    found = places(rng, train, n, 2, (150, 250))
    speed[found[0]] *= 1.5
    phase = np.cumsum(speed) / period
    values = np.sin(2 * np.pi * phase) + 0.4 * np.sin(4 * np.pi * phase + 1)
    t = np.arange(n)
    values -= 0.4 * np.exp(-(((t - (found[1].start + found[1].stop) / 2) / 12) ** 2) / 2)
    found[1] = slice((found[1].start + found[1].stop) // 2 - 30, (found[1].start + found[1].stop) // 2 + 30)
    return labelled(values + 0.03 * rng.standard_normal(n), found, train)


KINDS: dict[str, Callable[[Rng], Made]] = {
    one.__name__.replace("_", " "): one
    for one in (
        short_training, coarse_steps, sparse_counts, on_and_off, trend_and_season, growing_season, prices, beats,
        lasting_level, slow_drift, restless, stuck, spoilt_training, movements, load_of_a_server,
        points_in_red_noise, another_rhythm,
    )
}  # fmt: skip


def names() -> list[str]:
    return [f"kind-{kind}-{number}" for kind in KINDS for number in range(EACH)]


def made(name: str) -> Case:
    _, kind, number = name.split("-")
    train, values, labels = KINDS[kind](np.random.default_rng([88, list(KINDS).index(kind), int(number)]))
    return Case(name, kind, train, values, labels)


def main(recipes: list[str], page: Path | None) -> None:
    from fusion import case, evaluator
    from series import half_names
    from table import header, put, row

    from paiad.catalog import make

    found: dict[str, list[list[float]]] = {}
    for name in half_names("kinds") + half_names("spiky"):
        one = case(name)
        train = one.values[: one.train]
        scores = [make(recipe, {}).fit(train).score(one.values) for recipe in recipes]
        found.setdefault(one.family.lower(), []).append([evaluator(name)(score) for score in scores])
    means = {kind: np.mean(rows, axis=0).tolist() for kind, rows in found.items()}
    lines = header("kind", "series", *recipes)
    lines += [row(kind, len(found[kind]), *mean) for kind, mean in means.items()]
    lines += [row("mean over kinds", "", *np.mean(list(means.values()), axis=0).tolist())]
    if page:
        put(page, "kinds", lines)
    else:
        print(*lines, sep="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("recipes", nargs="+")
    parser.add_argument("--docs", type=Path, help="put the table into this page")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    main(given.recipes, given.docs)
