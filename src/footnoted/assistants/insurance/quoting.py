"""Quotes the clauses that come nearest to a question as they stand, or asks back.

No model decides here, and likeness cannot: a question about what an item excludes is as near to the item as one about
what it covers. So the answer says what each clause does (covers, excludes, limits …), quotes it with its number and
the words that open its list, and says that it only quotes; where two policies or plans are as near, it asks which.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from footnoted.answering.given import Given
from footnoted.assistants.insurance.assessing import citations_of, result_of
from footnoted.assistants.insurance.beside import Quote
from footnoted.assistants.insurance.citation import ChunkResult
from footnoted.assistants.insurance.clauses import Clause, read_policy
from footnoted.assistants.insurance.deciding import (
    LONGEST,
    MOST,
    Candidate,
    beside,
    candidates,
    chance_of,
    named_beside,
    quoted,
)
from footnoted.assistants.insurance.labels import bare_heading
from footnoted.assistants.insurance.letter import MARK_ROOM, Letter
from footnoted.assistants.insurance.models import ResponseRequest, ResponseResult
from footnoted.assistants.insurance.passages import Clauses, Passage, named_in, own_names, stands_at
from footnoted.assistants.insurance.phrases import language_of, phrases
from footnoted.contract import ClaimResult, GenerationResponse, Refusal
from footnoted.events import Event
from footnoted.retrieval.relevance.rarity import UNSEEN, rarity
from footnoted.text import content_stems
from footnoted.types import Evidence, FinishReason, Source, Verdict

_OPEN = 2.0  # log-odds within which another product's or plan's clause may decide as well, where nothing is sure
_MEANT = 8  # clauses among which such a one is looked for
_TABLE = re.compile(r"Table(?: \w{1,4})?")  # what a table's own place ends with, other than its heading
_GOES_ON = (";", ",", "; or", "; and", ", or", ", and")  # how an item ends that another follows
_SURE = 0.82  # chance of being right from which the clauses are told as the answer


@dataclass(frozen=True, slots=True)
class Nearest:
    """The clauses nearest to a question, best first; ``choices`` between which it is open; ``chance`` of being right.

    ``of`` tells what the choices are: ``product`` or ``plan``.
    """

    quotes: tuple[Quote, ...]
    choices: tuple[str, ...] = ()
    of: str = ""
    chance: float = 0.0

    @property
    def decides(self) -> bool:
        """Whether the clauses may be told as the answer."""
        return not self.choices and self.chance >= _SURE


def is_wording(chunks: Sequence[ChunkResult]) -> bool:
    """Whether most of these sections are clauses or tables with numbers of their own."""
    numbered = [any(map(_numbered, _read(chunk, place))) for place, chunk in enumerate(chunks)]
    return 2 * sum(numbered) > len(numbered)


def nearest(question: str, chunks: Sequence[ChunkResult], *, before: str = "") -> Nearest:
    """What these passages have to say to a question, and to the one ``before`` it."""
    passages, found = weighed(question, chunks, before=before)
    question = f"{before} {question}".strip()
    if not found:
        return Nearest(())
    plans, settled = _columns_named(question, passages)
    named = _named(question, passages)
    found = [candidate for candidate in found if candidate.clause.document in named] or found
    chosen = quoted(found)
    told = [pair for each in chosen for pair in ((each.place, each.clause), *beside(each, question, passages))]
    told += [(each.place, each.clause) for each in named_beside([clause for _, clause in told], found)]
    quotes = tuple(dict.fromkeys(_quote(clause, place, plans) for place, clause in told))
    chance = chance_of(found)
    sure = chance >= _SURE
    for candidate in chosen[:1] if sure else _near(found):
        row = candidate.clause.row
        if row is not None and len(set(row.columns)) > 1 and not set(row.columns) & {*plans, *settled}:
            likelier = () if candidate is chosen[0] else quotes[: MOST - 1]
            shown = (*likelier, _quote(candidate.clause, candidate.place, plans))
            return Nearest(tuple(dict.fromkeys(shown)), row.columns[:4], "plan")
    firsts: dict[str, Candidate] = {}
    for candidate in () if sure else _near(found):
        firsts.setdefault(chunks[candidate.place].product_name, candidate)
    if len(firsts) > 1:
        each = tuple(_quote(first.clause, first.place, plans) for first in list(firsts.values())[:MOST])
        return Nearest(tuple(dict.fromkeys((*each, *quotes)))[: MOST + 1], tuple(firsts)[:4], "product")
    return Nearest(quotes, chance=chance)


def _near(found: Sequence[Candidate]) -> list[Candidate]:
    """The few that may be meant as well as the first."""
    return [candidate for candidate in found[:_MEANT] if found[0].score - candidate.score <= _OPEN]


def weighed(question: str, chunks: Sequence[ChunkResult], *, before: str = "") -> tuple[list[Passage], list[Candidate]]:
    """The passages' clauses, those that decide likeliest first."""
    passages = [Passage(_source(chunk, place), tuple(_read(chunk, place))) for place, chunk in enumerate(chunks)]
    passages = [passage for passage in passages if passage.clauses]
    places = [int(passage.source.id) for passage in passages]
    found = candidates(question, Clauses(passages), [_odds(chunks[place]) for place in places], before=before)
    return passages, [replace(candidate, place=places[candidate.place]) for candidate in found]


