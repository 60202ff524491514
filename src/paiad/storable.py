"""Recipes and fitted objects as plain trees (for JSON) and named arrays, and back.

Only frozen dataclasses of the modules and folders of this package that are listed here can be written or
read, field by field. A file names a class, but nothing outside the list is ever imported, and nothing but
such a dataclass is ever called.
"""

import hashlib
import importlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from paiad.errors import MissingExtraError, SettingError, StoredModelError

# Modules whose frozen dataclasses can be stored, and folders of which every module's can.
MODULES = (
    "paiad.amplitude",
    "paiad.bank",
    "paiad.bring",
    "paiad.contracts",
    "paiad.cover",
    "paiad.extremes",
    "paiad.fusion",
    "paiad.normal",
    "paiad.pai",
    "paiad.placement",
    "paiad.scaling",
    "paiad.scorers",
    "paiad.thresholds",
)
FOLDERS = re.compile(r"paiad\.(best|detectors|encoders|layers)(\.[a-z][a-z0-9_]*)*")

ARRAY_KINDS = "biufmMU"  # numbers, truth, times and text; never objects
SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

Tree = Any
"""What JSON can hold."""

_plugins: dict[str, type] = {}


def allow(*classes: type) -> None:
    """Let frozen dataclasses of your own package be stored as well; call it before saving and before loading.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Mine: size: int = 3
    >>> allow(Mine)
    >>> recipe_as_dict(Mine())
    {'type': 'paiad.storable.Mine', 'size': 3}
    """
    for one in classes:
        if not _is_frozen_dataclass(one):
            raise SettingError(f"only frozen dataclasses can be stored, not {one!r}")
        _plugins[_name_of(one)] = one


def to_tree(thing: Any, arrays: dict[str, np.ndarray] | None = None) -> Tree:
    """The thing as JSON; its arrays are put into `arrays` under a name, which stands in their place."""
    if thing is None or isinstance(thing, (bool, int, str)):
        return thing
    if isinstance(thing, float):
        return thing if math.isfinite(thing) else {"type": "float", "is": repr(float(thing))}
    if isinstance(thing, (tuple, list)):
        return {"type": type(thing).__name__, "items": [to_tree(item, arrays) for item in thing]}
    if isinstance(thing, dict):
        return {"type": "dict", "items": [[to_tree(k), to_tree(v, arrays)] for k, v in thing.items()]}
    if isinstance(thing, (np.ndarray, np.generic)) and arrays is not None:
        return _array_to_tree(np.asarray(thing), arrays, scalar=isinstance(thing, np.generic))
    if _is_frozen_dataclass(type(thing)):
        return _dataclass_to_tree(thing, arrays)
    raise StoredModelError(f"{type(thing).__module__}.{type(thing).__qualname__} cannot be stored")


def from_tree(tree: Tree, arrays: Mapping[str, np.ndarray] | None = None) -> Any:
    """The thing again; `arrays` holds what `to_tree` put there."""
    if not isinstance(tree, dict):
        if isinstance(tree, list):
            raise StoredModelError("a list without a type")
        return tree
    kind = tree.get("type")
    if kind == "float" and tree.get("is") in SPECIAL_FLOATS:
        return SPECIAL_FLOATS[tree["is"]]
    if kind in ("tuple", "list"):
        items = [from_tree(item, arrays) for item in tree.get("items", ())]
        return tuple(items) if kind == "tuple" else items
    if kind == "dict":
        return {from_tree(key): from_tree(value, arrays) for key, value in tree.get("items", ())}
    if kind in ("array", "scalar"):
        return _array_from_tree(tree, arrays or {})
    return _dataclass_from_tree(tree, arrays)


def recipe_as_dict(recipe: Any) -> dict[str, Any]:
    """A recipe as plain JSON values, with the class of every part.

    >>> from paiad.fusion import Weights
    >>> recipe_as_dict(Weights())
    {'type': 'paiad.fusion.Weights', 'base': 1.0, 'deviation': 0.6, 'mean_shift': 0.4}
    """
    tree: dict[str, Any] = to_tree(recipe)
    return tree


