"""Reads an e-mail (.eml): who wrote to whom and when, its text, and the names of what is attached to it."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage
from itertools import groupby, islice

from footnoted.errors import SourceError
from footnoted.retrieval.load.document import Document, Draft
from footnoted.retrieval.load.html import write_page
from footnoted.retrieval.load.plain import blocks_of
from footnoted.text.marks import skip

_MOST_PARTS = 500
_HEADERS = ("From", "To", "Cc", "Date")


def read_mail(path: str, data: bytes) -> Document:
    """The document of a message; attachments are named, not read. Raises `SourceError` when it is no message."""
    try:
        message = email.message_from_bytes(data, policy=email.policy.default)
        if not isinstance(message, EmailMessage) or not any(message[name] for name in (*_HEADERS, "Subject")):
            raise SourceError("is no e-mail: it has no sender, no date and no subject")
        draft = Draft()
        about = {name: _line(message, name) for name in _HEADERS}
        draft.paragraph("\n".join(f"{name}: {value}" for name, value in about.items() if value))
        body = message.get_body(("plain", "html"))
        if body is not None:
            words = body.get_content()
            if body.get_content_subtype() == "html":
                write_page(draft, words)
            else:
                _write(draft, words)
        names = [
            part.get_filename() or part.get_content_type() for part in islice(message.iter_attachments(), _MOST_PARTS)
        ]
    except SourceError:
        raise
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise SourceError(f"is damaged: the e-mail cannot be read ({type(error).__name__})") from error
    if names:
        draft.paragraph("Attached, not read: " + ", ".join(" ".join(name.split()) for name in names))
    metadata = {name.casefold(): value for name, value in about.items() if value}
    return draft.document(path, title=_line(message, "Subject"), kind="mail", metadata=metadata)


def _write(draft: Draft, words: str) -> None:
    """Paragraphs and lists of a text; what is quoted of an earlier message stands apart, without its marks."""
    for _, lines in groupby(words.splitlines(), key=lambda line: line[: _behind_marks(line)].count(">")):
        text = "\n".join(line[_behind_marks(line) :].rstrip() for line in lines)
        for block in blocks_of(text):
            if block.parts:
                draft.items([text[slice(*part)] for part in block.parts])
            else:
                draft.paragraph(text[block.start : block.end])


def _behind_marks(line: str) -> int:
    """Where the words of a line begin behind the marks of a quote: ``> > a``."""
    return skip(line, 0, len(line), "> ") if line.startswith(">") else 0


def _line(message: EmailMessage, name: str) -> str:
    return " ".join(str(message.get(name) or "").split())[:500]
