"""What scores and labels must look like, and the one-line errors when they do not."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paiad.errors import InputError

LARGEST_EXACT_INTEGER = 2**53


class MetricInputError(InputError):
    """Scores or labels that no measure is defined on."""


def label_array(labels: Any) -> NDArray[np.bool_]:
    """Labels of any numeric type as booleans of their own; anything but 0 and 1 is refused."""
    array = _one_dimensional(labels, "labels")
    if not array.size:
        raise MetricInputError("labels and scores are empty")
    if array.dtype.kind not in "biuf":
        raise MetricInputError(f"labels must be 0 or 1, got {_first_odd(array)}")
    anomalous = array == 1
    wrong = np.flatnonzero(~anomalous & (array != 0))
    if wrong.size:
        first = wrong[0]
        raise MetricInputError(
            f"labels must be 0 or 1, got {array[first]} at position {first} ({wrong.size} such)"
        )
    return anomalous


def score_array(scores: Any, length: int) -> NDArray[Any]:
    """Scores as a contiguous array of real numbers, as long as the labels; the type is kept."""
    array = _one_dimensional(scores, "scores")
    if array.size != length:
        raise MetricInputError(f"scores and labels must be equally long, got {array.size} and {length}")
    if array.dtype == np.bool_:
        raise MetricInputError(
            "scores are booleans, which is a prediction; pass numbers (scores.astype(float))"
        )
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise MetricInputError(f"scores must be real numbers of at most 64 bits, got {_first_odd(array)}")
    if array.dtype.kind in "iu":
        _refuse_large_integers(array)
    return np.ascontiguousarray(array)


def window_size(window: Any) -> int:
    """The widest buffer as a whole number from 0 on."""
    if isinstance(window, bool) or not isinstance(window, int | np.integer) or window < 0:
        raise MetricInputError(f"window must be a whole number from 0 on, got {window!r}")
    return int(window)


def refuse_not_finite(scores: NDArray[Any]) -> None:
    """NaN and infinite scores have no rank worth measuring: name the first of them."""
    wrong = np.flatnonzero(~np.isfinite(scores))
    if wrong.size:
        first = wrong[0]
        raise MetricInputError(
            f"scores must be finite, got {scores[first]} at position {first} ({wrong.size} of {scores.size})"
        )


def _one_dimensional(values: Any, what: str) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        masked = np.flatnonzero(np.ma.getmaskarray(values))
        raise MetricInputError(
            f"{what} are masked at position {masked[0]} ({masked.size} such); cut these points from both"
        )
    try:
        array = np.asarray(values)
    except ValueError:  # NumPy's own words are about sequences and elements
        raise MetricInputError(f"{what} must be one-dimensional, got sequences of unequal length") from None
    if array.ndim != 1:
        raise MetricInputError(f"{what} must be one-dimensional, got shape {array.shape}")
    return array


def _first_odd(array: NDArray[Any]) -> str:
    """The first value that is no real number, and where; of an array of numbers, its first and a remedy."""
    odd = next((at for at, value in enumerate(array) if not isinstance(value, Real)), None)
    value = array[odd or 0 :][:1].tolist()[0]
    remedy = "; convert it with astype(float)" if odd is None else ""
    return f"{value!r} at position {odd or 0} of an array of type {array.dtype}{remedy}"


def _refuse_large_integers(scores: NDArray[Any]) -> None:
    for position in (scores.argmax(), scores.argmin()):
        if abs(int(scores[position])) > LARGEST_EXACT_INTEGER:
            raise MetricInputError(
                f"integer scores beyond 2**53 lose their order, got {scores[position]} at position {position}; "
                "rescale them"
            )
