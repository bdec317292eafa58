"""Files, their passages, and who finds the passages that a question may be answered from."""

from footnoted.retrieval.index import Index
from footnoted.retrieval.load import Document, Loaded, Problem, Section, chunks, load, parse
from footnoted.retrieval.retriever import Filters, Retriever, context_of, gather

__all__ = [
    "Document",
    "Filters",
    "Index",
    "Loaded",
    "Problem",
    "Retriever",
    "Section",
    "chunks",
    "context_of",
    "gather",
    "load",
    "parse",
]
