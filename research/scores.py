"""Score the series with any recipe of the catalog, one file of scores a series.

    python research/scores.py best /tmp/default --processes 2
    python research/scores.py best /tmp/trailing --settings '{"window": "trailing"}' --half choice --longest 31000
    python research/scores.py best /tmp/self --alone --half choice --longest 31000   # no training part
    python research/scores.py paano-untrained-pai /tmp/untrained --longest 130000
    python research/scores.py paano-pai /tmp/trained --half confirm          # trains; on a GPU where there is one

Files that are there already are not made again, so a run can be interrupted.
"""

import argparse
import json
import multiprocessing
import time
from functools import partial
from pathlib import Path

import numpy as np
from series import half_names, load

from paiad.catalog import make


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("recipe")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--settings", type=json.loads, default={})
    parser.add_argument("--alone", action="store_true", help="score each series by itself")
    parser.add_argument("--half", default="all")
    parser.add_argument("--longest", type=int, default=10**9, help="leave out longer series")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    lengths = {name: len(load(name).values) for name in half_names(given.half)}
    names = [
        name for name in sorted(lengths, key=lambda name: -lengths[name]) if lengths[name] <= given.longest
    ]
    names = [name for name in names if not (given.folder / f"{name}.npy").exists()]
    work = partial(one, given.recipe, given.settings, given.alone, given.folder)
    if given.processes == 1:
        for name in names:
            print(work(name), flush=True)
        return
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for line in pool.imap_unordered(work, names):
            print(line, flush=True)


def one(recipe: str, settings: dict, alone: bool, folder: Path, name: str) -> str:
    case, start = load(name), time.time()
    scorer = make(recipe, settings).fit(case.values if alone else case.values[: case.train])
    scores = scorer.calibration if alone else scorer.score(case.values)
    np.save(folder / f"{name}.npy", scores.astype(np.float32))
    return f"{name}: {len(case.values)} values, {time.time() - start:.1f} s"


if __name__ == "__main__":
    main()
