"""A tantivy index that finds passages by their terms and gives them back whole; added to and taken from in place."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from footnoted.errors import ConfigurationError
from footnoted.retrieval.relevance import said_of
from footnoted.retrieval.terms import index_terms
from footnoted.retrieval.vectors import key_of
from footnoted.types import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import tantivy

    from footnoted.retrieval.retriever import Filters

# A passage is searched by its words, those of its headings twice and of its document's title once more, all in
# one field: a rare word is then rare wherever it stands, and repeating it satiates (on 35 questions over
# examples/policies, mean reciprocal rank 0.89 against 0.82 for three fields weighted apart).
_HEADINGS, _TITLE = 2, 1
NOWHERE = "-"  # the scope of a passage that belongs to no conversation
_FIELDS = {"document_id": "document", "conversation_id": "scope"}
_HEAP = 32_000_000  # bytes the index writer may use


@dataclass(frozen=True, slots=True)
class Entry:
    """A passage as the index holds it, ready to be written again as it is.

    ``terms`` are what it is found by; ``same`` is equal for passages whose own words are all the same; ``key`` is what
    its vector is known by; ``document`` and ``scope`` (a conversation, or nothing) are what a search may be bound to.
    """

    id: str
    file: str
    terms: str
    same: bytes
    passage: bytes
    key: bytes
    document: str
    scope: str
    place: int = 0

    @classmethod
    def of(cls, source: Source, place: int = 0) -> Entry:
        """The entry of a passage."""
        data = source.metadata
        body = index_terms(source.text)
        above = index_terms(str(data.get("section", ""))) * _HEADINGS
        named = index_terms(str(data.get("title") or source.title)) * _TITLE
        same = hashlib.sha1(" ".join(body).encode(), usedforsecurity=False).digest()
        terms = " ".join([*body, *above, *named])
        document = str(data.get("document_id") or source.id)
        scope = str(data.get("conversation_id") or NOWHERE)
        key = key_of(f"{source.id}\0{said_of(source)}")
        return cls(source.id, str(data.get("file", "")), terms, same, _packed(source), key, document, scope, place)

    @classmethod
    def stored(cls, document: tantivy.Document) -> Entry:
        """The entry a stored document holds."""
        held: dict[str, Any] = {name: values[0] for name, values in document.to_dict().items()}
        key = bytes.fromhex(held.pop("key"))
        return cls(**held | {"same": bytes(held["same"]), "passage": bytes(held["passage"]), "key": key})

    def source(self) -> Source:
        """The passage itself."""
        id_, text, title, metadata, sha256 = json.loads(self.passage)
        return Source(id=id_, text=text, title=title, metadata=metadata, sha256=sha256)


def create(place: Path | None) -> tantivy.Index:
    """An empty index in a folder, or in memory."""
    import tantivy  # 18 ms that `import footnoted` need not spend

    builder = tantivy.SchemaBuilder()
    # Terms are made by `terms`, joined by spaces: every language and every sign is then the same here. They are
    # stored as well, so that passages of unchanged files are taken over without taking them apart again.
    builder.add_text_field("terms", stored=True, tokenizer_name="whitespace", index_option="freq")
    for name in ("id", "file", "key", "document", "scope"):
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


class Writing:
    """A change of an index, from its first entry until `commit` makes it searchable, or `undo` forgets it."""

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        self._writer = index.writer(_HEAP, 1)

    def without(self, field: str, value: str) -> None:
        """Take out the entries whose field (``file``, ``document``) has a value."""
        self._writer.delete_documents_by_term(field, value)

    def add(self, entries: Iterable[Entry]) -> None:
        """Put entries in."""
        import tantivy

        for entry in entries:
            held = {field.name: getattr(entry, field.name) for field in fields(entry)}
            self._writer.add_document(tantivy.Document(**held | {"key": entry.key.hex()}))

    def commit(self) -> None:
        """What was changed is found from now on."""
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._index.reload()

    def undo(self) -> None:
        """As if nothing had been changed."""
        self._writer.rollback()
        del self._writer


def write(index: tantivy.Index, entries: Iterable[Entry], *, without: Iterable[tuple[str, str]] = ()) -> None:
    """Take out the entries whose field (``file``, ``document``) has a value, add others, and make it searchable."""
    writing = Writing(index)
    for field, value in without:
        writing.without(field, value)
    writing.add(entries)
    writing.commit()


def every(index: tantivy.Index, searcher: tantivy.Searcher, field: str = "", value: str = "") -> Iterator[Entry]:
    """The entries whose ``id`` or ``file`` is ``value``, or all, in the order they were written."""
    import tantivy

    if not searcher.num_docs:
        return
    query = tantivy.Query.term_query(index.schema, field, value, "basic") if field else tantivy.Query.all_query()
    hits = searcher.search(query, limit=searcher.num_docs, count=False).hits
    entries = [Entry.stored(searcher.doc(address)) for _, address in hits]
    yield from sorted(entries, key=lambda entry: entry.place)


def bound_of(filters: Filters | None) -> dict[str, list[str]]:
    """The fields a search is bound to, with the values each may have. Raises `ConfigurationError` for others."""
    unknown = set(filters or ()) - set(_FIELDS)
    if unknown:
        raise ConfigurationError(f"filters know {', '.join(_FIELDS)}; got {', '.join(sorted(unknown))}")
    several = {name: [value] if isinstance(value, str) else value for name, value in (filters or {}).items()}
    return {_FIELDS[name]: [value or NOWHERE for value in values] for name, values in several.items()}


def _packed(source: Source) -> bytes:
    data: list[Any] = [source.id, source.text, source.title, dict(source.metadata), source.sha256]
    return json.dumps(data, ensure_ascii=True, default=str, separators=(",", ":")).encode("ascii")
