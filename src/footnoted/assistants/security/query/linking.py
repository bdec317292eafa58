"""The words of a question linked to what they name: values of the tenant's findings, grammar, numbers and times.

A stretch of words is linked to the longest name it spells, written together or apart, exactly before nearly (a letter
wrong, by edit distance). What is linked to nothing stays over; whoever reads the question must account for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.query.meaning import tells
from footnoted.assistants.security.query.tokens import Mention, Token, at, day_at, of_one_month, parted, tokens_of
from footnoted.assistants.security.query.vocabulary import Meaning, Vocabulary, compact, singulars
from footnoted.assistants.security.query.words import FUNCTION_WORDS, NUMBERS, ROLES
from footnoted.errors import ConfigurationError
from footnoted.text import content_stems
from footnoted.text.numbers import is_day

_LONGEST = 6  # words of a name
_PHRASE = 4  # words of one of the grammar
_IDENTIFIER = re.compile(r"\d|[_@:/\\]|^[A-Z]{2,}s?$|^[a-z]+[A-Z]|\w[.]\w|^[A-Z][a-z]+[A-Z]")
_CLIPPED = 4  # letters that are left of a word clipped short
_SAID = ("howmany", "numberof", "howold", "howlong")
_DONE = frozenset({"change:fixed", "status:pass", "comply", "select:remediation"})


class Linker:
    """Links the words of questions to one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.tokens: list[Token] = []  # of the question linked last

    def link(self, question: str) -> list[Mention]:
        """Every word of the question within exactly one mention, in order."""
        tokens = self.tokens = self._split(tokens_of(question.replace("’", "'")))
        found: list[Mention] = []
        at = 0
        while at < len(tokens):
            named, dated = self._longest(tokens, at), day_at(tokens, at, self.vocabulary.today)
            longer = dated if named is None or (dated is not None and dated.end > named.end) else named
            mention = longer or self._single(tokens, at)
            found.append(mention)
            at = mention.end
        return self._requirements([self._marked(one, question) for one in of_one_month(found)])

    def _marked(self, one: Mention, question: str) -> Mention:
        before = self.tokens[one.start - 1].end if one.start else 0
        return replace(one, apart=re.search(r"[,;:.?!]", question[before : self.tokens[one.start].start]) is not None)

    def _split(self, tokens: list[Token]) -> list[Token]:
        """Words joined by a mark, apart where together they name nothing and apart they do."""
        made: list[Token] = []
        for token in (part for one in tokens for each in parted(one) for part in self._undenied(each)):
            at = token.start
            for part in self._names_in(token) or [token.text]:
                start = token.text.find(part, at - token.start) + token.start
                at = start + len(part)
                made.append(Token(part, start, at))
        return made

    def _undenied(self, token: Token) -> list[Token]:
        """Of "unencrypted", where checks speak of what is encrypted alone, "not" and "encrypted"."""
        found = re.fullmatch(r"(?i)(un|non-?)(\w{4,})", token.text)
        if not found or token.word in ROLES or self.vocabulary.lookup(token.text) or _is_undone(token.text):
            return [token]
        checks = [one for one in self.vocabulary.checks.values() if one.types]
        whole, bare = (any(tells(word, one) for one in checks) for word in (token.text, found[2]))
        if whole or not bare:
            return [token]
        at = token.start + len(found[1])
        return [Token("not", token.start, at), Token(found[2], at, token.end)]

    def _names_in(self, token: Token) -> list[str]:
        """The words that a mark joins in a token; none where it is one name, or spelt as this tenant's names are."""
        text = token.text
        parts = [one for one in re.split(r"[-/,+&]" if text.startswith("arn:") else r"[-/,+&:]", text) if one]
        known = self.vocabulary.lookup(text) or token.word in ROLES or _is_undone(text)
        if len(parts) < 2 or known or is_day(text) or requirement_like(text):
            return []
        told = [self._is_known(one) for one in parts]
        if all(told):
            return parts
        own = ("-" in text and not any(map(self._stands_alone, parts))) or any(map(self._is_a_part, parts))
        bare = [one for one in parts if not any(map(_is_framework, self.vocabulary.lookup(one)))]  # "NIS2-relevant"
        figures = re.search(r"\d", " ".join(bare)) and ":" not in text
        return [] if own or (not re.fullmatch(r"\d+:\d+", text) and (figures or not any(told))) else parts

    def _is_known(self, word: str) -> bool:
        gram = compact(word)
        return gram in ROLES or bool(self.vocabulary.lookup(gram)) or not content_stems(word)

    def _stands_alone(self, word: str) -> bool:
        """Whether a word is a whole name or one of the grammar, so that "HIPAA-relevant" is two words."""
        meanings = self.vocabulary.lookup(word)
        return compact(word) in ROLES or any(one.whole and one.field != "resource_type" for one in meanings)

    def _is_a_part(self, word: str) -> bool:
        """Whether a word only begins or ends names of accounts or resources."""
        meanings = self.vocabulary.lookup(word)
        names = [one for one in meanings if one.field in ("account", "resource")]
        return bool(names) and not is_word(word.casefold()) and not any(one.whole for one in meanings)

    def _longest(self, tokens: list[Token], at: int) -> Mention | None:
        for size in range(min(_LONGEST, len(tokens) - at), 0, -1):
            gram = "".join(one.word for one in tokens[at : at + size])
            if size == 1 and self._is_a_country(at):
                gram = "unitedstates"
            roles = _roles_of(gram) if size <= _PHRASE else ()
            if any(one.startswith("or:") for one in roles) and not (at and _says_severity(tokens[at - 1])):
                continue
            if not roles and size == 2 and not all(one.word in ROLES for one in tokens[at : at + 2]):
                roles = self._nearly_said(gram)
            words = [one.text for one in tokens[at : at + size]]
            told = [bool(content_stems(word)) for word in words]
            stop = told == [False] and not re.search(r"[\d.]", words[0]) and gram != "unitedstates"
            meanings = [] if stop else self.vocabulary.lookup(gram)  # what carries no meaning is no name
            if size > 1 and "." not in words[0] and any(map(_is_framework, self.vocabulary.lookup(words[0]))):
                meanings = [one for one in meanings if one.field != "check"]  # "CIS 1.8" is no check called CIS.1.8
            if size == 2 and self._is_of_a_cloud(words):  # "per AWS account" is no resource of type AwsAccount
                meanings = [one for one in meanings if one.field != "resource_type"]
            as_one = all(said or re.search(r"\d", word) for said, word in zip(told, words, strict=True))
            if size > 1 and not as_one:  # "I am" is no service called IAM
                meanings = [one for one in meanings if one.whole] if any(told) else []
            if roles or meanings:
                text = " ".join(words)
                # A word of the grammar is one, even where a service or a type is called so.
                if roles and not any(one.whole and one.field in ("account", "check", "framework") for one in meanings):
                    meanings = []
                return Mention(text, at, at + size, "name" if meanings else "role", tuple(meanings), roles)
        return None

    def _is_a_country(self, at: int) -> bool:
        """Whether "us" is the country: written as one, or where a place would stand."""
        before = self.tokens[at - 1].word if at else ""
        of_places = "noun:region" in (_roles_of(self.tokens[at + 1].word) if at + 1 < len(self.tokens) else ())
        return self.tokens[at].text in ("US", "U.S") or (
            self.tokens[at].word == "us" and (of_places or before in ("in", "the", "outside", "within"))
        )

    def _is_of_a_cloud(self, words: list[str]) -> bool:
        clouds = any(one.field == "provider" for one in self.vocabulary.lookup(words[0]))
        if clouds and any(one.field == "resource_type" for one in self.vocabulary.lookup(words[1])):
            return True  # "kubernetes pods" are all pods, whatever one scanner calls them
        return clouds and any(role.startswith("noun:") for role in ROLES.get(compact(words[1]), ()))

    def _nearly_said(self, gram: str) -> tuple[str, ...]:
        """The role of two words written almost as the grammar has them: "hw many"."""
        if len(gram) < 6 or self.vocabulary.names.get(gram):
            return ()
        close = process.extractOne(gram, _SAID, scorer=DamerauLevenshtein.distance, score_cutoff=1)
        return ROLES[close[0]] if close is not None and close[0][0] == gram[0] else ()

    def _single(self, tokens: list[Token], at: int) -> Mention:
        token = tokens[at]
        word = token.text
        plain = word.casefold().replace("'", "")
        if plain.replace(",", "").isdigit() and len(plain) < 9:
            return Mention(word, at, at + 1, "number", value=int(plain.replace(",", "")))
        if plain in NUMBERS:
            return Mention(word, at, at + 1, "number", value=NUMBERS[plain])
        if not content_stems(plain) or compact(plain) in FUNCTION_WORDS:
            return Mention(word, at, at + 1, "word")
        if _is_undone(plain):
            return Mention(word, at, at + 1, "role", (), ("status:fail",))  # what is not put right is open
        if near := self._nearly(tokens, at):
            return near
        spelt_so = "-" in word and any(map(self._is_a_part, word.split("-")))
        if (spelt_so or _IDENTIFIER.search(word)) and not re.fullmatch(r"\d+(st|nd|rd|th|d|x)", plain):
            return Mention(word, at, at + 1, "unknown")
        return Mention(word, at, at + 1, "word", value=plain)

    def _nearly(self, tokens: list[Token], at: int) -> Mention | None:
        """A word of the grammar or a name of the tenant with a letter wrong, left out, put in or out of place."""
        gram = tokens[at].word
        if (roles := _clipped(gram)) and not self.vocabulary.lookup(gram):
            return Mention(tokens[at].text, at, at + 1, "role", (), roles)
        if len(gram) < 5 or re.search(r"\d", gram):
            return None
        if is_word(gram):
            return None
        for known in (ROLES, self.vocabulary.names):
            most = 1 if len(gram) < 8 or known is ROLES else 2
            close = process.extractOne(gram, known.keys(), scorer=DamerauLevenshtein.distance, score_cutoff=most)
            if close is None or len(close[0]) < 5 or close[0][0] != gram[0] or gram.startswith(close[0]):
                continue
            if known is ROLES:
                return Mention(tokens[at].text, at, at + 1, "role", (), ROLES[close[0]], near=True)
            meanings = tuple(
                one for one in self.vocabulary.names[close[0]] if one.field not in ("resource", "tag", "resource_type")
            )
            if meanings and not self.vocabulary.names.get(gram):
                return Mention(tokens[at].text, at, at + 1, "name", meanings, near=True)
        return None

    def _requirements(self, found: list[Mention]) -> list[Mention]:
        """Versions and requirement ids around a framework's name, as the tenant's own mappings have them."""
        families = [(place, one) for place, one in enumerate(found) if _family(one)]
        if not families:
            return found
        made = list(found)
        for place, one in families:
            family = _family(one) or ""
            versions = self.vocabulary.frameworks.get(family, {})
            for next_ in range(place + 1, min(place + 5, len(made))):
                role = made[next_].kind == "role" and (made[next_].role("select") or made[next_].role("than"))
                if role or made[next_].kind in ("name", "date"):
                    break
                size, version = _version(made, next_, versions)
                if size:
                    text = " ".join(each.text for each in made[next_ : next_ + size])
                    merged = Mention(text, made[next_].start, made[next_ + size - 1].end, "version", value=version)
                    made[next_ : next_ + size] = [merged]
                    break
        return [self._requirement(place, made) for place in range(len(made))]

    def _requirement(self, place: int, made: list[Mention]) -> Mention:
        one = made[place]
        if one.kind not in ("unknown", "number", "word", "name") or (one.kind == "name" and one.meanings[0].whole):
            return one
        key = requirement_key(one.text)
        if not key or not re.search(r"\d", key):
            return one
        before = at(made, place - 1)
        if one.text.isdigit() and not (_family(before) or before.kind == "version" or before.role("noun")):
            return one
        for family in filter(None, map(_family, made)):
            for keys in self.vocabulary.frameworks.get(family, {}).values():
                if _has_requirement(keys, key):
                    return replace(one, kind="requirement", value=key, meanings=())
        return replace(one, kind="unknown") if requirement_like(one.text) else one


