"""The words of a question linked to what they name: values of the tenant's findings, grammar, numbers and times.

A stretch of words is linked to the longest name it spells, written together or apart, exactly before nearly (a letter
wrong, by edit distance). What is linked to nothing stays over; whoever reads the question must account for it.
"""

from __future__ import annotations

import re
from calendar import day_name, monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.query.topics import tells
from footnoted.assistants.security.query.vocabulary import Meaning, Vocabulary, compact, singulars
from footnoted.assistants.security.query.words import FUNCTION_WORDS, MONTH_OF, NUMBERS, ROLES
from footnoted.errors import ConfigurationError
from footnoted.text import content_stems

_CHUNK = re.compile(r"\S+")
_EDGES = " \t\n.,;:!?\"'“”‘’()[]{}<>–—-…"
_LONGEST = 6  # words of a name
_PHRASE = 4  # words of one of the grammar
_IDENTIFIER = re.compile(r"\d|[_@:/\\]|^[A-Z]{2,}s?$|^[a-z]+[A-Z]|\w[.]\w|^[A-Z][a-z]+[A-Z]")
_CLIPPED = 4  # letters that are left of a word clipped short
_SAID = ("howmany", "numberof", "howold", "howlong")
_DONE = frozenset({"change:fixed", "status:pass", "comply", "select:remediation"})
_FIGURES = re.compile(r"(\d{1,2})(?:/(?=\d{1,2}(?:/|$))|\.(?=\d{1,2}\.\d))(\d{1,2})(?:[/.](20\d\d|\d\d))?")
_MONTHS = 12
_NAMED_MONTH = re.compile(
    rf"(?:(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?({'|'.join(MONTH_OF)})(?!\S)"
    r"(?(1)|(?: (?:of )?(\d{1,2})(?:st|nd|rd|th)?(?!\S))?)(?: (?:of )?((?:19|20)\d\d)(?!\S))?"
)
_TO = ("and", "to", "until", "till", "through")
_WEEKDAYS = [one.casefold() for one in day_name]
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


