"""A chat message in; what it says and what it asks out, code, quotes, links and mentions set aside."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from footnoted.assistants.community.talk import Conversation
from footnoted.inert import readable
from footnoted.relevance import tells
from footnoted.text import sentences, words

_LISTING = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_INLINE = re.compile(r"`([^`\n]{1,200})`")
_QUOTED = re.compile(r"(?m)^\s*>{1,3}\s.*$")
_LINK = re.compile(r"<?https?://\S+>?")
_TAGGED = re.compile(r"<(?:@[!&]?|#|a?:\w+:)\d+>|(?<!\w)@(?:everyone|here)\b")
_EMOJI = re.compile(r":[a-z_0-9+-]{2,32}:|[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]")
_LINES = re.compile(r"[ \t]*\n[\s]*")

_ASKS = re.compile(
    r"""^(?:(?:so|and|but|ok(?:ay)?|hey|hi|hello|um+|also|then|well|quick\ question|question|sorry|please|pls|yo|
        guys|everyone|all|folks|there|btw|thanks|thx|dumb\ question|noob\ question|stupid\ question)[\s,:.!-]+){0,4}
    (?:(?:how|what|whats|what's|where|wheres|where's|when|why|who|whom|whose|which)\b
    |(?:is|are|was|were|am|do|does|did|can|could|should|would|will|may|must|has|have)\s+(?:i|we|you|it|they|he|she|
        there|this|that|these|those|the|a|an|any|anyone|anybody|someone|somebody|people|python|discord|\w+)\b
    |(?:any(?:one|body)?|some(?:one|body)|who)\s+(?:know|knows|can|could|idea|ideas|have|tell|here\s+know)\b
    |any\s+(?:idea|ideas|tips|way|advice|recommendations?|chance)\b
    |(?:tell|show|explain|remind)\s+(?:me|us|to\s+me|how|what|why)\b|explain\b
    |(?:i(?:'m|\s+am)?\s+)?(?:just\s+|really\s+)?(?:wondering|curious|looking\s+for|trying\s+to\s+(?:find|figure|understand|learn|work\s+out)
        |want(?:ed)?\s+to\s+(?:know|ask|learn|understand)|need\s+(?:to\s+know|help|some\s+help|advice)|would\s+like\s+to\s+know)\b
    |(?:i|we)\s+(?:don'?t|do\s+not|can'?t|cannot|can\s+not|couldn'?t)\s+(?:know|understand|find|figure|get|remember|see)\b
    |(?:need|want)\s+(?:help|to\s+know)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
# Forms of a question that want no answer, or none that documents could give.
_IDLE = re.compile(
    r"""^\W*(?:
    (?:how\s+(?:are|r)\s+(?:you|u|ya|we|things|y'?all)|how'?s\s+(?:it\s+going|everyone|life|your|the\s+day)|how\s+do\s+you\s+do)
    |(?:what'?s|whats|wat'?s|wassup|sup)\s*(?:up|good|new|happening|cooking)?\W*$
    |(?:who|why)\s+(?:cares?|asked|even|the\s+hell|tf|would\s+(?:any|some)(?:one|body))\b|why\s+(?:not|bother|me)\W*$|so\s+what\W*$
    |(?:what|why|how|where)\W*$|(?:what|how|why|who)\s+(?:the\s+(?:hell|fuck|heck)|tf|on\s+earth)\b
    |(?:really|seriously|right|ok(?:ay)?|yes|no|huh|eh|lol|you\s+know|get\s+it|see|amirite|sorry|pardon|anyone|anybody|hello|say\s+what|for\s+real)\W*$
    |(?:can|could|may|would|will|does|do|is|has)\s+(?:any|some)(?:one|body)\s+(?:please\s+|pls\s+)?(?:help|here|there|around|online|awake|alive|free|available)\b(?:\s+(?:me|us|out|please|pls|here|with\s+(?:this|it|my\s+\w+)))*\W*$
    |(?:can|may|could)\s+i\s+(?:ask|get)\s+(?:a|an|something|some|you)?\s*(?:question|help|something)?\W*$
    |(?:are|r)\s+(?:you|u|we)\b.{0,40}$|do\s+you\s+(?:like|love|think|remember|even|want|play|watch|guys\s+(?:like|think|want|even))\b
    |(?:what|how)\s+(?:a|an)\s+\w+|isn'?t\s+(?:it|that|this)\b|wh?at\s+do\s+(?:you|u|y'?all)\s+(?:think|guys)\b|what\s+are\s+you\b
    |(?:is|was|did)\s+(?:it|that|this)\s+(?:just\s+)?(?:me|you)\b|how\s+(?:dare|come\s+you|many\s+times\s+do)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# A question that follows something said in the same sentence: "it broke, how do I fix it".
_TURN = re.compile(
    r"(?:[,;:–—]|\s-|\bbut|\band|\bso)\s+((?:how|where|what|when|why|which|who)\s+(?:do|does|did|can|could|should|is|are|would|"
    r"to|must)\b.*|(?:is|are)\s+there\b.*|(?:can|could|may|should|do|does)\s+(?:i|we|you|someone|anyone)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_OWN = re.compile(
    r"\b(?:my|our|his|her|their)\s+(?:\w+\s+){0,2}(?:code|script|homework|assignment|exercise|regex|repo|repository|loop|"
    r"function|query|matrix)\b"
    r"|\b(?:on|in|at|fix)\s+line\s+\d+|\bmain\.py\b|\bdebug\s+(?:my|this)\b|\bmatrix\[",
    re.IGNORECASE,
)
_LONGEST = 400  # code points of one question


def said(text: str) -> str:
    """A message's own words: no listings, quotes of others, links, mentions or emoji; inline code stays, bare.

    >>> said("<@123> how do I use `enumerate`? :pray:")
    'how do I use enumerate?'
    """
    text = _QUOTED.sub(" ", _LISTING.sub("\n", readable(text)))
    text = _TAGGED.sub(" ", _LINK.sub(" ", _INLINE.sub(r"\1", text)))
    lines = (" ".join(line.split()) for line in _LINES.split(_EMOJI.sub(" ", text)))
    return "\n".join(line for line in lines if line)


def questions(text: str) -> list[str]:
    """The sentences of a message that ask for something, in order.

    >>> questions("Thanks a lot! How do I close my help post? And what is ModMail?")
    ['How do I close my help post?', 'And what is ModMail?']
    """
    plain = said(text)
    found = []
    for span in sentences(plain):
        sentence = " ".join(plain[span.start : span.end].split())
        if len(sentence) > _LONGEST:
            continue
        turned = _TURN.search(sentence)
        if asks(sentence):
            found.append(sentence)
        elif turned and asks(turned[1]):
            found.append(turned[1])
    return found


def asks(sentence: str) -> bool:
    """Whether a sentence asks for something that can be told.

    >>> asks("how do I close my post"), asks("How are you?"), asks("I love Python.")
    (True, False, False)
    """
    if _IDLE.search(sentence):
        return False
    return sentence.rstrip(" )\"'!*_").endswith("?") or _ASKS.search(sentence) is not None


def own_work(text: str) -> str:
    """The words that show a message to be about the asker's own code or task, which no page answers; else nothing."""
    found = _OWN.search(_LISTING.sub(" ", text))
    return found.group() if found else ""


def tells_something(question: str) -> bool:
    """Whether a question says by itself what it is about.

    >>> tells_something("Why is that so?"), tells_something("Who is the Dave bot?")
    (False, True)
    """
    return any(tells(word) for word, _, _ in words(question))


def forbidden(text: str, never: Iterable[str]) -> str:
    """The first of the words or phrases that stands in a message, whole and whatever its case; else nothing."""
    folded = " ".join(readable(text).casefold().split())
    return next((one for one in never if one.strip() and _whole(one).search(folded)), "")


@lru_cache(maxsize=512)
def _whole(phrase: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, phrase.casefold().split()))
    return re.compile(rf"(?<!\w){words}(?!\w)")


def as_asked(conversation: Conversation) -> str:
    """A conversation as text, a line for who speaks, for a model to read behind a fence."""
    names: dict[str, str] = {}
    lines = []
    for message in conversation.messages:
        who = "bot" if message.from_bot else names.setdefault(message.author, f"member {len(names) + 1}")
        lines.append(f"{who}: {readable(message.text)}")
    return "\n".join(lines)
