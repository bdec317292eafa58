"""A config.yaml, checked: what is wrong in it is told with its key and line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from footnoted.assistants.community.prompts import fault_in, instructions
from footnoted.assistants.community.yaml_lines import Lined, Place, read_lined
from footnoted.errors import ConfigurationError

Node = Literal["gating", "selection", "answer", "verification", "summarization"]
REDIRECT = "I can only answer from this community's own documents, and they don't cover that. Someone here may know!"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


class ModelConfig(_Section):
    """Which model decides: ``extractive`` is none at all, the networks and parameters that ship."""

    provider: Literal[
        "extractive", "openai", "anthropic", "gemini", "azure", "bedrock", "vertex", "cohere", "compatible"
    ] = "extractive"
    model: str | None = None
    base_url: str | None = None
    api_key_env: str | None = Field(default=None, description="the environment variable that holds the key")


class _OfSources(_Section):
    sources: list[str] = Field(default_factory=lambda: ["*"])  # patterns of ids

    def holds(self, source_id: str) -> bool:
        """Whether the section is about a source."""
        return any(fnmatchcase(source_id, pattern) for pattern in self.sources)


class Scope(_OfSources):
    """What the bot answers. ``about`` is told to the models; ``sources`` and ``never`` hold without any, too."""

    about: str = ""
    never: list[str] = Field(default_factory=list)


class AIConfig(ModelConfig):
    """Section ``ai``: how a reply is made. There is no key to switch verification off."""

    models: dict[Node, ModelConfig] = Field(default_factory=dict)

    request_timeout_seconds: float = Field(default=30.0, gt=0, le=600)
    llm_timeout_seconds: float = Field(default=12.0, gt=0, le=600)
    max_retries: int = Field(default=2, ge=0, le=10)

    gating_prompt: str | None = None
    selection_prompt: str | None = None
    summarization_prompt: str | None = None
    answer_prompt: str | None = None
    verification_prompt: str | None = None

    max_sources: int = Field(default=3, ge=1, le=20)
    max_answer_chars: int = Field(default=1600, ge=80, le=20_000)
    require_citations: bool = True

    answer_scope: Scope = Field(default_factory=Scope)
    refusal_policy: Literal["ignore", "redirect"] = "ignore"
    redirect_text: str = Field(default=REDIRECT, min_length=1, max_length=1000)
    certainty: float = Field(default=0.72, ge=0, le=1)
    sure: float = Field(default=0.75, ge=0, le=1)
    unsure_text: str = Field(default="This may help:", max_length=200)

    @field_validator("answer_scope", mode="before")
    @classmethod
    def _in_words(cls, scope: Any) -> Any:
        return {"about": scope} if isinstance(scope, str) else scope

    @field_validator(*(f"{node}_prompt" for node in get_args(Node)))
    @classmethod
    def _known_variables(cls, template: str | None, info: Any) -> str | None:
        fault = fault_in(info.field_name.removesuffix("_prompt"), template) if template is not None else ""
        if fault:
            raise ValueError(fault)
        return template

    @model_validator(mode="after")
    def _redirect_fits(self) -> AIConfig:
        if self.refusal_policy == "redirect" and len(self.redirect_text) > self.max_answer_chars:
            raise ValueError("redirect_text is longer than max_answer_chars")
        return self

    def instructions(self, node: Node, **values: object) -> str:
        """The instructions of a node, the community's own or those that ship, filled in; ``values`` come first."""
        known = {
            "scope": self.answer_scope.about or "(any topic of the documents)",
            "max_sources": self.max_sources,
            "max_answer_chars": self.max_answer_chars,
        }
        return instructions(node, getattr(self, f"{node}_prompt"), **{**known, **values})

    def model_of(self, node: Node) -> ModelConfig:
        """Which model decides at a node."""
        return self.models.get(node) or ModelConfig(**{name: getattr(self, name) for name in ModelConfig.model_fields})


class Site(_OfSources):
    """Where sources are published: ``sources`` (patterns of ids), ``base_url``, and how a page's address is made.

    ``strip`` is taken off the front of the id. ``pages``: ``folder`` makes ``a/b.md`` into ``a/b/``, ``html`` into
    ``a/b.html``, ``name`` into ``a/b``, and ``file`` leaves it (a repository's file).
    """

    base_url: str = Field(pattern=r"^https?://[^\s<>()]+$")
    strip: str = ""
    pages: Literal["folder", "html", "name", "file"] = "folder"

    def page(self, source_id: str) -> str:
        """The page's address."""
        path = PurePosixPath(source_id.removeprefix(self.strip).lstrip("/"))
        base = self.base_url.rstrip("/") + "/"
        if self.pages == "file":
            return base + quote(str(path))
        first = path.stem in ("index", "_index", "README")
        if self.pages == "html":
            return base + quote(str(path.with_suffix(".html")))
        name = path.parent if first else path.with_suffix("")
        folder = "" if str(name) == "." else quote(str(name))
        return base + folder + ("/" if folder and self.pages == "folder" else "")


class KnowledgeConfig(_Section):
    """Where the index artifact is, relative to the config file, and where its sources are published."""

    index: str = "index.md"
    sites: list[Site] = Field(default_factory=list)


