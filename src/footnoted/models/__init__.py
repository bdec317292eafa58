"""The two networks that ship: `Embedder`, what a text is about, and `Reader`, what evidence makes of a claim."""

from footnoted.models.embedder import Embedder
from footnoted.models.files import ModelUnavailable
from footnoted.models.reader import Reader, Reading

__all__ = ["Embedder", "ModelUnavailable", "Reader", "Reading"]
