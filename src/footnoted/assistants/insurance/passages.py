"""Cuts clauses into the passages a question may be answered from, and ranks them by how near they come.

A passage is a stretch of a document, word for word: a numbered clause with its items, a table, or a section without
numbers. It is found by its clauses, each read with the words that open its list and the heading it stands under, so
that an item of an exclusions list is near a question for what it excludes.
"""

from __future__ import annotations

import logging
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from footnoted.assistants.insurance.clauses import Clause
from footnoted.assistants.insurance.labels import bare_heading, in_heading, opening_label, without_items
from footnoted.assistants.insurance.sources import product_of
from footnoted.models import Embedder, ModelUnavailable
from footnoted.retrieval.places import places_of
from footnoted.retrieval.terms import index_terms, query_terms
from footnoted.retrieval.vectors import Vectors, key_of
from footnoted.types import Source

_LONGEST = 1_800  # code points of a section that stays one passage though it holds several tables
_APART = 3  # code points of white space between two passages that follow each other
_MOST_JOINED = 6_000  # code points of passages that are joined
_READ_AHEAD = 150_000  # code points of clauses that are all read for their meaning at the first question
_WORDED = 60  # clauses of larger policies that words choose first
_K1, _B = 1.2, 0.75  # BM25 (Robertson, Zaragoza 2009)
_BY_WORDS = 0.08  # what all words of a question weigh beside the cosine of its meaning
_BY_DOCUMENT = 0.3  # what the document's own nearness adds: the mean of its five nearest clauses
_EDGE = 6  # words by which the ends of a clause are found in its document

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document (``source.text``) and the clauses in it."""

    source: Source
    clauses: tuple[Clause, ...]


def passages_of(clauses: Iterable[Clause]) -> list[Passage]:
    """The passages that hold these clauses, in their order."""
    found: list[Passage] = []
    for _, standing in groupby(clauses, key=lambda one: one.source.id):
        own = list(standing)
        source = own[0].source
        if len(source.text) <= _LONGEST and not any(_labelled(one) or _cut_off(one) for one in own):
            found.append(Passage(source, tuple(own)))
            continue
        groups: dict[str, list[Clause]] = defaultdict(list)
        for clause in own:
            groups[_root(clause)].append(clause)
        found += [_cut(root, group, source) for root, group in groups.items()]
    return found


def unbroken(sources: Sequence[Source]) -> list[Source]:
    """The sources in their order, where one ends within a clause joined with the next, which goes on with it.

    A page's end or a passage's length says nothing of where a clause ends, and its last words may turn it.
    """
    found: list[Source] = []
    for source in sources:
        if found and _goes_on(found[-1], source):
            found[-1] = _with(found[-1], source)
        else:
            found.append(source)
    return found


def _goes_on(before: Source, source: Source) -> bool:
    """Whether a source stands right behind another, in its section, and begins within its last clause."""
    first, second = before.metadata, source.metadata
    if any(first.get(name) != second.get(name) for name in ("file", "document_id", "section_hierarchy")):
        return False
    end, start = first.get("end"), second.get("start")
    if not isinstance(end, int) or not isinstance(start, int) or not 0 <= start - end <= _APART:
        return False
    if len(before.text) + len(source.text) > _MOST_JOINED:
        return False
    own = source.text[_repeated(source) :].lstrip()
    label, _ = opening_label(own.partition("\n")[0].replace("**", ""), ())
    if own.startswith(("|", "Table ")) or (label is not None and label.level == 0):
        return False
    headings = first.get("section_hierarchy") or ()
    if headings and in_heading(str(headings[-1])):
        return True
    lines = before.text.replace("**", "").splitlines()
    return any(label is not None and label.level == 0 for label, _ in (opening_label(line, ()) for line in lines))


def _repeated(source: Source) -> int:
    """How many code points of a passage that goes on with a list repeat what opens the list."""
    start, end = source.metadata.get("start"), source.metadata.get("end")
    if not source.metadata.get("continued") or not isinstance(start, int) or not isinstance(end, int):
        return 0
    return len(source.text) - (end - start)


def _with(before: Source, source: Source) -> Source:
    """Two passages as the one stretch of the document that they are."""
    data = dict(before.metadata) | {"end": source.metadata["end"]}
    gap = source.metadata["start"] - before.metadata["end"]
    repeated = _repeated(source)
    text = before.text + "\n" * gap + source.text[repeated:]
    if isinstance(data.get("places"), list):
        moved = len(before.text) + gap - repeated
        data["places"] = data["places"] + _moved(source.metadata.get("places") or [], moved)
    id_ = str(uuid5(NAMESPACE_URL, f"{before.id}\0{source.id}"))
    return replace(before, id=id_, text=text, metadata=data, sha256="")


def _moved(places: Sequence[dict[str, Any]], by: int) -> list[dict[str, Any]]:
    return [{**place, "start": place["start"] + by, "end": place["end"] + by} for place in places]


def said_of(clause: Clause) -> str:
    """A clause as it is read for its meaning: under the words of its last heading."""
    bare = bare_heading(clause.headings[-1]) if clause.headings else ""
    named = clause.row is not None and bare in (clause.row.table, clause.row.title)  # the row says it itself
    return f"{bare}: {clause.cited}" if bare and not named else clause.cited


def _labelled(clause: Clause) -> bool:
    """Whether a clause has a number of its own; "3." alone may only count the items of a list."""
    own = re.search(r"\d.|[A-Z]", clause.number) is not None and clause.number not in map(in_heading, clause.headings)
    return own and clause.row is None and not clause.number.isdigit()


def _cut_off(clause: Clause) -> bool:
    """Whether a clause is a row whose table has its name in the passage before."""
    if clause.row is None or clause.row.table in map(bare_heading, clause.headings[-1:]):
        return False
    return clause.row.table not in clause.source.text


def _root(clause: Clause) -> str:
    """The number of the clause an item belongs to; a table's name."""
    if clause.row is not None or clause.number.startswith("Table"):
        return clause.row.table if clause.row is not None else clause.number
    return without_items(clause.number)


