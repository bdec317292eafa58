"""Reads YAML and remembers the line of every key, so that an error can point at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Hashable

    import yaml

Place = tuple["str | int", ...]
_LARGEST = 1_000_000  # code points
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Lined:
    """The values of a YAML file, and the line (from 1) of each key or item by its path."""

    values: Any
    lines: dict[Place, int]

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest one above it that stands in the file."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def read_lined(text: str, name: str) -> Lined:
    """Read safe YAML. Raises `ConfigurationError` naming ``name`` and the line for what is broken or said twice."""
    try:
        import yaml
    except ImportError:
        raise ConfigurationError(
            "reading config.yaml needs PyYAML; install it with: pip install 'footnoted[community]'"
        ) from None

    if len(text) > _LARGEST:
        raise ConfigurationError(f"{name} is larger than a configuration can be ({_LARGEST:,} characters)")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise ConfigurationError(f"{name}: anchors and aliases (&name, *name) are not read; write the value out")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigurationError(f"{name}, line {line}: this is not YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigurationError(f"{name}: this is not YAML: {error}") from None
    lines: dict[Place, int] = {}
    return Lined({} if root is None else _value(root, (), lines, name), lines)


def _value(node: yaml.Node, place: Place, lines: dict[Place, int], name: str) -> Any:
    import yaml

    line = node.start_mark.line + 1
    lines.setdefault(place, line)
    if len(place) > _DEEPEST:
        raise ConfigurationError(f"{name}, line {line}: nested too deeply")
    if node.tag.startswith(("!", "tag:yaml.org,2002:python")):
        raise ConfigurationError(f"{name}, line {line}: tags ({node.tag}) are not read; write the plain value")
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*place, i), lines, name) for i, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        found: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            at = key_node.start_mark.line + 1
            if key in found:
                where = lines[(*place, key)]
                raise ConfigurationError(f"{name}, line {at}: {key} is said twice; it stands on line {where} already")
            lines[(*place, key)] = at
            found[key] = _value(value_node, (*place, key), lines, name)
        return found
    try:
        return yaml.SafeLoader("").construct_object(node)
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigurationError(f"{name}, line {line}: {error}") from None
