"""The networks that ship.

`Embedder` says what a text is about, in any language; `Reader` what evidence makes of a claim, and whether a text
answers a question: one of them reads English, another, in the folder `EVERY_LANGUAGE`, what is in any.
"""

from footnoted.models.embedder import Embedder
from footnoted.models.files import WEIGHTS as EVERY_LANGUAGE
from footnoted.models.files import ModelUnavailable
from footnoted.models.reader import Reader, Reading

__all__ = ["EVERY_LANGUAGE", "Embedder", "ModelUnavailable", "Reader", "Reading"]
