"""A claim in; the facts it states, one stretch of words each, out: so that each can be weighed alone.

A claim splits only where both sides say something of their own: at a semicolon, at a conjunction or a
relative clause with its own verb, at an amount with its own purpose, after a marker in mid-sentence. What
stands under a condition stays with it: "if you are late, you pay £75 and lose cover" is one fact. In doubt
a claim stays whole. Verbs are known by English word lists; other languages split at semicolons and "but".
"""

from __future__ import annotations

import re

from footnoted.types import Span

_SHORTEST = 3  # words on either side of a split
_MARKER = r"(?:[ ]?(?:\[[^\[\]\n]{1,60}\]|[⁰¹²³⁴⁵⁶⁷⁸⁹]+))"
_UNIT = r"(?:%| ?(?:million|billion|percent|days?|weeks?|months?|years?|hours?|pounds?|euros?|dollars?|km|miles|kg|mg))"
_NUMBER = rf"(?:(?:up to |about |over |around )?[£$€¥₹฿]?\d[\d,.]*{_UNIT}?)"
_PURPOSE = r"(?:for|per|in|on|at|if|when|after|before|from|to|of)"
# Every place where one fact may end and the next begin; the group's name says what it must prove.
_JOINT = re.compile(
    rf"(?P<semicolon>[;；؛])(?=\s*\S)"
    rf"|(?P<amount>,?\ (?:and|but)|,)(?=\ {_NUMBER}\ {_PURPOSE}\ )"
    rf"|(?P<clause>,?\ (?:and|but|while|whereas|although|though|yet)|,\ (?:which|who|where|whose))(?=\ )"
    rf"|(?P<adversative>,\ (?:aber|mais|pero|tetapi|jedoch|लेकिन)(?=\ )|[，、](?:但是?|而|不过)|،\ (?:لكن|ولكن)(?=\ ))"
    rf"|(?P<cited>{_MARKER},)(?=\ )"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|when|whenever|once|until|provided|except|whether|in case|as long as|only|neither|between|either"
    r"|both|wenn|falls|sofern|si|sauf|jika|kecuali)\b|如果|若|もし|場合|หาก|ถ้า|यदि|अगर|إذا",
    re.IGNORECASE,
)
_NEXT_ITEM = re.compile(r";\s+(?:(?:and|or)\s+)?")
_PAIRS = {"(": ")", "[": "]", "“": "”", "„": "“", "«": "»", "「": "」", "（": "）"}
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[£$€%]")
_AMOUNT = re.compile(rf"(?<![\w.]){_NUMBER} {_PURPOSE}\b")
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")

_AUXILIARIES = frozenset(
    """
    is are was were has have had does do did can could will would shall should may might must cannot isn't aren't
    wasn't weren't hasn't haven't doesn't don't didn't can't couldn't won't wouldn't shouldn't mustn't
    """.split()
)
# Verbs that are hardly ever nouns, in the forms that carry a sentence.
_VERBS = frozenset(
    """
    includes include excludes exclude applies apply pays requires require provides provide begins began became become
    becomes remains remain contains contain allows allow means gives gave says said states stated makes made takes took
    lasts belongs belonged consists consisted happens happened occurs occurred exists existed receives received went
    keeps kept holds held lies lay stands stood wrote wrote won lost died founded joined led opened closed sold bought
    grew fell rose came brought built spent sent told thought felt met paid saw knew found ran sat spoke broke chose
    drew drove ate flew forgot got hid hung meant read rode sang sank slept stole swam taught threw understood wore
    produces produced creates created supports supported offers offered protects protected prevents prevented describes
    depends depended appears appeared reaches reached expires expired covers covered costs needs lives works uses
    starts ends pays pay cover rejects rejected refuses refused publishes published orbits employs employed moved
    launched
    """.split()
)
_ALSO_NOUNS = frozenset(
    "costs needs lives works uses starts ends pay cover covers offers supports means states moves claims limits".split()
)
_PRONOUNS = frozenset("it he she they we you i this that these those there which who whose where each both".split())
_EMBEDS = frozenset("that which who whose whether how what why where when whom".split())
_REPORTS = frozenset(
    "found say says said think thinks believe believes show shows showed report reports claim claims".split()
)
_ADVERBS = frozenset("also then not never always usually often still only now later soon therefore thus".split())
_OBJECTS = frozenset(
    "a an the its their his her your our all any no up about over only for to from in on at by".split()
)


def facts(claim: str) -> list[Span]:
    """The facts of a claim as spans of it, in order; together they cover its words.

    >>> text = "The excess is £75 for repair and £115 for replacement."
    >>> [text[span.start:span.end] for span in facts(text)]
    ['The excess is £75 for repair', 'and £115 for replacement.']
    """
    spans: list[Span] = []
    start = 0
    for match in _JOINT.finditer(claim):
        kind, joint = str(match.lastgroup), match.group()
        comma = re.search("[,，、،;；؛]", joint)
        cut = match.start() + comma.end() if comma else match.start()
        if _enclosed(claim, start, cut):
            continue
        left, right = claim[start:cut], claim[cut:]
        if _separates(kind, left, right, joint.strip()):
            spans.append(_trimmed(claim, start, cut))
            start = cut
    spans.append(_trimmed(claim, start, len(claim)))
    return spans


