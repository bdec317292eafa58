"""What may be asked over HTTP: the request bodies, validated, and what becomes of them inside."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from footnoted.assistants.protocol import Writes
from footnoted.contract import GenerationConfig, GenerationRequest, GenerationResponse, SourceContext
from footnoted.service.faults import Fault, too_large
from footnoted.service.settings import Settings
from footnoted.service.streams import Reader
from footnoted.types import Source

if TYPE_CHECKING:
    from footnoted.service.spending import Bill

CONVERSATION = r"^[A-Za-z0-9._:-]{1,64}$"
_MOST_HISTORY = 50
_UUID_DIGITS = 32


def _without_nul(text: str) -> str:
    # PostgreSQL stores no NUL, and no language needs one.
    return text.replace("\x00", "")


def _as_turns(history: Any) -> Any:
    """A talk as pairs; messages with a role and a content are put together in twos."""
    if not isinstance(history, list) or not all(isinstance(message, dict) for message in history):
        return history
    turns: list[list[str]] = []
    for message in history:
        role, content = message.get("role"), message.get("content")
        if role not in ("user", "assistant") or not isinstance(content, str):
            raise ValueError("a message of the history has a role, user or assistant, and a content")
        if role == "user" or not turns or turns[-1][1]:
            turns.append([content, ""] if role == "user" else ["", content])
        else:
            turns[-1][1] = content
    return turns


Words = Annotated[str, AfterValidator(_without_nul)]
Conversation = Annotated[str, Field(pattern=CONVERSATION)]
if TYPE_CHECKING:
    Id = str
else:
    Id = Annotated[UUID, AfterValidator(str)]  # as the tables keep it: lower case, with dashes


class Body(BaseModel):
    """A request's body: what is not known is refused, so that a misspelt field is noticed."""

    model_config = ConfigDict(extra="forbid")


class SentSource(Body):
    """A source a client sends along. ``id`` comes back; a UUID is kept as the chunk's id."""

    text: Words
    id: Annotated[Words, Field(max_length=200)] = ""
    title: Annotated[Words, Field(max_length=1_000)] = ""
    metadata: dict[str, Any] = Field(default_factory=dict)


class AnswerBody(Body):
    """A question and the sources it may be answered from."""

    question: Words
    sources: list[SentSource] = Field(default_factory=list)
    conversation_id: Conversation | None = None
    replaces: Id | None = None
    config: GenerationConfig = Field(default_factory=GenerationConfig)
    history: Annotated[list[tuple[Words, Words]], Field(max_length=_MOST_HISTORY)] = Field(default_factory=list)
    instructions: Words | None = None
    reader: Reader = "keep"


class MessageBody(Body):
    """A message of a conversation, to whichever assistant."""

    message: Words = Field(validation_alias=AliasChoices("message", "question"))
    conversation_id: Conversation | None = None
    replaces: Id | None = None
    document_ids: Annotated[list[Id], Field(max_length=200)] | None = None
    passages: Annotated[int, Field(ge=1, le=50)] = 8
    history: Annotated[
        Annotated[list[tuple[Words, Words]], Field(max_length=_MOST_HISTORY)] | None,
        BeforeValidator(_as_turns),
        Field(validation_alias=AliasChoices("history", "conversation_history")),
    ] = None
    reader: Reader = "keep"


class ChatBody(MessageBody):
    """A message to be answered from the tenant's documents.

    ``assistant`` ``documents`` says that nothing else may answer. Left out, another assistant of this service may, but
    only for a tenant that has added no documents.
    """

    assistant: Literal["documents"] | None = None
    config: GenerationConfig = Field(default_factory=GenerationConfig)
    instructions: Words | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a source comes from, as a client is told."""

    id: str
    chunk_id: str
    title: str
    document_id: str | None = None
    start: int | None = None
    end: int | None = None
    lead: int = 0

    def told(self, index: int) -> dict[str, Any]:
        """As it stands in `start` and in an answer."""
        return {
            "index": index,
            "id": self.id,
            "chunk_id": self.chunk_id,
            "document_id": self.document_id,
            "title": self.title,
            "document_start": self.start,
            "document_end": self.end,
            "lead": self.lead,
        }

    def in_document(self, start: int, end: int) -> tuple[int | None, int | None]:
        """Offsets of the passage as offsets of its document; nothing where the words are a repeated head's."""
        if self.start is None or start < self.lead:
            return None, None
        return self.start + start - self.lead, self.start + end - self.lead


