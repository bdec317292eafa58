"""What the service tells over HTTP, as schemas: the OpenAPI document is made of these, and tests hold to it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, PlainSerializer

from footnoted.contract import GenerationResponse
from footnoted.grounding.detector import GroundingResult


def iso(seconds: float) -> str:
    """Seconds since 1970 as ISO 8601 in UTC.

    >>> iso(0)
    '1970-01-01T00:00:00.000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Moment = Annotated[float, PlainSerializer(iso, return_type=str, when_used="json")]  # told as ISO 8601


class Told(BaseModel):
    """A body with these fields and no others."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class Open(BaseModel):
    """A body with these fields; assistants add their own."""

    model_config = ConfigDict(extra="allow")


class ToldSource(Told):
    """Where a source comes from; offsets are code points of its document, behind ``lead`` repeated ones."""

    index: int
    id: str
    chunk_id: str
    document_id: str | None
    title: str
    document_start: int | None
    document_end: int | None
    lead: int
    sha256: str | None = None


class WholeAnswer(Open):
    """An answer, as ``done`` tells it too."""

    answer_id: str
    conversation_id: str | None = None
    response: GenerationResponse
    sources: list[ToldSource]


class SavedAnswer(Told):
    """An answer as it was given."""

    answer_id: str
    conversation_id: str | None
    question: str
    response: GenerationResponse
    sources: list[ToldSource]
    created_at: str


class Assistant(Told):
    """Somebody to ask, and the stream that does."""

    id: str
    name: str
    description: str
    hint: str
    stream: str


class Assistants(Told):
    """Those that are installed here."""

    assistants: list[Assistant]


class Stopped(Told):
    """Whether there was anything left to stop."""

    stream_id: str
    stopped: bool


class StreamStatus(Told):
    """How far a stream is."""

    stream_id: str
    kind: str
    state: str
    events: int
    created_at: Moment


class ToldConversation(Told):
    """A conversation without its turns."""

    id: str
    title: str
    questions: int
    shared: bool
    created_at: Moment
    updated_at: Moment


class ToldConversations(Told):
    """A page of them; ``next`` goes into ``after``."""

    conversations: list[ToldConversation]
    next: str | None


class CutResponse(Told):
    """What had been said of an answer that was stopped, or failed."""

    query: str
    response: str
    citations: list[dict[str, Any]]
    claims: list[dict[str, Any]]
    retracted: list[dict[str, Any]]
    disagreements: list[dict[str, Any]]
    finish_reason: Literal["stopped", "error"]


class ToldTurn(Told):
    """A question and its answer; ``response`` is null while it is written, or was lost."""

    answer_id: str
    question: str
    kind: str
    stream_id: str | None
    document_ids: list[str] | None
    replaces: str | None
    sources: list[ToldSource]
    created_at: str
    response: GenerationResponse | CutResponse | None
    extras: dict[str, Any]
    rating: Literal["up", "down"] | None
    comment: str | None


class WholeConversation(ToldConversation):
    """A conversation with its turns, the oldest first."""

    turns: list[ToldTurn]


class DeletedCount(Told):
    """How many there were."""

    deleted: int


class SharedPath(Told):
    """The link's path on this service."""

    path: str


class SentText(Told):
    """A text that was sent along with a question."""

    title: str
    text: str


class ToldDocument(Told):
    """A document without its text."""

    id: str
    name: str
    title: str
    format: str
    bytes: int
    characters: int
    passages: int
    sha256: str
    conversation_id: str | None
    created_at: Moment


class ToldDocuments(Told):
    """A page of them; ``next`` goes into ``after``."""

    documents: list[ToldDocument]
    next: str | None


class ToldOpening(Told):
    """The first sentence: ``text`` is ``document[start:end]``."""

    text: str
    start: int
    end: int


class Outlined(Told):
    """How a document begins, and what its sections are on."""

    id: str
    title: str
    characters: int
    opening: ToldOpening | None
    topics: list[str]


class Outline(Told):
    """The newest documents."""

    documents: list[Outlined]


class ToldSection(Told):
    """What stands under one heading; ``headings`` lead to it."""

    headings: list[str]
    start: int
    end: int


