"""Other libraries' passages as `SourceContext`, with the same ids every time; messages as turns, and the other way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from footnoted.contract import SourceContext, made_uuid
from footnoted.errors import ConfigurationError
from footnoted.providers._schema import in_words
from footnoted.providers.openai import messages as messages_of

if TYPE_CHECKING:
    from footnoted.retrieval.retriever import Filters
    from footnoted.types import Prompt

_HALVES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_OF_DOCUMENT = ("document_id", "doc_id", "ref_doc_id", "source_id", "source", "url", "file_path", "file_name")
_TITLES = ("title", "name", "file", "source", "file_name", "file_path", "url")
_PAGES = ("page_label", "page_number", "page")


def context_of(
    text: str | None, *, id_: str | None = None, metadata: Mapping[str, Any] | None = None, score: Any = None
) -> SourceContext:
    r"""One passage. All metadata is kept; ``title`` and ``section`` (its page) are added where there are none.

    ``chunk_id`` is ``id_`` where that is a UUID, else made from it, else from the words and where they stand;
    ``document_id`` is made the same way from whichever of the usual names the metadata has. A passage without
    text stays in its place, empty, so that ``source_index`` counts as the caller's own list does.
    Half a character, as some readers of PDF leave it, becomes ``\ufffd``; places stay.
    """
    text = _mended(text or "")
    data = dict(metadata or {})
    whole = next((str(data[name]) for name in _OF_DOCUMENT if data.get(name)), None)
    page = next((str(data[name]) for name in _PAGES if data.get(name) not in (None, "")), None)
    chunk = made_uuid(id_ or f"{whole or ''}#{page or ''}#{text}")
    if title := next((data[name] for name in _TITLES if data.get(name)), None):
        data.setdefault("title", str(title))
    if page is not None:
        data.setdefault("section", f"page {page}")
    return SourceContext(
        chunk_id=chunk,
        document_id=made_uuid(whole) if whole else chunk,
        content=text,
        metadata=data,
        relevance_score=_score(score),
    )


def bounded(found: Sequence[SourceContext], k: int, filters: Filters | None) -> list[SourceContext]:
    """The first ``k`` whose metadata has, for each filter, one of its values; a passage without the field has ""."""
    wanted = {name: {value} if isinstance(value, str) else set(value) for name, value in (filters or {}).items()}
    fitting = [
        passage
        for passage in found
        if all(str(passage.metadata.get(name) or "") in values for name, values in wanted.items())
    ]
    return fitting[:k]


def asked_of(prompt: Prompt) -> list[dict[str, str]]:
    """The conversation as role and content, a schema asked for in words."""
    return messages_of(prompt, instruction="" if prompt.schema is None else in_words(prompt.schema.json))


def turns(messages: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Messages as (role, text) in; finished exchanges as (user, assistant) out, what has no answer left out.

    >>> turns([("user", "Hello"), ("assistant", "Good day."), ("user", "And?")])
    [('Hello', 'Good day.')]
    """
    found: list[tuple[str, str]] = []
    asked: list[str] = []
    for role, text in messages:
        if role == "user":
            asked.append(text)
        elif role == "assistant" and asked:
            found.append(("\n\n".join(asked), text))
            asked = []
    return found


def question_of(value: Any) -> str:
    """The question, if it is one in words."""
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f"the question must be words, not {type(value).__name__}: {value!r:.80}")
    return _mended(value)


def _mended(text: str) -> str:
    return text if text.isascii() else text.translate(_HALVES)


def _score(score: Any) -> float:
    try:
        number = float(score)
    except (TypeError, ValueError):
        return 0.0
    return number if math.isfinite(number) else 0.0
