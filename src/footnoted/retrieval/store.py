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


@dataclass(frozen=True, slots=True)
class Entry:
    """A passage as the index holds it, ready to be written again as it is.

    ``terms`` are what it is found by; ``same`` is equal for passages whose own words are all the same.
    """

    id: str
    file: str
    terms: str
    same: bytes
    packed: bytes
    place: int = 0

    @classmethod
    def of(cls, source: Source) -> Entry:
        """The entry of a passage."""
        data = source.metadata
        body = index_terms(source.text)
        above = index_terms(str(data.get("section", ""))) * _HEADINGS
        named = index_terms(str(data.get("title") or source.title)) * _TITLE
        same = hashlib.sha1(" ".join(body).encode(), usedforsecurity=False).digest()
        terms = " ".join([*body, *above, *named])
        return cls(source.id, str(data.get("file", "")), terms, same, _packed(source))

    @classmethod
    def stored(cls, document: tantivy.Document) -> Entry:
        """The entry a stored document holds."""
        held: dict[str, list[Any]] = document.to_dict()
        same, packed = bytes(held["same"][0]), bytes(held["passage"][0])
        return cls(held["id"][0], held["file"][0], held["terms"][0], same, packed, held["place"][0])

    def source(self) -> Source:
        """The passage itself."""
        id_, text, title, metadata, sha256 = json.loads(self.packed)
        return Source(id=id_, text=text, title=title, metadata=metadata, sha256=sha256)


def create(place: Path | None) -> tantivy.Index:
    """An empty index in a folder, or in memory."""
    import tantivy  # 18 ms that `import footnoted` need not spend

    builder = tantivy.SchemaBuilder()
    # Terms are made by `terms`, joined by spaces: every language and every sign is then the same here. They are
    # stored as well, so that passages of unchanged files are taken over without taking them apart again.
    builder.add_text_field("terms", stored=True, tokenizer_name="whitespace", index_option="freq")
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


def write(index: tantivy.Index, entries: Iterable[Entry]) -> None:
    """Add entries, in order, and make them searchable."""
    import tantivy

    writer = index.writer(_HEAP, 1)
    for place, entry in enumerate(entries):
        writer.add_document(
            tantivy.Document(
                id=entry.id,
                file=entry.file,
                terms=entry.terms,
                same=entry.same,
                passage=entry.packed,
                place=place,
            )
        )
    writer.commit()
    writer.wait_merging_threads()
    index.reload()


def every(index: tantivy.Index, searcher: tantivy.Searcher, field: str = "", value: str = "") -> Iterator[Entry]:
    """The entries whose ``id`` or ``file`` is ``value``, or all, in the order they were written."""
    import tantivy

    if not searcher.num_docs:
        return
    query = tantivy.Query.term_query(index.schema, field, value, "basic") if field else tantivy.Query.all_query()
    hits = searcher.search(query, limit=searcher.num_docs, count=False).hits
    entries = [Entry.stored(searcher.doc(address)) for _, address in hits]
    yield from sorted(entries, key=lambda entry: entry.place)


def _packed(source: Source) -> bytes:
    data: list[Any] = [source.id, source.text, source.title, dict(source.metadata), source.sha256]
    return json.dumps(data, ensure_ascii=True, default=str, separators=(",", ":")).encode("ascii")
