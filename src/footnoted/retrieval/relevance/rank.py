"""The sentences of some sources, best answer first, and the chance that they answer at all.

The hard thing is the second: a near miss shares nearly every word with the question. Both are fitted models over the
measures of `measures`, made by ``training/fit_relevance.py`` on labelled questions in twelve languages.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from footnoted.orders import is_order
from footnoted.retrieval.relevance.chronicle import asks_for_changes, tells_changes
from footnoted.retrieval.relevance.layout import Sentence, read
from footnoted.retrieval.relevance.logistic import chance_of, log_odds, odds_of
from footnoted.retrieval.relevance.meaning import Reads, in_english
from footnoted.retrieval.relevance.measures import Likeness, Pool, Prepared, prepare
from footnoted.retrieval.relevance.narrow import narrow
from footnoted.retrieval.relevance.question import Question, understand
from footnoted.text import STOPWORDS, content_stems, fold, stem, words
from footnoted.types import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footnoted.retrieval.relevance.meaning import Meaning
    from footnoted.types import Source

_MEASURED = 60  # sentences measured closely; the answer is among them 96 times of 100 in a long article
_SKIPPED = frozenset({"heading", "header", "rule"})
_SAID = 900  # code points of a passage that its vector is made of
_BOOK = 4_000  # code points from which on a source is no passage that one vector can stand for
_READ = 850  # code points of a passage that the reader has room for beside a question
_LED = 200  # of them, those before the sentence, in a longer passage
_CLOSELY = 16  # of the best sentences, each alone is
_BEFORE = 600  # code points before a sentence among which the one before it is looked for
_TOPIC = 3  # words of a sentence that only names what the next is about
_LESS = 1.5  # log-odds that a sentence of a page of changes is behind one that explains
_PASSAGES = 4.0  # what a unit of a passage's likeness counts beside words, when the sentences to measure are chosen


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence ``sources[source_index].text[start:end]`` and how well it answers.

    ``score`` has no unit: of two sentences, the one ``d`` higher is the better answer with odds of e^d.
    ``features`` is what the score is made of; ``sentence`` knows the place it stands in.
    """

    source_index: int
    start: int
    end: int
    score: float
    features: Mapping[str, float]
    sentence: Sentence


def rank(question: str, sources: Sequence[Source], *, about: str = "", likeness: Meaning | None = None) -> list[Scored]:
    """The sentences that might answer, best first: all of small sources, the likeliest 60 at most.

    ``about`` holds words of the talk before the question, which count for less. ``likeness`` is the encoder that lets
    other words for the same meet, and other languages. Headings and the header rows of tables lend their words to what
    stands under them and are no answers themselves.
    """
    candidates = measured(question, sources, about=about, likeness=likeness)
    return _guides_first(question, [_scored(sentence, features) for sentence, features in candidates], sources)


def measured(
    question: str, sources: Sequence[Source], *, about: str = "", likeness: Meaning | None = None
) -> list[tuple[Sentence, dict[str, float]]]:
    """The sentences that might answer and what speaks for each; what `rank` weighs."""
    asked = understand(question, about=about)
    pool = Pool(asked, _prepared(asked, sources))
    likely = list(range(len(pool.pool)))
    if likeness is None:
        likely = sorted(likely, key=lambda i: -pool.first(i))[:_MEASURED]
        return [(pool.pool[i].sentence, pool.features(i, None)) for i in likely]
    if not likely:
        return []
    near, vector = _passages(asked, sources, {prepared.sentence.source_index for prepared in pool.pool}, likeness)
    if len(likely) > _MEASURED:
        likely.sort(key=lambda i: -pool.first(i) - _PASSAGES * near[pool.pool[i].sentence.source_index])
        likely = sorted(likely[:_MEASURED])
        pool = Pool(asked, [pool.pool[i] for i in likely])
    cosines = (likeness.passages([prepared.said for prepared in pool.pool]) @ vector).tolist()
    for prepared, cosine in zip(pool.pool, cosines, strict=True):  # a whole book is as near as its nearest sentence
        index = prepared.sentence.source_index
        if len(sources[index].text) > _BOOK:
            near[index] = max(near[index], cosine)
    alike = Likeness(cosines, near, _wants("figure", vector), _wants("name", vector))
    return [(prepared.sentence, pool.features(i, alike)) for i, prepared in enumerate(pool.pool)]


def judged(
    question: str, sources: Sequence[Source], *, about: str = "", likeness: Meaning | None = None
) -> tuple[list[Scored], float]:
    """Every sentence, best first, and the chance (0-1) that the best answers; see `rank`, `reread`, `answerability`.

    A sentence that orders about whoever answers tells nothing, however well its words fit: it is left out.
    """
    ranked = rank(question, sources, about=about, likeness=likeness)
    ranked = [scored for scored in ranked if not is_order(scored.sentence.text)]
    whole = f"{about} {question}".strip()
    if not isinstance(likeness, Reads):
        return ranked, answerability(whole, ranked)
    ranked = reread(question, ranked, sources, likeness)
    return ranked, answerability(whole, ranked, sources=sources, reads=likeness, asked=question)


