"""Print how often 95 % intervals cover the truth, and how often p-values are small when nothing differs.

    python benchmarks/metrics/coverage.py [--trials 1000]

Over series: means of simulated differences whose true mean is 0. Within a series: VUS-PR of a noisy
detector against its value on a series of 3,000 events; and two detectors that are equally good.
"""

import argparse
from collections.abc import Callable

import numpy as np

from paiad.metrics import evaluate
from paiad.significance import bootstrap_mean, compare_on_series, measure_interval, wilcoxon_signed_rank
from paiad.significance.few_cases import widening

SERIES = (3, 5, 10, 20, 40, 100)
EVENTS = (3, 5, 10, 20, 40)
WINDOW = 20
DIFFERENCES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(3, size=n),
    "two in three are ties": lambda rng, n: rng.normal(size=n) * (rng.random(n) < 1 / 3),
    "skewed": lambda rng, n: rng.exponential(size=n) - 1,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    print("| differences over | series | 95 % covers | without widening | p < 0.05 | Wilcoxon p < 0.05 |")
    print("|---|---|---|---|---|---|")
    for name, draw in DIFFERENCES.items():
        for cases in SERIES:
            print(f"| {name} | {cases} | " + " | ".join(over_series(draw, cases, trials, name)) + " |")
    print("\n| events | 95 % covers VUS-PR | equally good: p < 0.05 |\n|---|---|---|")
    truth = evaluate(*detection(np.random.default_rng(0), 3000), WINDOW, "VUS-PR")["VUS-PR"]
    for events in EVENTS:
        print(f"| {events} | " + " | ".join(within_series(events, max(20, trials // 5), truth)) + " |")


def over_series(
    draw: Callable[[np.random.Generator, int], np.ndarray], cases: int, trials: int, name: str
) -> list[str]:
    rng = np.random.default_rng(cases)
    samples = [draw(rng, cases) for _ in range(trials)]
    found = [bootstrap_mean(values, draws=1000, seed=trial) for trial, values in enumerate(samples)]
    covered = np.mean([one.low <= 0.0 <= one.high for one in found])
    wider = widening(0.95, cases)
    # the plain interval holds 0 where the widened one holds what lies as much farther from the estimate
    plain = np.mean([one.low <= one.estimate * (1 - wider) <= one.high for one in found])
    small = np.mean([one.p_value < 0.05 for one in found])
    ranked = np.mean([wilcoxon_signed_rank(values) < 0.05 for values in samples])
    # the rank test asks about the median, which a skewed difference does not have at 0
    return [f"{covered:.3f}", f"{plain:.3f}", f"{small:.3f}", "" if name == "skewed" else f"{ranked:.3f}"]


def within_series(events: int, trials: int, truth: float) -> list[str]:
    rng = np.random.default_rng(events)
    covered, small = 0, 0
    for trial in range(trials):
        scores, labels = detection(rng, events)
        interval = measure_interval(scores, labels, "VUS-PR", WINDOW, draws=200, seed=trial)
        covered += interval.low <= truth <= interval.high
        other, labels = detection(rng, events, labels)
        scores, _ = detection(rng, events, labels)
        small += (
            compare_on_series(scores, other, labels, "VUS-PR", WINDOW, draws=200, seed=trial).p_value < 0.05
        )
    return [f"{covered / trials:.3f}", f"{small / trials:.3f}"]


def detection(
    rng: np.random.Generator, events: int, labels: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels: each event stands out of smooth noise by a height of its own."""
    if labels is None:
        pieces = [
            np.repeat([0, 1, 0], (rng.integers(60, 300), rng.integers(5, 40), rng.integers(60, 300)))
            for _ in range(events)
        ]
        labels = np.concatenate(pieces)
    starts = np.cumsum(np.diff(labels, prepend=0) == 1) * labels
    heights = np.concatenate(([0.0], rng.normal(2.0, 1.0, starts.max())))
    noise = np.convolve(rng.normal(size=labels.size), np.ones(5) / 5**0.5, "same")
    return noise + heights[starts], labels


if __name__ == "__main__":
    main()
