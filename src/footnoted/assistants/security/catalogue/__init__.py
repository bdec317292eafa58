"""The catalogue of controls that ships: a folder of TOML files, one a service, checked and read as knowledge.

A control is one thing that should be true of an AWS account. ``service`` is a canonical key ("s3"); ``frameworks`` maps
a key of `FRAMEWORKS` to the identifiers of the requirements the control serves; ``finding_checks`` are the ids under
which scanners report its breach: Prowler's check ids and Security Hub's control ids ("S3.1").
"""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Any

from footnoted.assistants.security.findings.hub import TODAY
from footnoted.assistants.security.knowledge.entry import KnowledgeEntry
from footnoted.assistants.security.severity import Severity
from footnoted.errors import ConfigurationError

SEVERITIES = ("critical", "high", "medium", "low")
FRAMEWORKS = ("hipaa", "soc2", "pci-dss", "gdpr", "cis-aws", "nist-800-53")
_SHIPPED = Path(__file__).with_name("controls")
_TEXTS = ("id", "title", "severity", "summary", "check", "cli", "terraform")
_LISTS = ("console", "finding_checks")
_IN_WORDS = frozenset(ascii_lowercase + digits)


@lru_cache(maxsize=1)
def load_catalogue() -> tuple[KnowledgeEntry, ...]:
    """Every control that ships, in the order of its files and of their lines; read once a process."""
    return read_controls(_SHIPPED)


@cache
def by_check() -> dict[str, tuple[KnowledgeEntry, ...]]:
    """The entries that speak of a check, by its id."""
    found: dict[str, list[KnowledgeEntry]] = {}
    for entry in load_catalogue():
        for check in entry.checks:
            found.setdefault(check, []).append(entry)
    return {check: tuple(those) for check, those in found.items()}


@lru_cache(maxsize=512)
def checks_of(frameworks: tuple[str, ...]) -> tuple[str, ...]:
    """The ids of the checks that the catalogue ties to any of these frameworks, their older names too, sorted."""
    wanted = set(frameworks)
    found = {check for entry in load_catalogue() if wanted & entry.frameworks.keys() for check in entry.checks}
    return tuple(sorted(found | {old for old, today in TODAY.items() if today in found}))


def read_controls(folder: Path) -> tuple[KnowledgeEntry, ...]:
    """The controls of every ``*.toml`` file in ``folder``.

    Raises `ConfigurationError` naming the file and the line where a control is not written as it should be.
    """
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise ConfigurationError(f"{folder} holds no *.toml file of controls")
    controls: list[KnowledgeEntry] = []
    seen: dict[str, str] = {}
    for path in paths:
        for line, control in _read_file(path):
            place = f"{path.name}, line {line}"
            if control.id in seen:
                raise ConfigurationError(f"{place}: the id {control.id!r} is taken by {seen[control.id]}")
            seen[control.id] = place
            controls.append(control)
    return tuple(controls)


def _read_file(path: Path) -> list[tuple[int, KnowledgeEntry]]:
    """The controls of one file, each with the line it starts on."""
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path.name}: cannot be read as TOML: {error}") from error
    opened = (line.partition("]]")[0].lstrip(" \t").partition("[[") for line in text.split("\n"))
    lines = [number for number, (before, _, name) in enumerate(opened, 1) if not before and name.strip() == "control"]
    service, tables = content.get("service"), content.get("control")
    if not isinstance(service, str) or not service:
        raise ConfigurationError(f'{path.name}, line 1: the file must open with its service, as service = "s3"')
    if not isinstance(tables, list) or not tables or len(tables) != len(lines):
        raise ConfigurationError(f"{path.name}: controls are written as [[control]] tables, one or more a file")
    return [
        (line, _control(table, service, f"{path.name}, line {line}")) for line, table in zip(lines, tables, strict=True)
    ]


def _control(table: dict[str, Any], service: str, place: str) -> KnowledgeEntry:
    unknown = table.keys() - {*_TEXTS, *_LISTS, "frameworks"}
    if unknown:
        raise ConfigurationError(f"{place}: {', '.join(sorted(unknown))}: no such field in a control")
    texts = {name: _text(table, name, place) for name in _TEXTS}
    words = texts["id"].split("-")
    if len(words) < 2 or not all(word and _IN_WORDS.issuperset(word) for word in words):
        raise ConfigurationError(f"{place}: the id {texts['id']!r} should be lower-case words joined by hyphens")
    if texts["severity"] not in SEVERITIES:
        raise ConfigurationError(f"{place}: severity is one of {', '.join(SEVERITIES)}; got {texts['severity']!r}")
    return KnowledgeEntry(
        id=texts["id"],
        title=texts["title"],
        description=texts["summary"],
        origin="shipped",
        service=service,
        severity=Severity(texts["severity"]),
        check=texts["check"],
        cli=texts["cli"],
        terraform=texts["terraform"],
        console=_texts(table.get("console"), "console", place),
        checks=_texts(table.get("finding_checks"), "finding_checks", place, some=False),
        frameworks=_frameworks(table.get("frameworks"), place),
    )


def _text(table: dict[str, Any], name: str, place: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f"{place}: {name} must be a text that is not empty")
    return value.strip()


def _texts(value: Any, name: str, place: str, *, some: bool = True) -> tuple[str, ...]:
    """``some``: whether the list must hold a text at all; no scanner may look for a control yet."""
    are_texts = isinstance(value, list) and all(isinstance(text, str) and text.strip() for text in value)
    if not are_texts or (some and not value):
        raise ConfigurationError(f"{place}: {name} must be a list of texts{', one or more' if some else ''}")
    if len(set(value)) != len(value):
        raise ConfigurationError(f"{place}: {name} says the same thing twice")
    return tuple(text.strip() for text in value)


def _frameworks(value: Any, place: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict) or not value:
        raise ConfigurationError(f"{place}: frameworks must name one framework or more")
    unknown = value.keys() - set(FRAMEWORKS)
    if unknown:
        raise ConfigurationError(f"{place}: {min(unknown)!r} is no framework; known: {', '.join(FRAMEWORKS)}")
    return {name: _texts(value[name], f"frameworks.{name}", place) for name in FRAMEWORKS if name in value}