@dataclass(frozen=True, slots=True)
class Token:
    """A word as written, and where."""

    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """Its letters and digits alone."""
        return compact(self.text)


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of the question and what it was taken for."""

    text: str
    start: int  # first token
    end: int  # behind its last token
    kind: str  # name, role, number, date, requirement, version, unknown, word
    meanings: tuple[Meaning, ...] = ()
    roles: tuple[str, ...] = ()
    value: object = None
    near: bool = False  # not spelt exactly so
    apart: bool = False  # a mark stands before it

    @property
    def word(self) -> str:
        """Its letters and digits alone."""
        return compact(self.text)

    @property
    def fields(self) -> set[str]:
        """The fields that it may be a name of."""
        return {one.field for one in self.meanings}

    def role(self, kind: str) -> str | None:
        """The value of a role of this kind: of ``severity:high`` asked for ``severity``, ``high``."""
        return next((one.partition(":")[2] or one for one in self.roles if one.partition(":")[0] == kind), None)


NOTHING = Mention("", 0, 0, "nothing")  # what stands before the first mention and behind the last


def at(mentions: Sequence[Mention], place: int) -> Mention:
    """The mention at a place, which may be none."""
    return mentions[place] if 0 <= place < len(mentions) else NOTHING


_UNIT_OF = {"d": "day", "w": "week", "m": "month", "y": "year"}
_PARTS = {"half a year": "6 months", "half a month": "15 days", "a year and a half": "18 months"}
_PARTS |= {"a quarter of a year": "3 months", "three quarters of a year": "9 months", "a quarter": "3 months"}
_SHORTHAND = [(re.compile(pattern), words) for pattern, words in (
    (rf"(?i)(?<!\S)(?:{'|'.join(_PARTS)})(?=[\s,;.:?!]|$)(?!\s+of\b)", lambda found: _PARTS[found[0].casefold()]),
    (r"(?i)(?<!\S)(one|two|three|four|\d)\s+quarters(?=[\s,;.:?!]|$)(?!\s+of\b)",
     lambda found: f"{3 * NUMBERS.get(found[1].casefold(), int(found[1]) if found[1].isdigit() else 0)} months"),
    (r"(?:≥|>=)\s*(?=\d)", "at least "), (r"(?:≤|<=)\s*(?=\d)", "at most "),
    (r"(?<!\S)>\s*(?=\d)", "more than "), (r"(?<!\S)<\s*(?=\d)", "less than "),
    (r"(?<!\S)(\d+)\+(?=\s|$)", r"at least \1"),
    (r"(?<=[^\W\d])\+(?=[\s,;.:?]|$)", " or above"), (r"(?<!\S)#(?=\s)", "number"), (r"(?<!\S)%(?=\s)", "percentage"),
    (r"(?<!\S)(\d+)\s?h(?:(?:ou)?rs?)?(?![\w-])",
     lambda found: found[0] if int(found[1]) % 24 or found[1] == "0" else f"{int(found[1]) // 24} days"),
    (r"(?i)(?<!\S)w/(?:o(?:ut)?)?(?=\s)", lambda found: "without" if len(found[0]) > len("w/") else "with"),
    (r"(?<!\S)(\d+)[- ]?(d|wk|w|mo|yr|y|day|week|month|year)s?(?:[- ]olds?)?(?![\w-])",
     lambda found: f"{found[1]} {_UNIT_OF.get(found[2][0], found[2])}s" + (" old" if "old" in found[0] else "")),
)]  # fmt: skip


def spelt_out(question: str) -> str:
    """A question with the signs that people write for words spelt out: ">90d" is "more than 90 days"."""
    for pattern, words in _SHORTHAND:
        question = pattern.sub(words, question)
    return question


def tokens_of(question: str) -> list[Token]:
    """The words, without the marks around them; a closing bracket stays where it was opened within."""
    found = []
    for match in _CHUNK.finditer(question):
        text = match.group()
        start, end = match.start(), match.end()
        while text and text[0] in _EDGES and not (text[0] == "<" and ">" in text):
            text, start = text[1:], start + 1
        while text and text[-1] in _EDGES and not (text[-1] == ")" and text.count("(") == text.count(")")):
            text, end = text[:-1], end - 1
        if any(map(str.isalnum, text)):
            found.append(Token(text, start, end))
    return found


def _parted(token: Token) -> list[Token]:
    """A word without what is drawn together in it: "aren't" is "are not", "we've" is "we have"."""
    if found := re.fullmatch(r"(?i)(\w+)n't|(do|does|did|is|are|have|has|had)nt", token.text):
        verb = found[1] or found[2]
        at = token.start + len(verb)
        verb = {"ca": "can", "wo": "will", "sha": "shall"}.get(verb.casefold(), verb)
        return [Token(verb, token.start, at), Token("not", at, token.end)]
    if (found := re.fullmatch(r"(?i)(\w+)'(?:s|re|ve|ll|d|m)", token.text)) and (
        found[1].casefold() in {*FUNCTION_WORDS, *ROLES} and token.word not in ROLES
    ):
        return [Token(found[1], token.start, token.end)]
    return [token]


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
            named, dated = self._longest(tokens, at), self._date(tokens, at)
            longer = dated if named is None or (dated is not None and dated.end > named.end) else named
            mention = longer or self._single(tokens, at)
            found.append(mention)
            at = mention.end
        return self._requirements([self._marked(one, question) for one in _of_one_month(found)])

    def _marked(self, one: Mention, question: str) -> Mention:
        before = self.tokens[one.start - 1].end if one.start else 0
        return replace(one, apart=re.search(r"[,;:.?!]", question[before : self.tokens[one.start].start]) is not None)

    def _split(self, tokens: list[Token]) -> list[Token]:
        """Words joined by a mark, apart where together they name nothing and apart they do."""
        made: list[Token] = []
        for token in (part for one in tokens for each in _parted(one) for part in self._undenied(each)):
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
        if len(parts) < 2 or known or _DATE.fullmatch(text) or requirement_like(text):
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
            if any(one.startswith("or:") for one in roles) and not _is_severity(tokens, at):
                continue
            if not roles and size == 2 and not all(one.word in ROLES for one in tokens[at : at + 2]):
                roles = self._nearly_said(gram)
            words = [one.text for one in tokens[at : at + size]]
            stop = _is_a_stop(words) and gram != "unitedstates"
            meanings = [] if stop else self.vocabulary.lookup(gram)
            if size > 1 and "." not in words[0] and any(map(_is_framework, self.vocabulary.lookup(words[0]))):
                meanings = [one for one in meanings if one.field != "check"]  # "CIS 1.8" is no check called CIS.1.8
            if size == 2 and self._is_of_a_cloud(words):  # "per AWS account" is no resource of type AwsAccount
                meanings = [one for one in meanings if one.field != "resource_type"]
            if size > 1 and not _reads_as_one(words):  # "I am" is no service called IAM
                meanings = [one for one in meanings if one.whole] if any(map(content_stems, words)) else []
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

    def _date(self, tokens: list[Token], at: int) -> Mention | None:
        """A day or a month: 2026-11-09, 9 November, November 9th, the 9th, October 2026."""
        words = [one.text.casefold().rstrip(",") for one in tokens[at : at + 4]]
        if _DATE.fullmatch(words[0]):
            try:
                return Mention(words[0], at, at + 1, "date", value=(date.fromisoformat(words[0]),) * 2)
            except ValueError:
                return None
        today = self.vocabulary.today
        before = self.tokens[at - 1].text.casefold() if at else ""
        if words[0] in _WEEKDAYS and before not in ("next", "every", "each"):
            back = (today.weekday() - _WEEKDAYS.index(words[0])) % 7 or 7 * (before == "last")
            return Mention(tokens[at].text, at, at + 1, "date", value=(today - timedelta(days=back),) * 2)
        if words[:2] in (["end", "of"], ["start", "of"]) and (of := self._date(tokens, at + 2)):
            days: Any = of.value
            return replace(of, text=f"{words[0]} of {of.text}", start=at, value=(days[words[0] == "end"],) * 2)
        in_figures = "/" in words[0] or "." in words[0]
        day, month, year, size = _written(words[0], tokens) if in_figures else _day_in(words)
        if not size:
            return None
        try:
            if month is None and day is not None:
                value = today.replace(day=day)
                if value > today:
                    value = (value.replace(day=1) - timedelta(days=1)).replace(day=day)
                span = (value, value)
            elif month is not None:
                told = year or (today.year if month <= today.month else today.year - 1)
                first = date(told, month, day or 1)
                last = first if day else first.replace(day=monthrange(told, month)[1])
                span = (first, last)
            else:
                return None
        except ValueError:
            return None
        return Mention(" ".join(one.text for one in tokens[at : at + size]), at, at + size, "date", value=span)

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
                if any(each == key or each.startswith(f"{key}.") for each in keys):
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


def _is_severity(tokens: list[Token], at: int) -> bool:
    return at > 0 and any(one.startswith("severity:") for one in ROLES.get(tokens[at - 1].word, ()))


@lru_cache(maxsize=65_536)
def is_word(word: str) -> bool:
    """Whether a word is one of some language, as the encoder's tokenizer has it whole; not so without an encoder."""
    return any(map(_is_one_piece, (word, *singulars(word))))