def reread(question: str, ranked: Sequence[Scored], sources: Sequence[Source], reads: Reads) -> list[Scored]:
    """The ranked sentences in a new order, the best sixteen each read together with the question."""
    if len(ranked) < 2:
        return list(ranked)
    texts = closely(question, ranked, sources)
    weights, chances = _weights()[f"order_{_read_by(question, texts)}"], reads.answers(question, texts)
    odds_read = [weights["read"] * odds_of(chance) for chance in chances]
    odds_read += [min(odds_read)] * (len(ranked) - len(texts))  # what was not read stays behind what was
    scores = [weights["score"] * scored.score + odds for scored, odds in zip(ranked, odds_read, strict=True)]
    again = [replace(scored, score=score) for scored, score in zip(ranked, scores, strict=True)]
    return [*_guides_first(question, again[:_CLOSELY], sources), *again[_CLOSELY:]]


def closely(question: str, ranked: Sequence[Scored], sources: Sequence[Source]) -> list[str]:
    """The best sixteen as they are read with the question to be ordered: in English behind the sentence before each."""
    best = [scored.sentence for scored in ranked[:_CLOSELY]]
    texts = [after_another(sentence, sources) for sentence in best]
    return texts if in_english(question, texts) else [alone(sentence, sources) for sentence in best]


def _guides_first(question: str, some: Sequence[Scored], sources: Sequence[Source]) -> list[Scored]:
    """The best first; what stands on a page of changes counts for less, unless a change is asked for."""
    changes = set() if asks_for_changes(question) else {i for i, source in enumerate(sources) if tells_changes(source)}
    weighed = [replace(each, score=each.score - _LESS) if each.source_index in changes else each for each in some]
    return sorted(weighed, key=lambda scored: -scored.score)


def answerability(
    question: str,
    ranked: Sequence[Scored],
    *,
    sources: Sequence[Source] = (),
    reads: Reads | None = None,
    asked: str = "",
) -> float:
    """The chance (0–1) that the best of the ranked sentences answers; see `Extractive.threshold`.

    ``reads``, with the ``sources`` ranked, reads the best sentence's passage together with the question: a near miss
    has the question's words, and a passage that answers something else. Where the question leans on one before it,
    ``asked`` is the last alone: both together are answered by what answered the first.
    """
    if not ranked or not content_stems(question):
        return 0.0
    evidence = answer_features(ranked)
    meant = "like" in ranked[0].features
    odds = log_odds(evidence, _weights()["answer_meant" if meant else "answer"])
    if meant and reads is not None and sources:
        texts = [passage_of(ranked[0].sentence, sources), alone(ranked[0].sentence, sources)]
        read = read_features(ranked[0], odds, *reads.answers(asked or question, texts))
        odds = log_odds(read, _weights()[_read_by(asked or question, texts)])
    return chance_of(odds)


def _read_by(question: str, texts: Sequence[str]) -> str:
    """The name of the weights for what reads them (`in_english`)."""
    return "read" if in_english(question, texts) else "read_foreign"


def passage_of(sentence: Sentence, sources: Sequence[Source]) -> str:
    """The passage a sentence stands in, under its heading, as far as it is read: that much around it in a book."""
    source = sources[sentence.source_index]
    start = 0 if sentence.end <= _READ else max(0, sentence.start - _LED)
    heading = sentence.headings[-1] if start and sentence.headings else source.title.rpartition("›")[2].strip()
    text = source.text[start : start + _READ]
    return f"{heading}\n{text}" if heading else text


def alone(sentence: Sentence, sources: Sequence[Source]) -> str:
    """A sentence as it is read by itself: under its heading, and a list's item or a row after what introduces it."""
    source = sources[sentence.source_index]
    heading = sentence.heading(source.title)
    leads = () if sentence.kind == "prose" else sentence.leads
    text = " ".join((*(source.text[lead.start : lead.end] for lead in leads), sentence.text))
    return f"{heading}\n{text}" if heading else text


def after_another(sentence: Sentence, sources: Sequence[Source]) -> str:
    """As `alone`, behind the sentence before it too: "Otherwise, …" or "It does." says nothing alone. A row does."""
    if sentence.kind == "row":
        return alone(sentence, sources)
    source = sources[sentence.source_index]
    start = source.text.rfind("\n\n", 0, max(0, sentence.start - _BEFORE)) + 1
    near = read(source, sentence.source_index, within=Span(max(start, sentence.start - 2 * _BEFORE), sentence.start))
    before = [other for other in near if other.kind != "rule"][-1:]
    leads = () if sentence.kind == "prose" else sentence.leads
    said = [source.text[lead.start : lead.end] for lead in leads if all(lead.start != other.start for other in before)]
    heading = sentence.heading(source.title)
    return "\n".join(filter(None, (heading, " ".join([*said, *(other.text for other in before), sentence.text]))))


