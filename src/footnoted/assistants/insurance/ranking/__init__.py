"""The order of sentences that the insurance responder was fitted to; elsewhere `footnoted.relevance` orders them."""

from footnoted.assistants.insurance.ranking.rank import Scored, answerability, rank

__all__ = ["Scored", "answerability", "rank"]
