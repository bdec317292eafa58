"""How each known model wants to be asked: its repository, what its input looks like, which label means supported.

These are facts of the models, from their own code and cards (November 2026): github.com/Liyan06/MiniCheck
``inference.py``, github.com/KRLabsOrg/LettuceDetect ``inference.py``, the card of
``vectara/hallucination_evaluation_model``. None of these repositories is known to hold an ONNX file, so one has to
be exported, or found elsewhere; see docs/models.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["sequence", "tokens"]


@dataclass(frozen=True, slots=True)
class Convention:
    """How a model is asked and read.

    ``template`` joins ``{premise}`` and ``{claim}`` into one text; without it they are a pair, the premise put into
    ``premise`` first. ``supported`` is the label, by number or name, that a carried claim has (of a ``tokens`` model:
    the label of a carried token). ``vocabulary`` are the two tokens, not carried and carried, whose logits a
    generating model is read by. ``tokenizer`` is the repository of the tokenizer where it is another.
    """

    repo: str = ""
    kind: Kind | None = None
    template: str | None = None
    premise: str = "{premise}"
    supported: int | str | None = None
    tokenizer: str | None = None
    longest: int | None = None  # tokens of one reading
    vocabulary: tuple[int, int] | None = None


CONVENTIONS: dict[str, Convention] = {
    "hhem": Convention(  # HHEM-2.1-Open: the encoder of flan-t5-base, read at its first token
        repo="vectara/hallucination_evaluation_model",
        kind="sequence",
        template=(
            "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {premise}\n\nHypothesis: {claim}"
        ),
        supported=1,
        tokenizer="google/flan-t5-base",
        longest=2048,
    ),
    "minicheck": Convention(
        repo="lytang/MiniCheck-RoBERTa-Large",
        kind="sequence",
        template="{premise}</s>{claim}",
        supported=1,
        longest=512,
    ),
    "minicheck-deberta": Convention(
        repo="lytang/MiniCheck-DeBERTa-v3-Large",
        kind="sequence",
        template="{premise}[SEP]{claim}",
        supported=1,
        longest=2048,
    ),
    "minicheck-flan-t5": Convention(  # one step of the decoder, read at the tokens "0" and "1"
        repo="lytang/MiniCheck-Flan-T5-Large",
        kind="sequence",
        template="predict: {premise}</s>{claim}",
        longest=2048,
        vocabulary=(3, 209),
    ),
    "lettucedetect": Convention(
        repo="KRLabsOrg/lettucedect-base-modernbert-en-v1",
        kind="tokens",
        premise="\nSummarize the following text:\npassage 1: {premise}\noutput:\n",
        supported=0,
        longest=4096,
    ),
}
