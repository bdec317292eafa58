"""The networks that ship.

`Embedder` says what a text is about, `Reader` what evidence makes of a claim, `Reranker` whether a text answers.
"""

from footnoted.models.embedder import Embedder
from footnoted.models.files import ModelUnavailable
from footnoted.models.reader import Reader, Reading, Reranker

__all__ = ["Embedder", "ModelUnavailable", "Reader", "Reading", "Reranker"]
