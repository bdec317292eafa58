"""Builds an MCP server over paths: the tools ``ask`` and ``check``, documents and passages as resources.

Protocol: modelcontextprotocol.io, by its official SDK. Inputs are bounded, results structured, errors in words.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

import footnoted
from footnoted.answering.generator import GroundedGenerator, shipped_checker
from footnoted.contract import GenerationConfig, GenerationRequest, GenerationResponse
from footnoted.errors import FootnotedError
from footnoted.evaluation.check import Given, as_sources, check_answer
from footnoted.events import AnswerFinished, ClaimChecked, TextDelta
from footnoted.grounding.judge import Weigher
from footnoted.integrations._documents import context_of
from footnoted.integrations._extra import needed
from footnoted.integrations.mcp.library import Library
from footnoted.integrations.mcp.resources import DocumentServer
from footnoted.integrations.mcp.told import (
    MAX_ALL,
    MAX_ANSWER,
    MAX_QUESTION,
    MAX_SOURCES,
    Answered,
    Checked,
    Conversation,
    GivenSource,
    answered,
    checked,
    in_words,
    of_conversation,
)
from footnoted.retrieval.retriever import context_of as found_context
from footnoted.types import Source, Verdict

with needed("mcp"):
    from mcp.server import MCPServer
    from mcp.server.mcpserver import Context
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import CallToolResult, TextContent, ToolAnnotations

_MOST_SAID = 200  # code points of a sentence that progress repeats
_AT_ONCE = 4  # calls that work at a time; the others wait their turn
_READS_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

INSTRUCTIONS = """\
Answers come from documents only, each sentence with the exact words it stands on. finish_reason "refused" means that \
the documents do not answer: say so, and do not answer from memory. Use check to hold any text against the documents \
before you show it."""

Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION, description="what to find out, in plain words")]
Answer = Annotated[str, Field(min_length=1, max_length=MAX_ANSWER, description="the text to check")]
Sources = Annotated[
    list[GivenSource] | None,
    Field(max_length=MAX_SOURCES, description="texts to use instead of the server's own documents"),
]


class Steps:
    """What happens during a call as progress, always rising. ``report`` is the SDK's (progress, total, message)."""

    def __init__(self, report: Callable[[float, float | None, str | None], Awaitable[None]]) -> None:
        self._report = report
        self._count = 0
        self._said = ""

    async def say(self, message: str) -> None:
        """One step more, unless nothing has changed."""
        if message != self._said:
            self._said = message
            self._count += 1
            await self._report(self._count, None, message)

    async def verdict(self, claim: str, verdict: Verdict) -> None:
        """A sentence was weighed."""
        await self.say(f"{verdict.ruling}: {' '.join(claim.split())[:_MOST_SAID]}")


class TellingWeigher:
    """A weigher that says each verdict."""

    def __init__(self, weigher: Weigher, steps: Steps) -> None:
        self._weigher = weigher
        self._steps = steps

    async def acheck(self, claim: str, sources: Sequence[Source], *, cited: Sequence[int] = ()) -> Verdict:
        """The weigher's own verdict."""
        verdict = await self._weigher.acheck(claim, sources, cited=cited)
        await self._steps.verdict(claim, verdict)
        return verdict


def make_server(
    paths: Sequence[Path] = (),
    *,
    generator: GroundedGenerator | None = None,
    config: GenerationConfig | None = None,
    passages: int = 8,
) -> MCPServer[None]:
    """The server. Without ``paths`` each call must bring its sources; without ``generator`` no model is asked.

    The generator is closed when the server stops.
    """
    library = Library(paths) if paths else None
    answering = generator or GroundedGenerator()
    turns = asyncio.Semaphore(_AT_ONCE)

    @asynccontextmanager
    async def alive(_: MCPServer[None]) -> AsyncIterator[None]:
        if library is not None:
            library.open()
        try:
            yield
        finally:
            if library is not None:
                await library.close()
            await answering.aclose()

    server = DocumentServer(
        "footnoted", instructions=INSTRUCTIONS, version=footnoted.__version__, lifespan=alive, log_level="WARNING"
    )

    @server.tool(title="Ask the documents", annotations=_READS_ONLY)
    async def ask(
        question: Question, ctx: Context[None, Any], sources: Sources = None
    ) -> Annotated[CallToolResult, Answered]:
        """Answer a question from the documents only, with the exact words each sentence stands on, or refuse."""
        steps = Steps(ctx.report_progress)
        async with turns:
            try:
                if not question.strip():
                    raise ToolError("the question is empty; ask something in words")
                if titled := _titled(sources):
                    found = [context_of(text, metadata={"title": title}) for title, text in titled]
                else:
                    index = await _needed(library).index(steps.say)
                    found = [found_context(hit) for hit in await asyncio.to_thread(index.search, question, passages)]
                request = GenerationRequest(query=question, context=found, config=config or GenerationConfig())
                response = await _answer(answering, request, steps)
            except FootnotedError as error:
                raise ToolError(str(error)) from error
        result = answered(response, request)
        return CallToolResult(
            content=[TextContent(type="text", text=in_words(result))], structured_content=result.model_dump(mode="json")
        )

    @server.tool(title="Check a text against the documents", annotations=_READS_ONLY)
    async def check(
        ctx: Context[None, Any],
        answer: Answer | None = None,
        sources: Sources = None,
        conversation: Conversation = None,
    ) -> Checked:
        """Weigh every sentence of a text against the documents: what they carry, what not, and which words decide.

        With a conversation, what it holds (results of tools, documents, passages) is what the text is weighed by, and
        without an answer its last one is weighed.
        """
        steps = Steps(ctx.report_progress)
        weigher = TellingWeigher(shipped_checker(), steps)
        async with turns:
            try:
                said, held = of_conversation(conversation, answer)
                held += as_sources(_titled(sources))
                if held:
                    report = await check_answer(Given(said), lambda _: held, weigher=weigher)
                else:
                    index = await _needed(library).index(steps.say)
                    report = await check_answer(
                        Given(said), lambda words: index.search(words, k=passages), weigher=weigher
                    )
            except FootnotedError as error:
                raise ToolError(str(error)) from error
        return checked(report)

    if library is not None:
        server.serve(library)
    return server


def _needed(library: Library | None) -> Library:
    if library is None:
        raise ToolError("this server has no documents of its own: pass sources, or start it with: footnoted mcp PATH…")
    return library


def _titled(sources: list[GivenSource] | None) -> list[tuple[str, str]]:
    """The titles and texts of a call's own sources. Raises `ToolError` for more text than a call may bring."""
    titled = [(source.title or f"source {n}", source.text) for n, source in enumerate(sources or (), start=1)]
    if sum(len(text) for _, text in titled) > MAX_ALL:
        raise ToolError(f"the sources are longer than {MAX_ALL:,} characters together; send the ones that matter")
    return titled


async def _answer(generator: GroundedGenerator, request: GenerationRequest, steps: Steps) -> GenerationResponse:
    """The response; the first word, and each verdict, is a step of progress."""
    async with aclosing(generator.stream(request)) as events:
        async for event in events:
            if isinstance(event, AnswerFinished):
                return event.response
            if isinstance(event, ClaimChecked):
                await steps.verdict(event.claim.text, event.verdict)
            elif isinstance(event, TextDelta) and event.start == 0:
                await steps.say("writing")
    raise FootnotedError("the answer ended without an ending")