def _source(chunk: ChunkResult, place: int) -> Source:
    """A section as a document to be read; the number at the end of its place is its own, no heading."""
    headings, opening = chunk.section_hierarchy, chunk.content.lstrip("*#_ ")
    own = headings[-1] if headings else ""
    paragraph = re.match(r"\(\d{1,3}\)", opening)  # of an article, whose number stands in its heading
    if own and (
        opening.lstrip("(").startswith(own) or _TABLE.fullmatch(own) or (paragraph and own.endswith(paragraph.group()))
    ):
        headings = headings[:-1]
    data = {"file": chunk.source_file or chunk.product_name, "section_hierarchy": headings}
    return Source(str(place), chunk.content, title=chunk.product_name, metadata=data)


def _read(chunk: ChunkResult, place: int) -> list[Clause]:
    clauses = read_policy([_source(chunk, place)])
    own = chunk.section_hierarchy[-1] if chunk.section_hierarchy else ""
    if not _TABLE.fullmatch(own):
        return clauses
    return [_of_table(clause, own) for clause in clauses]  # its caption may stand in the section before


def _of_table(clause: Clause, name: str) -> Clause:
    """A row that does not know what its table is called, with that name."""
    if clause.row is None or clause.row.table == name:
        return clause
    row = replace(clause.row, table=name)
    return replace(clause, number=f"{name}, row {row.key}", text=row.told(), parent=name, row=row)


def _numbered(clause: Clause) -> bool:
    if clause.row is not None:  # what goes by its heading alone may stand in any document
        return bool(clause.row.table) and clause.row.table not in map(bare_heading, clause.headings[-1:])
    return (
        bool(re.search(r"[\d(]", clause.number))
        and clause.text != clause.number
        and clause.number not in "".join(clause.headings)
    )


def _odds(chunk: ChunkResult) -> float:
    """A passage's relevance in log-odds."""
    score = min(1 - 1e-6, max(1e-6, chunk.relevance_score or 0.0))
    return math.log(score / (1 - score))


def _named(question: str, passages: Sequence[Passage]) -> set[str]:
    """The files that a question names by a word which is no English one and theirs alone: an insurer's, a product's."""
    return {
        file
        for name, file in named_in(question, own_names(passages))
        if (stems := content_stems(name)) and all(rarity(stem) >= UNSEEN for stem in stems)
    }


def _columns_named(question: str, passages: Sequence[Passage]) -> tuple[list[str], list[str]]:
    """The columns of tables that a question names, and those it settles on by any word that no other column has.

    A column is named by its code ("E1"), else by its first word ("Platinum"), and told alone; the others settle which
    is meant ("theft", of "Section 5 (fire and theft)").
    """
    asked = set(content_stems(question))
    words = set(re.findall(r"\w+", question.casefold()))
    named: dict[str, None] = {}
    own: dict[str, None] = {}
    for columns in {clause.row.columns for one in passages for clause in one.clauses if clause.row is not None}:
        stems = [{stem for stem in content_stems(column) if not stem.isdigit()} for column in columns]
        spoken = [re.findall(r"\w+", column.casefold()) for column in columns]
        first = [
            column
            for column, each in zip(columns, spoken, strict=True)
            if next((word for word in each if len(word) > 2), "") in words
        ]
        codes = {word for each in spoken for word in each if not word.isalpha() and not word.isdigit()} & words
        coded = [column for column, each in zip(columns, spoken, strict=True) if codes & set(each)]
        for column in coded or _longest_named(question, first):
            named[column] = None
        for column, each in zip(columns, stems, strict=True):
            if any(stem in asked and sum(stem in other for other in stems) == 1 for stem in each):
                own[column] = None
    return list(named), list(own)