@dataclass(frozen=True, slots=True)
class Asked:
    """A question ready to be answered. ``extras`` go into ``done``, with what ``after`` makes of the response.

    ``writer`` writes this answer instead of the service's own generator; ``start`` is told before its first word.
    ``replaces`` is an earlier turn's answer_id: the same was asked again. ``reader``: whether a stream of it goes on
    when nobody reads it.
    """

    request: GenerationRequest
    places: tuple[Place, ...]
    tenant: str
    kind: str
    conversation_id: str | None = None
    answer_id: str = field(default_factory=lambda: str(uuid4()))
    extras: Mapping[str, Any] = field(default_factory=dict)
    after: Callable[[GenerationResponse], Mapping[str, Any]] | None = None
    writer: Writes | None = None
    replaces: str | None = None
    document_ids: list[str] | None = None
    reader: Reader = "keep"
    start: Mapping[str, Any] = field(default_factory=dict)
    bill: Bill | None = None

    def drop(self) -> None:
        """Hold nothing any more for an answer that was not begun."""
        if self.bill is not None:
            self.bill.drop()


def check_size(
    settings: Settings, *texts: str, question: str, sources: int = 0, longest: int = 0, field: str = "question"
) -> None:
    """Raise `Fault` 413 or 422 when a question (or another ``field``) or its sources are more than is taken here."""
    if not question.strip():
        wanted = "ask something in words" if field == "question" else "send a text"
        raise Fault(422, "invalid_request", f"{field}: the {field} is empty; {wanted}")
    if len(question) > settings.question_characters:
        raise too_large(f"the {field} is longer than {settings.question_characters} characters")
    if sources > settings.sources:
        raise too_large(f"more than {settings.sources} sources")
    if longest > settings.source_characters:
        raise too_large(f"a source is longer than {settings.source_characters} characters")
    if sum(map(len, texts)) > settings.source_characters:
        raise too_large(f"the history and instructions are longer than {settings.source_characters} characters")


def from_sources(body: AnswerBody, tenant: str, settings: Settings, *, kind: str = "answer") -> Asked:
    """A question with its own sources, ready to be answered."""
    check_size(
        settings,
        *(part for turn in body.history for part in turn),
        body.instructions or "",
        question=body.question,
        sources=len(body.sources),
        longest=max((len(source.text) for source in body.sources), default=0),
    )
    contexts, places = contexts_of_sent(body.sources)
    request = GenerationRequest(
        query=body.question,
        context=contexts,
        config=body.config,
        system_instructions=body.instructions,
        conversation_history=body.history,
    )
    return Asked(
        request,
        places,
        tenant,
        kind,
        conversation_id=body.conversation_id,
        replaces=body.replaces,
        reader=body.reader,
    )


def contexts_of_sent(sources: list[SentSource]) -> tuple[list[SourceContext], tuple[Place, ...]]:
    """Sent sources as the library takes them, each with an id of its own, and where they come from."""
    contexts: list[SourceContext] = []
    places: list[Place] = []
    seen: set[UUID] = set()
    for index, source in enumerate(sources):
        chunk_id = _uuid_of(source, index)
        if chunk_id in seen:
            chunk_id = uuid5(chunk_id, str(index))
        seen.add(chunk_id)
        metadata = {**source.metadata, "title": source.title} if source.title else dict(source.metadata)
        context = SourceContext(chunk_id=chunk_id, document_id=chunk_id, content=source.text, metadata=metadata)
        contexts.append(context)
        places.append(Place(source.id or str(chunk_id), str(chunk_id), context.title))
    return contexts, tuple(places)


def contexts_of_found(sources: list[Source]) -> tuple[list[SourceContext], tuple[Place, ...]]:
    """Found passages as the library takes them, and where in their documents they stand."""
    contexts: list[SourceContext] = []
    places: list[Place] = []
    for source in sources:
        data = source.metadata
        chunk_id = UUID(source.id)
        document_id = data.get("document_id")
        context = SourceContext(
            chunk_id=chunk_id,
            document_id=UUID(str(document_id)) if document_id else chunk_id,
            content=source.text,
            metadata=dict(data),
            relevance_score=source.score or 0.0,
        )
        contexts.append(context)
        places.append(
            Place(
                id=str(chunk_id),
                chunk_id=str(chunk_id),
                title=context.title or source.title,
                document_id=str(document_id) if document_id else None,
                start=data.get("start"),
                end=data.get("end"),
                lead=int(data.get("lead") or 0),
            )
        )
    return contexts, tuple(places)


def _uuid_of(source: SentSource, index: int) -> UUID:
    if len(source.id) >= _UUID_DIGITS:
        with contextlib.suppress(ValueError):
            return UUID(source.id)
    return uuid5(NAMESPACE_URL, f"footnoted:{source.id or index}:{source.text[:2000]}")
