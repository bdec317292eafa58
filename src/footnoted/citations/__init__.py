"""Turns a model's deltas into text with rendered markers, and citations that point at exact words."""

from footnoted.citations.groups import Marker
from footnoted.citations.markers import MarkerDecoder
from footnoted.citations.spans import Located, SourceSpans, locate
from footnoted.citations.stream import CitationStream
from footnoted.citations.styles import Entry, render_list, render_marker

__all__ = [
    "CitationStream",
    "Entry",
    "Located",
    "Marker",
    "MarkerDecoder",
    "SourceSpans",
    "locate",
    "render_list",
    "render_marker",
]
