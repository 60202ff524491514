"""CPU time of one streamed point, one at a time and in blocks, and how far the scores are from the batch's.

    python benchmarks/streaming/measure.py [--write]

`--write` puts the table into benchmarks/streaming/results.md.
"""

import argparse
import datetime
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from paiad.amplitude import Level
from paiad.best import Best
from paiad.catalog import make
from paiad.contracts import Scorer
from paiad.increments.fused import AmplitudeTerms
from paiad.increments.increment import State
from paiad.pai import Amplitude
from paiad.streaming import Stream

HERE = Path(__file__).parent
DETECTORS = {"pai-raw": make("pai-raw"), "best": Best()}
TRAINING = (1_000, 10_000)
WARM, POINTS, BLOCK, ROUNDS = 1_000, 300, 100, 7


def series(length: int) -> np.ndarray:
    return np.sin(np.arange(length) / 9) + np.random.default_rng(0).normal(scale=0.1, size=length)


def best_per_point(push: Callable[[np.ndarray], object], values: np.ndarray, block: int) -> float:
    """Seconds of CPU time a point, the best of some rounds (other work on the machine only adds)."""
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for first in range(0, len(values), block):
            push(values[first : first + block])
        taken.append(time.process_time() - start)
    return min(taken) / len(values)


def amplitude_row() -> str:
    values = series(30_000)
    amplitude = Amplitude(Level.of(values))
    terms = AmplitudeTerms(amplitude)
    streamed = [terms.push(block) for block in np.array_split(values, 50)]
    one, blocks = (best_per_point(terms.push, values[:3_000], block) for block in (1, BLOCK))
    batch = np.stack(amplitude.terms(values))[:, : -terms.lookahead]
    gap = np.max(np.abs(np.concatenate(streamed, axis=1) - batch)) / batch.max()
    return row("magG and T2", "–", one, blocks, terms.lookahead, terms.state(), gap)


def detector_row(name: str, training: int) -> str:
    values = series(training + WARM + POINTS)
    scorer = DETECTORS[name].fit(values[:training])
    new = values[training:]
    stream = Stream(scorer)
    stream.push(new[:WARM])
    one, blocks = (best_per_point(stream.push, new[WARM:], block) for block in (1, BLOCK))
    return row(
        name,
        f"{training:,}",
        one,
        blocks,
        stream.lookahead,
        stream._increment.state(),
        difference(scorer, new),
    )


def row(name: str, training: str, one: float, blocks: float, lookahead: int, state: State, gap: float) -> str:
    held = sum(array.nbytes for array in state.values())
    return f"| {name} | {training} | {one * 1e6:,.1f} µs | {blocks * 1e6:,.2f} µs | {lookahead} | {held:,} | {gap:.0e} |"  # noqa: E501


def difference(scorer: Scorer, values: np.ndarray) -> float:
    """Largest relative difference between streamed and batch scores of the same values."""
    stream = Stream(scorer)
    settled = [stream.push(block).scores for block in np.array_split(values, 50)]
    streamed = np.concatenate((*settled, stream.provisional().scores))
    batch = scorer.score(values)
    return float(np.max(np.abs(streamed - batch)) / np.max(np.abs(batch)))


def rows() -> list[str]:
    return [
        "| what | training points | CPU a point, one at a time | in blocks of 100 | lookahead | bytes of state "
        "| difference to batch |",
        "|---|---|---|---|---|---|---|",
        amplitude_row(),
        *(detector_row(name, training) for name in DETECTORS for training in TRAINING),
    ]


def machine() -> str:
    load = ", ".join(f"{part:.0f}" for part in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, one used, load {load}, "
        f"Python {platform.python_version()}, numpy {np.__version__}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    text = "\n".join(["# Streaming", "", machine(), "", *rows(), ""])
    print(text)
    if chosen.write:
        (HERE / "results.md").write_text(text)
