"""Scoring a stream: values in as they come, scores out that never change again."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from paiad.contracts import Scorer
from paiad.errors import StoredModelError, writing_to
from paiad.increments import increment_of
from paiad.persistence import pack, unpack, write_whole
from paiad.receipt import summed
from paiad.series import as_values
from paiad.shapes import Scores, Terms, Values
from paiad.storable import fingerprint

BLOCK = 16_384  # values scored at once, so that memory stays bounded however many are pushed
FORMAT = "paiad stream 1"


@dataclass(frozen=True, eq=False)
class Stretch:
    """Scores of consecutive steps, the first of which is step `start` of the stream; the contributions of the
    terms, `[terms, steps]`, sum to them."""

    start: int
    terms: tuple[str, ...]
    contributions: Terms

    def __len__(self) -> int:
        return int(self.contributions.shape[1])

    @property
    def scores(self) -> Scores:
        """Higher is more anomalous; NaN where too little has come to say anything."""
        return summed(self.contributions)

    @property
    def steps(self) -> np.ndarray:
        """Which steps of the stream these are."""
        return np.arange(self.start, self.start + len(self))


class Stream:
    """A fitted scorer that takes values as they come, one or many at a time.

    A score is *settled* `lookahead` steps after its own and never changes again; it equals what `scorer.score`
    gives for the whole stream. Later steps are *provisional*: they are scored as if the stream ended here.

    >>> from paiad.catalog import make
    >>> values = np.sin(np.arange(900) / 9)
    >>> scorer = make("pai-raw").fit(values[:600])
    >>> stream = Stream(scorer)
    >>> settled = [stream.push(block) for block in np.split(values, 9)]
    >>> stream.lookahead, len(stream.provisional()), stream.settled
    (63, 63, 837)
    >>> scores = np.concatenate([part.scores for part in (*settled, stream.provisional())])
    >>> np.allclose(scores, scorer.score(values), rtol=1e-9, atol=1e-9)
    True
    """

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self.seen = 0
        """How many values have come."""
        self.settled = 0
        """How many of them have scores that will not change."""
        self.notes: dict[str, np.ndarray] = {}
        """What whoever feeds the stream wants to find again: saved and resumed with it."""
        self._increment = increment_of(scorer)

    @property
    def lookahead(self) -> int:
        """How many steps after its own a score is final."""
        return self._increment.lookahead

    def push(self, values: float | Values | Sequence[float]) -> Stretch:
        """Take one value, many, or none; the scores that have become settled with them."""
        if not np.size(values):
            return Stretch(self.settled, self._increment.terms, np.empty((len(self._increment.terms), 0)))
        block = as_values(values, "values of the stream")
        parts = [self._increment.push(block[i : i + BLOCK]) for i in range(0, len(block), BLOCK)]
        fresh = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        start = self.settled
        self.seen += len(block)
        self.settled += fresh.shape[1]
        return Stretch(start, self._increment.terms, fresh)

    def provisional(self) -> Stretch:
        """The scores of the steps that are not settled yet, as if the stream ended here."""
        return Stretch(self.settled, self._increment.terms, self._increment.tail())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write where the stream stands to a small file, in one piece; the scorer is saved by `save_scorer`."""
        state = {f"state.{name}": array for name, array in self._increment.state().items()}
        notes = {f"note.{name}": array for name, array in self.notes.items()}
        about = {
            "format": np.array(FORMAT),
            "scorer": np.array(self._scorer_is),
            "counts": np.array([self.seen, self.settled]),
        }
        with writing_to(path):
            write_whole(Path(path), pack(about | state | notes))

    @classmethod
    def resume(cls, scorer: Scorer, path: str | os.PathLike[str]) -> "Stream":
        """Go on where `save` was called, with the same scorer (or the loaded copy of it)."""
        stream = cls(scorer)
        held = _read_state(Path(path))
        if str(held["scorer"]) != stream._scorer_is:
            raise StoredModelError(
                f"{path}: belongs to another scorer; resume with the one it was saved with"
            )
        try:
            stream.seen, stream.settled = (int(count) for count in held["counts"])
            stream._increment.restore(_named(held, "state."))
            stream.notes = _named(held, "note.")
        except (KeyError, ValueError) as problem:
            raise StoredModelError(f"{path}: written by another version of paiad ({problem})") from problem
        return stream

    @cached_property
    def _scorer_is(self) -> str:
        return fingerprint(self.scorer)


def _named(held: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {name.removeprefix(prefix): array for name, array in held.items() if name.startswith(prefix)}


def _read_state(path: Path) -> dict[str, np.ndarray]:
    try:
        held = unpack(path.read_bytes())
    except OSError as problem:
        raise StoredModelError(f"{path}: cannot be read ({problem.strerror})") from None
    except ValueError as problem:
        raise StoredModelError(f"{path}: is no saved stream, or damaged ({problem})") from None
    if str(held.get("format")) != FORMAT:
        raise StoredModelError(f"{path}: is no saved stream of this version of paiad")
    return held
