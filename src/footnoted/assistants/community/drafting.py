"""A question and loaded sources in; a short cited draft out, through the core, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, UUID, uuid5

from footnoted.answering.generator import GroundedGenerator
from footnoted.assistants.community.llm import as_provider
from footnoted.assistants.community.prompts import instructions
from footnoted.assistants.community.rules import BESIDE, MOST_QUOTED, nearest_passages, quoting
from footnoted.contract import GenerationConfig, GenerationMode, GenerationRequest, OutputFormat, SourceContext
from footnoted.errors import BadProviderReply
from footnoted.inert import on_one_line
from footnoted.types import Deadlines, FinishReason, Retry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.assistants.community.decisions import Gate
    from footnoted.assistants.community.run import Run
    from footnoted.assistants.community.state import Draft
    from footnoted.contract import GenerationResponse

_CHARACTERS_A_TOKEN = 3  # so that a model's own limit cuts nothing that would fit
_READ = 24  # passages a model is shown
_LIST_SHARE = 0.25  # of the characters, kept for the list of sources


@dataclass(frozen=True, slots=True)
class Written:
    """A reply's text, the ids it cites, and for each of the core's citations where its marker stands in the text."""

    text: str
    cited: tuple[str, ...]
    places: tuple[tuple[int, int], ...]


async def draft(run: Run, gate: Gate, ids: Sequence[str]) -> tuple[Draft, str]:
    """The draft, and why it cannot be posted if it cannot. Its quotes stay in ``run.response``.

    Raises `ProviderError` when the model failed or its answer was cut off.
    """
    request = await _request(run, gate, ids)
    response = await _answer(run, request)
    run.response = response
    if response.finish_reason in (FinishReason.TRUNCATED, FinishReason.ERROR, FinishReason.FILTERED):
        raise BadProviderReply(response.error.message if response.error else "the answer broke off")
    if response.finish_reason is FinishReason.REFUSED or not response.response.strip():
        return {"text": "", "cited": []}, "the sources do not answer"
    if response.finish_reason is FinishReason.LENGTH:
        return {"text": "", "cited": []}, "too long"
    done = written(run, response)
    made: Draft = {"text": done.text[: run.config.max_answer_chars], "cited": list(done.cited)}
    if run.config.require_citations and not done.cited:
        return made, "no citation"
    if len(done.text) > run.config.max_answer_chars:
        return made, "too long"
    return made, ""


async def _answer(run: Run, request: GenerationRequest) -> GenerationResponse:
    if run.asking.llms.get("answer") is None:
        generator = GroundedGenerator(quoting(run), checker=run.checker, doubt="withhold")
    else:
        generator = GroundedGenerator(
            as_provider(lambda prompt: run.asking.ask("answer", prompt)),
            deadlines=Deadlines(None, None, None),
            retry=Retry(attempts=1),  # asking is tried again in one place
            checker=run.checker,
            doubt="withhold",
        )
    async with generator:
        return await generator.generate(request)


async def _request(run: Run, gate: Gate, ids: Sequence[str]) -> GenerationRequest:
    config = run.config
    question = gate.rewrite_query or run.conversation.latest.text
    room = int(config.max_answer_chars * (1 - _LIST_SHARE))
    if run.asking.llms.get("answer") is None:
        passages = await nearest_passages(run, question, ids, MOST_QUOTED, beside=BESIDE)
    else:
        passages = await nearest_passages(run, question, ids, _READ)
    return GenerationRequest(
        query=question,
        context=[
            SourceContext(
                chunk_id=UUID(one.id),
                document_id=uuid5(NAMESPACE_URL, id_),
                content=one.text,
                metadata=dict(one.metadata),
                relevance_score=1 - place / len(passages),
            )
            for place, (id_, one) in enumerate(passages)
        ],
        config=GenerationConfig(
            mode=GenerationMode.GROUNDED,
            output_format=OutputFormat.MARKDOWN,
            max_tokens=max(60, config.max_answer_chars // _CHARACTERS_A_TOKEN),
        ),
        system_instructions=instructions(
            "answer",
            config.answer_prompt,
            scope=config.answer_scope.about or "(any topic of the documents)",
            max_answer_chars=room,
        ),
    )


def written(run: Run, response: GenerationResponse) -> Written:
    """The answer as it is posted, its list of sources below as far as it fits.

    Where the same marker stands after sentence upon sentence of a paragraph or list, only the last stays.
    """
    answer, places = _sparse(response)
    cited = {one.number: (source_id(run, one.chunk_id), one.source_title) for one in response.citations}
    lines = [f"[{number}] {_named(run, id_, title)}" for number, (id_, title) in sorted(cited.items())]
    listed = "\n".join((answer, "", *lines)) if lines else answer
    fits = len(listed) <= run.config.max_answer_chars
    return Written(listed if fits else answer, tuple(dict.fromkeys(id_ for id_, _ in cited.values())), places)


def _sparse(response: GenerationResponse) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text without its repeated markers, and where each citation's marker, or the one it shares, then stands."""
    text = response.response
    marks = sorted({(one.start_pos, one.end_pos, one.number) for one in response.citations})
    gone = [
        mark
        for mark, following in pairwise(marks)
        if mark[2] == following[2] and "\n\n" not in text[mark[1] : following[0]]
    ]
    kept: list[str] = []
    moved: dict[tuple[int, int], tuple[int, int]] = {}
    at = shift = 0
    waiting: list[tuple[int, int]] = []
    for start, end, number in marks:
        if (start, end, number) in gone:
            cut = start - 1 if start and text[start - 1] == " " else start
            kept.append(text[at:cut])
            shift += end - cut
            at = end
            waiting.append((start, end))
        else:
            moved.update(dict.fromkeys((*waiting, (start, end)), (start - shift, end - shift)))
            waiting.clear()
    kept.append(text[at:])
    return "".join(kept), tuple(moved[one.start_pos, one.end_pos] for one in response.citations)


def source_id(run: Run, chunk_id: UUID) -> str:
    """Whose passage it is."""
    wanted = str(chunk_id)
    return next(id_ for id_, loaded in run.sources.items() if any(one.id == wanted for one in loaded.passages))


def _named(run: Run, id_: str, title: str) -> str:
    """A source as readers know it: its title and section, and where to open it if that is a link."""
    entry = run.sources[id_].entry
    link = entry.link or (entry.location if entry.remote else "")
    # Angle brackets keep a chat from unfolding a preview under every reply.
    told = on_one_line(title or entry.title)
    return f"{told} <{link}>" if link else told