def parts(claim: str) -> list[str]:
    """What a claim says, one thing at a time: its facts, or of a list told in one sentence every item with its lead.

    >>> parts("We do not pay for: rust; racing.")
    ['We do not pay for: rust', 'We do not pay for: racing.']
    """
    lead, colon, items = claim.partition(": ")
    if colon and "; " in items:
        return [f"{lead}: {item}" for item in _NEXT_ITEM.split(items) if item.strip()]
    return [claim[span.start : span.end] for span in facts(claim)]


def _separates(kind: str, left: str, right: str, joint: str) -> bool:
    """Whether both sides of a joint state something of their own."""
    if _length(left) < _SHORTEST or _length(right) < _SHORTEST:
        return False
    if _CONDITION.search(left):
        return kind == "semicolon" and _has_verb(right)
    if kind == "adversative":
        return True
    if kind == "semicolon":
        return ":" not in left and (_has_verb(left) or not left.isascii()) and (_has_verb(right) or not right.isascii())
    if kind == "amount":
        return _AMOUNT.search(left) is not None
    if kind == "cited":
        return _has_verb(left) and not _JOINT.match(right)
    return _clauses_meet(left, right, joint)


def _clauses_meet(left: str, right: str, joint: str) -> bool:
    """Whether a conjunction or a relative pronoun joins two clauses, each with its verb."""
    words = _words(right.split(",", 1)[0])
    conjunction, words = (words[0], words[1:]) if words else ("", [])
    if conjunction in ("which", "who", "where", "whose"):
        return _has_verb(left) and not _resumes(right) and _clause_follows([conjunction, *words])
    restricted = "," not in joint and not (_EMBEDS | _REPORTS).isdisjoint(_words(left)[1:])
    if restricted and not (words and (words[0] in _PRONOUNS or _is_verb(words[0]))):
        return False  # "the tests that were run in May and June were repeated"
    named = "," in joint and _names_an_actor(words)
    sure = conjunction != "and" or (bool(words) and words[0] in _PRONOUNS)
    return (_has_verb(left) or sure) and (named or _clause_follows(words))


def _clause_follows(words: list[str]) -> bool:
    """Whether the words are a clause: "it is …", "excludes …", "the limit is …"."""
    if not words:
        return False
    first, rest = words[0], [word for word in words[1:4] if word not in _ADVERBS]
    if first in _EMBEDS and first not in ("that", "which", "who", "where"):
        return False
    if first in _PRONOUNS:
        return bool(rest) and (
            _is_verb(rest[0]) or rest[0].endswith(("ed", "es")) or first in ("where", "these", "those")
        )
    if first in _AUXILIARIES or (first in _ADVERBS and bool(rest) and _is_verb(rest[0])):
        return True
    if first in _VERBS:
        return first not in _ALSO_NOUNS or (len(words) > 1 and _begins_object(words[1]))
    for position, word in enumerate(words[1:8], start=1):
        if word in _EMBEDS:
            return False
        if word in _AUXILIARIES or (word in _VERBS and word not in _ALSO_NOUNS):
            return words[position - 1] not in _PRONOUNS  # "and items you have bought" is no clause
        if word in _ALSO_NOUNS and position + 1 < len(words) and _begins_object(words[position + 1]):
            return True
    return False


def _names_an_actor(words: list[str]) -> bool:
    """Whether a past tense in -ed follows one to three words: ", and Steven Spielberg directed it"."""
    for position in range(1, min(4, len(words) - 1)):
        if words[position].endswith("ed") and len(words[position]) > 4:
            return words[position + 1] != "by"
    return False


def _resumes(right: str) -> bool:
    """Whether the main clause goes on after a relative clause: ", which began in 2020, covers theft"."""
    return "," in right[1:]


def _begins_object(word: str) -> bool:
    return word in _OBJECTS or word[:1].isdigit() or word in "£$€"


def _is_verb(word: str) -> bool:
    return word in _AUXILIARIES or word in _VERBS


def _has_verb(part: str) -> bool:
    words = _words(part)
    return any(_is_verb(word) or (word.endswith("ed") and len(word) > 4) for word in words)


def _words(part: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(part)]


def _length(part: str) -> int:
    """Words, or about as many in a script that does not part them."""
    unspaced = len(_UNSPACED.findall(part))
    return len(_WORD.findall(_UNSPACED.sub(" ", part))) + unspaced // 2


def _enclosed(claim: str, start: int, cut: int) -> bool:
    """Whether a place stands inside brackets, a quotation or code."""
    closing: list[str] = []
    for char in claim[start:cut]:
        if closing and char == closing[-1]:
            closing.pop()
        elif char in _PAIRS:
            closing.append(_PAIRS[char])
        elif char in '"`':
            closing.append(char)
    return bool(closing)


def _trimmed(claim: str, start: int, end: int) -> Span:
    while start < end and claim[start].isspace():
        start += 1
    while end > start and claim[end - 1].isspace():
        end -= 1
    return Span(start, end)
