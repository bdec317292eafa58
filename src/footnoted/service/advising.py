"""Gathers the advisor's material for a message about cloud security, and the documents' own for any other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import structlog

from footnoted.assistants.protocol import Assistant, Gathered, Message
from footnoted.assistants.security import AnswerService, ConversationDocument, FindingsService, KnowledgeBaseService
from footnoted.assistants.security.advice.answer import Advice, persona
from footnoted.assistants.security.advice.asked import Asked as Understood
from footnoted.assistants.security.shelf import SourceShelf
from footnoted.contract import GenerationRequest
from footnoted.events import AnswerFinished, Event
from footnoted.service.app import Service
from footnoted.service.asking import Asked, ChatBody
from footnoted.service.documents import DocumentService

log = structlog.get_logger("footnoted.advice")

_PATIENCE = 2.0  # seconds the end of an answer waits for its sources to be kept
_PASSAGES = 3  # of the tenant's documents, beside its findings


class TenantDocuments:
    """The service's own documents, as the advisor asks for them: the passages nearest to the question."""

    def __init__(self, documents: DocumentService) -> None:
        self._documents = documents

    async def get_for_conversation(
        self, tenant_id: str, conversation_id: str, question: str = ""
    ) -> list[ConversationDocument]:
        """Passages of the conversation's documents and of those that belong to none."""
        found = await self._documents.search(
            tenant_id, [question], k=_PASSAGES, conversation_id=conversation_id or None
        )
        return [ConversationDocument(passage.id.replace("-", ""), passage.title, passage.text) for passage in found]


class Advising:
    """An `Assistant` before the documents' own: messages on security are answered by the advisor."""

    def __init__(self, service: Service) -> None:
        database = service.store.database
        self.findings = FindingsService(database)
        self.knowledge = KnowledgeBaseService(database)
        self.shelf = SourceShelf(database)
        self._documents: Assistant = service.chat.assistant
        settings = service.settings
        options = {} if settings.provider == "extractive" else settings.provider_options
        self.advisor = AnswerService(
            settings.provider,
            self.knowledge,
            self.findings,
            TenantDocuments(service.documents),
            checking=settings.checking,
            deadlines=settings.deadlines,
            **options,
        )
        self._chat = service.chat

    async def open(self) -> None:
        """Bring the advisor's tables up to date."""
        await self.findings.prepare()

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self.advisor.aclose()

    async def ask(self, body: ChatBody, tenant: str) -> Asked:
        """A message for the advisor and nobody else."""
        return await self._chat.ask(body, tenant, kind="advice", assistant=_Always(self))

    async def gather(self, message: Message) -> Gathered:
        """The advisor's material for a message on security, else what the documents hold."""
        understood = await self.understood(message)
        if self._concerns(understood):
            return await self.advice(understood, message)
        return await self._documents.gather(message)

    async def advice(self, understood: Understood, message: Message) -> Gathered:
        """What the advisor answers from, and the advisor to write it."""
        advice = await self.advisor.prepare(understood, message.tenant)
        return Gathered(
            sources=[source.as_source() for source in advice.sources],
            instructions=persona(),
            start=understood.told(),
            after=lambda response: advice.finished(response).as_json(),
            writer=_Shelving(advice, self.shelf, message.tenant),
        )

    async def understood(self, message: Message) -> Understood:
        """What a message asks of findings."""
        return await self.advisor.read(
            message.text, None, message.tenant, message.history, conversation_id=message.conversation_id or ""
        )

    def _concerns(self, asked: Understood) -> bool:
        """Whether a message names findings that are kept, or goes on about them; what asks of a document does not."""
        has_findings = bool(asked.vocabulary.scans)
        return has_findings and asked.reading.names_findings and not asked.requires_documents


class _Always:
    """An `Assistant` that leaves nothing to the documents alone."""

    def __init__(self, advising: Advising) -> None:
        self._advising = advising

    async def gather(self, message: Message) -> Gathered:
        """The advisor's material."""
        return await self._advising.advice(await self._advising.understood(message), message)


class _Shelving:
    """Writes an answer, and keeps what it is cited from beside it: the reader waits for neither database nor model."""

    def __init__(self, advice: Advice, shelf: SourceShelf, tenant: str) -> None:
        self._advice, self._shelf, self._tenant = advice, shelf, tenant

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Event]:
        """The events of the answer."""
        kept = asyncio.create_task(self._keep(), name="footnoted-keep-sources")
        try:
            async with aclosing(self._advice.stream(request)) as events:
                async for event in events:
                    if isinstance(event, AnswerFinished):
                        await kept
                    yield event
        finally:
            await asyncio.gather(kept, return_exceptions=True)

    async def _keep(self) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._shelf.keep(self._tenant, self._advice.sources)
        except Exception as error:  # noqa: BLE001 — the answer stands without it; the page then shows the quotes alone
            log.warning("sources not kept", error=type(error).__name__)
