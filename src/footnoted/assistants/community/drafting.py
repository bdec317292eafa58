"""Writes a short cited draft from loaded sources, through the core, as people post it; or says why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, UUID, uuid5

from footnoted.answering.generator import GroundedGenerator
from footnoted.assistants.community.linking import link_of
from footnoted.assistants.community.llm import as_provider
from footnoted.assistants.community.quoting import Verbatim
from footnoted.assistants.community.unaided import nearest_passages, quoting
from footnoted.contract import GenerationConfig, GenerationMode, GenerationRequest, OutputFormat, SourceContext
from footnoted.errors import BadProviderReply
from footnoted.inert import on_one_line
from footnoted.text.markdown import as_read
from footnoted.types import Deadlines, FinishReason, Retry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.assistants.community.artifact import Entry
    from footnoted.assistants.community.run import Run
    from footnoted.assistants.community.state import ReplyState
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


async def draft(run: Run, state: ReplyState) -> ReplyState:
    """The draft, or why there is none to be posted. Its quotes stay in ``run.response``.

    Raises `ProviderError` when the model failed or its answer was cut off.
    """
    response = await _answer(run, await _request(run, run.question(state["gate"]), state["loaded"]))
    run.response = response
    if response.finish_reason in (FinishReason.TRUNCATED, FinishReason.ERROR, FinishReason.FILTERED):
        raise BadProviderReply(response.error.message if response.error else "the answer broke off")
    if response.finish_reason is FinishReason.REFUSED or not response.response.strip():
        return {"draft": {"text": "", "cited": []}, "stopped": "the sources do not answer"}
    if response.finish_reason is FinishReason.LENGTH:
        return {"draft": {"text": "", "cited": []}, "stopped": "too long"}
    reply, most = written(run, response), run.config.max_answer_chars
    stopped = ""
    if run.config.require_citations and not reply.cited:
        stopped = "no citation"
    elif len(reply.text) > most:
        stopped = "too long"
    return {"draft": {"text": reply.text[:most], "cited": list(reply.cited)}, "stopped": stopped}


async def _answer(run: Run, request: GenerationRequest) -> GenerationResponse:
    if not run.has_model("answer"):
        generator = GroundedGenerator(quoting(run), checker=Verbatim(run.checker), doubt="withhold")
    else:
        judge = None
        if run.has_model("verification"):  # whoever verifies is asked what the reader leaves open
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


async def _request(run: Run, question: str, ids: Sequence[str]) -> GenerationRequest:
    most = run.config.max_answer_chars
    passages = await nearest_passages(run, question, ids, _READ if run.has_model("answer") else None)
    return GenerationRequest(
        query=question,
        context=[
            SourceContext(
                chunk_id=UUID(passage.id),
                document_id=uuid5(NAMESPACE_URL, source_id),
                content=passage.text,
                metadata=dict(passage.metadata),
                relevance_score=1 - place / len(passages),
            )
            for place, (source_id, passage) in enumerate(passages)
        ],
        config=GenerationConfig(
            mode=GenerationMode.GROUNDED,
            output_format=OutputFormat.MARKDOWN,
            max_tokens=max(60, most // _CHARACTERS_A_TOKEN),
        ),
        system_instructions=run.config.instructions("answer", max_answer_chars=int(most * (1 - _LIST_SHARE))),
    )


def written(run: Run, response: GenerationResponse) -> Written:
    """The answer as it is posted, its list of sources below as far as it fits.

    Where the same marker stands after sentence upon sentence of a paragraph or list, only the last stays. A reply of
    which the gate was not sure says so first.
    """
    answer, places = _without_repeated_markers(response)
    if run.certainty < run.config.sure and run.config.unsure_text:
        opening = f"{run.config.unsure_text}\n"
        answer = opening + answer
        places = [(start + len(opening), end + len(opening)) for start, end in places]
    cited = {citation.number: passage_of(run, citation.chunk_id) for citation in response.citations}
    numbers_of: dict[str, list[int]] = {}  # passages of one section are one place to read on
    for number in sorted(cited):
        numbers_of.setdefault(_linked(run, *cited[number]), []).append(number)
    lines = [f"-# {' '.join(f'[{number}]' for number in numbers)} {link}" for link, numbers in numbers_of.items()]
    listed = "\n".join((answer, "", *lines)) if lines else answer
    text = listed if len(listed) <= run.config.max_answer_chars else answer
    return Written(text, tuple(dict.fromkeys(entry.id for entry, _ in cited.values())), tuple(places))


def _without_repeated_markers(response: GenerationResponse) -> tuple[str, list[tuple[int, int]]]:
    """The text, and for each citation where its marker, or the one it shares, then stands."""
    text = response.response
    marks = sorted({(citation.start_pos, citation.end_pos, citation.number) for citation in response.citations})
    kept: list[str] = []
    moved: dict[tuple[int, int], tuple[int, int]] = {}
    repeated: list[tuple[int, int]] = []  # markers that went, for the next one that stays
    at = removed = 0
    for (start, end, number), following in zip_longest(marks, marks[1:]):
        if following and number == following[2] and "\n\n" not in text[end : following[0]]:
            cut = start - 1 if start and text[start - 1] == " " else start
            kept.append(text[at:cut])
            removed += end - cut
            at = end
            repeated.append((start, end))
        else:
            moved.update(dict.fromkeys((*repeated, (start, end)), (start - removed, end - removed)))
            repeated.clear()
    kept.append(text[at:])
    return "".join(kept), [moved[citation.start_pos, citation.end_pos] for citation in response.citations]


def passage_of(run: Run, chunk_id: UUID) -> tuple[Entry, Source]:
    """A passage of the run and whose it is."""
    wanted = str(chunk_id)
    return next(
        (source.entry, passage)
        for source in run.sources.values()
        for passage in source.passages
        if passage.id == wanted
    )


def named(entry: Entry, passage: Source) -> str:
    """A passage as readers know it: its page's title and its heading."""
    headings = passage.metadata.get("section_hierarchy") or ()
    parts = [as_read(entry.title), *(as_read(str(heading)) for heading in headings[-1:])]
    return on_one_line(" › ".join(dict.fromkeys(filter(None, parts))))


def _linked(run: Run, entry: Entry, passage: Source) -> str:
    """Its name, a link where it is published, and else its file."""
    link = link_of(entry, passage.metadata, run.sites)
    name = named(entry, passage)
    # Angle brackets keep a chat from unfolding a preview under every reply.
    return f"[{name.replace('[', '(').replace(']', ')')}](<{link}>)" if link else f"{name} (`{entry.id}`)"
