"""Reads a presentation (.pptx): a section a slide, with its text, tables and the speaker's notes. Needs python-pptx."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from footnoted.errors import SourceError
from footnoted.retrieval.load.archive import open_archive
from footnoted.retrieval.load.document import Document, Draft

_MOST_SLIDES = 2_000
_DEEPEST = 20  # groups in groups


def read_pptx(path: str, data: bytes, *, limit_bytes: int) -> Document:
    """The document of a presentation; a passage's page is its slide's number. Raises `SourceError`."""
    open_archive(data, ".pptx", limit_bytes=limit_bytes).close()
    try:
        from pptx import Presentation
    except ModuleNotFoundError as error:
        raise SourceError("needs python-pptx to be read; run: pip install 'footnoted[formats]'") from error
    draft = Draft()
    try:
        shown = Presentation(io.BytesIO(data))
        title = (shown.core_properties.title or "").strip()
        title = _title_of(shown) if title in ("", "PowerPoint Presentation") else title
        for number, slide in enumerate(shown.slides, 1):
            if number > _MOST_SLIDES:
                break
            _write(draft, slide, number)
    except Exception as error:
        raise SourceError(f"is damaged: the presentation cannot be read ({type(error).__name__})") from error
    return draft.document(path, title=title, kind="pptx")


def _title_of(shown: Any) -> str:
    """What the first slide says where it is a title slide."""
    titled = shown.slides[0].shapes.title if len(shown.slides) else None
    if titled is None or "CENTER_TITLE" not in str(titled.placeholder_format.type):
        return ""
    return " ".join(titled.text_frame.text.split())


def _write(draft: Draft, slide: Any, number: int) -> None:
    titled = slide.shapes.title
    draft.heading(2, titled.text_frame.text if titled is not None else f"{number}", page=number)
    for shape in _shapes(slide.shapes, 0):
        if titled is not None and shape.shape_id == titled.shape_id:
            continue
        if shape.has_text_frame:
            _write_frame(draft, shape, number)
        elif getattr(shape, "has_table", False):
            draft.table([[cell.text for cell in row.cells] for row in shape.table.rows], page=number)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        for line in slide.notes_slide.notes_text_frame.text.split("\n"):
            draft.paragraph(line, page=number)


def _shapes(shapes: Any, depth: int) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes") and depth < _DEEPEST:
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _write_frame(draft: Draft, shape: Any, number: int) -> None:
    """A text frame: several lines are a list, as slides show them; one is a paragraph."""
    lines = [(line.level, " ".join(line.text.split())) for line in shape.text_frame.paragraphs if line.text.strip()]
    if len(lines) > 1:
        draft.items([f"{'  ' * level}- {words}" for level, words in lines], page=number)
    for _, words in lines[: len(lines) == 1]:
        draft.paragraph(words, page=number)
