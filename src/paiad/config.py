"""The configuration file: TOML, one table a command, keys named as the command's long options are.

[detect]
train-until = "30%"
merge-gap = 24

[detect.set]
half_width = 16
"""

import difflib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from paiad.errors import SettingError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_config(path: Path) -> dict[str, Any]:
    """The tables of a configuration file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"{path}: not a TOML file ({error})") from error


def check_keys(given: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse a key that has no meaning, naming the nearest one that has.

    >>> check_keys(["treshold"], ["threshold", "time"], "[detect]")
    Traceback (most recent call last):
    paiad.errors.SettingError: [detect] has no key 'treshold' (did you mean 'threshold'?); it has threshold, time
    """
    known = sorted(known)
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise SettingError(f"{where} has no key {key!r}{hint}; it has {', '.join(known)}")


def flattened(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables as dotted keys.

    >>> flattened({"half_width": 8, "base": {"learner": {"width": 16}}})
    {'half_width': 8, 'base.learner.width': 16}
    """
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            flat |= flattened(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def value_of(text: str) -> Any:
    """A setting as TOML reads it; what is no TOML value is text.

    >>> value_of("8"), value_of("true"), value_of("[1, 2]"), value_of("cosine")
    (8, True, [1, 2], 'cosine')
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text


def setting_of(text: str) -> tuple[str, Any]:
    """A `key=value` as given on the command line."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise SettingError(f"expected KEY=VALUE, got {text!r}")
    return key.strip(), value_of(value.strip())
