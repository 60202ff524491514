"""Whether a recipe's settings are of the kinds that their types say: counts, amounts, choices."""

import math
import types
from collections.abc import Collection
from dataclasses import fields
from numbers import Integral, Real
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from paiad.errors import SettingError

Share = Annotated[float, "share"]
"""A part of a whole: at least 0, and less than 1."""


def check_settings(recipe: Any, may_be_zero: Collection[str] = ("seed",)) -> None:
    """Refuse a count (int) below 1, an amount (float) that is negative or not finite, a share that is not
    below 1, and a word that is no choice.

    Counts of these names may be 0. Call it in `__post_init__`; a field of another class must be of that class.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Recipe:
    ...     width: int = 8
    ...     def __post_init__(self) -> None: check_settings(self)
    >>> Recipe(width=0)
    Traceback (most recent call last):
    paiad.errors.SettingError: Recipe: width must be a whole number of at least 1, got 0
    """
    hints = get_type_hints(type(recipe), include_extras=True)
    for name in (field.name for field in fields(recipe)):
        value = getattr(recipe, name)
        expected = _otherwise(value, hints[name], 0 if name in may_be_zero else 1)
        if expected:
            raise SettingError(f"{type(recipe).__name__}: {name} must be {expected}, got {value!r}")


def _otherwise(value: Any, kind: Any, least: int) -> str:
    """What was expected of a value that is not of its kind; "" for one that is."""
    if get_origin(kind) in (Union, types.UnionType):
        if value is None and type(None) in get_args(kind):
            return ""
        told = [_otherwise(value, one, least) for one in get_args(kind) if one is not type(None)]
        return "" if "" in told else " or ".join(told)
    if get_origin(kind) is Literal:
        return "" if value in get_args(kind) else "one of " + ", ".join(str(one) for one in get_args(kind))
    if get_origin(kind) is tuple and isinstance(value, (tuple, list)):
        return next(filter(None, (_otherwise(one, get_args(kind)[0], least) for one in value)), "")
    if get_origin(kind) is tuple:
        return "a list"
    number = not isinstance(value, bool)
    if kind is int:
        fits = number and isinstance(value, Integral) and int(value) >= least
        return "" if fits else f"a whole number of at least {least}"
    if kind in (float, Share):
        above = math.inf if kind is float else 1.0
        fits = number and isinstance(value, Real) and 0 <= float(value) < above
        return "" if fits else "a number of at least 0" + (" and below 1" if kind is Share else "")
    known = kind is not Any and isinstance(kind, type)
    return "" if not known or isinstance(value, kind) else f"of the kind {kind.__name__}"
