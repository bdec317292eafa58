"""Every word of a question is held by a field of its query, or joins others, or is told: nothing is dropped in silence.

Restrictions that no field can hold, names of nobody and values of this and of another tenant are put into questions at
random places, and words are taken out. Whatever comes of the question, what was put in stands in the query or is told.
"""

import gzip
import json
import random
import re
import zlib
from dataclasses import dataclass

import pytest

from footnoted.assistants.security import FindingsService
from footnoted.assistants.security.query.accounting import Held
from footnoted.assistants.security.query.meaning import shipped_meanings, topic_of
from footnoted.assistants.security.query.reading import read
from footnoted.assistants.security.query.vocabulary import Check, compact, vocabulary_of
from footnoted.assistants.security.query.words import FUNCTION_WORDS, ROLES
from footnoted.assistants.security.severity import Severity
from tests.assistants.security.conftest import DATA, needs_data

QUESTIONS = [
    "How many high findings in eu-west-1?",
    "List our S3 findings",
    "Which critical findings have been open for longer than 30 days?",
    "How many S3 findings of medium severity passed?",
    "Which of our S3 findings break HIPAA?",
    "What do we fix first?",
    "Break the open findings down by severity",
    "Which region has the most critical findings?",
    "Compare eu-west-1 and us-east-1",
    "What is the pass rate of S3?",
    "Show me everything except S3",
    "How old is the oldest open finding?",
    "What is wrong with clinic-scans?",
    "How many buckets have problems?",
    "How do I fix public buckets with Terraform?",
    "Which HIPAA requirements do we fail?",
    "What does HIPAA 164.312(e)(1) say?",
    "How many findings are muted right now?",
    "Top three checks by open findings",
    "Are there findings first seen in October 2026?",
]
TIMES = ["yesterday", "overnight", "since Easter", "last quarter", "during the merger", "in 2017", "for 5 fortnights",
         "older than the merger", "before lunch", "weekly", "every 3 sprints"]  # fmt: skip
NOBODY = ["account 777788889999", "in xy-north-9", "of acme-billing-7", "in Atlantis", "tagged squad:apollo",
          "10.99.0.12", "CVE-2024-31337", "arn:aws:s3:::nobody-here"]  # fmt: skip
LETTERS = ("bdfgklmnprstvz", "aeiou")


@dataclass(frozen=True)
class Put:
    """What is put into a question: its words, and the field and values a query may hold them by."""

    text: str
    field: str = ""
    values: tuple[str, ...] = ()


def unheard_of(chance):
    """A word of no language."""
    return "".join(chance.choice(LETTERS[at % 2]) for at in range(9)) + "x"


def restrictions(chance, vocabulary, other):
    """One restriction of each kind."""
    yield Put(unheard_of(chance))
    yield Put(f"{chance.choice(('in', 'of', 'with', 'without', 'not', 'only'))} {unheard_of(chance)}")
    yield Put(f"more than {chance.randrange(3, 99)} {unheard_of(chance)}s")
    yield Put(chance.choice(TIMES))
    yield Put(chance.choice(NOBODY))
    region = chance.choice(sorted(filter(None, vocabulary.regions)))
    yield Put(f"in {region}", "region", (region,))
    identity, name = chance.choice(sorted(vocabulary.accounts.items()))
    yield Put(f"in {name}", "account", (identity,))
    severity = chance.choice(("critical", "high", "medium", "low"))
    yield Put(severity, "severity", (severity,))
    foreign = sorted(
        (set(other.accounts.values()) | other.regions) - set(vocabulary.accounts.values()) - vocabulary.regions - {""}
    )
    for value in chance.sample(foreign, min(2, len(foreign))):
        yield Put(f"in {value}")


def told(reading):
    """All that is said beside an answer, or in its stead."""
    words = (*reading.unused, *reading.unfit, *reading.notes, *reading.open, reading.reason)
    return compact(" ".join((*words, *(one.label for one in reading.choices))))


def content(text):
    """The words of a restriction that say what it is."""
    words = [one for one in re.split(r"\s+", text) if compact(one) not in FUNCTION_WORDS]
    return [one for one in words if compact(one) not in ROLES] or words


def over(severity):
    """The severities above one, the gravest first."""
    every = [one.value for one in Severity]
    return every[: every.index(severity)]


def is_silent(put, reading):
    """Whether the query leaves out what was put in, and nothing tells so."""
    if reading.reason or reading.choices:
        return False
    query = reading.query
    wheres = (query.where, query.exclude, *query.sides)
    if put.field and set(put.values) <= {value for one in wheres for value in getattr(one, put.field)}:
        return False
    if put.field and query.group_by == put.field:  # every value of it is told apart
        return False
    if put.field == "severity" and query.select == "compare":
        return False
    lies_over = put.field == "severity" and re.search(rf"\b(?:over|above|exceeding) {put.text}\b", reading.question)
    if lies_over and query.where.severity == over(put.text):
        return False  # "over low" is held by exactly what lies over it
    said = told(reading)
    return not all(compact(one) in said for one in content(put.text))


def spoilt(question, put, chance):
    words = question.split()
    at = chance.randrange(len(words) + 1)
    return " ".join([*words[:at], put.text, *words[at:]])