def read_features(best: Scored, odds: float, passage: float, sentence: float) -> dict[str, float]:
    """What the second look at an answer is made of: the odds so far, those of both readings, another language."""
    foreign = best.features["foreign"]
    so_far = max(-8.0, min(8.0, odds))
    return {"odds": so_far, "read": odds_of(passage), "alone": odds_of(sentence), "foreign": foreign}


def answer_features(ranked: Sequence[Scored]) -> dict[str, float]:
    """What speaks for the whole ranking holding an answer: its best sentence, and the best of each measure.

    Nothing in it depends on how much else there is: one text is judged as a page of many is.
    """
    found = {f"best_{name}": value for name, value in ranked[0].features.items()}
    for name in _TOPS:
        if name in ranked[0].features:
            found[f"top_{name}"] = max(scored.features[name] for scored in ranked)
    if "like" in ranked[0].features:
        likes = [scored.features["like"] for scored in ranked]
        found["foreign_like"] = ranked[0].features["foreign"] * max(likes)
        found["foreign_absent"] = ranked[0].features["foreign"] * ranked[0].features["absent"]
    return found


_TOPS = ("cover_around", "near", "passage", "pairs", "dense", "like", "like_passage", "figure", "soft")


def kind_of(question: str, likeness: Meaning) -> str:
    """What a question is of: the ``matter``, the whole ``collection``, one ``page``; or ``greeting``, ``thanks``.

    One that names a path or an identifier ("what goes in /usr/local?") is of that, whatever it sounds like.
    """
    vector = likeness.queries([question])[0]
    heads = {name.removeprefix("kind_"): head for name, head in _heads().items() if name.startswith("kind_")}
    kind = max(heads, key=lambda name: float(heads[name][:-1] @ vector + heads[name][-1]), default="matter")
    return "matter" if kind == "collection" and any(map(_is_literal, question.split())) else kind


def _is_literal(word: str) -> bool:
    word = word.strip("\"'`“”‘’()[]?!.,:;…")
    return any(char in word for char in "/\\_.@") and any(map(str.isalnum, word))


def said_of(source: Source) -> str:
    """A passage as the encoder reads it: its title and its first 150 words or so."""
    return (f"{source.title}\n{source.text}" if source.title else source.text)[:_SAID]


def _passages(
    asked: Question, sources: Sequence[Source], which: set[int], likeness: Meaning
) -> tuple[dict[int, float], Any]:
    """How alike the question and each source are, and the question's vector."""
    vector = likeness.queries([asked.whole])[0]
    order = sorted(index for index in which if len(sources[index].text) <= _BOOK)
    cosines = likeness.passages([said_of(sources[index]) for index in order]) @ vector
    return dict.fromkeys(which, 0.0) | dict(zip(order, cosines.tolist(), strict=True)), vector


def _prepared(asked: Question, sources: Sequence[Source]) -> list[Prepared]:
    prepared: list[Prepared] = []
    for part in narrow(asked, sources):
        source = sources[part.source_index]
        before: Sentence | None = None
        for sentence in read(source, part.source_index, within=Span(part.start, part.end)):
            topic, before = _topic(before, sentence), sentence
            if sentence.kind in _SKIPPED or not any(char.isalnum() for char in sentence.text):
                continue
            leads = topic + " ".join(source.text[lead.start : lead.end] for lead in sentence.leads)
            around = _stems(" ".join((source.title, *part.headings, *sentence.headings)))
            prepared.append(prepare(sentence, leads=leads, title=source.title, around=around))
    return prepared


def _topic(before: Sentence | None, sentence: Sentence) -> str:
    """The few words that open a paragraph and name what it is of ("Windscreen. The excess is £75."), if it has any."""
    if before is None or before.kind != "prose" or sentence.kind != "prose" or before.block != sentence.block:
        return ""
    return before.text if len(words(before.text)) <= _TOPIC else ""


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word, _, _ in words(text) if fold(word) not in STOPWORDS)


def _scored(sentence: Sentence, features: Mapping[str, float]) -> Scored:
    weights = _weights()["order_meant" if "like" in features else "order"]
    return Scored(sentence.source_index, sentence.start, sentence.end, log_odds(features, weights), features, sentence)


def _wants(kind: str, vector: Any) -> float:
    """The chance (0–1) that a question with this vector wants such an answer: a number, a name."""
    head = _heads()[kind]
    return chance_of(float(head[:-1] @ vector + head[-1]))


@cache
def _heads() -> Mapping[str, Any]:
    from footnoted.native import numpy as np

    with files("footnoted.retrieval.relevance").joinpath("wants.npz").open("rb") as file:
        return {name: array.astype(np.float32) for name, array in np.load(file).items()}


@cache
def _weights() -> dict[str, dict[str, float]]:
    """The shipped weights by purpose; ``""`` is the constant. Fitted by ``training/fit_relevance.py``."""
    text = files("footnoted.retrieval.relevance").joinpath("weights.json").read_text(encoding="utf-8")
    weights: dict[str, dict[str, float]] = json.loads(text)
    return weights
