"""A bank of patches in a stream: each patch is measured once."""

import numpy as np

from paiad.detectors.prototype import NearestPrototypeScorer
from paiad.errors import SettingError
from paiad.increments.increment import Increment, State, inside, prefixed
from paiad.running import RunningMean
from paiad.shapes import Scores, Terms, Values


class NearestPatches(Increment):
    """Each patch is encoded and measured once, when it is complete; a step's score is a running mean of distances."""

    terms = ("base",)

    def __init__(self, scorer: NearestPrototypeScorer) -> None:
        cover = scorer.encoder.cover
        if cover.stride != 1:
            raise SettingError(
                f"patches with a stride of {cover.stride} cannot be streamed; use a stride of 1"
            )
        self.encoder, self.bank = scorer.encoder, scorer.bank
        self.width = cover.width
        self.lookahead = cover.width - 1
        self.kept: Values = np.empty(0)
        self.recent: Scores = np.empty(0)  # distances of the last width - 1 patches
        self.mean = RunningMean(before=self.width - 1, after=0)

    def push(self, values: Values) -> Terms:
        joined = np.concatenate((self.kept, values))
        self.kept = joined[max(0, len(joined) - (self.width - 1) - self.encoder.context) :]
        patches = min(len(values), len(joined) - self.width + 1)
        if patches < 1:
            return np.empty((1, 0))
        distances = self.bank.distance(self.encoder.encode(joined)[-patches:])
        remembered = np.concatenate((self.recent, distances))
        self.recent = remembered[max(0, len(remembered) - (self.width - 1)) :]
        return self.mean.push(distances)[None, :]

    def tail(self) -> Terms:
        if not self.mean.seen[0]:
            return np.full((1, len(self.kept)), np.nan)
        # The next step is covered by all recent patches, each later one by one fewer of them.
        mean_of_last = np.cumsum(self.recent[::-1]) / np.arange(1, len(self.recent) + 1)
        covering = np.minimum(np.arange(self.width - 1, 0, -1), len(self.recent))
        return np.asarray(mean_of_last[covering - 1][None, :])

    def state(self) -> State:
        return {"kept": self.kept, "recent": self.recent, **prefixed("mean", self.mean.state())}

    def restore(self, state: State) -> None:
        self.kept, self.recent = state["kept"].copy(), state["recent"].copy()
        self.mean.restore(inside("mean", state))
