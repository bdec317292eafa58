"""OpenAI's clients, as they are: chat completions, responses and the list of models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from footnoted.service.app import Service
from footnoted.service.asking import Asked
from footnoted.service.bodies import Route
from footnoted.service.faults import Fault
from footnoted.service.openai.answering import answer_in, question_of
from footnoted.service.openai.bodies import NAME, Completion, Message, ResponseBody, SchemaFormat
from footnoted.service.openai.chat import Chat
from footnoted.service.openai.responses import ITEM, Responses
from footnoted.service.openai.writing import StructuredWriter
from footnoted.service.routes._shared import OPENAI_ERRORS, TheService
from footnoted.service.tenants import Asking
from footnoted.service.told import ChatCompletion, Model, Models, ResponsesReply, tells

router = APIRouter(route_class=Route, prefix="/v1", tags=["openai"], responses=OPENAI_ERRORS)


@router.get("/models")
async def models(service: TheService, who: Asking) -> Models:  # noqa: ARG001 — only callers may look
    """The names a client may ask for."""
    names = filter(None, (NAME, service.settings.model))
    return Models(object="list", data=[Model(id=name, object="model", created=0, owned_by=NAME) for name in names])


@router.post("/chat/completions", responses=tells(ChatCompletion))
async def complete(request: Request, service: TheService, body: Completion, who: Asking) -> Response:
    """The answer to the last user message, from the sources sent or the tenant's documents."""
    body.refuse_the_rest()
    body.model = _answering(service, body.model)
    schema = body.response_format.asked("response_format") if body.response_format else None
    stop = [body.stop] if isinstance(body.stop, str) else body.stop
    wishes = _wishes(service, body, max_tokens=body.max_completion_tokens or body.max_tokens, stop=stop)
    asked = await question_of(service, body.footnoted, body.messages, who.tenant, wishes)
    asked = _structured(service, asked, schema, "response_format")
    usage = body.stream_options is not None and body.stream_options.include_usage
    base = str(request.base_url)
    telling = Chat(asked, base, body.model, structured=schema is not None, include_usage=usage)
    return await answer_in(service, asked, telling, stream=body.stream)


@router.post("/responses", responses=tells(ResponsesReply))
async def respond(request: Request, service: TheService, body: ResponseBody, who: Asking) -> Response:
    """The answer to the input's last user message, from the sources sent or the tenant's documents."""
    body.refuse_the_rest()
    body.model = _answering(service, body.model)
    wanted = body.text.format.asked("text.format") if body.text and body.text.format else None
    said = [Message(role="user", content=body.input)] if isinstance(body.input, str) else body.input
    said = [await _said_before(service, message, who.tenant) for message in said]
    if body.instructions:
        said = [Message(role="system", content=body.instructions), *said]
    wishes = _wishes(service, body, max_tokens=body.max_output_tokens)
    asked = await question_of(service, body.footnoted, said, who.tenant, wishes)
    asked = _structured(service, asked, wanted, "text.format")
    telling = Responses(asked, str(request.base_url), body, structured=wanted is not None)
    return await answer_in(service, asked, telling, stream=body.stream)


async def _said_before(service: Service, item: Message, tenant: str) -> Message:
    """An item of the input as a message: one that only names an answer given here is that answer."""
    if item.type == "item_reference" and item.id and item.id.startswith(ITEM):
        saved = await service.answers.get(tenant, item.id.removeprefix(ITEM))
        return Message(role="assistant", content=saved["response"]["response"])
    if item.type != "message":
        words = f"input: an item of the type {item.type!r} cannot be read here; send messages"
        raise Fault(400, "unsupported_parameter", words, param="input")
    return item


def _answering(service: Service, model: str) -> str:
    """The model a reply names: the one asked for, and the service where it asks none."""
    return NAME if service.settings.provider == "extractive" else model


def _wishes(service: Service, body: Completion | ResponseBody, **more: Any) -> dict[str, Any]:
    model = body.model if body.model not in (NAME, service.settings.model) else None
    return {"temperature": body.temperature, "top_p": body.top_p or None, "model": model, **more}


def _structured(service: Service, asked: Asked, schema: SchemaFormat | None, param: str) -> Asked:
    if schema is None:
        return asked
    return replace(asked, writer=StructuredWriter(service.desk.generator, schema, param))
