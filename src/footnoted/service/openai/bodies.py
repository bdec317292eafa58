"""What OpenAI's clients send, validated: messages, the parameters that are heeded, and a refusal for each that is not.

A parameter whose value asks for nothing (``n: 1``, ``tools: []``) or that says nothing about the answer (``user``) is
let be; any other that is not heeded here is refused with its name, as the vendor's own server would.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from footnoted.contract import GenerationConfig
from footnoted.service.asking import Conversation, SentSource, Words
from footnoted.service.faults import Fault

NAME = "footnoted"
_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal"})
_MOST_HISTORY = 50
# They are about the caller, its bookkeeping or its speed: the answer is the same with them.
_ABOUT_THE_CALLER = frozenset(
    {
        "user",
        "metadata",
        "store",
        "seed",
        "service_tier",
        "safety_identifier",
        "prompt_cache_key",
        "prompt_cache_retention",
        "parallel_tool_calls",
        "max_tool_calls",
        "truncation",
    }
)
# Values by which a client says that it wants nothing of the kind; absence, null and empty lists say so too.
_ASKS_NOTHING: dict[str, tuple[Any, ...]] = {
    "n": (1,),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "tool_choice": ("none", "auto"),
    "function_call": ("none", "auto"),
    "modalities": (["text"],),
    "verbosity": ("medium",),
    "background": (False,),
}


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow", protected_namespaces=())


class Part(_Open):
    """A part of a message."""

    type: str = "text"
    text: Words = ""
    refusal: Words = ""


class Message(_Open):
    """One message, or one item of a response's input. ``id`` names what was said before, in an ``item_reference``."""

    type: str = "message"
    role: Literal["system", "developer", "user", "assistant", "tool", "function"] | None = None
    content: Words | list[Part] | None = None
    id: Annotated[Words, Field(max_length=200)] | None = None

    @property
    def words(self) -> str:
        """Its text. Raises `Fault` 400 for a part that is no text."""
        if isinstance(self.content, list):
            for part in self.content:
                if part.type not in _TEXT_PARTS:
                    raise unsupported("messages", f"a part of the type {part.type!r} cannot be read here; send text")
            return "\n".join(part.text or part.refusal for part in self.content)
        return self.content or ""


class Own(BaseModel):
    """What this service takes besides, under ``footnoted``."""

    model_config = ConfigDict(extra="forbid")

    sources: list[SentSource] | None = None
    conversation_id: Conversation | None = None
    config: GenerationConfig | None = None


class SchemaFormat(_Open):
    """The JSON Schema a reply must satisfy."""

    name: Annotated[Words, Field(max_length=200)] = "reply"
    schema_: dict[str, Any] = Field(alias="schema")


class Format(_Open):
    """What the reply's text looks like; chat completions nest the schema, responses do not."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: SchemaFormat | None = None

    def asked(self, param: str) -> SchemaFormat | None:
        """The schema asked for, if any. Raises `Fault` 400 for a format that is not made here."""
        if self.type == "text":
            return None
        if self.type == "json_object":
            raise unsupported(param, "the type 'json_object' says not which fields; send 'json_schema'")
        given = self.json_schema
        if given is None and "schema" in (self.model_extra or {}):
            given = SchemaFormat.model_validate(self.model_extra)
        if given is None:
            raise Fault(400, "invalid_request", f"{param}: the type 'json_schema' needs a schema", param=param)
        return given


class StreamOptions(_Open):
    """Whether the last chunk counts tokens."""

    include_usage: bool = False


class TextOptions(_Open):
    """What a response's text looks like."""

    format: Format | None = None
    verbosity: str | None = None

    @field_validator("verbosity")
    @classmethod
    def _medium(cls, value: str | None) -> str | None:
        if value not in (None, "medium"):
            raise unsupported("text.verbosity", "answers have one length")
        return value


class _Request(_Open):
    model: Annotated[Words, Field(max_length=200)] = NAME
    stream: bool = False
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    footnoted: Own = Field(default_factory=Own)

    def refuse_the_rest(self) -> None:
        """Raise `Fault` 400 for the first parameter that asks for something that is not done here."""
        for name, value in (self.model_extra or {}).items():
            if name in _ABOUT_THE_CALLER or value is None or value in ([], {}, *_ASKS_NOTHING.get(name, ())):
                continue
            raise unsupported(name, "it would change the answer, and is not heeded here; leave it out")


class Completion(_Request):
    """The body of a chat completion."""

    messages: Annotated[list[Message], Field(min_length=1, max_length=500)]
    stream_options: StreamOptions | None = None
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    stop: Words | Annotated[list[Words], Field(max_length=4)] | None = None
    response_format: Format | None = None


class ResponseBody(_Request):
    """The body of a response."""

    input: Words | Annotated[list[Message], Field(min_length=1, max_length=500)]
    instructions: Words | None = None
    max_output_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    text: TextOptions | None = None
    include: list[str] | None = None  # each names something of a tool or of reasoning; neither is ever there


def unsupported(param: str, why: str) -> Fault:
    """400 for a parameter that is not heeded."""
    return Fault(400, "unsupported_parameter", f"Unsupported parameter: '{param}': {why}", param=param)


def conversation(messages: Sequence[Message]) -> tuple[str, list[tuple[str, str]], str]:
    """The question, the finished exchanges before it, and the instructions. Raises `Fault` 400 without a question."""
    instructions = "\n\n".join(message.words for message in messages if message.role in ("system", "developer"))
    talk = [message for message in messages if message.role in ("user", "assistant")]
    if not talk or talk[-1].role != "user" or not talk[-1].words.strip():
        words = "messages: the last one must be a user's, with a question in words"
        raise Fault(400, "invalid_request", words, param="messages")
    history: list[tuple[str, str]] = []
    asked = ""
    for message in talk[:-1]:
        if message.role == "user":
            asked = f"{asked}\n{message.words}".strip()
        elif asked and message.words:
            history.append((asked, message.words))
            asked = ""
    return talk[-1].words, history[-_MOST_HISTORY:], instructions
