"""Checks claims with a classifier others trained: HHEM, MiniCheck, LettuceDetect, any in ONNX.

>>> checker = EntailmentModel.load("path/to/folder")  # model.onnx, tokenizer.json, config.json
>>> GroundedGenerator("openai", checker=checker)
"""

from footnoted.grounding.models.conventions import CONVENTIONS, Convention
from footnoted.grounding.models.weigher import EntailmentModel

__all__ = ["CONVENTIONS", "Convention", "EntailmentModel"]