class DiscordConfig(_Section):
    """Where the bot listens. No channel is answered that is not named here."""

    token_env: str = "DISCORD_TOKEN"  # noqa: S105
    channels: list[int] = Field(default_factory=list)
    only_when_mentioned: bool = False
    reply_in: Literal["thread", "channel"] = "thread"
    thread_name: str = Field(default="Answer", min_length=1, max_length=100)
    command: str = Field(default="ask", pattern=r"^[a-z0-9_-]{0,32}$")


class WebhookConfig(_Section):
    """Where messages of another platform are posted to and replies are given back; no port, no webhook."""

    host: str = "127.0.0.1"
    port: int | None = Field(default=None, ge=0, le=65535)
    secret_env: str = "COMMUNITY_WEBHOOK_SECRET"  # noqa: S105
    bot: str = ""


class MetricsConfig(_Section):
    """Where Prometheus may read the bot's metrics; port 0 takes a free one, no port serves none."""

    host: str = "127.0.0.1"
    port: int | None = Field(default=9464, ge=0, le=65535)


class CommunityConfig(_Section):
    """A whole config.yaml. ``folder`` is where it stands; paths in it are relative to that."""

    ai: AIConfig = Field(default_factory=AIConfig)
    knowledge: KnowledgeConfig = Field(default_factory=KnowledgeConfig)
    discord: DiscordConfig = Field(default_factory=DiscordConfig)
    webhook: WebhookConfig = Field(default_factory=WebhookConfig)
    metrics: MetricsConfig = Field(default_factory=MetricsConfig)
    folder: Path = Field(default=Path(), exclude=True)

    @property
    def index(self) -> Path:
        """The index artifact's place."""
        return self.folder / Path(self.knowledge.index).expanduser()


def read_config(path: str | Path | None = None) -> CommunityConfig:
    """The configuration in a file; without one, the commented default that ships with the package.

    Raises `ConfigurationError` with every fault, each with its line and key.
    """
    if path is None:
        text = files("footnoted.assistants.community").joinpath("config.yaml").read_text("utf-8")
        return configured(read_lined(text, "config.yaml"), "config.yaml", folder=Path())
    place = Path(path)
    try:
        text = place.read_text("utf-8")
    except FileNotFoundError:
        raise ConfigurationError(f"{place}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{place} cannot be read: {error}") from None
    return configured(read_lined(text, str(place)), str(place), folder=place.parent)


def configured(lined: Lined, name: str, *, folder: Path) -> CommunityConfig:
    """Values with their lines, checked. An empty section is the default one."""
    values = lined.values
    if not isinstance(values, Mapping):
        raise ConfigurationError(f"{name}: a config has sections (ai:, knowledge:, discord:, webhook:, metrics:)")
    given = {key: value for key, value in values.items() if value is not None and key != "folder"}
    if "folder" in values:
        raise ConfigurationError(f"{name}, line {lined.line(('folder',))}: folder: there is no such key")
    try:
        return CommunityConfig.model_validate({**given, "folder": folder})
    except ValidationError as error:
        raise ConfigurationError("\n".join(_faults(error, lined, name))) from None


def with_certainty(text: str, certainty: float) -> str:
    """A config's text with another ``ai.certainty``; everything else stays as it is, comments too.

    Raises `ConfigurationError` where the text has a section ``ai`` that is not written as lines.
    """
    lined = read_lined(text, "config.yaml")
    values = lined.values if isinstance(lined.values, Mapping) else {}
    lines = text.splitlines()
    said = f"certainty: {certainty:.3f}"
    if isinstance(values.get("ai"), Mapping) and "certainty" in values["ai"]:
        at = lined.line(("ai", "certainty")) - 1
        lines[at], count = re.subn(r"certainty:[ \t]*[^\s,}#]+", said, lines[at], count=1)
        if not count:
            raise ConfigurationError("ai.certainty cannot be changed where it stands; write it on a line of its own")
    elif values.get("ai"):
        first = lined.line(("ai", next(iter(values["ai"])))) - 1
        if first == lined.line(("ai",)) - 1:
            raise ConfigurationError("section ai stands on one line; write its keys on lines of their own")
        indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
        lines.insert(first, f"{indent}{said}")
    elif "ai" in values:
        lines.insert(lined.line(("ai",)), f"  {said}")
    else:
        lines += ["ai:", f"  {said}"]
    return "\n".join(lines) + "\n"


def _faults(error: ValidationError, lined: Lined, name: str) -> Iterator[str]:
    for fault in error.errors(include_url=False):
        place: Place = tuple(part for part in fault["loc"] if part != "[key]")
        key = ".".join(map(str, place)) or "the file"
        words = fault["msg"].removeprefix("Value error, ")
        if fault["type"] == "extra_forbidden":
            words = "there is no such key" + _nearest(place)
        elif fault["type"].endswith("_type") or fault["type"].endswith("_parsing"):
            words = f"{words}; got {fault['input']!r}"[:300]
        yield f"{name}, line {lined.line(place)}: {key}: {words}"


def _nearest(place: Place) -> str:
    section: type[BaseModel] = CommunityConfig
    for part in place[:-1]:
        field = section.model_fields.get(str(part))
        kind = field.annotation if field else None
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            return ""
        section = kind
    known = [field for field in section.model_fields if field != "folder"]
    near = difflib.get_close_matches(str(place[-1]), known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
