"""The encoders on many series and one GPU: seconds for all of them, peak memory, and what the scores are worth.

    python benchmarks/encoders/fleet.py bars
    python benchmarks/encoders/fleet.py quality --seeds 2000 2001 2002 2003 2004 --out encoders.csv

`bars` prints how long it takes to train, bank and score every TSB-AD-U file of fewer than 100,000 points in one
process: steps recorded as CUDA graphs, a few series side by side. `ranking` compares scores from encoding in bfloat16
and in float32. `quality` appends the rows of `quality.py` for every seed; files already there are left out.
"""

import argparse
import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from datetime import date
from pathlib import Path

import numpy as np
import torch
from quality import DATA, LEARNERS, RESULTS, append, done_in, length_of, read, rows_of
from scipy.stats import spearmanr

from paiad.bank import MemoryBank
from paiad.catalog import make
from paiad.encoders.paano import PaAno, PaAnoEncoder, as_input
from paiad.layers.patch_convolutions import Layer, mean_over_patches
from paiad.training import strided

LONGEST = 99_999
TOGETHER = ("paano", "ts2vec")  # encoders whose name begins so are fitted many at once
BARS: tuple[tuple[str, dict[str, object]], ...] = (
    ("paano-euclidean", {"learner.precision": "float32"}),
    ("paano-euclidean", {"learner.precision": "bfloat16"}),
    ("ts2vec-euclidean", {}),
)
Rows = Future[list[dict[str, object]]]
RANKED = 12  # series on which bfloat16 is compared