def _cut(root: str, clauses: Sequence[Clause], source: Source) -> Passage:
    """The stretch of a source from the first to the last of some clauses; the whole source where they are not found."""
    spans = [span for one in clauses if (span := stands_at(one, source.text)) is not None]
    if not spans:
        return Passage(source, tuple(clauses))
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    if clauses[0].row is not None:  # with the line that names its columns, and its caption
        start = _table_start(source.text, start, clauses[0].row.table)
        end = min(at for at in (source.text.find("\n", end), len(source.text)) if at >= 0)
    data = dict(source.metadata)
    first = data.get("start")
    if isinstance(first, int):
        data |= {"start": first + start, "end": first + end, "lead": 0}
    if isinstance(data.get("places"), list):
        data["places"] = _moved(places_of(data, start, end), -start)
    headings, heading = clauses[0].headings, (clauses[0].headings or ("",))[-1]
    named = root in (bare_heading(heading), in_heading(heading))  # a table by what stands over it
    data["section_hierarchy"] = list(
        clauses[0].place if clauses[0].row is None else headings if named else (*headings, root)
    )
    id_ = str(uuid5(NAMESPACE_URL, f"{source.id}\0{start}\0{end}"))
    text = source.text[start:end]
    return Passage(replace(source, id=id_, text=text, metadata=data, sha256=""), tuple(clauses))


def stands_at(clause: Clause, text: str) -> tuple[int, int] | None:
    """Where a clause stands in the text it was read from, its number included; None where it runs over its end."""
    said = " ".join([clause.row.name, *clause.row.cells]) if clause.row is not None else clause.text
    words = re.findall(r"\w+", said)
    if not words:
        return None
    first = re.search(r"\W+".join(map(re.escape, words[:_EDGE])), text)
    if first is None:
        return None
    last = re.compile(r"\W+".join(map(re.escape, words[-_EDGE:])))
    ends = [found.end() for found in last.finditer(text, first.start())]
    # The end nearest to where so many words would take it: another clause may end alike.
    wanted = first.start() + len(said)
    end = min(ends, key=lambda one: abs(one - wanted), default=len(text))
    while end < len(text) and not text[end].isspace() and text[end] != "|":
        end += 1
    start = first.start()
    paragraph = re.search(r"\(\d{1,3}\)\Z", clause.number)  # of an article, whose number stands in its heading
    written = paragraph.group() if paragraph else clause.number
    label = re.search(rf"[*(]*{re.escape(written)}\W*\Z", text[:start]) if written else None
    return (start if label is None else label.start()), end


def _table_start(text: str, row: int, name: str) -> int:
    """Where the table begins that a row stands in, with its caption where one stands before it."""
    start = text.rfind("\n", 0, row) + 1
    while start and text[text.rfind("\n", 0, start - 1) + 1 :].lstrip().startswith("|"):
        start = text.rfind("\n", 0, start - 1) + 1
    before = text[:start].rstrip()
    caption = before.rfind("\n") + 1
    return caption if name and name in before[caption:] else start


