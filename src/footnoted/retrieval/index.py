"""The retriever that needs no server: finds passages by their words and by their meaning, and fuses both orders.

The hard thing is the price of meaning: a vector costs some ten milliseconds a passage, a word next to nothing. So an
index is searchable by words at once; what the words find first gets its vectors first, `Index.understand` makes the
rest, and all are kept. Only a question in other words than any passage's, such as one in another language, has to wait
for them all.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from footnoted.models.files import encoder_mark
from footnoted.retrieval import store
from footnoted.retrieval.build import Built, build
from footnoted.retrieval.cache import default_folder
from footnoted.retrieval.load import LIMIT
from footnoted.retrieval.load.found import endings_of
from footnoted.retrieval.overview import marked, overview
from footnoted.retrieval.relevance import ShippedMeaning, asks_for_changes, kind_of, said_of, tells_changes
from footnoted.retrieval.retriever import CANDIDATES, context_of, fuse
from footnoted.retrieval.terms import index_terms, query_terms
from footnoted.retrieval.vectors import Vectors

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    import tantivy

    from footnoted.contract import SourceContext
    from footnoted.retrieval.load import Progress
    from footnoted.retrieval.relevance import Meaning
    from footnoted.retrieval.retriever import Filters
    from footnoted.types import Source

_AT_ONCE = 16  # of those the words offer, how many may wait for their vectors
_STRANGE = 0.5  # share of a question's words, small ones too, that no passage holds: asked in another language
_TYPO_LEAST, _TYPO_LONG = 4, 8  # letters of a word in which one, and two, may be wrong
_TYPO = 0.6  # what a nearly written word counts beside one rightly written
_LESS = 0.8  # what a passage that tells changes counts beside one that explains
_BATCH = 32  # passages between two words on how far it is


class Index:
    """Passages, searchable. Make one with `Index.open` or `Index.of`.

    ``count`` passages of ``files`` (records); ``problems`` the files that could not be read; ``skipped`` how
    many of each unknown ending; ``unread`` every file that was not read, by name, with the reason; ``reused``
    whether no file had to be read anew, ``read`` how many were; ``location`` the folder it is kept in, if any.
    ``progress()`` is entered while vectors are made, and what it gives is told how many are done, of how many.
    """

    def __init__(self, built: Built, meaning: Meaning | None = None) -> None:
        self._index = built.index
        self._searcher = built.index.searcher()
        self._meaning: Meaning | None = meaning or ShippedMeaning()
        kept = built.location.parent / f"vectors-{encoder_mark()}" if built.location else None
        self._vectors = Vectors(kept)
        self._writing = threading.Lock()
        self._last = 0
        self.count: int = self._searcher.num_docs
        self.files = built.files
        self.problems = list(built.problems)
        self.skipped = dict(endings_of(built.passed_over))
        self.unread = [*built.problems, *built.passed_over]
        self.reused = built.reused
        self.read = built.read
        self.location = built.location
        self.progress: Callable[[], AbstractContextManager[Callable[[int, int], None]]] = _untold

    @classmethod
    def open(
        cls,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        cache: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
        limit_bytes: int = LIMIT,
    ) -> Index:
        """The index of every file at or under ``paths``; only files changed since last time are read.

        It is kept under ``cache`` (default ``$FOOTNOTED_CACHE``, else the platform's cache folder; ``"off"``
        keeps nothing), or in memory when that cannot be written. Raises `SourceError` when a path does not
        exist or no file can be read.
        """
        folder = default_folder() if cache is None else Path(cache)
        if str(cache) == "off":
            folder = None
        if folder is not None:
            with contextlib.suppress(RuntimeError):  # "~somebody" who has no home here
                folder = folder.expanduser()
        return cls(build(paths, folder=folder, progress=progress, limit_bytes=limit_bytes))

    @classmethod
    def of(cls, sources: Iterable[Source], *, meaning: Meaning | None = None) -> Index:
        """An index in memory over passages at hand, to which more can be added."""
        index = cls(Built(store.create(None)), meaning)
        index.add(sources)
        return index

    def add(self, sources: Iterable[Source]) -> None:
        """Make more passages findable; those there are stay as they are. For an index in memory."""
        addition = self.begin()
        try:
            addition.add(sources)
        except BaseException:
            addition.undo()
            raise
        addition.commit()

    def begin(self) -> Addition:
        """An addition in parts; nothing else is added or removed until it is committed or undone."""
        self._writing.acquire()
        try:
            return Addition(store.Writing(self._index), self._last, self._renew, self._writing)
        except BaseException:
            self._writing.release()
            raise

    def remove(self, document_id: str) -> None:
        """Forget the passages of a document, and their vectors."""
        with self._writing:
            gone = {entry.key for entry in store.every(self._index, self._searcher, "document", document_id)}
            store.write(self._index, (), without=[("document", document_id)])
            self._vectors.keep(lambda key: key not in gone)
            self._renew(self._last)

    def _renew(self, last: int) -> None:
        self._last = last
        self._searcher = self._index.searcher()
        self.count = self._searcher.num_docs

    async def retrieve(self, question: str, *, k: int = 8, filters: Filters | None = None) -> list[SourceContext]:
        """`answerable_from`, off the event loop, as a generator takes it; see `Retriever`."""
        found = await asyncio.to_thread(self.answerable_from, question, k, filters=filters)
        return [context_of(source) for source in found]

    def answerable_from(self, question: str, k: int = 8, *, filters: Filters | None = None) -> list[Source]:
        """What a question may be answered from: passages, or for one about the collection, what `overview` makes."""
        kind = self._kind(question)
        if kind == "matter":
            return self.find(question, k, filters=filters)
        if kind == "page":
            found = self.find(question, k, filters=filters)
            return self._page_of(found, k) if found else []
        bound = store.bound_of(filters)
        return overview([entry.source() for entry in self._in_order() if _is_within(entry, bound)], kind)

    def _kind(self, question: str) -> str:
        from footnoted.models import ModelUnavailable

        if self._meaning is None or not question.strip():
            return "matter"
        try:
            return kind_of(question, self._meaning)
        except ModelUnavailable:
            self._meaning = None
            return "matter"

    def _page_of(self, found: list[Source], k: int) -> list[Source]:
        """The passages of the document that was found most, in their order, from its beginning."""
        votes: dict[str, float] = defaultdict(float)
        for rank, source in enumerate(found):
            votes[str(source.metadata.get("document_id") or source.id)] += 1 / (2 + rank)
        best = max(votes, key=lambda name: votes[name])
        entries = store.every(self._index, self._searcher, "document", best)
        return [marked(entry.source(), "page") for entry in sorted(entries, key=lambda entry: entry.place)][:k]

    def find(self, question: str, k: int = 8, *, filters: Filters | None = None) -> list[Source]:
        """The ``k`` passages nearest to a question in words and meaning, best first; scores as in `search`."""
        return self._found(question, k, filters, ("words", "meaning"))

    def search(
        self,
        question: str,
        k: int = 8,
        *,
        by: Literal["words", "meaning"] = "words",
        filters: Filters | None = None,
    ) -> list[Source]:
        """The ``k`` passages nearest to a question one way alone, best first; any string may be asked.

        By words, ``score`` is ``1 - exp(-b / w)``: ``b`` the BM25 score (``metadata["bm25"]``), ``w`` what a passage of
        average length scores that holds each of the question's words once. So 0.63 for such a passage, 0.39 for half of
        it, and less when no passage knows a word. By meaning it is the cosine. Passages with the same words come once;
        ``metadata["also_in"]`` names the other files.
        """
        return self._found(question, k, filters, (by,))

    def understand(self) -> int:
        """Make the vectors that are still missing, told to ``progress``, and say how many were.

        Without the encoder's libraries it does nothing: the index is then searched by words alone.
        """
        missing = self.missing()
        if not missing:
            return 0
        with self.progress() as tell:
            for start in range(0, len(missing), _BATCH):
                if not self.read_ahead(missing[start : start + _BATCH]):
                    return 0
                tell(min(start + _BATCH, len(missing)), len(missing))
        return len(missing)

    def missing(self) -> list[store.Entry]:
        """The passages that have no vectors yet."""
        return [entry for entry in store.every(self._index, self._searcher) if entry.key not in self._vectors]

    def sources(self) -> list[Source]:
        """Every passage, in the order of files and places."""
        return [entry.source() for entry in self._in_order()]

    def _in_order(self) -> list[store.Entry]:
        order = {record.path: number for number, record in enumerate(self.files)}
        entries = store.every(self._index, self._searcher)
        return sorted(entries, key=lambda entry: (order.get(entry.file, 0), entry.place))

    def source(self, id_: str) -> Source | None:
        """The passage with this id."""
        found = next(store.every(self._index, self._searcher, "id", id_), None)
        return found.source() if found else None

    def _found(self, question: str, k: int, filters: Filters | None, ways: tuple[str, ...]) -> list[Source]:
        if k < 1 or not self.count or not question.strip():
            return []
        bound = store.bound_of(filters)
        by_words = self._by_words(question, bound, most=max(3 * k + 16, CANDIDATES))
        by_meaning: list[tuple[float, store.Entry]] = []
        if "meaning" in ways:
            everything = ways == ("meaning",) or self._is_strange(question)
            by_meaning = self._by_meaning(question, bound, [entry for _, entry in by_words], everything=everything)
        if "words" not in ways:
            by_words = []
        fused = fuse(([entry.key for _, entry in order], 1.0) for order in (by_words, by_meaning))
        entries = {entry.key: entry for _, entry in reversed((*by_words, *by_meaning))}  # of twins the first
        if not asks_for_changes(question):
            fused |= {key: _LESS * fused[key] for key, entry in entries.items() if tells_changes(entry.source())}
        ranked = sorted(entries.values(), key=lambda entry: (-fused[entry.key], entry.file, entry.place))
        weight = sum(self._rarity(term) for term in query_terms(question)) or 1.0
        bm25, cosines = ({entry.key: score for score, entry in order} for order in (by_words, by_meaning))
        return [
            _scored(entry.source(), bm25.get(entry.key, 0.0), weight, cosines.get(entry.key, 0.0), also_in)
            for entry, also_in in _each_once(ranked, k)
        ]

    def _by_words(self, question: str, bound: dict[str, list[str]], *, most: int) -> list[tuple[float, store.Entry]]:
        terms = query_terms(question)
        if not terms:
            return []
        query = self._bound(self._query(terms), bound)
        hits = self._searcher.search(query, limit=min(self.count, most), count=False).hits
        return sorted(
            ((score, store.Entry.stored(self._searcher.doc(address))) for score, address in hits),
            key=lambda hit: (-hit[0], hit[1].file, hit[1].place),
        )

    def _by_meaning(
        self, question: str, bound: dict[str, list[str]], offered: list[store.Entry], *, everything: bool
    ) -> list[tuple[float, store.Entry]]:
        """Those nearest in meaning of what has its vector: the first of ``offered`` at least, or ``everything``."""
        if everything:
            self.understand()
        else:
            self.read_ahead([entry for entry in offered[:_AT_ONCE] if entry.key not in self._vectors])
        if self._meaning is None or not len(self._vectors):
            return []
        vector = self._meaning.queries([question])[0]
        near = self._vectors.nearest(vector, CANDIDATES, documents=bound.get("document"), scopes=bound.get("scope"))
        known = {entry.key: entry for entry in offered}
        found = []
        for key, cosine in near:
            entry = known.get(key) or next(store.every(self._index, self._searcher, "key", key.hex()), None)
            if entry is not None:
                found.append((cosine, entry))
        return found

    def read_ahead(self, entries: list[store.Entry]) -> bool:
        """Make the vectors of passages; false where the encoder cannot run, which is then not asked again."""
        if self._meaning is None:
            return False
        if entries:
            from footnoted.models import ModelUnavailable

            try:
                vectors = self._meaning.passages([said_of(entry.source()) for entry in entries])
            except ModelUnavailable:
                self._meaning = None
                return False
            self._vectors.add([(entry.key, entry.document, entry.scope) for entry in entries], vectors)
        return True

    def _is_strange(self, question: str) -> bool:
        """Whether hardly a word of the question, the small ones included, stands in any passage."""
        terms = index_terms(question)
        known = sum(self._searcher.doc_freq("terms", term) > 0 for term in terms)
        return bool(terms) and known < (1 - _STRANGE) * len(terms)

    def _query(self, terms: list[str]) -> tantivy.Query:
        import tantivy

        schema, parts = self._index.schema, []
        for term in terms:
            if self._searcher.doc_freq("terms", term) or len(term) < _TYPO_LEAST or not term.isalpha():
                parts.append(tantivy.Query.term_query(schema, "terms", term, "freq"))
                continue
            wrong = 2 if len(term) >= _TYPO_LONG else 1
            nearly = tantivy.Query.fuzzy_term_query(schema, "terms", term, distance=wrong)
            parts.append(tantivy.Query.const_score_query(nearly, _TYPO * self._rarity(term)))
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in parts])

    def _bound(self, query: tantivy.Query, bound: dict[str, list[str]]) -> tantivy.Query:
        import tantivy

        if not bound:
            return query
        musts = [tantivy.Query.term_set_query(self._index.schema, field, values) for field, values in bound.items()]
        return tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Must, query),
                *((tantivy.Occur.Must, tantivy.Query.const_score_query(must, 0.0)) for must in musts),
            ]
        )

    def _rarity(self, term: str) -> float:
        """The term's inverse document frequency, as BM25 has it."""
        holding = min(self.count, self._searcher.doc_freq("terms", term))  # which also counts what was just removed
        return math.log(1 + (self.count - holding + 0.5) / (holding + 0.5))


