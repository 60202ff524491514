"""What to do where a value is missing or infinite: fill it, so that the series can be scored, or refuse."""

from typing import Literal, get_args

import numpy as np

from paiad.errors import SettingError
from paiad.runs import Mask, mask_of, runs_of
from paiad.shapes import Values

Missing = Literal["interpolate", "previous", "refuse"]
"""interpolate: straight line between the neighbours in time; previous: the last value seen; refuse: stop."""

LONGEST_SCORED = 5
"""A run of up to this many filled steps is scored; in a longer one a score would be an invention: there is none."""


def check_policy(policy: str) -> None:
    """Refuse a policy that does not exist."""
    if policy not in get_args(Missing):
        raise SettingError(f"missing must be one of {', '.join(get_args(Missing))}; got {policy!r}")


def fill(values: Values, at: Values, policy: Missing) -> Values:
    """The values with every non-finite one replaced; at least one is finite, and `at` says where each lies in time.

    Before the first known value and after the last one the nearest known value is held.

    >>> fill(np.array([1.0, np.nan, 3.0, np.inf]), np.arange(4.0), "interpolate")
    array([1., 2., 3., 3.])
    >>> fill(np.array([1.0, np.nan, 3.0, np.inf]), np.arange(4.0), "previous")
    array([1., 1., 3., 3.])
    """
    known = np.isfinite(values)
    if known.all():
        return values
    if policy == "interpolate":
        filled = values.copy()
        filled[~known] = np.interp(at[~known], at[known], values[known])
        return filled
    first = int(known.argmax())
    last_known = np.maximum.accumulate(np.where(known, np.arange(len(values)), first))
    return values[last_known]


def unscored(missing: Mask) -> Mask:
    """Which filled steps lie in a run too long to be scored.

    >>> unscored(np.array([True, False] + [True] * 6)).tolist()
    [False, False, True, True, True, True, True, True]
    """
    return mask_of(runs_of(missing, least_length=LONGEST_SCORED + 1), len(missing))
