"""Detectors that cannot be run yet, because something of theirs has to be installed or fetched first."""

from dataclasses import fields, is_dataclass
from typing import Any


def lacks(recipe: Any) -> str:
    """What a recipe, or one inside it, says it lacks; "" when it can be fitted.

    >>> from paiad.recipes import raw
    >>> lacks(raw())
    ''
    """
    told: str = recipe.lacks() if hasattr(recipe, "lacks") else ""
    if told or not is_dataclass(recipe) or isinstance(recipe, type):
        return told
    inside = (lacks(getattr(recipe, field.name)) for field in fields(recipe))
    return next(filter(None, inside), "")
