"""What is remembered of a stream between two values, and how scores come of it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from paiad.shapes import Terms, Values

State = Mapping[str, np.ndarray]
"""All that is remembered, as named arrays."""


class Increment(ABC):
    """What is remembered of a stream. Scores come as contributions `[terms, steps]` that sum to the score."""

    terms: tuple[str, ...] = ("score",)
    lookahead: int

    @abstractmethod
    def push(self, values: Values) -> Terms:
        """The contributions that have become final with these values, in order of time."""

    @abstractmethod
    def tail(self) -> Terms:
        """Those of the steps that are not final yet, by what has come so far; NaN where that says nothing."""

    @abstractmethod
    def state(self) -> State:
        """All that is remembered; may share memory with it."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Go on from what `state` gave."""


def prefixed(prefix: str, state: State) -> State:
    """The same arrays under longer names, to be put beside others.

    >>> inside("base", prefixed("base", {"kept": np.zeros(1)}))
    {'kept': array([0.])}
    """
    return {f"{prefix}.{name}": array for name, array in state.items()}


def inside(prefix: str, state: State) -> State:
    """The arrays that `prefixed` gave this prefix, under their own names."""
    return {name[len(prefix) + 1 :]: array for name, array in state.items() if name.startswith(f"{prefix}.")}
