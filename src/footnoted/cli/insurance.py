"""`footnoted insurance`: answers a customer's question from policies, with its sources and its confidence."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footnoted.assistants.insurance.citation import CitationStyle
from footnoted.cli.answers import BaseUrl, Model, Passages, ProviderName, _read_line
from footnoted.cli.show import ANSWERED, FAILED, REFUSED, err, open_index, out, run, words, write, write_json
from footnoted.errors import ConfigurationError
from footnoted.events import TextDelta, TextRetracted

if TYPE_CHECKING:
    from footnoted.assistants.insurance.desk import InsuranceDesk, Manner
    from footnoted.assistants.insurance.models import ResponseResult

Question = Annotated[str, typer.Argument(help="What the customer asks; with --chat, one more file or folder.")]
Policies = Annotated[list[Path] | None, typer.Argument(help="Policy documents: files or folders.")]
Style = Annotated[CitationStyle, typer.Option("--citations", help="How a citation is written.")]
Speech = Annotated[str, typer.Option("--style", help="plain, short or formal.")]
Language = Annotated[str | None, typer.Option("--language", help="en, ms, zh or ta; the question's own unless given.")]
Length = Annotated[int, typer.Option("--length", min=50, max=20_000, help="The longest answer, in characters.")]
Seconds = Annotated[float, typer.Option("--timeout", min=0.1, max=120, help="Seconds an answer may take.")]
Chat = Annotated[bool, typer.Option("--chat", help="Keep a conversation; an empty line or /quit leaves.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the whole ResponseResult as JSON.")]


def insurance(
    question: Question,
    paths: Policies = None,
    provider: ProviderName = "extractive",
    model: Model = None,
    base_url: BaseUrl = None,
    citations: Style = CitationStyle.NUMBERED,
    style: Speech = "plain",
    language: Language = None,
    length: Length = 1000,
    passages: Passages = 8,
    timeout: Seconds = 10.0,
    chat: Chat = False,
    as_json: AsJson = False,
) -> None:
    """Answer a customer from policy documents only. Exit status: 0 answered, 3 refused, 2 usage, 1 failed."""

    async def work() -> int:
        from footnoted.assistants.insurance.agent import ResponseGenerationAgent
        from footnoted.assistants.insurance.desk import InsuranceDesk, Manner
        from footnoted.assistants.insurance.manner import STYLES
        from footnoted.assistants.insurance.phrases import LANGUAGES
        from footnoted.assistants.insurance.retrieval import RetrievalAgent

        _must_be("--style", style, STYLES)
        _must_be("--language", language, LANGUAGES)
        manner = Manner(style, citations, language, length, passages)
        folders = [Path(question), *(paths or ())] if chat else paths or []
        if not folders:
            raise ConfigurationError("name the policy documents: footnoted insurance QUESTION FILES-OR-FOLDERS")
        retrieval = RetrievalAgent(open_index(folders))
        router = retrieval.router()
        agent = ResponseGenerationAgent(
            provider, model=model, base_url=base_url, timeout=timeout, vocabulary=router.vocabulary
        )
        desk = InsuranceDesk(retrieval, agent=agent, router=router)
        try:
            if chat:
                return await _talk(desk, manner)
            result = await _answer(desk, question, manner, show=not as_json)
        finally:
            await desk.aclose()
        if as_json:
            write_json(result.model_dump_json(indent=2))
        else:
            _print_sources(result)
        return _status(result)

    run(work())


async def _talk(desk: InsuranceDesk, manner: Manner) -> int:
    err.print(f"[dim]{desk.retrieval.index.count} sections to answer from. /new forgets, /quit leaves.[/dim]")
    history: list[tuple[str, str]] = []
    while (message := await asyncio.to_thread(_read_line)) is not None:
        if message == "/new":
            history.clear()
            continue
        result = await _answer(desk, message, manner, show=True, history=history)
        _print_sources(result)
        history.append((message, result.answer))
    return ANSWERED


async def _answer(
    desk: InsuranceDesk, message: str, manner: Manner, *, show: bool, history: list[tuple[str, str]] | None = None
) -> ResponseResult:
    from footnoted.assistants.insurance.agent import ResponseFinished

    intent, request = await desk.prepare(message, history=history or (), manner=manner)
    async with aclosing(desk.reply(intent, request)) as events:
        async for event in events:
            if isinstance(event, ResponseFinished):
                if show:
                    out.print()
                return event.result
            if show and isinstance(event, TextDelta):
                write(event.text)
            elif show and isinstance(event, TextRetracted):
                err.print(words("\n(that broke off; once more from the documents)", "yellow"))
    raise AssertionError("unreachable: a reply ends with its result")


def _print_sources(result: ResponseResult) -> None:
    if result.citations:
        out.print("\n[bold]Sources[/bold]")
    for number, citation in enumerate(result.citations, start=1):
        out.print(words(f"  {citation.get_full_reference(number)}", "bold"))
        for quote in citation.quotes:
            out.print(words(f"      “{quote}”", "italic"))
    if result.context_available and not result.asks:
        out.print(words(f"\nConfidence: {result.confidence_score * 100:.1f}%", "dim"))
    if result.degraded:
        err.print(words("note: the chosen model did not give this answer", "yellow"))


def _status(result: ResponseResult) -> int:
    if result.refused or result.asks:
        return REFUSED
    if result.context_used:
        return ANSWERED
    return FAILED if result.degraded else REFUSED


def _must_be(option: str, given: str | None, known: Collection[str]) -> None:
    if given is not None and given not in known:
        raise ConfigurationError(f"{option} is one of {', '.join(known)}; got {given!r}")
