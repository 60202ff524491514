"""`paiad detectors`."""

import importlib
import inspect
import json
from typing import Annotated, Any

import typer

from paiad.catalog import CATALOG, DEFAULT
from paiad.errors import MissingExtraError


def detectors(
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List the detectors there are."""
    lines = {name: described(name) for name in CATALOG}
    if as_json:
        print(json.dumps({"default": DEFAULT, "detectors": lines}, indent=2))
        return
    width = max(map(len, lines))
    for name, line in lines.items():
        print(f"{name:<{width}}  {line}{' (the default)' if name == DEFAULT else ''}")


def described(name: str) -> str:
    """The first sentence of what is said of the recipe in the code."""
    module, _, function = CATALOG[name].partition(":")
    try:
        build: Any = getattr(importlib.import_module(module), function)
    except MissingExtraError as missing:
        return str(missing)
    except ImportError as missing:
        return f"needs the package {missing.name!r}"
    paragraph = (inspect.getdoc(build) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).partition(". ")[0].rstrip(".")
