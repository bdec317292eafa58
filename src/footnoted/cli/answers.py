"""`footnoted ask` and `footnoted chat`: cited answers to questions over files, in colour or as JSON."""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footnoted.cli.explaining import print_reasons, with_reasons
from footnoted.cli.show import (
    ANSWERED,
    FAILED,
    MARKER,
    REFUSED,
    command,
    err,
    open_index,
    out,
    words,
    write,
    write_json,
)
from footnoted.contract import (
    CitationStyle,
    GenerationConfig,
    GenerationMode,
    GenerationRequest,
    GenerationResponse,
    OutputFormat,
)
from footnoted.errors import ConfigurationError, FootnotedError
from footnoted.events import AnswerFinished, CitationFound, TextDelta
from footnoted.inert import on_one_line
from footnoted.types import FinishReason

if TYPE_CHECKING:
    from footnoted.answering.generator import GroundedGenerator
    from footnoted.retrieval.index import Index


PROVIDED = "extractive (no model), openai, anthropic, gemini, azure, bedrock, vertex, cohere, compatible."
Question = Annotated[str, typer.Argument(help="What you want to know.")]
Paths = Annotated[list[Path], typer.Argument(help="Files or folders to answer from (Markdown, text, HTML, PDF, DOCX).")]
ProviderName = Annotated[
    str,
    typer.Option(
        "--provider",
        envvar="FOOTNOTED_PROVIDER",
        help=PROVIDED,
    ),
]
Model = Annotated[str | None, typer.Option("--model", envvar="FOOTNOTED_MODEL", help="The model's name.")]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", envvar="FOOTNOTED_BASE_URL", help="Another server of the same protocol."),
]
Style = Annotated[CitationStyle, typer.Option("--style", help="How a citation is written.")]
Mode = Annotated[GenerationMode, typer.Option("--mode", help="What kind of answer.")]
Format = Annotated[OutputFormat, typer.Option("--format", help="What the text looks like.")]
Passages = Annotated[int, typer.Option("--passages", "-k", min=1, max=50, help="How many passages to answer from.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the whole GenerationResponse as JSON.")]
Explain = Annotated[
    bool, typer.Option("--explain", help="Also show what was found, what was read and why it was enough, or not.")
]
Stream = Annotated[bool, typer.Option("--stream/--no-stream", help="Show the text as it comes, or at the end.")]


@command
async def ask(
    question: Question,
    paths: Paths,
    provider: ProviderName = "extractive",
    model: Model = None,
    base_url: BaseUrl = None,
    style: Style = CitationStyle.NUMBERED,
    mode: Mode = GenerationMode.GROUNDED,
    output_format: Format = OutputFormat.MARKDOWN,
    passages: Passages = 8,
    as_json: AsJson = False,
    stream: Stream = True,
    explain: Explain = False,
) -> int:
    """Answer one question from files. Exit status: 0 answered, 3 the sources do not answer, 2 usage, 1 failed."""
    config = GenerationConfig(mode=mode, citation_style=style, output_format=output_format, model=model)
    index = open_index(paths)
    request = await _request(question, index, config, passages)
    async with _generator(provider, model, base_url) as generator:
        response = await _answer(generator, request, show=stream and not as_json)
    if as_json:
        unread = [f"not read: {problem.path} {problem.reason}" for problem in index.unread]
        whole = response.model_copy(update={"notes": [*response.notes, *unread]})
        write_json(with_reasons(whole, request) if explain else whole.to_json())
    else:
        if not stream:
            out.print(words(response.response))
        alone = output_format is OutputFormat.JSON  # the object has its citations, and a program reads it
        if not alone:
            _print_sources(response, request)
        _print_notes(response)
        if explain:
            print_reasons(response, request, on=err if alone else out)
    return status_of(response)


@command
async def chat(
    paths: Paths,
    provider: ProviderName = "extractive",
    model: Model = None,
    base_url: BaseUrl = None,
    style: Style = CitationStyle.NUMBERED,
    mode: Mode = GenerationMode.CONVERSATIONAL,
    passages: Passages = 8,
) -> int:
    """Keep a conversation about files. An empty line, /quit or Ctrl-D leaves; /new forgets what was said."""
    config = GenerationConfig(mode=mode, citation_style=style, model=model)
    index = open_index(paths)
    passages_there = "1 passage" if index.count == 1 else f"{index.count} passages"
    err.print(f"[dim]{passages_there} to answer from. /new forgets the conversation, /quit leaves.[/dim]")
    history: list[tuple[str, str]] = []
    async with _generator(provider, model, base_url) as generator:
        while (question := await asyncio.to_thread(_read_line)) is not None:
            if question == "/new":
                history.clear()
                continue
            await _turn(generator, await _request(question, index, config, passages, history), history)
    return ANSWERED


