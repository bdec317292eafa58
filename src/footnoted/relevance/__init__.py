"""A question and sources in; each sentence scored for how well it answers, and whether any does, out."""

from footnoted.relevance.layout import Sentence, read
from footnoted.relevance.likeness import EncoderLikeness, Likeness
from footnoted.relevance.question import tells
from footnoted.relevance.rank import Scored, answerability, rank

__all__ = ["EncoderLikeness", "Likeness", "Scored", "Sentence", "answerability", "rank", "read", "tells"]