def main() -> None:
    given = _arguments()
    # The longest first, so that no worker is left alone with one at the end.
    paths = sorted(
        (p for p in given.data.glob("*.csv") if length_of(p) <= LONGEST), key=length_of, reverse=True
    )
    paths = paths[-given.files :] if given.files else paths
    print(f"{date.today()}, torch {torch.__version__}, {_gpu()}, {len(paths)} files", flush=True)
    with ProcessPoolExecutor(given.processes, multiprocessing.get_context("spawn")) as pool:
        if given.what == "bars":
            for name, settings in BARS:
                if name.split("-")[0] in {encoder.split("-")[0] for encoder in given.encoders}:
                    bar(paths, name, settings)
                    alone(paths[len(paths) // 6 :: len(paths) // 3], name)
        elif given.what == "ranking":
            bfloat16_ranking(paths[:: max(1, len(paths) // RANKED)])
        else:
            quality(paths, pool, given)


def bar(paths: list[Path], name: str, settings: dict[str, object]) -> None:
    """Seconds to train, bank and score them all in one process."""
    detector = make(name, settings)
    series = [read(path) for path in paths]
    _settle(reset=True)
    begin = time.perf_counter()
    encoders = detector.learner.fit_many([values[:end] for values, _, end in series])
    trained = time.perf_counter()
    scorers = [
        detector.around(encoder, values[:end])
        for encoder, (values, _, end) in zip(encoders, series, strict=True)
    ]
    banked = time.perf_counter()
    scores = [scorer.score(values) for scorer, (values, _, _) in zip(scorers, series, strict=True)]
    ended = time.perf_counter()
    assert all(np.isfinite(score).all() for score in scores)
    print(
        f"{name} {settings or ''}: {ended - begin:.1f} s for {len(paths)} series: trained {trained - begin:.1f} s, "
        f"banked {banked - trained:.1f} s, scored {ended - banked:.1f} s; peak memory {_peak_gib():.2f} GiB",
        flush=True,
    )


def alone(paths: list[Path], name: str) -> None:
    """Seconds a series when one is fitted after another."""
    taken = []
    for path in paths:
        values, _, end = read(path)
        begin = time.perf_counter()
        make(name).fit(values[:end]).score(values)
        _settle()
        taken.append(time.perf_counter() - begin)
    print(f"{name}, one series after another: {np.mean(taken):.2f} s each, of {len(paths)}", flush=True)


def bfloat16_ranking(paths: list[Path]) -> None:
    """Does encoding in bfloat16 keep the ranking of the scores? With random weights, which detect as well."""
    found, seconds = [], np.zeros(2)
    for path in paths:
        values, _, end = read(path)
        encoder = PaAno(iterations=0).fit(values[:end])
        scores = []
        for which, kind in enumerate((torch.float32, torch.bfloat16)):
            _encoded(encoder, values, kind)
            begin = time.perf_counter()
            vectors = _encoded(encoder, values, kind)
            seconds[which] += time.perf_counter() - begin
            bank = MemoryBank.reduced(vectors[: end - 63], device="auto")
            scores.append(encoder.cover.spread(bank.distance(vectors), len(values)))
        found.append(spearmanr(*scores).statistic)
    print(
        f"PaAno encoding in bfloat16 against float32, {len(found)} series: Spearman of the scores "
        f"{min(found):.5f} to {max(found):.5f}, median {np.median(found):.5f}; "
        f"{seconds[1]:.3f} s, not {seconds[0]:.3f} s",
        flush=True,
    )


def _encoded(encoder: PaAnoEncoder, values: np.ndarray, kind: torch.dtype) -> np.ndarray:
    place = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    layers = [Layer(layer.weight.to(place, kind), layer.bias.to(place, kind)) for layer in encoder._layers]
    patches = strided(values, encoder.cover.width, device=place, dtype=torch.float64)
    with torch.inference_mode():
        parts = [
            mean_over_patches(layers, as_input(part, encoder.input).to(kind)) for part in patches.split(1024)
        ]
        return torch.cat(parts).float().cpu().numpy()


def quality(paths: list[Path], pool: ProcessPoolExecutor, given: argparse.Namespace) -> None:
    done = done_in(given.out)
    waiting: set[Rows] = set()
    for seed in given.seeds:
        for name in given.encoders:
            missing = [path for path in paths if (name, path.stem, str(seed)) not in done]
            waiting |= {pool.submit(*job) for job in _jobs(name, missing, seed)}
            waiting = stored(waiting, given.out, timeout=0)  # so that an interrupted run keeps what it has
    while waiting:
        waiting = stored(waiting, given.out)


def stored(waiting: set[Rows], out: Path, timeout: float | None = None) -> set[Rows]:
    """Append what has ended, and give back what has not."""
    ended, waiting = wait(waiting, timeout, FIRST_COMPLETED)
    for one in ended:
        if one.exception() is None:
            append(out, one.result())
        else:
            print("failed:", one.exception(), flush=True)
    return waiting


def _jobs(name: str, paths: list[Path], seed: int) -> Iterator[tuple[object, ...]]:
    if not name.startswith(TOGETHER) or not paths:
        yield from ((_fitted_rows, name, path, seed) for path in paths)
        return
    series = [read(path) for path in paths]
    begin = time.perf_counter()
    encoders = LEARNERS[name](seed).fit_many([values[:end] for values, _, end in series])
    each = (time.perf_counter() - begin) / len(paths)
    print(f"{name}, seed {seed}: {each * len(paths):.1f} s to train on {len(paths)} series", flush=True)
    for path, encoder in zip(paths, encoders, strict=True):
        yield _rows_of, name, path, seed, encoder, each


def _fitted_rows(name: str, path: Path, seed: int) -> list[dict[str, object]]:
    values, _, end = read(path)
    begin = time.perf_counter()
    encoder = LEARNERS[name](seed).fit(values[:end])
    return _rows_of(name, path, seed, encoder, time.perf_counter() - begin)


def _rows_of(
    name: str, path: Path, seed: int, encoder: PaAnoEncoder, seconds: float
) -> list[dict[str, object]]:
    return list(rows_of(name, path, seed, encoder, seconds))


def _peak_gib() -> float:
    return torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else 0.0


def _settle(reset: bool = False) -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()
        if reset:
            torch.cuda.reset_peak_memory_stats()


def _gpu() -> str:
    return torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["bars", "ranking", "quality"])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument(
        "--encoders",
        nargs="+",
        default=["paano-float32", "paano-bfloat16", "ts2vec"],
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[2000])
    parser.add_argument("--processes", type=int, default=12)
    parser.add_argument("--files", type=int, help="only so many, the shortest")
    return parser.parse_args()


if __name__ == "__main__":
    main()