class Addition:
    """Passages on their way into an index: `add` as often as there are more, then `commit`, or `undo`."""

    def __init__(
        self, change: store.Writing, place: int, committed: Callable[[int], None], lock: threading.Lock
    ) -> None:
        self._change = change
        self._place = place  # of the next passage
        self._committed = committed
        self._lock = lock  # held by who made this, and released at the end

    def add(self, sources: Iterable[Source]) -> None:
        """More passages, after those before."""
        for source in sources:
            self._change.add([store.Entry.of(source, self._place)])
            self._place += 1

    def commit(self) -> None:
        """They are found from now on."""
        try:
            self._change.commit()
            self._committed(self._place)
        finally:
            self._lock.release()

    def undo(self) -> None:
        """None of them is."""
        try:
            self._change.undo()
        finally:
            self._lock.release()


@contextlib.contextmanager
def _untold() -> Iterator[Callable[[int, int], None]]:
    yield lambda _done, _total: None


def _is_within(entry: store.Entry, bound: dict[str, list[str]]) -> bool:
    return all(getattr(entry, field) in values for field, values in bound.items())


def _each_once(ranked: Iterable[store.Entry], k: int) -> list[tuple[store.Entry, set[str]]]:
    """The first ``k`` that differ in their words, and in which other files each stands."""
    best: dict[bytes, tuple[store.Entry, set[str]]] = {}
    # Only passages with all words the same are one: a copy that differs in a number or a "not" is news.
    for entry in ranked:
        if entry.same in best:
            if entry.file != best[entry.same][0].file:
                best[entry.same][1].add(entry.file)
        elif len(best) < k:
            best[entry.same] = (entry, set())
    return list(best.values())


def _scored(source: Source, bm25: float, weight: float, cosine: float, also_in: set[str]) -> Source:
    """A passage with what it was found by; ``weight`` is what all the question's words weigh, see `Index.search`."""
    metadata: dict[str, Any] = dict(source.metadata)
    if bm25:
        metadata["bm25"] = round(bm25, 4)
    if cosine:
        metadata["likeness"] = round(cosine, 4)
    if also_in:
        metadata["also_in"] = sorted(also_in)
    score = 1 - math.exp(-bm25 / weight) if bm25 else max(0.0, cosine)
    return replace(source, metadata=metadata, score=score)
