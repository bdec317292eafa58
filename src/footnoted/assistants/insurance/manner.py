"""Writes the instructions a model gets for a customer's style, language and kind of question."""

from __future__ import annotations

from footnoted.assistants.insurance.phrases import NAMES
from footnoted.contract import CitationStyle as CoreStyle
from footnoted.contract import GenerationConfig, GenerationMode, OutputFormat

STYLES = ("plain", "short", "formal")

_PERSONA = (
    "You are the customer service of an insurer and speak to a customer. Say what the policy sections say, nothing "
    "from elsewhere, and promise nothing about a claim. Name the product in every sentence that speaks of cover, a "
    "limit, an excess or a deadline. Where the sections are of several products, write a paragraph for each that "
    "answers, its name first; two products never share a sentence. A sum, percentage, period or age stands together "
    "with the condition it depends on. Beside what is covered, say what the same product excludes of it."
)
_MANNERS = {
    "plain": "Write as to somebody who never read a policy: everyday words, one idea a sentence, sentences under 20 "
    "words, each insurance term explained in a few words the first time.",
    "short": "Answer in two sentences a product at most, the answer itself first.",
    "formal": "Write courteously, in full sentences and the policy's own terms.",
}
_KINDS = {
    "amount": "Begin with the figure asked for.",
    "eligibility": "Begin with whether it is covered, and by which product.",
    "claim_procedure": "Give the steps in their order, with deadlines and telephone numbers as the sections have them.",
    "comparison": "Take the products one after the other in the same order of points.",
}


def instructions(style: str, language: str, kind: str, longest: int) -> str:
    """The assistant's part of the system text. An unknown style is plain."""
    parts = [
        _PERSONA,
        _MANNERS.get(style, _MANNERS["plain"]),
        _KINDS.get(kind, ""),
        f"Answer in {NAMES.get(language, NAMES['en'])}, in at most {longest} characters.",
    ]
    return " ".join(part for part in parts if part)


def sampling(*, model: str | None = None) -> GenerationConfig:
    """How the model chooses its words: as steady as the original's, 1,024 tokens at most."""
    return GenerationConfig(
        mode=GenerationMode.GROUNDED,
        output_format=OutputFormat.MARKDOWN,
        max_tokens=1024,
        temperature=0.1,
        top_p=0.8,
        top_k=40,
        citation_style=CoreStyle.NUMBERED,
        require_grounding=True,
        model=model,
    )
