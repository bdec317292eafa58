"""Where answers are checked, `extractive` chooses its sentences by meaning as well as by words."""

import pytest

from footnoted import GroundedGenerator
from footnoted.models import Embedder, ModelUnavailable
from footnoted.providers.extractive import Extractive
from footnoted.retrieval.relevance import ShippedMeaning
from footnoted.types import Prompt, Source


class Unopened:
    """A likeness whose encoder cannot run, as where a file of it is missing."""

    def __init__(self, folder):
        self.folder = folder

    def queries(self, texts):
        return Embedder.load(self.folder).queries(texts)

    passages = queries


def prompt(question: str, *texts: str) -> Prompt:
    return Prompt(question=question, sources=tuple(Source(str(n), text) for n, text in enumerate(texts)))


@pytest.mark.parametrize("checking", ["hold", "mark", "amend", "off", None])
def test_a_checked_generator_reads_by_meaning(checking):
    assert isinstance(GroundedGenerator(checking=checking).provider.likeness, ShippedMeaning)


def test_by_words_alone_where_that_is_asked_for():
    assert GroundedGenerator(checking="off", likeness=None).provider.likeness is None


def test_ones_own_choice_stands():
    mine = ShippedMeaning()
    assert GroundedGenerator(likeness=mine).provider.likeness is mine
    assert GroundedGenerator(likeness=None).provider.likeness is None


def test_a_fallback_reads_by_meaning_too():
    given = GroundedGenerator([Extractive()], fallback="extractive").provider
    assert isinstance(given.providers[-1].likeness, ShippedMeaning)


def test_where_the_encoder_cannot_be_opened_words_decide(tmp_path):
    asked = prompt("What is the excess for glass?", "The excess for glass is £75.", "The museum opens at nine.")
    shipped = Extractive(likeness="shipped")
    shipped.likeness = Unopened(tmp_path)
    assert shipped.answer(asked) == Extractive().answer(asked)
    assert shipped.likeness is None


def test_ones_own_likeness_that_cannot_run_says_so(tmp_path):
    with pytest.raises(ModelUnavailable):
        Extractive(likeness=Unopened(tmp_path)).answer(prompt("What is the excess?", "The excess is £75."))