class DocumentText(Told):
    """The text all offsets of a document count in."""

    id: str
    name: str
    title: str
    format: str
    text: str
    sections: list[ToldSection]


class ToldPlace(Told):
    """Where ``document[start:end]`` stands in the file: a rectangle (left, bottom, right, top) on a page, or a cell."""

    start: int
    end: int
    page: int | None = None
    box: list[float] | None = None
    sheet: str | None = None
    cell: str | None = None


class ToldPlaces(Told):
    """``name`` is what people call the place; ``drawn``: pages of this document are drawn."""

    name: str
    places: list[ToldPlace]
    drawn: bool


class ToldPassage(Told):
    """A passage as it was shown to the model."""

    chunk_id: str
    title: str
    text: str
    document_id: str
    document_start: int
    document_end: int
    lead: int
    metadata: dict[str, Any]


class ToldFeedback(Told):
    """What a person thought of an answer."""

    feedback_id: str
    answer_id: str
    rating: Literal["up", "down"]
    comment: str | None
    created_at: Moment


class ToldFeedbacks(Told):
    """A page of them; ``next`` goes into ``after``."""

    feedback: list[ToldFeedback]
    next: str | None


class Alive(Told):
    """The process lives."""

    status: Literal["ok"]


class Ready(Told):
    """What it stands on, each ``ok`` or why not."""

    status: Literal["ready", "not ready"]
    checks: dict[str, str]


class ToldSession(Told):
    """Who the caller is here, and what they may."""

    tenant: str
    needs_key: bool
    admin: bool
    version: str
    provider: str
    model: str | None
    checking: str
    limits: dict[str, float]
    formats: list[str]
    urls: bool
    may_add: bool


class ToldPeriod(Told):
    """What answers of a day or month (UTC) took, and the most they may; null is no limit."""

    period: Literal["day", "month"]
    name: str
    tokens: int
    tokens_held: int
    most_tokens: int | None
    money: float
    money_held: float
    most_money: float | None
    renews_at: str


class UsageDay(Told):
    """What answers of a day took."""

    day: str
    answers: int
    tokens: int
    money: float


class ToldUsage(Told):
    """What a tenant took; ``currency`` is null where no prices are set."""

    tenant: str
    currency: str | None
    periods: list[ToldPeriod]
    days: list[UsageDay]


class TenantUsage(ToldUsage):
    """The same with what its requests may ask for."""

    policy: dict[str, Any]


class ToldKey(Told):
    """A key without its secret."""

    id: str
    tenant: str
    label: str
    role: Literal["member", "admin"]
    created_at: Moment
    revoked_at: Moment | None


class MadeKey(ToldKey):
    """A new key; its secret is told this once."""

    key: str


class ToldKeys(Told):
    """Every key, the oldest first."""

    keys: list[ToldKey]


class RevokedKey(Told):
    """It is taken no more."""

    id: str
    revoked: bool


class TakenOf(Told):
    """What answers of a day or month took, and the most they may; null is no limit."""

    answers: int
    tokens: int
    money: float
    most_tokens: int | None
    most_money: float | None


class ToldTenant(Told):
    """What there is of a tenant; ``keys`` are the live ones."""

    tenant: str
    keys: int
    documents: int
    conversations: int
    month: TakenOf
    day: TakenOf


class ToldTenants(Told):
    """Every tenant, who took most this month first; ``currency`` is null where no prices are set."""

    tenants: list[ToldTenant]
    currency: str | None


class ToldThought(ToldFeedback):
    """What a person thought, of which answer to which question."""

    tenant: str
    question: str
    answer: str


class ToldThoughts(Told):
    """A page of them; ``next`` goes into ``after``."""

    feedback: list[ToldThought]
    next: str | None


class Verified(GroundingResult):
    """Each claim's verdict, and what the text was held against."""

    sources: list[ToldSource]


class BadLine(Told):
    """A record that was not read."""

    line: int
    reason: str


class FindingsReport(Told):
    """What became of a scanner's file."""

    format: str
    read: int
    added: int
    updated: int
    unchanged: int
    duplicates: int
    skipped: int
    severities: dict[str, int]
    accounts: list[str] | dict[str, int]
    partial: list[str]
    problems: list[BadLine]


