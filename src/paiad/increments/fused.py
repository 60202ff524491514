"""PAI in a stream: the base detector and the amplitude terms side by side."""

import numpy as np

from paiad.amplitude import deviation
from paiad.fusion import Evidence
from paiad.increments.increment import Increment, State, inside, prefixed
from paiad.pai import TERMS, Amplitude, PAIScorer, standardised
from paiad.receipt import summed
from paiad.running import RunningMean
from paiad.shapes import Scores, Terms, Values


class AmplitudeTerms(Increment):
    """magG and T2, at a constant cost a value."""

    terms = TERMS[1:]

    def __init__(self, amplitude: Amplitude) -> None:
        self.level = amplitude.level
        self.lookahead = amplitude.reach.lookahead
        self.mean = RunningMean(amplitude.reach.lookback, amplitude.reach.lookahead)  # of the deviations
        self.waiting: Scores = np.empty(0)  # magG of the steps whose T2 is not final

    def push(self, values: Values) -> Terms:
        far = np.concatenate((self.waiting, deviation(values, self.level)))
        shift = self._shift(self.mean.push(values - self.level.median))
        self.waiting = far[len(shift) :]
        return np.stack((far[: len(shift)], shift))

    def tail(self) -> Terms:
        return np.stack((self.waiting, self._shift(self.mean.tail())))

    def _shift(self, means: Scores) -> Scores:
        return np.asarray(np.abs(means) / self.level.unit)

    def state(self) -> State:
        return {"waiting": self.waiting, **prefixed("mean", self.mean.state())}

    def restore(self, state: State) -> None:
        self.waiting = state["waiting"].copy()
        self.mean.restore(inside("mean", state))


class FusedTerms(Increment):
    """PAI: the base detector and the amplitude terms side by side; each waits for the slower one."""

    terms = TERMS

    def __init__(self, scorer: PAIScorer, base: Increment) -> None:
        self.scorer = scorer
        self.parts = (base, AmplitudeTerms(scorer.amplitude))
        self.lookahead = max(part.lookahead for part in self.parts)
        self.waiting: list[Terms] = [np.empty((1, 0)), np.empty((2, 0))]

    def push(self, values: Values) -> Terms:
        base, amplitude = self._joined([part.push(values) for part in self.parts])
        settled = min(base.shape[1], amplitude.shape[1])
        self.waiting = [base[:, settled:], amplitude[:, settled:]]
        return self._contributions(base[:, :settled], amplitude[:, :settled])

    def tail(self) -> Terms:
        base, amplitude = self._joined([part.tail() for part in self.parts])
        contributions = self._contributions(base, amplitude)
        contributions[:, np.isnan(base[0])] = np.nan
        return contributions

    def _joined(self, came: list[Terms]) -> list[Terms]:
        """What has been waiting, and what came after it; of the base, the sum of its terms."""
        news = [summed(came[0])[None, :], came[1]]
        return [np.concatenate(pair, axis=1) for pair in zip(self.waiting, news, strict=True)]

    def _contributions(self, base: Terms, amplitude: Terms) -> Terms:
        terms = standardised((base[0], amplitude[0], amplitude[1]), self.scorer.standardizers)
        return Evidence(TERMS, terms).contributions(self.scorer.weights)

    def state(self) -> State:
        base, amplitude = (part.state() for part in self.parts)
        waiting = {"base": self.waiting[0], "amplitude": self.waiting[1]}
        return {**prefixed("waiting", waiting), **prefixed("base", base), **prefixed("amplitude", amplitude)}

    def restore(self, state: State) -> None:
        self.waiting = [state[f"waiting.{part}"].copy() for part in ("base", "amplitude")]
        self.parts[0].restore(inside("base", state))
        self.parts[1].restore(inside("amplitude", state))
