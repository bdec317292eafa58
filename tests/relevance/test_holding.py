"""The network beside the encoder: a question held against the best sentence, as a claim against its evidence."""

from __future__ import annotations

import logging

import pytest

from footnoted.encoder import entailment
from footnoted.providers.extractive import Extractive
from footnoted.relevance import EncoderLikeness, answerability, rank
from footnoted.relevance.likeness import Holding
from footnoted.relevance.question import understand
from footnoted.types import Prompt, Source

BRIDGE = Source(
    "b",
    "The Severn Bridge was opened in September 1966 by the Queen. It carries a motorway. "
    "The towers are 136 metres high and hollow. Tolls were abolished in 2018.",
    "Severn Bridge",
)
NAMES = {"carried", "against", "doubt_most", "doubt_mean"}


@pytest.fixture(scope="module")
def likeness():
    """The shipped encoder and network, opened once."""
    return EncoderLikeness()


@pytest.mark.parametrize(
    ("met", "turned"),
    [
        ("When was the Severn Bridge opened?", "When was the Severn Bridge closed?"),
        ("Who opened the Severn Bridge?", "Who closed the Severn Bridge?"),
        ("In what year were tolls abolished?", "In what year were tolls introduced?"),
        ("How high are the towers?", "How low are the towers?"),
    ],
)
def test_what_a_question_takes_for_granted_is_held_against_the_sentence(likeness, met, turned):
    """Turned into its opposite, a question is less carried, and likelier refused than without the network."""
    asked, other = (rank(question, [BRIDGE], likeness=likeness) for question in (met, turned))
    assert asked[0].features["carried"] > other[0].features["carried"]
    assert asked[0].features["against"] < other[0].features["against"]
    assert answerability(met, asked) > answerability(turned, other)


def test_only_the_best_sentence_is_held(likeness):
    """The verdict costs one reading; the others have none."""
    first, *others = rank("How high are the towers?", [BRIDGE], likeness=likeness)
    assert first.features.keys() >= NAMES
    assert not any(NAMES & one.features.keys() for one in others)


def test_a_follow_up_is_not_held(likeness):
    """What leans on the question before it says too little alone."""
    ranked = rank("And the towers?", [BRIDGE], about="How high is the bridge?", likeness=likeness)
    assert not NAMES & ranked[0].features.keys()
    assert 0 <= answerability("And the towers?", ranked) <= 1


@pytest.mark.parametrize("question", ["", "?", "何ですか", "สะพานเปิดเมื่อไหร่", "a " * 400, "the of and"])
@pytest.mark.parametrize("text", ["", ".", "塔は高さ136メートル。", "word " * 900])
def test_whatever_is_held_gives_numbers(likeness, question, text):
    """Nothing to read, other scripts, and far too much: four finite numbers."""
    found = likeness.held(understand(question), text)
    assert found.keys() == NAMES
    assert all(abs(value) < 100 for value in found.values())


@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_without_the_network_words_and_vectors_decide(tmp_path, monkeypatch, caplog, damage):
    """A network that is missing or damaged is told of once; answers are those of an encoder without it."""
    if damage == "cut":
        for name in ("network.onnx", "sha256.json"):
            (tmp_path / name).write_bytes((entailment.QUESTIONS / name).read_bytes()[:1000])
    monkeypatch.setattr(entailment, "QUESTIONS", tmp_path)
    prompts = [Prompt(question, sources=(BRIDGE,)) for question in ("How high are the towers?", "Who closed it?")]
    broken, plain = Extractive(likeness=EncoderLikeness()), Extractive(likeness=EncoderLikeness(reading=False))
    with caplog.at_level(logging.WARNING):
        assert [broken.answer(one) for one in prompts] == [plain.answer(one) for one in prompts]
    assert [record.message for record in caplog.records if "without the network" in record.message] == [
        caplog.records[0].message
    ]


def test_a_likeness_of_ones_own_need_not_hold():
    """The verdict is an addition: a likeness that is only called works as before."""
    assert isinstance(EncoderLikeness(), Holding)

    def alike(question, texts):
        return [{"whole": 0.5, "by_word": 0.5, "least": 0.1} for _ in texts]

    assert not isinstance(alike, Holding)
    assert "carried" not in rank("How high are the towers?", [BRIDGE], likeness=alike)[0].features