def _roles_of(gram: str) -> tuple[str, ...]:
    """The roles of a word of the grammar; a noun's and a verb's in the plural too."""
    if gram in ROLES:
        return ROLES[gram]
    forms = (ROLES.get(one, ()) for one in singulars(gram))
    return next((one for one in forms if one and one[0].startswith(("noun:", "select:"))), ())


@lru_cache(maxsize=4096)
def _clipped(word: str) -> tuple[str, ...]:
    """The noun of the grammar that a plural is clipped from: "vulns" are vulnerabilities; nothing of a word."""
    stem = word.removesuffix("s")
    if stem == word or len(stem) < _CLIPPED or _is_one_piece(word):
        return ()
    roles = {role for known, those in ROLES.items() if known.startswith(stem) for role in those}
    return tuple(roles) if len(roles) == 1 and next(iter(roles)).startswith("noun:") else ()


def _is_undone(word: str) -> bool:
    found = re.fullmatch(r"(?i)(?:un|non-?)(\w+)", word)
    return found is not None and bool(_DONE & set(ROLES.get(found[1].casefold(), ())))


def _is_framework(meaning: Meaning) -> bool:
    return meaning.field == "framework"


def _says_severity(token: Token) -> bool:
    return any(one.startswith("severity:") for one in ROLES.get(token.word, ()))


