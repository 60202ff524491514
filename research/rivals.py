"""Score the series with another recipe of the catalog, one file of scores a series, to set the default beside it.

    python research/rivals.py paano-untrained-pai /tmp/untrained all 130000
    python research/rivals.py paano-pai /tmp/trained confirm          # trains; on a GPU where there is one

The number leaves out longer series. Files that are there already are not made again, so it can be interrupted.
"""

import sys
import time
from pathlib import Path

import numpy as np
from series import half_names, load

from paiad.catalog import make


def main(recipe: str, folder: Path, half: str = "all", limit: int = 10**9) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for case in sorted(map(load, half_names(half)), key=lambda one: len(one.values)):
        path = folder / f"{case.name}.npy"
        if path.exists() or len(case.values) > limit:
            continue
        start = time.time()
        scorer = make(recipe).fit(case.values[: case.train])
        np.save(path, scorer.score(case.values).astype(np.float32))
        print(f"{case.name}: {len(case.values)} values, {time.time() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:4], *map(int, sys.argv[4:]))
