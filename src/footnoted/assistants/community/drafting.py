"""Writes a short cited draft from loaded sources, through the core, as people post it; or says why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, UUID, uuid5

from footnoted.answering.generator import GroundedGenerator
from footnoted.assistants.community.linking import heading_of, link_of
from footnoted.assistants.community.llm import as_provider
from footnoted.assistants.community.prompts import instructions
from footnoted.assistants.community.quoting import Verbatim
from footnoted.assistants.community.unaided import nearest_passages, quoting
from footnoted.contract import GenerationConfig, GenerationMode, GenerationRequest, OutputFormat, SourceContext
from footnoted.errors import BadProviderReply
from footnoted.inert import on_one_line
from footnoted.types import Deadlines, FinishReason, Retry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.assistants.community.artifact import Entry
    from footnoted.assistants.community.decisions import Gate
    from footnoted.assistants.community.run import Run
    from footnoted.assistants.community.state import Draft
    from footnoted.contract import GenerationResponse
    from footnoted.types import Source

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
        generator = GroundedGenerator(quoting(run), checker=Verbatim(run.checker), doubt="withhold")
    else:
        judge = None
        if run.asking.llms.get("verification") is not None:  # whoever verifies is asked what the reader leaves open
            judge = as_provider(lambda prompt: run.asking.ask("verification", prompt))
        generator = GroundedGenerator(
            as_provider(lambda prompt: run.asking.ask("answer", prompt)),
            deadlines=Deadlines(None, None, None),
            retry=Retry(attempts=1),  # asking is tried again in one place
            checker=run.checker,
            judge=judge,
            doubt="withhold",
        )
    async with generator:
        return await generator.generate(request)


async def _request(run: Run, gate: Gate, ids: Sequence[str]) -> GenerationRequest:
    config = run.config
    question = gate.rewrite_query or run.thread.question
    room = int(config.max_answer_chars * (1 - _LIST_SHARE))
    if run.asking.llms.get("answer") is None:
        passages = await nearest_passages(run, question, ids, None)
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

    Where the same marker stands after sentence upon sentence of a paragraph or list, only the last stays. A reply of
    which the gate was not sure says so first.
    """
    answer, places = _sparse(response)
    if run.certainty < run.config.sure and run.config.unsure_text:
        opening = f"{run.config.unsure_text}\n"
        answer = opening + answer
        places = tuple((start + len(opening), end + len(opening)) for start, end in places)
    cited = {one.number: passage_of(run, one.chunk_id) for one in response.citations}
    lines = [f"-# [{number}] {_linked(run, *cited[number])}" for number in sorted(cited)]
    listed = "\n".join((answer, "", *lines)) if lines else answer
    fits = len(listed) <= run.config.max_answer_chars
    return Written(listed if fits else answer, tuple(dict.fromkeys(entry.id for entry, _ in cited.values())), places)


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


def passage_of(run: Run, chunk_id: UUID) -> tuple[Entry, Source]:
    """A passage of the run and whose it is."""
    wanted = str(chunk_id)
    return next((loaded.entry, one) for loaded in run.sources.values() for one in loaded.passages if one.id == wanted)


def named(entry: Entry, passage: Source) -> str:
    """A passage as readers know it: its page's title and its heading."""
    headings = passage.metadata.get("section_hierarchy") or ()
    told = [heading_of(entry.title), *(heading_of(str(one)) for one in headings[-1:])]
    return on_one_line(" › ".join(dict.fromkeys(filter(None, told))))


def _linked(run: Run, entry: Entry, passage: Source) -> str:
    """Its name, a link where it is published, and else its file."""
    link = link_of(entry, passage.metadata, run.sites)
    told = named(entry, passage)
    # Angle brackets keep a chat from unfolding a preview under every reply.
    return f"[{told.replace('[', '(').replace(']', ')')}](<{link}>)" if link else f"{told} (`{entry.id}`)"