class ToldFinding(Open):
    """What a scanner found."""

    id: str
    check_id: str
    title: str
    status: str
    severity: str
    service: str
    resource_id: str
    frameworks: dict[str, list[str]]
    observed_at: str | None


class FindingsPage(Told):
    """One page of findings, gravest first, and how many there are of each severity."""

    total: int
    counts: dict[str, int]
    page: int
    per_page: int
    findings: list[ToldFinding]


class KnowledgeReport(Told):
    """What became of a catalogue."""

    format: str
    title: str
    read: int
    added: int
    updated: int
    unchanged: int
    skipped: int
    frameworks: dict[str, int]
    problems: list[BadLine]


class ToldEntry(Open):
    """A control or requirement."""

    id: str
    title: str
    description: str
    origin: str
    severity: str | None
    frameworks: dict[str, list[str]]


class Knowledge(Told):
    """Entries; without a framework or service named only how many there are."""

    entries: list[ToldEntry]
    counts: dict[str, Any] | None = None


class CitedSource(Told):
    """A source as an answer cited it."""

    id: str
    kind: str
    item: str
    title: str
    text: str


class ToldOutcomes(Told):
    """What customers thought, by variant and by section."""

    experiment: str
    variants: list[dict[str, Any]]
    sections: list[dict[str, Any]]


class Model(Told):
    """A name a client may ask for."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class Models(Told):
    """The names a client may ask for."""

    object: Literal["list"]
    data: list[Model]


class ChatMessage(Open):
    """The answer; what it rests on stands in ``annotations``."""

    role: Literal["assistant"]
    content: str | None
    refusal: str | None
    annotations: list[dict[str, Any]]


class ChatChoice(Open):
    """The one choice."""

    index: int
    message: ChatMessage
    finish_reason: str


class ChatCompletion(Open):
    """An answer as a chat completion of OpenAI's; all that is known of it stands under ``footnoted``."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[ChatChoice]
    usage: dict[str, Any]
    footnoted: dict[str, Any]


class ResponsesReply(Open):
    """An answer as a response of OpenAI's; all that is known of it stands under ``footnoted``."""

    id: str
    object: Literal["response"]
    created_at: int
    status: str
    model: str
    output: list[dict[str, Any]]
    usage: dict[str, Any] | None
    footnoted: dict[str, Any]


def tells(body: type[BaseModel], words: str = "told", *, status: int = 200) -> dict[int | str, Any]:
    """The ``responses`` of a route that makes its JSON by itself: what it tells."""
    return {status: {"model": body, "description": words}}


def document_of(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document: where a route says what it tells, that alone is its schema."""
    from fastapi.openapi.utils import get_openapi

    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        for operation in (operation for path in made["paths"].values() for operation in path.values()):
            for response in operation["responses"].values():
                for content in response.get("content", {}).values():
                    schema = content.get("schema", {})
                    if "$ref" in schema:
                        content["schema"] = {"$ref": schema["$ref"]}
        app.openapi_schema = _for_generators(made)
    return app.openapi_schema


def _for_generators(document: dict[str, Any]) -> dict[str, Any]:
    """The same as code generators take it: names of one word, none twice; and files that are told to be some."""
    schemas: dict[str, Any] = document["components"]["schemas"]
    names: dict[str, str] = {}
    for long in sorted((name for name in schemas if "__" in name), key=lambda name: (name.count("__"), name)):
        *rooms, short = long.split("__")
        while short in schemas:  # the nearest room that tells it from the others
            room = rooms.pop().title().replace("_", "")
            short = short if short.startswith(room) else room + short
        schemas[short] = {**schemas.pop(long), "title": short}
        names[long] = short
    for schema in schemas.values():
        for field in schema.get("properties", {}).values():
            if field.get("contentMediaType") == "application/octet-stream":
                field["format"] = "binary"
    text = json.dumps(document)
    for long, short in names.items():
        text = text.replace(f'"#/components/schemas/{long}"', f'"#/components/schemas/{short}"')
    told: dict[str, Any] = json.loads(text)
    return told
