"""Score one half with the library's recipe under some settings, and print VUS-PR by family.

    python research/evaluate.py choice 31000 '{"filters": 128}' '{}'

Both ways of treating the training part of a full series are given: as any other values (it matches itself in
the bank: `score`), and judged by the rest of the training part (`calibration` put in front).
"""

import json
import sys
from pathlib import Path

import numpy as np
from fusion import case, evaluator, half_names, show

from paiad.best import Best

RESULTS = Path("/tmp/research_cache/best")


def scored(name: str, settings: dict) -> np.ndarray:
    """[2, time]: scores with the training part matching itself, and with it judged by its other parts."""
    key = json.dumps(settings, sort_keys=True)
    path = RESULTS / key / f"{name}.npy"
    if not path.exists():
        one = case(name)
        scorer = Best(**settings).fit(one.values[: one.train])
        plain = scorer.score(one.values)
        honest = plain.copy()
        honest[: one.train] = scorer.calibration
        path.parent.mkdir(exist_ok=True, parents=True)
        np.save(path, np.stack([plain, honest]))
    return np.load(path)


def main(half: str, limit: int, variants: list[str]) -> None:
    names = sorted(half_names(half, limit), key=lambda n: len(case(n).values))
    for text in variants:
        settings = {k: tuple(v) if isinstance(v, list) else v for k, v in json.loads(text).items()}
        both = np.array([[evaluator(n)(row) for row in scored(n, settings)] for n in names])
        for which, label in ((0, "self-match"), (1, "honest")):
            show(f"{label} {text}", both[:, which], names)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
