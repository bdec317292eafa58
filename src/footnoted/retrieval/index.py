"""Files in; for a question, the passages that most likely answer it out (BM25), best first."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from footnoted.retrieval import store
from footnoted.retrieval.build import Built, build
from footnoted.retrieval.cache import default_folder
from footnoted.retrieval.load import LIMIT
from footnoted.retrieval.terms import query_terms

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import tantivy

    from footnoted.retrieval.load import Progress
    from footnoted.types import Source


class Index:
    """Passages, searchable. Make one with `Index.open` or `Index.of`.

    ``count`` passages of ``files`` (records); ``problems`` the files that could not be read; ``skipped`` how
    many of each unknown ending; ``reused`` whether no file had to be read anew, ``read`` how many were;
    ``location`` the folder it is kept in, if any.
    """

    def __init__(self, built: Built) -> None:
        self._index = built.index
        self._searcher = built.index.searcher()
        self.count: int = self._searcher.num_docs
        self.files = built.files
        self.problems = list(built.problems)
        self.skipped = built.skipped
        self.reused = built.reused
        self.read = built.read
        self.location = built.location

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
    def of(cls, sources: Iterable[Source]) -> Index:
        """An index in memory over passages at hand."""
        index = store.create(None)
        store.write(index, map(store.Entry.of, sources))
        return cls(Built(index, (), (), {}, reused=False, read=0, location=None))

    def search(self, question: str, k: int = 8) -> list[Source]:
        """The ``k`` passages nearest to a question in words, best first; any string may be asked.

        ``score`` is ``1 - exp(-b / w)``: ``b`` the BM25 score (``metadata["bm25"]``), ``w`` what a passage of
        average length scores that holds each of the question's words once. So 0.63 for such a passage, 0.39
        for half of it, and less when no passage knows a word. Passages with the same words come once;
        ``metadata["also_in"]`` names the other files.
        """
        terms = query_terms(question)
        if not terms or k < 1 or not self.count:
            return []
        limit = min(self.count, 3 * k + 16)
        hits = self._searcher.search(self._query(terms), limit=limit, count=False).hits
        ranked = [(score, store.Entry.stored(self._searcher.doc(address))) for score, address in hits]
        ranked.sort(key=lambda hit: (-hit[0], hit[1].place))
        best: dict[bytes, tuple[float, store.Entry]] = {}
        twins: dict[bytes, set[str]] = {}
        # Only passages with all words the same are one: a copy that differs in a number or a "not" is news.
        for score, passage in ranked:
            if passage.same in best:
                if passage.file != best[passage.same][1].file:
                    twins.setdefault(passage.same, set()).add(passage.file)
            elif len(best) < k:
                best[passage.same] = (score, passage)
        weight = sum(self._rarity(term) for term in terms)
        return [_scored(passage, score, weight, twins.get(same)) for same, (score, passage) in best.items()]

    def sources(self) -> list[Source]:
        """Every passage, in the order of files and places."""
        return [entry.source() for entry in store.every(self._index, self._searcher)]

    def source(self, id_: str) -> Source | None:
        """The passage with this id."""
        found = next(store.every(self._index, self._searcher, "id", id_), None)
        return found.source() if found else None

    def _query(self, terms: list[str]) -> tantivy.Query:
        import tantivy

        asked = (tantivy.Query.term_query(self._index.schema, "terms", term, "freq") for term in terms)
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in asked])

    def _rarity(self, term: str) -> float:
        """The term's inverse document frequency, as BM25 has it."""
        holding = self._searcher.doc_freq("terms", term)
        return math.log(1 + (self.count - holding + 0.5) / (holding + 0.5))


def _scored(passage: store.Entry, score: float, weight: float, also_in: set[str] | None) -> Source:
    source = passage.source()
    metadata = {**source.metadata, "bm25": round(score, 4)}
    if also_in:
        metadata["also_in"] = sorted(also_in)
    return replace(source, metadata=metadata, score=1 - math.exp(-score / weight))
