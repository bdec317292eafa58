"""Builds the application: opens its rooms, finds its routes, and tells its errors in one shape."""

from __future__ import annotations

import asyncio
import contextlib
import pkgutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from footnoted import __version__
from footnoted.answering.generator import GroundedGenerator, chosen_provider
from footnoted.errors import FootnotedError
from footnoted.providers import Fallback
from footnoted.service import routes
from footnoted.service.answering import Desk
from footnoted.service.chatting import Chat
from footnoted.service.conversations import Conversations
from footnoted.service.counting import Counters, MemoryCounters
from footnoted.service.documents import DocumentService
from footnoted.service.door import Door
from footnoted.service.faults import Fault, fault_of, words_of
from footnoted.service.fetching import Fetcher
from footnoted.service.garbage import by_the_clock
from footnoted.service.history import Answers
from footnoted.service.limits import Limits, MemoryLimits
from footnoted.service.observe import logs, traces
from footnoted.service.pacing import paced
from footnoted.service.replay.memory import MemoryReplay
from footnoted.service.settings import Settings, read_settings
from footnoted.service.spending import Spending
from footnoted.service.store import Store
from footnoted.service.store.keys import Keys
from footnoted.service.store.usage import Ledger
from footnoted.service.streams import Streams
from footnoted.service.tasks import ended
from footnoted.service.tenants import Tenants
from footnoted.service.told import document_of
from footnoted.service.turns import Turns

if TYPE_CHECKING:
    from footnoted.service.replay import Replay

log = structlog.get_logger("footnoted.service")


@dataclass(slots=True)
class Service:
    """Every room of a running service. A route module reaches it as ``request.app.state.service``."""

    settings: Settings
    store: Store
    tenants: Tenants
    limits: Limits
    spending: Spending
    streams: Streams
    documents: DocumentService
    answers: Answers
    conversations: Conversations
    chat: Chat
    desk: Desk
    fetcher: Fetcher
    rooms: dict[str, Any] = field(default_factory=dict)  # what families of routes opened, by their modules' names
    when_rated: list[Callable[..., Awaitable[None]]] = field(default_factory=list)  # told of feedback that was kept
    when_forgetting: list[Callable[[float], Awaitable[None]]] = field(default_factory=list)  # given the oldest kept


def create_app(settings: Settings | None = None, *, generator: GroundedGenerator | None = None) -> FastAPI:
    """The application. ``generator`` writes the answers instead of the one the settings describe."""
    settings = settings or read_settings()
    modules = _route_modules()
    app = FastAPI(
        title="footnoted",
        version=__version__,
        summary="Answers, footnoted: every sentence points at the exact words that support it.",
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=lambda route: f"{route.tags[0]}_{route.name}" if route.tags else route.name,
        lifespan=_lifespan(settings, modules, generator),
    )
    app.state.reading_bodies = Turns(1)
    app.state.routes = [route for module in modules for route in module.router.routes]
    for module in modules:
        app.include_router(module.router)
    app.openapi = partial(document_of, app)  # type: ignore[method-assign]
    _tell_errors(app)
    app.add_middleware(Door, body_bytes=settings.body_bytes, file_bytes=settings.file_bytes)
    return app


def served_app() -> FastAPI:
    """What `footnoted serve` runs in each worker; everything is read from the environment."""
    settings = read_settings()
    logs.set_up(settings)
    sys.setswitchinterval(0.001)  # seconds: whoever waits for a word goes before threads that read and weigh
    return create_app(settings)


def _route_modules() -> list[ModuleType]:
    """Every module of `routes` whose extra is installed, in the order of their names; the page's catch-all is last."""
    found = []
    modules = [module for module in pkgutil.iter_modules(routes.__path__) if not module.name.startswith("_")]
    for module in sorted(modules, key=lambda module: (module.name == "page", module.name)):
        try:
            found.append(import_module(f"{routes.__name__}.{module.name}"))
        except ModuleNotFoundError as error:
            if error.name and error.name.startswith("footnoted.service"):
                raise
            log.info("routes left out", routes=module.name, missing=error.name)
    return found


def _lifespan(
    settings: Settings, modules: list[ModuleType], generator: GroundedGenerator | None
) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as opened:
            traces.set_up(settings)
            opened.callback(traces.shut_down)
            service = await _open(settings, generator, opened)
            app.state.service = service
            for module in modules:
                room = getattr(module, "room", None)
                if room is not None:
                    name = module.__name__.rpartition(".")[2]
                    service.rooms[name] = await opened.enter_async_context(room(service))
            opened.enter_context(_drained_by_signal(service.streams))
            await opened.enter_async_context(by_the_clock())
            log.info(
                "ready", version=__version__, provider=settings.provider, replay=type(service.streams.replay).__name__
            )
            yield
            service.streams.drain()

    return lifespan


async def _open(settings: Settings, generator: GroundedGenerator | None, opened: AsyncExitStack) -> Service:
    enter = opened.enter_async_context
    connections, seconds = settings.database_connections, settings.database_seconds
    store = await enter(aclosing(Store(settings.database_url, connections=connections, seconds=seconds)))
    await store.open()
    await store.watch()
    if generator is None:
        generator = await enter(aclosing(make_generator(settings)))
    answers = await enter(aclosing(Answers(store)))
    ledger = await enter(aclosing(Ledger(store)))
    replay, limits, counters = await _replay_and_limits(settings, opened)
    spending = Spending(settings, await enter(aclosing(counters)), ledger)
    tenants = await enter(aclosing(Tenants(Keys(store), settings)))
    streams = await enter(aclosing(Streams(replay, limits, settings)))
    await streams.open()
    documents = DocumentService(store, settings)
    service = Service(
        settings=settings,
        store=store,
        tenants=tenants,
        limits=limits,
        spending=spending,
        streams=streams,
        documents=documents,
        answers=answers,
        conversations=Conversations(store, streams, documents),
        chat=Chat(documents, answers, settings),
        desk=Desk(generator, answers, settings, spending),
        fetcher=Fetcher(settings.url_hosts, most=settings.file_bytes, seconds=settings.url_seconds),
    )
    opened.push_async_callback(ended, asyncio.create_task(_forget_old(service), name="footnoted-forget"))
    opened.push_async_callback(ended, asyncio.create_task(_warmed(generator), name="footnoted-warm"))
    return service