def recipe_from_dict(tree: Mapping[str, Any]) -> Any:
    """The recipe that `recipe_as_dict` wrote.

    >>> from paiad.fusion import Weights
    >>> recipe_from_dict(recipe_as_dict(Weights(base=0.5))) == Weights(base=0.5)
    True
    """
    return from_tree(dict(tree))


def recipe_hash(recipe: Any) -> str:
    """16 hexadecimal digits that stay the same as long as every hyper-parameter does.

    >>> from paiad.fusion import Weights
    >>> recipe_hash(Weights()) == recipe_hash(Weights(base=1.0)) != recipe_hash(Weights(base=2.0))
    True
    """
    return hashlib.sha256(canonical(recipe_as_dict(recipe))).hexdigest()[:16]


def fingerprint(thing: Any) -> str:
    """64 hexadecimal digits of everything in it, arrays too; the same for a scorer and its saved copy.

    >>> fingerprint(np.arange(3)) == fingerprint(np.array([0, 1, 2])) != fingerprint(np.arange(4))
    True
    """
    arrays: dict[str, np.ndarray] = {}
    digest = hashlib.sha256(canonical(to_tree(thing, arrays)))
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def canonical(tree: Tree) -> bytes:
    """The one way to write a tree: keys in order, no spaces."""
    return json.dumps(tree, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _array_to_tree(array: np.ndarray, arrays: dict[str, np.ndarray], scalar: bool) -> Tree:
    if array.dtype.kind not in ARRAY_KINDS:
        raise StoredModelError(f"an array of {array.dtype} cannot be stored")
    known = next((name for name, held in arrays.items() if held is array), None)
    name = known or f"array_{len(arrays)}"
    arrays[name] = array
    return {"type": "scalar" if scalar else "array", "name": name}


def _array_from_tree(tree: Tree, arrays: Mapping[str, np.ndarray]) -> Any:
    name = tree.get("name")
    if name not in arrays:
        raise StoredModelError(f"the array {name!r} is missing")
    return arrays[name][()] if tree["type"] == "scalar" else arrays[name]


def _dataclass_to_tree(thing: Any, arrays: dict[str, np.ndarray] | None) -> Tree:
    name = _name_of(type(thing))
    if name != _name_of(_class_named(name) or object):
        raise StoredModelError(
            f"{name} is not on the list of what can be stored; a plug-in names its classes with paiad.storable.allow"
        )
    return {"type": name} | {f.name: to_tree(getattr(thing, f.name), arrays) for f in fields(thing)}


def _dataclass_from_tree(tree: Tree, arrays: Mapping[str, np.ndarray] | None) -> Any:
    name = tree.get("type")
    found = _class_named(name) if isinstance(name, str) else None
    if found is None:
        raise StoredModelError(f"it holds a {name!r}, which this version of paiad does not know")
    given = {key: value for key, value in tree.items() if key != "type"}
    known = {f.name: f for f in fields(found)}
    if given.keys() != known.keys():
        odd = sorted(given.keys() ^ known.keys())
        raise StoredModelError(f"its {name} differs from this version's in: {', '.join(odd)}")
    made = found(**{key: from_tree(value, arrays) for key, value in given.items() if known[key].init})
    for key in given:
        if not known[key].init:
            object.__setattr__(made, key, from_tree(given[key], arrays))
    return made


def _class_named(name: str) -> type | None:
    if name in _plugins:
        return _plugins[name]
    module, _, qualified = name.rpartition(".")
    if module not in MODULES and not FOLDERS.fullmatch(module):
        return None
    try:
        found = getattr(importlib.import_module(module), qualified, None)
    except ModuleNotFoundError as missing:
        if missing.name == module:
            return None
        raise MissingExtraError(
            f"{name} needs the package '{missing.name}': pip install 'paiad[torch]' (or the extra that brings it)"
        ) from missing
    own = isinstance(found, type) and found.__module__ == module and _is_frozen_dataclass(found)
    return found if own else None


def _name_of(one: type) -> str:
    return f"{one.__module__}.{one.__qualname__}"


def _is_frozen_dataclass(one: Any) -> bool:
    return isinstance(one, type) and is_dataclass(one) and one.__dataclass_params__.frozen  # type: ignore[attr-defined]
