"""How the words of a question stand to one another where a query's flat fields could not say it.

A query narrows by fields that all hold at once. What a question joins otherwise (this here and that there, this or
that of another kind, the thing that itself must first be looked for) is found here by where the words stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from footnoted.assistants.security.query.words import FUNCTION_WORDS
from footnoted.text import content_stems

if TYPE_CHECKING:
    from footnoted.assistants.security.query.tokens import Mention

_REACH = 6  # words a negation reaches over
_JOINS = frozenset({"and", "or", "but", "versus", "vs", "while"})
_RANKED = frozenset("account region service provider scanner category framework resources checks resource_type".split())


def kinds_of(one: Mention) -> set[str]:
    """The fields a mention may be of."""
    return one.fields | {role.partition(":")[0] for role in one.roles if ":" in role}


def negations(mentions: Sequence[Mention]) -> dict[int, int]:
    """The mentions that are negated, each with the one that negates it.

    "Neither critical nor high", "except EC2 and S3": what stands beside it in a list shares its negation.
    """
    found: dict[int, int] = {}
    behind = [place for place in range(1, len(mentions)) if _ends_a_part(place, mentions)]
    for place in behind:  # "Kubernetes excluded", "the lows and staging aside"
        at = place - 1
        kinds = kinds_of(mentions[at])
        while at >= 0 and (kinds_of(mentions[at]) & kinds or mentions[at].word in _JOINS):
            found[at] = place
            at -= 1
    for place, one in enumerate(mentions):
        if one.role("negate") or place in found:
            continue
        kinds = kinds_of(one)
        for before in range(place - 1, max(-1, place - _REACH), -1):
            if mentions[before].role("negate") and before not in behind:
                found[place] = before
                break
            joins = mentions[before].word in FUNCTION_WORDS  # "not yet fixed"
            led = mentions[max(0, before - 2) : before]  # "but the ones in X"
            away = any(each.role("negate") and each.word not in (*_DENIES, "without", "never") for each in led)
            joins |= mentions[before].role("noun") in (*kinds, *["findings"] * away)  # "not in the region X"
            joins |= mentions[before].role("select") == "mapping"  # "does not belong to X"
            if not joins and content_stems(mentions[before].text) and not kinds & kinds_of(mentions[before]):
                break
    return found


def _ends_a_part(place: int, mentions: Sequence[Mention]) -> bool:
    """Whether a word that denies stands behind what it denies: nothing of its own part of the sentence follows it."""
    one = mentions[place]
    last = place + 1 == len(mentions) or mentions[place + 1].apart
    return last and one.role("negate") is not None and not one.apart and bool(field_of(mentions[place - 1]))


def field_of(one: Mention) -> str:
    """The one field a mention narrows by; nothing where it narrows by none."""
    if one.role("severity"):
        return "severity"
    return next(iter(one.fields)) if one.kind == "name" and len(one.fields) == 1 else ""


def predicate(mentions: Sequence[Mention]) -> tuple[int, int] | None:
    """Where the verb stands that says what was done, and its auxiliary: "did someone suppress", "were snoozed by hand".

    Only a word that no name and no rule of the grammar knows, in the part that asks: it alone may say what no field
    holds. What is added behind a mark ("somebody is hiding things") asks nothing.
    """
    asks = next((place for place, one in enumerate(mentions) if one.role("select") or one.word in _ASKING), 0)
    for place, one in enumerate(mentions[asks:], asks):
        if one.apart and place > asks:
            break
        counted = one.role("noun") == "findings" or (one.role("severity") and one.word.endswith("s"))
        led = place > 0 and mentions[place - 1].role("select") is not None
        after = mentions[place + 1 : place + 2]
        if counted and led and after and _is_plain(after[0]) and not after[0].apart:  # "how many findings came back"
            return place + 1, place
        if one.word not in _AUXILIARIES:
            continue
        subject = one.word in _ACTIVE
        for at in range(place + 1, len(mentions)):
            each = mentions[at]
            if _is_plain(each) and not each.word.endswith("ly"):
                return at, place
            takes = subject and (each.kind == "name" or each.role("noun") is not None)
            joins = each.word in FUNCTION_WORDS and each.word not in (*_INTO, *_OBJECTS)
            if each.apart or not (takes or joins or each.role("any") or each.word.endswith("ly")):
                break
            subject &= not takes
    return None


def _is_plain(one: Mention) -> bool:
    return one.kind == "word" and one.value is not None


def is_active(mentions: Sequence[Mention], auxiliary: int, verb: int) -> bool:
    """Whether somebody is said to do what the verb says: "did someone suppress", not "were suppressed"."""
    between = mentions[auxiliary + 1 : verb]
    return mentions[auxiliary].word in _ACTIVE and any(one.word not in _AUXILIARIES for one in between)


def bounds_of(than: str, number: int) -> tuple[int | None, int | None]:
    """The least and the most that "more than 20" and "at most 3" say."""
    low, high = {"more": number + 1, "least": number}.get(than), {"less": number - 1, "most": number}.get(than)
    return low, high


def beyond_flat(mentions: Sequence[Mention]) -> list[str]:
    """What the question joins in a way that fields holding all at once would say wrongly."""
    told = (_pairs, _alternatives, _nested, _taken_away, _in_every, _every_one, _only_of_each, _within, _two_states)
    return [text for each in told for text in each(mentions)]


def _in_every(mentions: Sequence[Mention]) -> list[str]:
    """Of "the checks that fail in every account": what holds of each place, and not of all together."""
    for place, one in enumerate(mentions[:-2]):
        every, noun = mentions[place + 1], mentions[place + 2]
        each_place = one.word == "in" and every.word in ("every", "each") and not every.role("having")
        listed = any(each.role("noun") in ("checks", "resources") for each in mentions[:place])
        if each_place and listed and noun.role("noun") in _RANKED:
            return [f"in {every.text} {noun.text}"]
    return []


def _every_one(mentions: Sequence[Mention]) -> list[str]:
    """Of "accounts that passed everything": all that a thing has would have to be in that state."""
    for place, one in enumerate(mentions[1:], 1):
        things = any(each.role("noun") in _RANKED for each in mentions[:place])
        if things and one.word in ("all", "every", "everything") and mentions[place - 1].role("status"):
            return [f"{mentions[place - 1].text} {one.text}"]
    return []


def _only_of_each(mentions: Sequence[Mention]) -> list[str]:
    """Of "resources that have only low findings": what else a thing has would have to be looked for too."""
    for place, one in enumerate(mentions[1:-1], 1):
        before, after = mentions[place - 1], mentions[place + 1]
        things = mentions[max(0, place - _REACH) : place - 1]
        of_things = any(each.role("noun") in _RANKED or "resource_type" in kinds_of(each) for each in things)
        if one.role("only") is not None and before.word in HAVING and of_things and field_of(after):
            return [f"{one.text} {after.text}"]
    return []


def _within(mentions: Sequence[Mention]) -> list[str]:
    """Of "lambdas in a VPC" a service within another: the field would hold either of the two."""
    for place, one in enumerate(mentions):
        after = [each for each in mentions[place + 1 : place + 5] if each.word not in _STOPS]
        after = after[after[0].role("noun") == "findings" :] if after else after  # "lambda findings in a VPC"
        if len(after) < 2 or after[0].word not in _INTO or any(each.apart for each in after[:2]):
            continue
        if field_of(one) == field_of(after[1]) != "":
            return [f"{one.text} {after[0].text} {after[1].text}"]
    return []


def _two_states(mentions: Sequence[Mention]) -> list[str]:
    """Of "how many new findings are muted": what is in one state, and said to be in another."""
    for place, one in enumerate(mentions):
        state, verbs = one.role("status"), {each.word for each in mentions[max(0, place - 3) : place]} & _BEING
        for at in range(place - 1, -1, -1) if state and verbs else ():
            other = mentions[at].role("status") or mentions[at].role("change")
            if mentions[at].word in _JOINS or (other and not (kinds_of(mentions[at + 1]) & _STATED)):
                break
            if other and other != state and {other, state} != {"new", "fail"}:
                return [one.text]
    return []


def _taken_away(mentions: Sequence[Mention]) -> list[str]:
    """Of "except the lows in staging" and "without staging and lows": how far it reaches is not said."""
    negated = negations(mentions)
    for place, by in negated.items():
        if by > place or mentions[by].word in _DENIES:
            continue
        after = [one for one in mentions[place + 1 : place + 5] if one.word not in _ARTICLES]
        after = [one for one in after if not one.role("noun")] if field_of(mentions[place]) else []
        if len(after) < 2 or after[0].apart or negated.get(mentions.index(after[1])) is not None:
            continue
        field = field_of(after[1]) or (after[1].kind == "name" and "account")
        if after[0].word in (*_INTO, "and", "or") and field and field != field_of(mentions[place]):
            return [f"{mentions[place].text} {after[0].text} {after[1].text}"]
    return []


def _pairs(mentions: Sequence[Mention]) -> list[str]:
    """Of "high in one account and S3 in another": parts that name one field, each with others of its own."""
    parts: list[list[Mention]] = [[]]
    for one in mentions:
        if one.apart or one.word in _JOINS:
            parts.append([])
        if field_of(one):
            parts[-1].append(one)
    parts = [part for part in parts if part]
    for at, first in enumerate(parts):
        for second in parts[at + 1 :]:
            shared = {field_of(one) for one in first} & {field_of(one) for one in second}
            for field in shared:
                if field_of(first[-1]) == field == field_of(second[0]):
                    continue  # "criticals of this and that in a region": what stands around both is of both
                mine, theirs = ({_named(one) for one in part if field_of(one) != field} for part in (first, second))
                if mine and theirs and not (mine <= theirs or theirs <= mine):
                    return [" and ".join(" ".join(one.text for one in part) for part in (first, second))]
    return []


def _named(one: Mention) -> tuple[str, ...]:
    return (field_of(one), *(value for each in one.meanings for value in each.values), one.role("severity") or "")


def _alternatives(mentions: Sequence[Mention]) -> list[str]:
    """Of "high ones or those of an account": either of two fields."""
    for place, one in enumerate(mentions):
        bound = any(each.role("or") for each in mentions[place + 1 : place + 2])  # "or worse"
        if one.word not in ("or", "either") or bound:
            continue
        before = next((each for each in reversed(mentions[:place]) if field_of(each)), None)
        after = next((each for each in mentions[place + 1 : place + 5] if field_of(each)), None)
        if before and after and field_of(before) != field_of(after) and before.end + 4 > place:
            return [f"{before.text} or {after.text}"]
    return []


def _nested(mentions: Sequence[Mention]) -> list[str]:
    """Of "in the account that has the most": what must be looked for before the question can be asked."""
    for place, one in enumerate(mentions):
        if one.role("order") not in ("most", "fewest") or place < _RANKED_BEFORE:
            continue
        for noun in range(place - 1, max(1, place - _REACH), -1):
            if mentions[noun].role("noun") not in _RANKED:
                continue
            words = [each.word for each in mentions[max(0, noun - 2) : noun]]
            if words[-1:] == ["the"] and words[0] in _INTO:
                return [" ".join(each.text for each in mentions[noun : place + 1])]
            break
    return []


_ASKING = ("which", "what", "who")
_ACTIVE = frozenset("do does did have has had".split())
_AUXILIARIES = _ACTIVE | frozenset("is are was were been get gets got".split())
_OBJECTS = frozenset("to a an the with as about".split())  # what stands behind them is no verb
_BEING = {"are", "is", "were", "was", "got"}
_STOPS = {*_BEING, "a", "an", "the"}
_STATED = {"noun", "severity"}
HAVING = ("have", "has", "had", "having", "with")
_INTO = ("in", "of", "on", "for", "from", "by")
_DENIES = ("not", "no", "non", "nor", "neither", "outside")  # of the one thing behind it
_ARTICLES = ("the", "our", "any", "all")
_RANKED_BEFORE = 3  # words that stand before the thing looked for