def _longest_named(question: str, columns: Sequence[str]) -> list[str]:
    """Of columns whose names begin alike those that are named whole: of "Tourer" and "Tourer Gold" the longest."""
    rest, whole = question.casefold(), set[str]()
    for column in sorted(columns, key=len, reverse=True):
        rest, found = re.subn(rf"\b{re.escape(column.casefold())}\b", " ", rest)
        whole.update([column] * found)
    begun = {one.split()[0].casefold() for one in whole}
    return [one for one in columns if one in whole or one.split()[0].casefold() not in begun]


def _quote(clause: Clause, place: int, plans: Sequence[str]) -> Quote:
    """A clause as it is told, and where its own words stand."""
    span = stands_at(clause, clause.source.text) or (0, len(clause.source.text))
    said = clause.row.of(plans).told() if clause.row is not None else clause.cited
    if said.endswith(_GOES_ON):
        said = said.removesuffix(" or").removesuffix(" and")[:-1]
    if len(said) > LONGEST:
        said = said[:LONGEST].rpartition(" ")[0] + "…"
    return Quote(place, *span, said, "limit" if clause.row is not None else clause.kind)


def tell(found: Nearest, request: ResponseRequest, letter: Letter) -> tuple[list[Event], ResponseResult]:
    """The events of telling what was found, and the result."""
    said = phrases(request.spoken)
    opening = said.quotes if found.decides else said.undecided
    asks = said.choose.format(choices=", ".join(found.choices)) if found.choices else ""
    quotes = found.quotes[: 1 if request.style == "short" and not found.choices else None]
    least = min((len(quote.text) for quote in quotes), default=0) + MARK_ROOM
    events = letter.say(f"{said.unclear} {asks}" if asks else opening, leaving=least, whole=not found.decides)
    for quote in quotes:
        words = letter.context[quote.source].content[quote.start : quote.end]
        evidence = Evidence(quote.source, quote.start, quote.end, words, 1.0)
        verdict = Verdict("supported", 0.99, "exact", (evidence,), reason="the policy's own words")
        events += letter.quote(f"\n- {said.kinds[quote.kind]}", quote, verdict)
    events += letter.least()
    languages = {language_of(letter.context[quote.source].content) for quote in found.quotes}
    if languages - {language_of(request.query)}:
        events += letter.say(f"\n\n{said.quoted}")
    generation = _generation(found, request, letter, refused=not found.decides and not asks)
    quoted = [citation for citation in citations_of(request, letter) if citation.quotes]
    why = f"The chance that these clauses decide the question is {found.chance:.2f}."
    return events, result_of(request, letter, generation, quoted, sufficient=found.decides, why=why, asks=asks)


def _generation(found: Nearest, request: ResponseRequest, letter: Letter, *, refused: bool) -> GenerationResponse:
    """The core's response, whose claims are the clauses quoted; a refusal names them as what was found."""
    given = Given(letter.context, tuple(range(len(letter.context))))
    claims = [
        ClaimResult(text=claim.text, start_pos=claim.start, end_pos=claim.end, **given.told(verdict))
        for claim, verdict, _ in letter.claims
    ]
    evidence = [span for claim in claims for span in claim.evidence]
    return GenerationResponse(
        query=request.query,
        response=letter.text,
        citations=letter.citations,
        sources_used=list(dict.fromkeys(mark.chunk_id for mark in letter.citations)),
        sources_provided=len(request.context_chunks),
        grounding_score=1.0 if claims else 0.0,
        confidence=found.chance,
        claims=claims,
        finish_reason=FinishReason.REFUSED if refused else FinishReason.COMPLETE,
        refusal=Refusal(reason="not_in_sources", message=letter.text, found=evidence) if refused else None,
        provider="extractive",
    )