async def _turn(generator: GroundedGenerator, request: GenerationRequest, history: list[tuple[str, str]]) -> None:
    try:
        response = await _answer(generator, request, show=True)
    except FootnotedError as error:
        # One failed question does not end a conversation.
        err.print(words(f"error: {error}", "red"))
        return
    _print_sources(response, request)
    _print_notes(response)
    if response.finish_reason is not FinishReason.REFUSED:
        history.append((request.query, response.response))


def _read_line() -> str | None:
    if sys.stdin.isatty():
        out.print("[bold cyan]›[/bold cyan] ", end="")
    line = sys.stdin.readline()
    question = line.strip()
    return None if not question or question in {"/quit", "/exit"} else question


async def _request(
    question: str,
    index: Index,
    config: GenerationConfig,
    passages: int,
    history: list[tuple[str, str]] | None = None,
) -> GenerationRequest:
    from footnoted.retrieval.retriever import gather

    if not question.strip():
        raise ConfigurationError("the question is empty; ask something in words")
    past = list(history or ())
    context = await gather(index, question, k=passages, history=past)
    return GenerationRequest(query=question, context=context, config=config, conversation_history=past)


def _generator(provider: str, model: str | None, base_url: str | None) -> GroundedGenerator:
    from footnoted.answering.generator import GroundedGenerator

    return GroundedGenerator(provider, model=model, base_url=base_url)


async def _answer(generator: GroundedGenerator, request: GenerationRequest, *, show: bool) -> GenerationResponse:
    response: GenerationResponse | None = None
    said: list[TextDelta] = []  # the last piece waits for what comes after it: a citation colours its marker
    async with aclosing(generator.stream(request)) as events:
        async for event in events:
            if isinstance(event, AnswerFinished):
                response = event.response
            elif show and isinstance(event, TextDelta):
                _say(said)
                said.append(event)
            elif show and isinstance(event, CitationFound) and said:
                last = said.pop()
                cut = max(0, event.citation.start - last.start)
                write(last.text[:cut])
                write(last.text[cut:], MARKER)
    if show:
        _say(said)
        out.print()
    if response is None:
        raise FootnotedError("the answer ended without an ending")
    return response


def _say(said: list[TextDelta]) -> None:
    for piece in said:
        write(piece.text)
    said.clear()


def _print_sources(response: GenerationResponse, request: GenerationRequest) -> None:
    from footnoted.retrieval.places import place_name

    if response.citations:
        out.print("\n[bold]Sources[/bold]")
    shown: dict[int, set[str]] = {}
    for citation in sorted(response.citations, key=lambda each: each.number):
        source = request.context[citation.source_index]
        if citation.number not in shown:
            shown[citation.number] = set()
            where = words(f"  [{citation.number}] ", MARKER)
            where.append(words(on_one_line(str(source.metadata.get("file", source.title))), "bold"))
            section = source.metadata.get("section")
            if section:
                where.append(words(f" › {on_one_line(str(section))}", "dim"))
            place = place_name(source.metadata, citation.source_start, citation.source_end)
            if place and not place.startswith("line"):
                where.append(words(f", {on_one_line(place)}", "dim"))
            out.print(where)
        if citation.quoted_text not in shown[citation.number]:
            shown[citation.number].add(citation.quoted_text)
            out.print(words(f"      “{citation.quoted_text}”", "italic"))
    if response.refusal and response.refusal.found:
        out.print("\n[bold]Nearest passages[/bold]")
        for found in response.refusal.found:
            source = request.context[found.source_index]
            out.print(words(f"  {source.title}", "bold"))
            out.print(words(f"      “{' '.join(found.source_quote.split())}”", "italic"))


def _print_notes(response: GenerationResponse) -> None:
    for note in response.notes:
        err.print(words(f"note: {note}", "yellow"))
    if response.error:
        err.print(words(f"the answer is not whole: {response.error.message}", "red"))


def status_of(response: GenerationResponse) -> int:
    """The exit status an answer means."""
    if response.finish_reason is FinishReason.REFUSED:
        return REFUSED
    whole = response.finish_reason in (FinishReason.COMPLETE, FinishReason.LENGTH)
    return ANSWERED if whole else FAILED
