"""Score one half with the library's recipe under some settings, and print VUS-PR by family.

    python research/evaluate.py choice 31000 '{}' '{"window": "trailing"}'

Patch distances are cached, so settings of what follows them (window, weights, calibration) cost seconds. Three ways
of treating the training part of a full series: like any other values (it matches itself in the bank), judged by
the rest of the training part (honest), and none at all (self: fitted on the whole series, no training part).
"""

import hashlib
import json
import pickle
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from fusion import case, evaluator, half_names, show
from series import Case
from terms import CACHE

from paiad.best import Best
from paiad.best import recipe as recipe_module
from paiad.best.term import PatchTerm
from paiad.best.timing import Timing

RESULTS = CACHE / "best"
FAR = ("outline_widths", "texture_widths", "filters", "bank_size", "neighbours", "narrow_neighbours", "seed")
CODE = ("outline", "texture", "softening", "stretches")  # what the distances come from
Measured = list[tuple[str, int, np.ndarray, np.ndarray]]


@lru_cache(None)
def code() -> str:
    """So that distances cached from other code are not taken for this one's."""
    folder = Path(recipe_module.__file__).parent
    return hashlib.sha256(b"".join((folder / f"{one}.py").read_bytes() for one in CODE)).hexdigest()[:12]


def measured(one: Case, recipe: Best, alone: bool) -> Measured:
    """Per term: name, width, distances of the training patches to the others, distances of all patches."""
    key = json.dumps({k: getattr(recipe, k) for k in FAR}, sort_keys=True) + (" alone" if alone else "")
    path = RESULTS / code() / key / f"{one.name}.pickle"
    if not path.exists():
        train = one.values if alone else one.values[: one.train]
        made: Measured = []
        for name, width, learner in recipe.learners(len(train)):
            term, honest = PatchTerm.of(
                name, learner.fit(train), train, Timing(width), recipe.bank_size, recipe.neighbours_at(width)
            )
            every = honest if alone else term.distances(one.values)
            made.append((name, width, honest.astype(np.float32), every.astype(np.float32)))
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(pickle.dumps(made))
    return pickle.loads(path.read_bytes())


def scored(one: Case, recipe: Best, way: str) -> np.ndarray:
    train = one.values if way == "self" else one.values[: one.train]
    far = measured(one, recipe, way == "self")
    blank: Any = None
    pairs = [
        (PatchTerm(name, blank, blank, Timing(width, recipe.window)), honest.astype(float))
        for name, width, honest, _ in far
    ]
    scorer = recipe.assembled(pairs, train)
    score = scorer.contributions_of([every.astype(float) for *_, every in far], one.values).sum(0)
    if way == "honest":
        score[: len(train)] = scorer.calibration
    return score


def evaluated(half: str, limit: int, settings: dict, way: str) -> tuple[list[str], np.ndarray]:
    names = sorted(half_names(half, limit), key=lambda n: len(case(n).values))
    recipe = Best(**{k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()})
    return names, np.array([evaluator(n)(scored(case(n), recipe, way)) for n in names])


def main(half: str, limit: int, ways: list[str], variants: list[str]) -> None:
    for text in variants:
        for way in ways:
            names, found = evaluated(half, limit, json.loads(text), way)
            show(f"{way} {text}", found, names)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3].split(","), sys.argv[4:])
