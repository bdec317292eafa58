"""Gathers what a message is answered from, by whichever assistant is asked, and prepares the question."""

from __future__ import annotations

from footnoted.assistants.protocol import Assistant, Gathered, Message
from footnoted.contract import GenerationConfig, GenerationMode, GenerationRequest
from footnoted.service.asking import Asked, ChatBody, MessageBody, check_size, contexts_of_found
from footnoted.service.documents import DocumentService
from footnoted.service.history import Answers
from footnoted.service.settings import Settings

_SHORT = 6  # words up to which a follow-up means little without the question before it


class Documents:
    """The assistant there always is: the passages of the tenant's documents that are nearest to the message."""

    def __init__(self, documents: DocumentService) -> None:
        self._documents = documents

    async def gather(self, message: Message) -> Gathered:
        """Passages for the message, and for a short follow-up for the question before it too."""
        questions = [message.text]
        if message.history and len(message.text.split()) <= _SHORT:
            questions.append(f"{message.history[-1][0]} {message.text}")
        found = await self._documents.search(
            message.tenant,
            questions,
            k=message.passages,
            conversation_id=message.conversation_id,
            document_ids=message.document_ids,
        )
        return Gathered(found)


class Chat:
    """Messages of conversations. ``assistant`` answers tenants that have added no documents."""

    def __init__(self, documents: DocumentService, answers: Answers, settings: Settings) -> None:
        self.assistant: Assistant = Documents(documents)
        self._documents = documents
        self._answers = answers
        self._settings = settings

    async def ask(
        self, body: MessageBody, tenant: str, *, kind: str = "chat", assistant: Assistant | None = None
    ) -> Asked:
        """A message with its history and sources, ready to be answered; by ``assistant``, whatever was added."""
        config, own = (body.config, body.instructions) if isinstance(body, ChatBody) else (GenerationConfig(), None)
        said = [part for turn in body.history or [] for part in turn]
        check_size(self._settings, *said, own or "", question=body.message)
        history = body.history
        if history is None:
            history = []
            if body.conversation_id is not None:
                last = self._settings.history_turns
                history = await self._answers.turns(tenant, body.conversation_id, last=last, replaces=body.replaces)
        message = Message(
            tenant=tenant,
            text=body.message,
            conversation_id=body.conversation_id,
            history=history,
            passages=body.passages,
            config=config,
            document_ids=body.document_ids,
            instructions=own,
        )
        gathered = await (assistant or await self._assistant_for(body, tenant)).gather(message)
        contexts, places = contexts_of_found(gathered.sources)
        instructions = "\n\n".join(filter(None, (gathered.instructions, own)))
        request = GenerationRequest(
            query=body.message,
            context=contexts,
            config=_talking(config, history),
            system_instructions=instructions or None,
            conversation_history=history,
        )
        return Asked(
            request,
            places,
            tenant,
            kind,
            conversation_id=body.conversation_id,
            extras=gathered.extras,
            after=gathered.after,
            start=gathered.start,
            writer=gathered.writer,
            replaces=body.replaces,
            document_ids=body.document_ids,
            reader=body.reader,
        )

    async def _assistant_for(self, body: MessageBody, tenant: str) -> Assistant:
        """One scope a question: whoever added documents is answered from them and from nothing else."""
        wanted = (isinstance(body, ChatBody) and body.assistant == "documents") or body.document_ids is not None
        if wanted or await self._documents.holds_any(tenant, body.conversation_id):
            return Documents(self._documents)
        return self.assistant


def _talking(config: GenerationConfig, history: list[tuple[str, str]]) -> GenerationConfig:
    """Where there is a history and no mode was asked for, the template that minds it; no mode that is held less."""
    if not history or "mode" in config.model_fields_set or config.template is not None:
        return config
    return config.model_copy(update={"template": GenerationMode.CONVERSATIONAL.value})
