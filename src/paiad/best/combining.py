"""From standardised terms to one score, and whose it is."""

import numpy as np

from paiad.shapes import Scores, Terms


def tempered(z: np.ndarray) -> np.ndarray:
    """sign(z) · log(1 + |z|): a term ten times as far out counts more, not ten times as much.

    >>> tempered(np.array([0.0, np.e - 1, 1 - np.e])).tolist()
    [0.0, 1.0, -1.0]
    """
    return np.asarray(np.sign(z) * np.log1p(np.abs(z)))


def strongest(terms: Terms) -> Terms:
    """The terms with all but the largest of each step set to 0, so that they sum to the largest.

    >>> strongest(np.array([[1.0, -2.0], [3.0, -4.0]])).tolist()
    [[0.0, -2.0], [3.0, 0.0]]
    """
    out = np.zeros_like(terms)
    if len(terms) == 0:
        return out
    winner, step = terms.argmax(axis=0), np.arange(terms.shape[1])
    out[winner, step] = terms[winner, step]
    return out


def sharpness(z: Scores, least: float, slope: float) -> Scores:
    """How much more than usual a step may claim of the patches that cover it: 1, and more where z exceeds `least`.

    >>> sharpness(np.array([-3.0, 4.0, 14.0]), least=4.0, slope=0.1).tolist()
    [1.0, 1.0, 2.0]
    """
    return np.asarray(1.0 + slope * np.maximum(0.0, z - least))
