"""Is `footnoted.retrieval.relevance` now; this name goes with the next version."""

from footnoted._moved import moved

moved(__name__, "footnoted.retrieval.relevance")