def _is_one_piece(word: str) -> bool:
    try:
        return len(_tokenizer().encode(word, add_special_tokens=False).ids) == 1
    except ConfigurationError:
        return False


def _tokenizer() -> Any:
    from footnoted.models.files import Shared

    return Shared.of().tokenizer


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
    if numbered and not _is_a_requirement(made[at], versions):
        return 1, f"?{made[at].text}"
    return best


def _is_a_requirement(one: Mention, versions: dict[str, dict[str, str]]) -> bool:
    key = requirement_key(one.text)
    return any(each == key or each.startswith(f"{key}.") for keys in versions.values() for each in keys)


def _is_a_stop(words: list[str]) -> bool:
    """A word that carries no meaning is no name, whatever a resource is called."""
    return len(words) == 1 and not content_stems(words[0]) and not re.search(r"[\d.]", words[0])


def _reads_as_one(words: list[str]) -> bool:
    return all(content_stems(word) or re.search(r"\d", word) for word in words)


def _of_one_month(found: list[Mention]) -> list[Mention]:
    """Of "between 1 and 9 November" and "from the 1st to the 9th of November" the first day too."""
    made = list(found)
    for place, one in enumerate(found):
        after = [each for each in found[place + 1 : place + 4] if each.word != "the"]
        digits = re.match(r"\d{1,2}(?=$|st$|nd$|rd$|th$)", one.text)
        if len(after) < 2 or after[0].word not in _TO or after[1].kind != "date":
            continue
        span: Any = after[1].value
        day = int(digits[0]) if digits else 0
        if span[0] == span[1] and 0 < day < span[0].day:
            made[place] = replace(one, kind="date", value=(span[0].replace(day=day),) * 2)
    return made


def _written(word: str, tokens: list[Token]) -> tuple[int | None, int | None, int | None, int]:
    """A day in figures, 25/10, 25/10/2026 or 25.10.2026: the day first, unless another has its month first."""
    found = _FIGURES.fullmatch(word)
    if found is None:
        return None, None, None, 0
    day, month, year = (int(one) if one else 0 for one in found.group(1, 2, 3))
    every = [other for one in tokens if (other := _FIGURES.fullmatch(one.text))]
    if any(int(one[2]) > _MONTHS >= int(one[1]) for one in every):
        day, month = month, day
    return day, month, (year + 2000 if 0 < year < 100 else year) or None, 1


def _day_in(words: list[str]) -> tuple[int | None, int | None, int | None, int]:
    """Day, month, year and how many words they take: "9th of November 2026", "Nov 9", "October 2026", "the 9th"."""
    found = _NAMED_MONTH.match(" ".join(words))
    if found and found.group() != "may":  # alone it is a verb
        before, name, behind, year = found.groups()
        day = before or behind
        return int(day) if day else None, MONTH_OF[name], int(year) if year else None, found.group().count(" ") + 1
    if re.fullmatch(r"\d{1,2}(st|nd|rd|th)", words[0]):
        return int(words[0][:-2]), None, None, 1
    return None, None, None, 0
