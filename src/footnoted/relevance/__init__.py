"""A question and sources in; every sentence scored for how well it answers, and whether anything answers, out."""

from footnoted.relevance.rank import Scored, answerability, rank

__all__ = ["Scored", "answerability", "rank"]
