"""The networks that ship.

`Embedder` says what a text is about, in any language; `Reader` what evidence makes of a claim, and whether a text
answers, in English; `Reranker` whether a text answers, in any language.
"""

from footnoted.models.embedder import Embedder
from footnoted.models.files import ModelUnavailable
from footnoted.models.reader import Reader, Reading, Reranker

__all__ = ["Embedder", "ModelUnavailable", "Reader", "Reading", "Reranker"]
