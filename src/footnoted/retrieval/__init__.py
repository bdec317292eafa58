"""Files in; passages and a searchable index of them out."""

from footnoted.retrieval.index import Index
from footnoted.retrieval.load import Document, Loaded, Problem, Section, chunks, load, parse

__all__ = ["Document", "Index", "Loaded", "Problem", "Section", "chunks", "load", "parse"]