async def _replay_and_limits(settings: Settings, opened: AsyncExitStack) -> tuple[Replay, Limits, Counters]:
    per_minute, at_once = settings.requests_per_minute, settings.concurrent_streams
    if settings.redis_url is None:
        replay = MemoryReplay(keep_seconds=settings.keep_stream_seconds)
        return replay, MemoryLimits(per_minute=per_minute, at_once=at_once), MemoryCounters()
    from footnoted.service.replay.redis import open_redis

    return await open_redis(settings, opened)


def make_generator(settings: Settings) -> GroundedGenerator:
    """The generator the settings describe."""
    chosen = chosen_provider(settings.provider, **settings.provider_options)
    others = [chosen_provider(name) for name in settings.fallback]
    return GroundedGenerator(
        paced(Fallback([chosen, *others]) if others else chosen, seconds=settings.pace_seconds),
        templates=settings.templates,
        checking=settings.checking,
        deadlines=settings.deadlines,
    )


async def _warmed(generator: GroundedGenerator) -> None:
    """The first reader does not wait for the model; whatever is wrong with it is told again with each answer."""
    try:
        await generator.warm()
    except Exception:
        log.exception("the model could not be opened ahead")


async def _forget_old(service: Service) -> None:
    """Every hour, let go of what is older than it is kept; what cannot be reached is tried again in an hour."""
    while True:
        now, own = time.time(), service.settings.retention
        oldest = now - service.settings.keep_answers_days * 86_400
        kept = service.conversations
        forgets: list[Callable[[], Awaitable[None]]] = [partial(kept.forget, oldest, but=frozenset(own))]
        forgets += [partial(kept.forget, now - days * 86_400, only=tenant) for tenant, days in own.items()]
        forgets += [partial(service.documents.forget_torn, now)]
        forgets += [partial(forget, oldest) for forget in service.when_forgetting]
        for forget in forgets:
            try:
                await forget()
            except Fault:
                continue
            except Exception:
                log.exception("old answers not forgotten")
        await asyncio.sleep(3600)


@contextlib.contextmanager
def _drained_by_signal(streams: Streams) -> Any:
    """At the signal to end, the port stays open and says 503 until the streams have ended; then the server is told.

    A second signal reaches the server at once.
    """
    before: dict[int, Any] = {}
    for number in (int(signal.SIGTERM), int(signal.SIGINT)):
        old = signal.getsignal(number)
        if not callable(old):
            continue

        def told(got: int, where: Any, old: Any = old) -> None:
            if streams.draining:
                old(got, where)
            else:
                streams.drain_soon(lambda: old(got, where))

        try:
            signal.signal(number, told)
        except ValueError:  # not the main thread: whoever runs us tells us otherwise
            break
        before[number] = old
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


_REFUSALS = {  # of the framework, by status: code and words
    400: ("invalid_request", None),
    404: ("not_found", "there is nothing here"),
    405: ("method_not_allowed", "not with this method"),
}


def _tell_errors(app: FastAPI) -> None:
    def told(request: Request, fault: Fault) -> JSONResponse:
        if request.url.path.startswith("/v1/"):
            kind = "invalid_request_error" if fault.status < 500 else "server_error"
            error = {"message": fault.message, "type": kind, "code": fault.code, "param": fault.param}
        else:
            error = {"code": fault.code, "message": fault.message}
        if fault.renews_at is not None:
            error["renews_at"] = fault.renews_at
        headers = fault.headers
        if fault.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        return JSONResponse({"error": error}, fault.status, headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        errors = error.errors()
        if any(wrong["type"] == "json_invalid" for wrong in errors):
            return told(request, Fault(400, "invalid_request", words_of(errors)))
        if any(wrong["loc"] == ("body",) and isinstance(wrong["input"], bytes | None) for wrong in errors):
            words = "the body is no JSON: send it as such, with Content-Type: application/json"
            return told(request, Fault(400, "invalid_request", words))
        status = 400 if request.url.path.startswith("/v1/") else 422  # as OpenAI's clients know it
        param = next((str(wrong["loc"][1]) for wrong in errors if len(wrong["loc"]) > 1), None)
        return told(request, Fault(status, "invalid_request", words_of(errors), param=param))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> JSONResponse:
        fault = error.__cause__
        if not isinstance(fault, Fault):
            code, words = _REFUSALS.get(error.status_code, ("failed", None))
            fault = Fault(error.status_code, code, words or str(error.detail))
        response = told(request, fault)
        response.headers.update(error.headers or {})
        return response

    async def failed(request: Request, error: Exception) -> JSONResponse:
        fault = fault_of(error)
        if fault.status == 500:
            log.error("broke", exc_info=error)
        elif fault.status > 500 and not isinstance(error, Fault):
            log.warning("failed", error=type(error).__name__, status=fault.status)
        return told(request, fault)

    for kind in (FootnotedError, TimeoutError, OSError, Exception):
        app.add_exception_handler(kind, failed)
