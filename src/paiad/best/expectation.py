"""The values that would have been normal: the nearest normal outlines, laid where the patches are."""

import numpy as np
from numba import njit

from paiad.best.outline import OutlineEncoder
from paiad.best.term import PatchTerm
from paiad.shapes import Values

WIDTH = 32  # of the outlines asked: wide enough to see past a spike, narrow enough to follow a shape


def expected(outlines: tuple[PatchTerm, ...], values: Values, own: bool = False) -> Values:
    """The mean, over the patches that cover a step, of what their nearest normal outlines have there.

    With `own` the values are the training part itself, and no patch is answered by itself or one that overlaps it.
    Values too few for any patch are expected as they are.
    """
    usable = [term for term in outlines if term.timing.width <= len(values)]
    if not usable:
        return values.copy()
    term = min(usable, key=lambda one: abs(one.timing.width - WIDTH))
    encoder = term.encoder
    assert isinstance(encoder, OutlineEncoder)
    vectors = encoder.encode(values)
    where = np.arange(len(vectors)) if own else None
    _, rows = term.bank.nearest(vectors, 1, where, term.timing.width if own else 0)
    patches = encoder.undo(term.bank.vectors[np.maximum(rows[:, 0], 0)], values)
    return np.asarray(_overlapping_mean(np.ascontiguousarray(patches), len(values)))


@njit(cache=True, nogil=True)
def _overlapping_mean(patches, steps):  # type: ignore[no-untyped-def]
    total, count = np.zeros(steps), np.zeros(steps)
    for patch in range(len(patches)):
        for offset in range(patches.shape[1]):
            total[patch + offset] += patches[patch, offset]
            count[patch + offset] += 1
    return total / count
