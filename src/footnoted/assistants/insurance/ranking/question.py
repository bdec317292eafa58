"""A question in; what it asks for (a person, a date, an amount …) and its words by weight out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from footnoted.relevance.rarity import UNSEEN, rarity
from footnoted.relevance.roots import root
from footnoted.text import STOPWORDS, fold, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping

Wanted = Literal[
    "person", "time", "place", "amount", "money", "share", "duration", "reason", "manner", "definition",
    "confirmation", "thing",
]  # fmt: skip

# What a question asks for, by its own words; the first that matches rules.
_FORMS: dict[Wanted, tuple[str, ...]] = {
    "duration": (
        r"\bhow long (?!ago)",
        r"\b(?:what|which) (?:period|duration|length of time)\b",
        r"\bhow many (?:seconds|minutes|hours|days|weeks|months|years)\b",
    ),
    "money": (
        r"\bhow (?:much|expensive)\b.*\b(?:cost|pay|paid|charge|money|fee|price|spend|spent|worth|dollars|euros)",
        r"\bhow much\b.*\b(?:excess|earn|fund|budget|salary|premium|refund|limit)",
        r"\bwhat\b.{0,40}\b(?:price|cost|fee|salary|excess|premium|budget|revenue)\b",
    ),
    "share": (r"\bwhat (?:percent|percentage|proportion|share|fraction)", r"\bhow many percent"),
    "amount": (
        r"多少|几|多久|多长|いくら|いくつ|何日|何年|何人|เท่าไร|เท่าไหร่|กี่|นานแค่ไหน",
        r"\bhow (?:many|much|big|large|old|tall|high|deep|far|fast|wide|heavy|often|likely|hot|cold|small)\b",
        r"\b(?:what|which)\b.{0,30}\b(?:number|amount|population|temperature|speed|age|size|distance|height)\b",
        r"\b(?:what|which)\b.{0,30}\b(?:rate|limit|length|weight|ratio|area|density|range)\b",
    ),
    "time": (
        r"\bwhen\b",
        r"\b(?:what|which)\b.{0,20}\b(?:year|date|day|month|century|decade|time|season|era|period)\b",
        r"\bhow long ago\b",
        r"\bsince what\b",
    ),
    "reason": (
        r"\bwhy\b",
        r"\bhow come\b",
        r"\bwhat (?:is|was|are|were)? ?(?:the )?(?:main |primary )?(?:reason|cause|purpose|motive)s?\b",
        r"\bwhat (?:caused|causes|led to)\b",
        r"\bfor what reason\b",
    ),
    "person": (
        r"\bwho(?:m|se)?\b",
        r"\bwho's\b",
        r"\b(?:what|which)\b.{0,25}\b(?:person|man|woman|king|queen|president|author|actor|actress|singer|player)\b",
        r"\b(?:what|which)\b.{0,25}\b(?:scientist|leader|emperor|character|artist|writer|director|inventor)\b",
        r"\b(?:what|which)\b.{0,25}\b(?:minister|mathematician|physicist|explorer|historian|architect)\b",
        r"\bwhat is the name of the",
    ),
    "place": (
        r"\bwhere\b",
        r"\b(?:what|which)\b.{0,25}\b(?:country|countries|city|cities|states?|places?|town|location|region|area)\b",
        r"\b(?:what|which)\b.{0,25}\b(?:continent|river|province|county|building|street|island|nation)\b",
        r"\b(?:what|which)\b.{0,25}\b(?:university|venue|stadium|village)\b",
    ),
    "manner": (r"\bhow\b", r"\b(?:what|which) (?:way|method|process|means|procedure)s?\b"),
    "definition": (
        r"^(?:what|who)(?:'s| is| are| was| were) (?:an? |the )?(?:\w+[ -]?){1,3}\?*$",
        r"\bdefin",
        r"\bmeaning of\b",
        r"\bwhat (?:does|do|did|is|are) .{1,60}\b(?:mean|means|meant|stand for|called)\b",
    ),
    "confirmation": (r"^(?:is|are|was|were|am|do|does|did|can|could|has|have|had|will|would|should|may|might|must)\b",),
}
_FORM = {wanted: re.compile("|".join(forms)) for wanted, forms in _FORMS.items()}

# Words of a question that say what kind of answer is wanted, not what it is about.
_FRAME = frozenset(
    stem(word)
    for word in "much long often name call kind type sort tell describe explain please mean list give find "
    "example happen know get one".split()
)
_ASKING = frozenset({"many", "far"})
_FOCUS = re.compile(
    r"\b(?:what|which|whose)\s+((?:[\w'’-]+\s+){0,2}[\w'’-]+)|\bhow many\s+((?:[\w'’-]+\s+){0,1}[\w'’-]+)"
)
# In scripts without spaces, what frames a question rather than says what it is about.
_CHINESE = """请问 什么时候 为什么 什么 多少 多久 多长 怎么样 怎么 怎样 如何 哪里 哪儿 哪些 哪个 哪 谁 几 吗 呢 是否
可以 能否 是 的 了 在 有 和 与 我 你 您 会 吧"""
_JAPANESE = """何ですか なんですか ですか ますか でしょうか いくら いつ どこ だれ 誰 なぜ どう どの です ます
は が を に の で と も か"""
_THAI = """อะไร เท่าไหร่ เท่าไร ที่ไหน เมื่อไหร่ เมื่อไร ใคร ทำไม อย่างไร กี่ ไหน หรือไม่ หรือเปล่า ไหม คือ เป็น สำหรับ
ของ ที่ และ ใน ได้ มี จะ ให้ การ ครับ ค่ะ คะ"""
_PARTICLES = re.compile("|".join(f"{_CHINESE} {_JAPANESE} {_THAI}".split()))
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_TELLING = 3.9  # a weight from which on a word says what a question is about
_SHORT, _SHORT_WEIGHT = 3, 4.0  # a short unknown word is likelier another language's small word than a name
_LIGHT = 0.35  # how much a frame word or a word of the question before weighs


@dataclass(frozen=True, slots=True)
class Question:
    """A question ready to be held against sentences.

    ``weights``: content root → how much it tells (rarity in English, lighter for frame words).
    ``order``: all its roots in order, small words included. ``focus``: the root after what/which/how many.
    ``names``: roots written with a capital inside the question; ``numbers``: its figures.
    """

    text: str
    wanted: Wanted
    weights: Mapping[str, float]
    order: tuple[str, ...]
    content: tuple[str, ...]
    focus: str
    names: frozenset[str]
    numbers: frozenset[str]
    negated: bool
    total: float


def understand(question: str, *, about: str = "") -> Question:
    """What a question asks; ``about`` holds words of the talk before it, which count for less."""
    low = fold(question).strip()
    tokens = words(_PARTICLES.sub(" ", question) if _UNSPACED.search(question) else question)
    order = tuple(root(word) for word, _, _ in tokens)
    content = tuple(root(word) for word, _, _ in tokens if fold(word) not in STOPWORDS)
    weights: dict[str, float] = {}
    for word, _, _ in tokens:
        if fold(word) not in STOPWORDS:
            weights.setdefault(root(word), _weight(word))
    for word, _, _ in words(about):
        if fold(word) not in STOPWORDS:
            weights.setdefault(root(word), _weight(word) * _LIGHT)
    wanted = _wanted(low)
    if about and wanted == "thing":  # "and for theft?" wants what was wanted before
        wanted = _wanted(fold(about).strip())
    return Question(
        text=question,
        wanted=wanted,
        weights=weights,
        order=order,
        content=content,
        focus=_focus(low),
        names=frozenset(
            root(word) for word, start, _ in tokens if start and word[0].isupper() and fold(word) not in STOPWORDS
        ),
        numbers=frozenset(root(word) for word, _, _ in tokens if word[0].isdigit()),
        negated=bool(re.search(r"\b(?:not|never|no|isn't|wasn't|aren't|don't|doesn't|didn't|without|non)\b", low)),
        total=sum(weights.values()) or 1.0,
    )


def tells(word: str) -> bool:
    """Whether a question's word says what it is about (``windscreen``), not how it asks (``much``, ``tell``).

    >>> [word for word in "How much does life insurance cost a month".split() if tells(word)]
    ['life', 'insurance', 'cost', 'month']
    """
    if _UNSPACED.match(word):  # a pair of characters is often no word
        return False
    return fold(word) not in STOPWORDS | _ASKING and _weight(word) >= _TELLING


def _weight(word: str) -> float:
    one = stem(word)
    weight = rarity(one)
    if len(word) <= _SHORT and weight >= UNSEEN and word.isascii() and word.islower():
        weight = _SHORT_WEIGHT
    return weight * (_LIGHT if one in _FRAME else 1.0)


def _wanted(low: str) -> Wanted:
    for wanted, form in _FORM.items():
        if form.search(low):
            return wanted
    return "thing"


def _focus(low: str) -> str:
    """The noun asked for: ``what river flows`` → river; empty when the question has none of that form."""
    match = _FOCUS.search(low)
    if not match:
        return ""
    for word in (match.group(1) or match.group(2)).split():
        if word in STOPWORDS:
            return ""
        one = root(word)
        if one not in _FRAME:
            return one
    return ""
