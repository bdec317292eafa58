"""A question in; the requirements it names out: control numbers, paragraphs, articles, criteria."""

from __future__ import annotations

import re

_LABELS = (
    re.compile(r"\b([A-Za-z]{2}-\d{1,2}(?:\s?\(\d{1,2}\))?)(?![\w-])"),
    re.compile(r"\b(164\.\d{3}(?:\([\w]{1,4}\))*)"),
    re.compile(r"\b(CC\d\.\d|A1\.\d|C1\.\d)\b"),
)
_ARTICLE = re.compile(r"\b[Aa]rt(?:icle|\.)?\s?(\d{1,2})\b")


def labels_in(question: str) -> tuple[str, ...]:
    """Requirements a question names, as the knowledge base writes them.

    >>> labels_in("Do we meet ac-2 (1), 164.312(a)(1) and Article 32?")
    ('AC-2(1)', '164.312(a)(1)', 'Art. 32')
    """
    found = [match[1].replace(" ", "") for pattern in _LABELS for match in pattern.finditer(question)]
    labels = [one.upper() if re.match(r"[A-Za-z]{2}-", one) else one for one in found]
    return tuple(dict.fromkeys([*labels, *(f"Art. {number}" for number in _ARTICLE.findall(question))]))
