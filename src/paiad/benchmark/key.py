"""What makes two jobs the same job: equal recipes, equal data, and equal code behind the recipe."""

import ast
import hashlib
import importlib.util
import io
import json
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from paiad.errors import SettingError

_OWN = "paiad"
_WITHOUT_NUMBERS = frozenset(["paiad.errors"])


def digest(*parts: str | bytes) -> str:
    """SHA-256 of the parts, each with its length, so that no two lists of parts can look alike."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()


def described(recipe: Any) -> Any:
    """A recipe as plain data: every hyper-parameter by name, nested recipes included.

    >>> from paiad.fusion import Weights
    >>> described(Weights())
    {'recipe': 'paiad.fusion:Weights', 'base': 1.0, 'deviation': 0.6, 'mean_shift': 0.4}
    """
    if is_dataclass(recipe) and not isinstance(recipe, type):
        kind = type(recipe)
        named = {field.name: described(getattr(recipe, field.name)) for field in fields(recipe)}
        return {"recipe": f"{kind.__module__}:{kind.__qualname__}", **named}
    if isinstance(recipe, np.ndarray):
        return {"array": digest(recipe.dtype.str, repr(recipe.shape), np.ascontiguousarray(recipe).tobytes())}
    if isinstance(recipe, dict):
        return {str(name): described(value) for name, value in recipe.items()}
    if isinstance(recipe, list | tuple):
        return [described(value) for value in recipe]
    if recipe is None or isinstance(recipe, bool | int | float | str):
        return recipe
    if isinstance(recipe, Path):
        return str(recipe)
    raise SettingError(f"a recipe holds a {type(recipe).__name__}, which cannot be described as data")


def as_text(recipe: Any) -> str:
    """The description as canonical JSON."""
    return json.dumps(described(recipe), sort_keys=True)


def seeded(recipe: Any, seed: int) -> Any:
    """The recipe with every field called `seed`, at any depth, set.

    >>> from paiad.recipes import raw
    >>> seeded(raw(), 7).seed
    7
    """
    if not is_dataclass(recipe) or isinstance(recipe, type):
        return recipe
    changed = {}
    for field in fields(recipe):
        value = getattr(recipe, field.name)
        new = seed if field.name == "seed" else _seeded_part(value, seed)
        if new is not value:
            changed[field.name] = new
    return replace(recipe, **changed) if changed else recipe


def _seeded_part(value: Any, seed: int) -> Any:
    if isinstance(value, tuple) and any(is_dataclass(part) for part in value):
        return tuple(seeded(part, seed) for part in value)
    return seeded(value, seed)


def takes_seed(recipe: Any) -> bool:
    """Whether a seed can change anything.

    >>> from paiad.encoders.raw import RawPatches
    >>> takes_seed(RawPatches())
    False
    """
    return as_text(seeded(recipe, 1)) != as_text(seeded(recipe, 2))


def code_digest(recipe: Any) -> str:
    """Digest of the source of every module the recipe's classes need, as their imports tell.

    Editing a report or another detector leaves it as it was; editing a kernel the recipe uses changes it.
    """
    return source_digest(tuple(sorted(set(_modules_of(described(recipe))))))


@cache
def source_digest(modules: tuple[str, ...]) -> str:
    """Digest of the source of these modules and of those of this package that they import.

    Only of what can change a number: not of comments, docstrings and the classes of errors.
    """
    seen: dict[str, bytes] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module in seen or module in _WITHOUT_NUMBERS:
            continue
        seen[module] = _source(module)
        if _is_own(module):
            waiting.extend(_imports(seen[module]))
    return digest(*(part for module in sorted(seen) for part in (module, bare(seen[module]))))


def bare(source: bytes) -> bytes:
    """Source without comments, docstrings and blank lines; the same whichever Python reads it.

    >>> bare(b"# why\\ndef one():\\n    'It says.'\\n\\n    return 1  # or so\\n")
    b'def one():\\n    return 1'
    """
    lines = source.splitlines(keepends=True)
    for row, column in _comments(source):
        lines[row] = lines[row].decode()[:column].encode()
    for first, last in _docstrings(source):
        lines[first : last + 1] = [b""] * (last - first + 1)
    return b"\n".join(stripped for line in lines if (stripped := line.rstrip()))


def _comments(source: bytes) -> Iterator[tuple[int, int]]:
    """Row and column, from 0, at which each comment begins."""
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0] - 1, token.start[1]


def _docstrings(source: bytes) -> Iterator[tuple[int, int]]:
    """First and last row, from 0, of strings that are statements of their own."""
    for node in ast.walk(ast.parse(source)):
        constant = node.value if isinstance(node, ast.Expr) else None
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
            yield constant.lineno - 1, (constant.end_lineno or constant.lineno) - 1


def _modules_of(description: Any) -> Iterator[str]:
    if isinstance(description, dict):
        if "recipe" in description:
            yield description["recipe"].partition(":")[0]
        for value in description.values():
            yield from _modules_of(value)
    elif isinstance(description, list):
        for value in description:
            yield from _modules_of(value)


def _imports(source: bytes) -> Iterable[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if _is_own(name.name))
        elif isinstance(node, ast.ImportFrom) and node.module and _is_own(node.module):
            yield node.module
            yield from (
                f"{node.module}.{name.name}" for name in node.names if _is_module(node.module, name.name)
            )


def _is_own(module: str) -> bool:
    return module == _OWN or module.startswith(_OWN + ".")


@cache
def _is_module(package: str, name: str) -> bool:
    spec = importlib.util.find_spec(package)
    folders = (spec.submodule_search_locations or []) if spec else []
    return any(Path(folder, f"{name}.py").exists() or Path(folder, name).is_dir() for folder in folders)


def _source(module: str) -> bytes:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None or not Path(spec.origin).is_file():
        return b""
    return Path(spec.origin).read_bytes()
