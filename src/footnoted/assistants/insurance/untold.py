"""A question and policy sections in; what it asks for that such a section cannot tell, however near its words, out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from footnoted.assistants.insurance.vocabulary import Vocabulary, word_in
from footnoted.text import STOPWORDS, content_stems, sentences, stem

if TYPE_CHECKING:
    from footnoted.types import Source

# "pet insurance", "Landlord product": a thing sold, by the word before.
_SOLD = re.compile(r"\b([a-z][\w'-]*) (?:insurance|policy|product|plan)\b", re.IGNORECASE)
# Words before "insurance" or "policy" that say nothing of what is insured.
_ANY_KIND = frozenset(
    content_stems(
        "buy sell get have has need want cancel change renew take offer claim start stop end make read find lose pay "
        "other same whole full new old current existing separate extra valid cheap best good own another first second "
        "insurance standard company's renewed yearly monthly joint"
    )
)
_HEADS = re.compile(r"^[-*|]\s*\**([^:|*\n]{2,60})[:|*]", re.MULTILINE)  # what a list's point or a table's row is of
_PERCENT_ASKED = re.compile(r"%|\bper\s?cent(?:age)?\b", re.IGNORECASE)
_PERCENT = re.compile(r"\d\s?%|\bper\s?cent\b|\b(?:half|quarter|third)\b", re.IGNORECASE)
_PRICE_OF = re.compile(r"\Ahow much (?:is|are) (?:a|an|the|one|some) [^,.]*\?\Z", re.IGNORECASE)
_ELSEWHERE = re.compile(r"\b(?:is|are) not described here\b", re.IGNORECASE)
_IN_THE_POLICY = re.compile(
    r"\b(?:excess\w*|limit\w*|cover\w*|insur\w+|paid|pays?|added|taken|refund\w*|sum|most|maximum|discount|benefit\w*|"
    r"allowance|deduct\w+|compensat\w+)\b",
    re.IGNORECASE,
)


def not_sold(question: str, sources: Sequence[Source], vocabulary: Vocabulary) -> str:
    """The kind of insurance a question names that no product, heading, list's point or row is; empty where none is.

    What these documents say *of pets* does not answer whether *pet insurance* is sold.
    """
    heads = [head for source in sources for head in _HEADS.findall(source.text)]
    products = [str(source.metadata.get("product_name") or "") for source in sources]
    names = " ".join([*heads, *products, *(source.title for source in sources)])
    kinds = {kind for source in sources for kind in vocabulary.families_in(f"{names} {source.text}")}
    known = set(content_stems(f"{names} {' '.join(word for kind in kinds for word in _terms(vocabulary, kind))}"))
    for found in _SOLD.finditer(question):
        word = found[1].casefold()
        if word in STOPWORDS or stem(word) in _ANY_KIND or _is_known(word, known):
            continue
        if not any(_speaks_of(source.text, found.group()) for source in sources):
            return found.group()
    return ""


def untold(question: str, text: str, source: Source, vocabulary: Vocabulary) -> str:
    """What a question asks for and a sentence of a section cannot tell: a share, a price, a bare discount; else empty.

    A price is told by a sentence that speaks of one; an excess or a limit with the same words is none. The bare head
    of a term ("discount") is not the term ("no claims discount").
    """
    if _PERCENT_ASKED.search(question) and not _PERCENT.search(text):
        return "a share in hundred"
    price = set(content_stems(" ".join(vocabulary.asked_for_words.get("price", ()))))
    wants_price = _PRICE_OF.match(question) and not _IN_THE_POLICY.search(question)
    if wants_price and price.isdisjoint(content_stems(text)):
        return "a price"
    for head, terms in vocabulary.longer_terms.items():
        alone = word_in(question, [head]) and not word_in(question, [*terms, f"my {head}", f"your {head}"])
        if alone and word_in(f"{source.title} {text} {source.text}", terms):
            return f"a {head} that is no {terms[0]}"
    return ""


def _speaks_of(text: str, kind: str) -> bool:
    """Whether a text names a kind of insurance, and not only to say that it is found elsewhere."""
    said = (text[span.start : span.end] for span in sentences(text))
    return any(word_in(one, [kind]) and not _ELSEWHERE.search(one) for one in said)


def _terms(vocabulary: Vocabulary, kind: str) -> Iterable[str]:
    return (kind, *vocabulary.families.get(kind, ()))


def _is_known(word: str, known: set[str]) -> bool:
    return all(one in known for one in content_stems(word.replace("-", " ")))