class Clauses:
    """Passages, found by words and by meaning; safe to call from any thread. ``path``: where vectors are kept.

    ``read`` are their clauses, each with the place of its passage.
    """

    def __init__(self, passages: Sequence[Passage], *, path: Path | None = None) -> None:
        self.passages = passages
        self.read = [(place, clause) for place, one in enumerate(passages) for clause in one.clauses]
        self._said = [said_of(clause) for _, clause in self.read]
        self._keys = [key_of(said) for said in self._said]
        self._bags = [Counter(index_terms(said)) for said in self._said]
        self._mean = sum(bag.total() for bag in self._bags) / max(1, len(self._bags)) or 1.0
        self._spread = Counter(term for bag in self._bags for term in bag)
        self._holding: dict[str, list[int]] = defaultdict(list)
        for place, bag in enumerate(self._bags):
            for term in bag:
                self._holding[term].append(place)
        self._vectors = Vectors(path)
        self._names = list(own_names(passages))
        self._can_read = True
        self._whole = sum(map(len, self._said)) <= _READ_AHEAD

    def nearness(self, question: str, *, products: Collection[str] = (), favour: float = 0.0) -> list[float]:
        """How near each of the clauses that were ``read`` comes: its own score, and how near its whole document comes.

        Those of passages of these ``products``, and of documents the question names, get ``favour`` more. All 0 where
        neither words nor meaning say anything.
        """
        scores = self.scores(question)
        if not any(scores):
            return scores
        favoured = {file for _, file in named_in(question, self._names)} | {
            one.clauses[0].document for one in self.passages if product_of(one.source) in products
        }
        by_file: dict[str, list[float]] = defaultdict(list)
        for (_, clause), score in zip(self.read, scores, strict=True):
            by_file[clause.document].append(score)
        whole = {file: sum(sorted(each)[-5:]) / min(5, len(each)) for file, each in by_file.items()}
        mean = sum(whole.values()) / max(1, len(whole))
        return [
            score + _BY_DOCUMENT * (whole[clause.document] - mean) + favour * (clause.document in favoured)
            for (_, clause), score in zip(self.read, scores, strict=True)
        ]

    def scores(self, question: str) -> list[float]:
        """How near each of the clauses that were ``read`` comes: the cosine of its meaning, and what words add."""
        words = self.words(question)
        near = self._meaning(question, words)
        return [near.get(place, 0.0) + _BY_WORDS * word for place, word in enumerate(words)]

    def words(self, question: str) -> list[float]:
        """Each clause's BM25 over what all words of the question weigh."""
        scores = [0.0] * len(self.read)
        total = 0.0
        for term in query_terms(question):
            holding = self._holding.get(term, ())
            rarity = math.log(1 + (len(self._bags) - len(holding) + 0.5) / (len(holding) + 0.5))
            total += rarity
            for place in holding:
                count, length = self._bags[place][term], self._bags[place].total()
                scores[place] += rarity * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length / self._mean))
        return [score / total for score in scores] if total else scores

    def _meaning(self, question: str, words: Sequence[float]) -> dict[int, float]:
        """The cosine of each clause that was read; of larger policies those that words choose."""
        if not self._can_read or not question.strip():
            return {}
        order = sorted(range(len(words)), key=lambda place: -words[place])
        chosen = range(len(words)) if self._whole else [place for place in order[:_WORDED] if words[place]]
        try:
            embedder = Embedder.load()
            missing = {self._keys[n]: self._said[n] for n in chosen if self._keys[n] not in self._vectors}
            if missing:
                vectors = embedder.passages(list(missing.values()))
                self._vectors.add([(key, "", "") for key in missing], vectors)
            cosines = self._vectors.cosines(embedder.queries([question])[0], {self._keys[n] for n in chosen})
        except ModelUnavailable as error:
            log.warning("clauses are found by words alone: %s", error)
            self._can_read = False
            return {}
        return {n: cosines[self._keys[n]] for n in chosen}


def own_names(passages: Iterable[Passage]) -> Iterator[tuple[str, str]]:
    """The names by which one document alone is known, each with its file: its title's, and its plans' (columns)."""
    said: dict[str, set[str]] = defaultdict(set)
    names: dict[str, set[str]] = defaultdict(set)
    for passage in passages:
        names[passage.clauses[0].document].update(_names(product_of(passage.source)))
        for clause in passage.clauses:
            said[clause.document].update(_names(f"{' '.join(clause.headings)} {clause.cited}"))
            if clause.row is not None:
                names[clause.document].update(*(_names(one) for one in clause.row.columns if len(one.split()) <= 2))
    for file, own in names.items():
        for name in own:
            if len(name) > 2 and not any(name in other for where, other in said.items() if where != file):
                yield name, file


def named_in(question: str, names: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those of documents' `own_names` that a question has, in the plural too."""
    words = set(_names(question))
    return [(name, file) for name, file in names if name in words or f"{name}s" in words]


def _names(text: str) -> list[str]:
    return [one.casefold() for one in re.findall(r"[^\W\d_]+", text)]
