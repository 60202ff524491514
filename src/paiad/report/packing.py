"""Arrays as text: what the page unpacks again, in as few bytes as the eye needs."""

import base64
from typing import Any

import numpy as np

from paiad.shapes import Times, Values

Packed = dict[str, Any]


def packed(values: Values) -> Packed:
    """32-bit numbers around the middle of the values and in units of their largest distance from it.

    So neither a large offset nor 1e300 loses what can be seen. Not-a-number stays what it is.

    >>> packed(np.array([2.0, 2.0]))
    {'constant': 2.0, 'length': 2}
    """
    values = np.asarray(values, dtype=np.float64)
    finite = values[np.isfinite(values)]
    if not len(finite):
        return {"constant": None, "length": len(values)}
    if len(finite) == len(values) and finite.min() == finite.max():
        return {"constant": float(finite[0]), "length": len(values)}
    # Halves, so that the distance between -1e308 and 1e308 is a number as well.
    offset = float(np.median(finite) / 2) * 2
    scale = float(np.abs(finite / 2 - offset / 2).max() * 2)
    scale = scale if np.isfinite(scale) and scale > 0 else 1.0
    return {"offset": offset, "scale": scale, "data": _base64(((values - offset) / scale).astype("<f4"))}


def packed_positions(positions: np.ndarray) -> Packed:
    """Positions on an axis, exactly: start and step where they are evenly spaced.

    >>> packed_positions(np.array([3.0, 5.0, 7.0]))
    {'start': 3.0, 'step': 2.0, 'length': 3}
    """
    positions = np.asarray(positions, dtype=np.float64)
    if len(positions) > 1:
        step = (positions[-1] - positions[0]) / (len(positions) - 1)
        even = positions[0] + step * np.arange(len(positions))
        rounding = 4 * float(np.spacing(np.abs(positions[[0, -1]]).max()))
        if step > 0 and np.abs(positions - even).max() <= 1e-6 * step + rounding:
            return {"start": float(positions[0]), "step": float(step), "length": len(positions)}
    return {"exact": _base64(positions.astype("<f8"))}


def as_axis(time: Times | None, length: int) -> tuple[str, np.ndarray]:
    """What the axis counts (rows, numbers, or dates in milliseconds since 1970), and where each step lies on it.

    >>> as_axis(np.array(["1970-01-01T00:00:01"], dtype="datetime64[s]"), 1)
    ('date', array([1000.]))
    """
    if time is None:
        return "row", np.arange(length, dtype=np.float64)
    time = np.asarray(time)
    if time.dtype.kind == "M":
        return "date", time.astype("datetime64[ns]").astype(np.int64) / 1e6
    return "number", time.astype(np.float64)


def _base64(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")
