"""A purpose and a reader's wishes in; the words of the instructions out, from files a user can override."""

from __future__ import annotations

import re
import string
from functools import lru_cache
from pathlib import Path

from footnoted.contract import GenerationMode, OutputFormat
from footnoted.errors import ConfigurationError

_SHIPPED = Path(__file__).parent / "templates"
_NAME = re.compile(r"[\w-]{1,80}")  # a path, even an absolute one, would leave the folder
_VARIABLES = frozenset({"cite", "format"})

_COMPARES = re.compile(
    r"\b(compar\w+|contrast\w*|versus|vs\.?|differ(?:s|ence|ences|ent)?\b.{0,200}?\b(?:between|from|and|than))\b",
    re.IGNORECASE,
)
_SUMMARISES = re.compile(
    r"\b(summar(?:y|ise|ize|ies|ising|izing)|sum up|overview|outline|tl;?dr|key points|main points)\b",
    re.IGNORECASE,
)


def choose(question: str, mode: GenerationMode, *, has_sources: bool) -> str:
    """The name of the template for this question and mode.

    >>> choose("Compare theft cover at home and abroad", GenerationMode.ANALYTICAL, has_sources=True)
    'comparison'
    """
    if not has_sources:
        return "no_context"
    if mode in (GenerationMode.GROUNDED, GenerationMode.ANALYTICAL):
        if _COMPARES.search(question):
            return "comparison"
        if _SUMMARISES.search(question):
            return "summary"
    return mode.value


@lru_cache(maxsize=256)
def instructions(
    name: str, *, output_format: OutputFormat, structured: bool = False, directory: Path | None = None
) -> str:
    """The system text of a template, citation and format rules filled in, without blank lines.

    Raises `ConfigurationError` when the template is unknown or uses a variable that does not exist.
    """
    body = _read(name, directory)
    form = _read("format-schema" if structured else f"format-{output_format.value}", directory)
    # A structured reply carries its sources in fields of its own, not in markers.
    values = {"cite": "" if structured else _read("cite", directory), "format": form}
    template = string.Template(body)
    unknown = set(template.get_identifiers()) - _VARIABLES
    if unknown:
        names = ", ".join(f"${name_}" for name_ in sorted(unknown))
        raise ConfigurationError(
            f"prompt template {name!r} uses {names}; it may use {', '.join('$' + v for v in sorted(_VARIABLES))}"
        )
    filled = template.safe_substitute(values)
    return "\n".join(line for line in filled.splitlines() if line.strip())


def _read(name: str, directory: Path | None) -> str:
    for folder in (directory, _SHIPPED) if _NAME.fullmatch(name) else ():
        found = _load(folder / f"{name}.md") if folder is not None else None
        if found is not None:
            return found
    known = ", ".join(sorted(path.stem for path in _SHIPPED.glob("*.md")))
    where = f" in {directory} or" if directory else ""
    raise ConfigurationError(f"no prompt template {name[:80]!r}{where} among the shipped ones: {known}")


@lru_cache(maxsize=256)
def _load(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"prompt template {path} cannot be read: {error}") from error
