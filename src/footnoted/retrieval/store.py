"""Passages in; a tantivy index that finds them by their terms and gives them back whole out."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnoted.retrieval.terms import index_terms
from footnoted.types import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import tantivy

# A passage is searched by its words, those of its headings twice and of its document's title once more, all in
# one field: a rare word is then rare wherever it stands, and repeating it satiates (on 35 questions over
# examples/policies, mean reciprocal rank 0.89 against 0.82 for three fields weighted apart).
_HEADINGS, _TITLE = 2, 1
_HEAP = 32_000_000  # bytes the index writer may use


def create(place: Path | None) -> tantivy.Index:
    """An empty index in a folder, or in memory."""
    import tantivy  # 18 ms that `import footnoted` need not spend

    builder = tantivy.SchemaBuilder()
    # Terms are made by `terms`, joined by spaces: every language and every sign is then the same here.
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    for name in ("id", "file"):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("same", "passage"):
        builder.add_bytes_field(name, stored=True)
    builder.add_integer_field("place", stored=True)
    return tantivy.Index(builder.build(), path=str(place) if place else None)


def open_kept(place: Path) -> tantivy.Index | None:
    """The index kept in a folder; nothing when it is damaged or of another version."""
    import tantivy

    try:
        index = tantivy.Index.open(str(place))
        index.reload()
    except (ValueError, OSError):
        return None
    return index


def write(index: tantivy.Index, sources: Iterable[Source]) -> None:
    """Add passages, in order, and make them searchable."""
    import tantivy

    writer = index.writer(_HEAP, 1)
    for number, source in enumerate(sources):
        body = index_terms(source.text)
        data = source.metadata
        above = index_terms(str(data.get("section", ""))) * _HEADINGS
        named = index_terms(str(data.get("title") or source.title)) * _TITLE
        writer.add_document(
            tantivy.Document(
                id=source.id,
                file=str(data.get("file", "")),
                place=number,
                terms=" ".join([*body, *above, *named]),
                same=hashlib.sha1(" ".join(body).encode(), usedforsecurity=False).digest(),
                passage=_packed(source),
            )
        )
    writer.commit()
    writer.wait_merging_threads()
    index.reload()


def every(index: tantivy.Index, searcher: tantivy.Searcher, field: str = "", value: str = "") -> Iterator[Source]:
    """The passages whose ``id`` or ``file`` is ``value``, or all, in the order they were written."""
    import tantivy

    if not searcher.num_docs:
        return
    query = tantivy.Query.term_query(index.schema, field, value, "basic") if field else tantivy.Query.all_query()
    hits = searcher.search(query, limit=searcher.num_docs, count=False).hits
    stored = [Stored.of(searcher.doc(address)) for _, address in hits]
    stored.sort(key=lambda passage: passage.place)
    for passage in stored:
        yield passage.source()


@dataclass(frozen=True, slots=True)
class Stored:
    """A passage as the index gives it back: ``same`` is equal for passages with all words the same."""

    file: str
    place: int
    same: bytes
    packed: bytes

    @classmethod
    def of(cls, document: tantivy.Document) -> Stored:
        """What a stored document holds."""
        fields: dict[str, list[Any]] = document.to_dict()
        file, place, same, packed = (fields[name][0] for name in ("file", "place", "same", "passage"))
        return cls(file, place, bytes(same), bytes(packed))

    def source(self) -> Source:
        """The passage itself."""
        id_, text, title, metadata, sha256 = json.loads(self.packed)
        return Source(id=id_, text=text, title=title, metadata=metadata, sha256=sha256)


def _packed(source: Source) -> bytes:
    data: list[Any] = [source.id, source.text, source.title, dict(source.metadata), source.sha256]
    return json.dumps(data, ensure_ascii=True, default=str, separators=(",", ":")).encode("ascii")
