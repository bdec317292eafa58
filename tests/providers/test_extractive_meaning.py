"""Where answers are checked, `extractive` chooses its sentences by meaning as well as by words."""

import pytest

from footnoted import GroundedGenerator
from footnoted.encoder import Encoder, EncoderUnavailable
from footnoted.providers.extractive import Extractive
from footnoted.relevance import EncoderLikeness
from footnoted.types import Prompt, Source


class Unopened:
    """A likeness whose encoder cannot run, as where a file of it is missing."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, question, texts):
        Encoder.load(self.folder)
        raise AssertionError("an encoder without files was opened")


def prompt(question: str, *texts: str) -> Prompt:
    return Prompt(question=question, sources=tuple(Source(str(n), text) for n, text in enumerate(texts)))


@pytest.mark.parametrize("checking", ["hold", "mark", "amend", None])
def test_a_checked_generator_reads_by_meaning(checking):
    assert isinstance(GroundedGenerator(checking=checking).provider.likeness, EncoderLikeness)


def test_without_a_check_no_encoder_is_opened():
    assert GroundedGenerator(checking="off").provider.likeness is None


def test_ones_own_choice_stands():
    mine = EncoderLikeness()
    assert GroundedGenerator(likeness=mine).provider.likeness is mine
    assert GroundedGenerator(likeness=None).provider.likeness is None


def test_a_fallback_reads_by_meaning_too():
    given = GroundedGenerator([Extractive()], fallback="extractive").provider
    assert isinstance(given.providers[-1].likeness, EncoderLikeness)


def test_where_the_encoder_cannot_be_opened_words_decide(tmp_path):
    asked = prompt("What is the excess for glass?", "The excess for glass is £75.", "The museum opens at nine.")
    shipped = Extractive(likeness="shipped")
    shipped.likeness = Unopened(tmp_path)
    assert shipped.answer(asked) == Extractive().answer(asked)
    assert shipped.likeness is None


def test_ones_own_likeness_that_cannot_run_says_so(tmp_path):
    with pytest.raises(EncoderUnavailable):
        Extractive(likeness=Unopened(tmp_path)).answer(prompt("What is the excess?", "The excess is £75."))
