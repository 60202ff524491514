"""From a table of the configuration file to the defaults of a command's options."""

from collections.abc import Mapping
from typing import Any

from paiad.config import check_keys, flattened


def defaults_of(command: Any, table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Parameter name -> value, for every key of the table; a key no option has is refused."""
    children = getattr(command, "commands", None)
    if children is not None:
        check_keys(table, children, where)
        return {
            name: defaults_of(children[name], inner, f"{where[:-1]}.{name}]") for name, inner in table.items()
        }
    names = _parameters_by_key(command)
    given = {key.replace("_", "-"): value for key, value in table.items()}
    check_keys(given, names, where)
    return {names[key]: _as_given_on_the_line(value) for key, value in given.items()}


def _parameters_by_key(command: Any) -> dict[str, str]:
    """Long options without their dashes, and arguments by name."""
    keys: dict[str, str] = {}
    for parameter in command.params:
        longs = [option[2:] for option in parameter.opts if option.startswith("--")]
        for key in longs or [parameter.name.replace("_", "-")]:
            if key != "help":
                keys[key] = parameter.name
    return keys


def _as_given_on_the_line(value: Any) -> Any:
    """A table stands for an option that is repeated as KEY=VALUE."""
    if not isinstance(value, Mapping):
        return value
    return [f"{key}={_toml(inner)}" for key, inner in flattened(value).items()]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}'" if isinstance(value, str) else str(value)
