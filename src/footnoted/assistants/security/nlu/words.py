"""A question in; its words out, each with its stem and its place. And the phrases services and frameworks go by."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LONGEST = 4_000  # code points of a question that are read; what asks something is short
_WORD = re.compile(r"[^\W_]+")
_PLAIN = re.compile(r"(?<![\w.:/@-])[A-Za-z]{3,15}(?![\w:/@-]|\.\w)")
_VOCABULARY = (
    "critical medium severity severities findings finding compliant compliance explain difference terraform remediate"
    " remediation prioritise prioritize priority urgent document encrypted unencrypted encryption manager bucket"
    " buckets public compare encrypt which show list fixing enable disable rotate secrets secret policy policies"
    " security between"
).split()
_SHORT = {
    "hwo": "how", "waht": "what", "wat": "what", "wich": "which", "whcih": "which", "shwo": "show", "lsit": "list",
    "frist": "first", "fisrt": "first", "teh": "the", "shoud": "should", "shuld": "should", "giv": "give",
    "ahve": "have", "abuot": "about", "fiks": "fix", "wrost": "worst", "plz": "please", "pls": "please",
}  # fmt: skip
_NO_WIDTH = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


@dataclass(frozen=True, slots=True)
class Word:
    """One word as written in lower case, its singular, and where it stands in the readable question."""

    text: str
    stem: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Phrases:
    """Word sequences and the names they stand for, those of stems apart from those taken as written.

    ``distinct`` holds the single words long and rare enough that a slip of the pen still means them.
    """

    by_stems: dict[tuple[str, ...], tuple[str, ...]]
    by_words: dict[tuple[str, ...], tuple[str, ...]]
    distinct: dict[str, tuple[str, ...]]
    longest: int


def readable(question: str) -> str:
    """The question as a person sees it: wide letters made plain, unseen ones gone, bounded in length."""
    return _NO_WIDTH.sub("", unicodedata.normalize("NFKC", question[:LONGEST]))[:LONGEST]


def corrected(text: str) -> str:
    """The text with slips in the words that carry meaning put right; identifiers and names stay as they are.

    >>> corrected("any critcal fidnings in s3_bucket_polcy?")
    'any critical findings in s3_bucket_polcy?'
    """
    return _PLAIN.sub(lambda found: _right(found[0]), text)


def _right(word: str) -> str:
    folded = word.lower()
    if folded in _SHORT:
        return _SHORT[folded]
    if folded in _VOCABULARY:
        return word
    slips = (right for right in _VOCABULARY if is_slip(folded, right))
    return next((right for right in slips if not right.startswith(folded) and not folded.startswith(right)), word)


def is_slip(word: str, right: str) -> bool:
    """Whether ``word`` is ``right`` with one slip (two from nine letters on): a letter lost, added, changed, swapped.

    >>> is_slip("cloudtrial", "cloudtrail"), is_slip("bukcet", "bucket"), is_slip("basket", "bucket")
    (True, True, False)
    """
    allowed = 2 if len(right) >= 8 else 1
    if word == right or len(word) < 5 or abs(len(word) - len(right)) > allowed or not word.isalpha():
        return False
    return word[0] == right[0] and _distance(word, right) <= allowed


def _distance(one: str, other: str) -> int:
    """Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours (Damerau 1964)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row, older = row, [i], before
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        before = last
    return row[-1]


def words_of(text: str) -> list[Word]:
    """The words of a readable text.

    >>> [word.stem for word in words_of("Two S3 buckets, SOC-2 policies")]
    ['two', 's3', 'bucket', 'soc', '2', 'policy']
    """
    return [Word(w := found[0].lower(), singular(w), found.start(), found.end()) for found in _WORD.finditer(text)]


def singular(word: str) -> str:
    """A word without its plural ending; names of three letters or fewer keep theirs ("rds")."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@cache
def services() -> Phrases:
    """What each service goes by (``services.toml``)."""
    table = tomllib.loads(Path(__file__).with_name("services.toml").read_text(encoding="utf-8"))
    aliases = {name: entry["aliases"] for name, entry in table.items()}
    return _phrases(aliases, {name: entry.get("exact", []) for name, entry in table.items()})


@cache
def frameworks() -> Phrases:
    """What each framework the catalogue covers goes by (``frameworks.toml``)."""
    return _phrases(_frameworks()["covered"], {})


@cache
def uncovered() -> Phrases:
    """What each framework and cloud goes by that the catalogue does not cover."""
    return _phrases(_frameworks()["uncovered"], {})


def service_names() -> tuple[str, ...]:
    """Every service that can be named, as the catalogue and the findings spell it."""
    return tuple(dict.fromkeys(name for names in services().by_stems.values() for name in names))


def framework_names() -> tuple[str, ...]:
    """Every framework the catalogue covers."""
    return tuple(_frameworks()["covered"])


def uncovered_names() -> tuple[str, ...]:
    """Every framework and cloud that is known not to be covered."""
    return tuple(_frameworks()["uncovered"])


@cache
def _frameworks() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(Path(__file__).with_name("frameworks.toml").read_text(encoding="utf-8"))


def _phrases(aliases: dict[str, list[str]], exact: dict[str, list[str]]) -> Phrases:
    stems: dict[tuple[str, ...], tuple[str, ...]] = {}
    words: dict[tuple[str, ...], tuple[str, ...]] = {}
    for table, source, part in ((stems, aliases, "stem"), (words, exact, "text")):
        for name, phrases in source.items():
            for phrase in phrases:
                key = tuple(getattr(word, part) for word in words_of(phrase))
                table[key] = (*table.get(key, ()), name)
    distinct = {key[0]: names for key, names in stems.items() if len(key) == 1 and _is_distinct(key[0])}
    return Phrases(stems, words, distinct, max(map(len, [*stems, *words])))


def _is_distinct(word: str) -> bool:
    return len(word) >= 5 and word.isalpha() and word not in _ORDINARY


# Aliases that are everyday words, or a letter away from one: only their right spelling counts.
_ORDINARY = frozenset(
    "instance instancia trail queue database subnet inspector peering macie mitre hippa balde baldi azure documentdb"
    " postgre".split()
)
