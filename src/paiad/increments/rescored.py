"""Any scorer with a reach, in a stream: what lies within reach is scored again."""

import numpy as np

from paiad.contracts import Scorer
from paiad.errors import SettingError, TooShortError
from paiad.increments.increment import Increment, State
from paiad.shapes import Scores, Terms, Values


class Rescored(Increment):
    """Any scorer with a reach: the values within reach are kept and scored again with every block."""

    def __init__(self, scorer: Scorer) -> None:
        if scorer.reach is None:
            raise SettingError(
                f"{type(scorer).__name__} cannot be streamed: its scores depend on the whole series (it has no reach)"
            )
        self.scorer = scorer
        self.lookback, self.lookahead = scorer.reach.lookback, scorer.reach.lookahead
        self.kept: Values = np.empty(0)
        self.scores_kept: Scores = np.empty(0)
        self.settled_kept = 0  # how many of the kept values have final scores
        self.least = 0  # how many values the scorer needs at least; 0 while that is not known

    def push(self, values: Values) -> Terms:
        joined = np.concatenate((self.kept, values))
        scores = self._score(joined)
        if scores is None:
            self.kept, self.scores_kept = joined, np.full(len(joined), np.nan)
            return np.empty((1, 0))
        final = max(self.settled_kept, len(joined) - self.lookahead)
        settled = scores[self.settled_kept : final]
        self.least = self.least or self._least_of(joined)
        cut = max(0, min(final - self.lookback, len(joined) + 1 - self.least))
        self.kept, self.scores_kept, self.settled_kept = joined[cut:], scores[cut:], final - cut
        return settled[None, :]

    def _score(self, values: Values) -> Scores | None:
        try:
            return np.asarray(self.scorer.score(values), dtype=np.float64)
        except TooShortError:
            return None

    def _least_of(self, accepted: Values) -> int:
        refused, enough = 0, len(accepted)
        while enough - refused > 1:
            middle = (refused + enough) // 2
            refused, enough = (
                (middle, enough) if self._score(accepted[-middle:]) is None else (refused, middle)
            )
        return enough

    def tail(self) -> Terms:
        return self.scores_kept[None, self.settled_kept :]

    def state(self) -> State:
        counts = np.array([self.settled_kept, self.least])
        return {"kept": self.kept, "scores": self.scores_kept, "counts": counts}

    def restore(self, state: State) -> None:
        self.kept, self.scores_kept = state["kept"].copy(), state["scores"].copy()
        self.settled_kept, self.least = (int(count) for count in state["counts"])
