"""The default detector in a stream: each patch of each width is measured once, when it is complete."""

import numpy as np

from paiad.best.scorer import BestScorer
from paiad.best.term import PatchTerm
from paiad.increments.increment import Increment, State
from paiad.shapes import Distances, Terms, Values


class MeasuredOnce(Increment):
    """Values and patch distances within reach are kept; what the terms make of them is put together anew."""

    def __init__(self, scorer: BestScorer) -> None:
        self.scorer = scorer
        self.terms = scorer.names
        self.lookback, self.lookahead = scorer.reach.lookback, scorer.reach.lookahead
        self.kept: Values = np.empty(0)
        self.distances: list[Distances] = [np.empty(0) for _ in scorer.patch_terms]
        self.settled_kept = 0  # how many of the kept values have final scores

    def push(self, values: Values) -> Terms:
        joined = np.concatenate((self.kept, values))
        distances = [
            np.concatenate((known, _newest(term, joined, len(values))))
            for known, term in zip(self.distances, self.scorer.patch_terms, strict=True)
        ]
        final = max(self.settled_kept, len(joined) - self.lookahead)
        settled = self._contributions(distances, joined, self.settled_kept, final)
        cut = max(0, final - self.lookback)
        # Each copied, so that a small rest does not hold a large block.
        self.kept, self.distances = joined[cut:].copy(), [known[cut:].copy() for known in distances]
        self.settled_kept = final - cut
        return settled

    def tail(self) -> Terms:
        return self._contributions(self.distances, self.kept, self.settled_kept, len(self.kept))

    def _contributions(self, distances: list[Distances], values: Values, first: int, end: int) -> Terms:
        if first == end:
            return np.empty((len(self.terms), 0))
        return self.scorer.contributions_of(distances, values, slice(first, end))

    def state(self) -> State:
        known = {f"distances {place}": distances for place, distances in enumerate(self.distances)}
        return {"kept": self.kept, "counts": np.array([self.settled_kept]), **known}

    def restore(self, state: State) -> None:
        self.kept = state["kept"].copy()
        self.distances = [state[f"distances {place}"].copy() for place in range(len(self.distances))]
        self.settled_kept = int(state["counts"][0])
        patches = [max(0, len(self.kept) - term.timing.width + 1) for term in self.scorer.patch_terms]
        known = 0 <= self.settled_kept <= len(self.kept)
        if not known or [len(distances) for distances in self.distances] != patches:
            raise ValueError("its parts do not fit together")


def _newest(term: PatchTerm, values: Values, new: int) -> Distances:
    """Distances of the patches that end in one of the `new` last values."""
    patches = min(new, len(values) - term.timing.width + 1)
    return (
        term.distances(values[len(values) - patches - term.timing.width + 1 :])
        if patches > 0
        else np.empty(0)
    )
