"""What a collection is: its documents as one source, and their leads, for questions that no single passage answers.

"What is this about?" is near everything and nothing. What kind of question it is, its vector tells (`kind_of`);
what is shown then is taken from the list of files and the first words of the documents, never guessed from passages.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from footnoted.inert import on_one_line
from footnoted.retrieval.relevance import OVERVIEW
from footnoted.types import Source

_LISTED = 40  # documents named; of more, the groups and how many there are
_LEADS = 4


def overview(sources: Sequence[Source], kind: str) -> list[Source]:
    """The contents of a collection as one source, and the first passages of its foremost documents.

    ``sources`` are all passages, in the order of their documents; ``kind`` is that of the question (`kind_of`).
    """
    first: dict[str, Source] = {}
    for source in sources:
        first.setdefault(str(source.metadata.get("file") or source.metadata.get("document_id") or source.id), source)
    if not first:
        return []
    leads = sorted(first, key=_foremost)[:_LEADS] if kind == "collection" else []
    return [_contents(first, kind), *(marked(first[name], "lead") for name in leads)]


def _contents(first: dict[str, Source], kind: str) -> Source:
    names = {
        name: on_one_line(str(source.metadata.get("title") or source.title or name)) for name, source in first.items()
    }
    many = "1 document" if len(names) == 1 else f"{len(names)} documents"
    parts = [f"This collection holds {many}."]
    groups = Counter(_group(name) for name in names)
    if len(names) > _LISTED:
        shown = [f"{group or 'the top'}: {count}" for group, count in groups.most_common(12)]
        parts.append("Their folders, with the number of documents:" + _listed(shown))
    chosen = sorted(names, key=_foremost)[:_LISTED]
    opening = "Some of them are called:" if len(names) > _LISTED else "They are called:"
    parts.append(opening + _listed(dict.fromkeys(names[name] for name in chosen)))
    text = "\n\n".join(parts)
    return Source(
        id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"footnoted:contents:{text}")),
        text=text,
        title="Contents of this collection",
        metadata={"title": "Contents of this collection", "file": "contents", OVERVIEW: kind},
    )


def _listed(names: Iterable[str]) -> str:
    return "\n" + "".join(f"\n- {name}" for name in names)


def marked(source: Source, as_what: str) -> Source:
    """A passage that says what it was chosen as: a ``lead``, or part of a ``page`` to be summed up."""
    return Source(source.id, source.text, source.title, {**source.metadata, OVERVIEW: as_what}, source.score)


def _foremost(name: str) -> tuple[int, int, str]:
    """Documents that open a folder stand first, those near the top before those deep down."""
    path = PurePosixPath(name)
    opens = path.stem.casefold() in {"readme", "index", "introduction", "overview"}
    return (len(path.parts), 0 if opens else 1, name)


def _group(name: str) -> str:
    parts = PurePosixPath(name).parts[:-1]
    return "/".join(parts[-2:])