def silent_ones(asked, vocabulary, other, seed, meanings=None):
    """The questions that leave something out in silence, of all that are made of these."""
    chance, found, made = random.Random(seed), [], 0
    for question, before in asked:
        base = None
        for one in before:
            base = read(one, vocabulary, base=base, meanings=meanings)
        for put in restrictions(chance, vocabulary, other):
            text = spoilt(question, put, chance)
            reading = read(text, vocabulary, base=base, meanings=meanings)
            made += 1
            if is_silent(put, reading):
                found.append((put.text, text, reading.query.as_json(), reading.unused, reading.unfit))
        words = question.split()
        at = chance.randrange(len(words))
        reading = read(" ".join(words[:at] + words[at + 1 :]), vocabulary, base=base, meanings=meanings)
        left = Held(reading.query, vocabulary, reading.mentions).left()
        said = told(reading)
        made += 1
        found += [("", reading.question, one.text) for one in map(reading.mentions.__getitem__, left)
                  if compact(one.text) not in said and not (reading.reason or reading.choices)
                  and not one.role("noun")]  # fmt: skip
    return made, found


@pytest.fixture
async def vocabulary(clinic):
    """The names of the clinic's findings."""
    return await vocabulary_of(clinic, "clinic")


@pytest.fixture
async def halden(database):
    """The names of the shared data's tenant."""
    for path in sorted((DATA / "security" / "findings").rglob("*.gz")):
        content = gzip.decompress(path.read_bytes())
        assert not (await FindingsService(database).import_file("halden", [content])).skipped
    return await vocabulary_of(database, "halden")


@pytest.mark.parametrize("seed", range(8))
async def test_no_restriction_is_dropped_in_silence(vocabulary, seed):
    """Of the clinic's questions, with names of nobody."""
    other = type(vocabulary)(accounts={"999988887777": "acme-prod"}, regions={"sa-west-7", "brazilsouth"})
    made, silent = silent_ones([(one, ()) for one in QUESTIONS], vocabulary, other, seed)
    assert made > 200
    assert silent == []


@needs_data
async def test_no_restriction_is_dropped_from_questions_of_people(halden, clinic):
    """Of four fifths of the shared questions; the other tenant is the clinic. The fifth kept aside is not looked at."""
    lines = (DATA / "security" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    asked = [(one["question"], [user for user, _ in one.get("history", [])])
             for one in questions if zlib.crc32(one["id"].encode()) % 5]  # fmt: skip
    other = await vocabulary_of(clinic, "clinic")
    made, silent = silent_ones(asked, halden, other, 1, shipped_meanings())
    assert made > 800
    assert silent == []


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many high findings in eu-west-1 and low findings in us-east-1?", "high eu-west-1 and low us-east-1"),
        ("List high findings or anything in us-east-1", "high or us-east-1"),
        ("How many low findings are in the region with the most criticals?", "region with the most"),
        ("How many high findings contractors left in eu-west-1?", "contractors"),
        ("Which S3 findings aren't high and are flimsy?", "flimsy"),
        ("How old are all weekly findings?", "weekly"),
        ("How many findings were fixed in 2017 weeks?", "2017 weeks"),
        ("How many findings of CIS more than 30 times?", "30"),
    ],
)
async def test_what_flat_fields_would_say_wrongly_is_told(advisor, question, said):
    """Pairs, alternatives, what must first be looked for, and words of no field stand in the answer."""
    advice = await advisor.answer(question, None, "clinic")
    assert said in advice.response.response


async def test_a_contracted_not_excludes(vocabulary):
    """As the two words it is drawn together from do."""
    query = read("Which S3 findings aren't high?", vocabulary).query
    assert (query.where.service, query.without()) == (["s3"], {"severity": ["high"]})


async def test_what_was_refused_before_is_told_of_a_follow_up(vocabulary):
    """A follow-up edits what could not be asked, so it says again what that was."""
    base = read("How many findings in account 999988887777?", vocabulary)
    reading = read("and the high ones?", vocabulary, base=base)
    assert ("999988887777" in reading.unfit, reading.can_be_asked) == (True, False)


async def test_a_word_read_as_checks_is_told_with_them(vocabulary):
    """What fails them is listed, and a reader sees which they are."""
    reading = read("Which buckets are publicly writable?", vocabulary)
    assert not reading.query.where.check or any("is read as what fails" in one for one in reading.notes)


class Near:
    """An encoder to which every check that has a word is near."""

    def __init__(self, word):
        self.word = word

    def near(self, _, texts):
        return [float(self.word in text) for text in texts]


def test_a_word_alone_tells_of_checks_in_forms_of_its_own():
    """What "related" shares with "relational" is a stem and no meaning; "encrypted" and "encryption" are one word."""
    others = [Check(f"other_{one}", one, "aws", "other") for one in ("Keys rotate", "Logs are kept", "Doors lock")]
    for word, title, told in (("related", "relational store", False), ("encrypted", "encryption store", True)):
        topic = topic_of(f"{word} things", [word], [Check("store", title, "aws", "store"), *others], Near("store"))
        assert (topic is not None) is told, word


async def test_what_findings_are_told_in_is_not_what_they_are_about(vocabulary):
    """The head of "a … of open findings" is no topic, though a check has the word."""
    reading = read("Versions of open high findings by region", vocabulary, meanings=shipped_meanings())
    assert not reading.query.where.check
    assert "versions" in [*reading.unused, reading.reason.strip("“”")]
