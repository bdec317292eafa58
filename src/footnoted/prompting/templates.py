"""Words the instructions for a purpose and a reader's wishes, from files a user can override."""

from __future__ import annotations

import string
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from footnoted.contract import GenerationMode, OutputFormat
from footnoted.errors import ConfigurationError
from footnoted.text.phrases import whole

_SHIPPED = Path(__file__).parent / "templates"
_LONGEST_NAME = 80
_VARIABLES = frozenset({"cite", "format"})
_FORMER = {"summary": "summarization"}  # until 0.7: what a template was called, and is called now

_COMPARES = whole(*"compar* contrast* versus vs".split())
_DIFFERS = whole(*"differ differs difference differences different".split())
_FROM = whole(*"between from and than".split())
_SUMMARISES = whole(
    *"summary summarise summarize summaries summarising summarizing overview outline tldr tl;dr".split(),
    *("sum up", "key points", "main points"),
)


def choose(question: str, mode: GenerationMode, *, has_sources: bool) -> str:
    """The name of the template for this question and mode.

    >>> choose("Compare theft cover at home and abroad", GenerationMode.ANALYTICAL, has_sources=True)
    'comparison'
    """
    if not has_sources:
        return "no_context"
    if mode in (GenerationMode.GROUNDED, GenerationMode.ANALYTICAL):
        differs = _DIFFERS.search(question)
        if _COMPARES.search(question) or (differs and _FROM.search(question, differs.end())):
            return "comparison"
        if _SUMMARISES.search(question):
            return "summarization"
    return mode.value


@dataclass(frozen=True, slots=True)
class PromptTemplates:
    """The words models are told, one template a purpose; a file of the same name in ``directory`` wins.

    Purposes: ``grounded`` (question answering), ``analytical``, ``comparison``, ``summarization``, ``simple``,
    ``conversational``, ``no_context``; beside them ``cite``, ``cite-quoted`` and one ``format-…`` a format, which fill
    their variables.
    """

    directory: str | Path | None = None

    def __post_init__(self) -> None:
        if self.directory is not None:
            object.__setattr__(self, "directory", Path(self.directory))

    @property
    def names(self) -> list[str]:
        """Every template there is, sorted."""
        folders = [Path(self.directory), _SHIPPED] if self.directory is not None else [_SHIPPED]
        return sorted({path.stem for folder in folders for path in folder.glob("*.md")})

    def get_template(self, name: str) -> str:
        """The words of a template as they stand in its file: ``$cite`` and ``$format`` are filled in later.

        Raises `ConfigurationError` when there is none of that name.
        """
        if name in _FORMER:
            _renamed(f"prompt template {name!r}", _FORMER[name])
            name = _FORMER[name]
        own = Path(self.directory) if self.directory is not None else None
        for folder in (own, _SHIPPED) if _is_name(name) else ():
            found = _kept_in(folder, name) if folder is not None else None
            if found is not None:
                return found
        known = ", ".join(sorted(path.stem for path in _SHIPPED.glob("*.md")))
        where = f" in {self.directory} or" if self.directory else ""
        raise ConfigurationError(f"no prompt template {name[:80]!r}{where} among the shipped ones: {known}")


def _is_name(name: str) -> bool:
    """Whether it is letters, digits, hyphens and underscores: a path, even an absolute one, would leave the folder."""
    return len(name) <= _LONGEST_NAME and name.replace("-", "x").replace("_", "x").isalnum()


def get_template(name: str, *, directory: str | Path | None = None) -> str:
    """A prompt template by its name, from ``directory`` if it holds one, else the shipped one.

    Raises `ConfigurationError` when there is none of that name.
    """
    return PromptTemplates(Path(directory) if directory is not None else None).get_template(name)


@lru_cache(maxsize=256)
def instructions(
    name: str,
    *,
    output_format: OutputFormat,
    structured: bool = False,
    quoted: bool = False,
    directory: Path | None = None,
) -> str:
    """The system text of a template, citation and format rules filled in, without blank lines.

    Raises `ConfigurationError` when the template is unknown or uses a variable that does not exist.
    """
    read = PromptTemplates(directory).get_template
    body, form = read(name), read("format-schema" if structured else f"format-{output_format.value}")
    # A structured reply carries its sources in fields of its own, not in markers.
    values = {"cite": "" if structured else read("cite-quoted" if quoted else "cite"), "format": form}
    template = string.Template(body)
    unknown = set(template.get_identifiers()) - _VARIABLES
    if unknown:
        names = ", ".join(f"${name_}" for name_ in sorted(unknown))
        raise ConfigurationError(
            f"prompt template {name!r} uses {names}; it may use {', '.join('$' + v for v in sorted(_VARIABLES))}"
        )
    filled = template.safe_substitute(values)
    return "\n".join(line for line in filled.splitlines() if line.strip())


def _kept_in(folder: Path, name: str) -> str | None:
    found = _load(folder / f"{name}.md")
    former = next((former for former, now in _FORMER.items() if now == name), None)
    if found is None and former is not None:
        found = _load(folder / f"{former}.md")
        if found is not None:
            _renamed(f"prompt template {folder / former}.md", f"{name}.md")
    return found


def _renamed(former: str, now: str) -> None:
    warnings.warn(f"{former} is called {now} now; the old name goes with 0.7", DeprecationWarning, stacklevel=3)


@lru_cache(maxsize=256)
def _load(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"prompt template {path} cannot be read: {error}") from error