@lru_cache(maxsize=65_536)
def is_word(word: str) -> bool:
    """Whether a word is one of some language, as the encoder's tokenizer has it whole; not so without an encoder."""
    return any(map(_is_one_piece, (word, *singulars(word))))


def _is_one_piece(word: str) -> bool:
    from footnoted.models.files import Shared

    try:
        return len(Shared.of().tokenizer.encode(word, add_special_tokens=False).ids) == 1
    except ConfigurationError:
        return False


def requirement_like(text: str) -> bool:
    """Whether a word looks like the id of a requirement: 2.1.1, CC6.6, 164.312(e)(1), A.8.13, CP-9(d)."""
    return (
        re.fullmatch(r"[A-Za-z]{0,3}[.-]?\d+([.\-]\d+)*(\(\w{1,4}\))*(\.\w+)*", text) is not None and not text.isdigit()
    )


def _family(mention: Mention) -> str | None:
    return next((one.values[0] for one in mention.meanings if one.field == "framework"), None)


def _version(made: list[Mention], at: int, versions: dict[str, dict[str, str]]) -> tuple[int, str]:
    """How many mentions from here on spell a version of the framework, and which; 0 where none does."""
    best = (0, "")
    for size in range(1, min(3, len(made) - at) + 1):
        told = compact(" ".join(one.text for one in made[at : at + size]))
        told = re.sub(r"^(?:version|revision|rev|v|ver)(?=\d)", "", told)
        for version in versions:
            known = re.sub(r"^(?:version|revision|rev|v)(?=\d)", "", compact(version))
            if told == known or (told.isdigit() and known == f"{told}0" and "." in version):
                best = (size, version)
    if best[0]:
        return best
    numbered = re.fullmatch(r"v?\d+(\.\d+){0,2}", made[at].text) and any(versions)
    required = any(_has_requirement(keys, requirement_key(made[at].text)) for keys in versions.values())
    return (1, f"?{made[at].text}") if numbered and not required else best


def _has_requirement(keys: Iterable[str], key: str) -> bool:
    """Whether a requirement is one of these, or stands above one."""
    return any(each == key or each.startswith(f"{key}.") for each in keys)
