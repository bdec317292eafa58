"""Which sentence of some sources answers a question, and whether any does."""

from footnoted.retrieval.relevance.chronicle import asks_for_changes, tells_changes
from footnoted.retrieval.relevance.layout import Sentence, read
from footnoted.retrieval.relevance.meaning import Meaning, Reads, ShippedMeaning
from footnoted.retrieval.relevance.question import parts, tells
from footnoted.retrieval.relevance.rank import Scored, answerability, judged, kind_of, passage_of, rank, reread, said_of

OVERVIEW = "overview"  # the key under which a source says that it was chosen for a question about the collection

__all__ = [
    "OVERVIEW",
    "Meaning",
    "Reads",
    "Scored",
    "Sentence",
    "ShippedMeaning",
    "answerability",
    "asks_for_changes",
    "judged",
    "kind_of",
    "parts",
    "passage_of",
    "rank",
    "read",
    "reread",
    "said_of",
    "tells",
    "tells_changes",
]
