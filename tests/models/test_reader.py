"""The networks that read two texts together: one a process, the same numbers from any thread, and what they tell apart."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from footnoted.models import EVERY_LANGUAGE, ModelUnavailable, Reader

SAID = ["The windscreen excess is £75.", "We do not pay for theft from an unlocked car.", "Call us within 24 hours."]


@pytest.mark.parametrize("folder", [None, EVERY_LANGUAGE])
def test_what_answers_stands_above_what_does_not(folder):
    """Each question's sentence has more than the others, and more than a half."""
    asked = ["What is the windscreen excess?", "Is theft from an unlocked car paid?", "How soon must I call?"]
    for place, question in enumerate(asked):
        chances = [Reader.load(folder).answers(question, text) for text in SAID]
        assert max(chances) == chances[place] > 0.5
        assert all(0 <= chance <= 1 for chance in chances)


@pytest.mark.xfail(strict=True, reason="the reader takes it for a question about a height")
def test_how_high_a_sum_is_may_be_asked():
    """Asked so, the sentence that answers has more than a half too."""
    assert Reader.load().answers("How high is the windscreen excess?", SAID[0]) > 0.5


def test_a_claim_is_told_from_its_denial():
    """What the evidence says is carried, what it denies is contradicted."""
    evidence = "Cover for theft ends when the car is left unlocked. Windscreen claims do not touch your discount."
    true = Reader.load().read("Windscreen claims do not affect your discount.", evidence)
    false = Reader.load().read("Windscreen claims reduce your discount.", evidence)
    assert true.carried > 0.5 > false.carried
    assert false.contradicted > true.contradicted


def test_each_network_is_opened_once_and_apart():
    """A process has one of either, whatever thread asks, and they say the same there."""
    with ThreadPoolExecutor(4) as threads:
        asked = [
            threads.submit(lambda: Reader.load(EVERY_LANGUAGE).answers("How soon must I call?", SAID[2]))
            for _ in range(8)
        ]
        assert len({round(one.result(), 6) for one in asked}) == 1
    assert Reader.load(EVERY_LANGUAGE) is Reader.load(EVERY_LANGUAGE)
    assert Reader.load() is not Reader.load(EVERY_LANGUAGE)


def test_what_is_too_long_is_cut_and_said_so():
    """A question beside a page is read as far as it goes; a claim that long is told as not whole."""
    assert 0 <= Reader.load(EVERY_LANGUAGE).answers("How soon must I call? " * 400, SAID[2] * 4_000) <= 1
    assert not Reader.load().read(SAID[0] * 200, SAID[0]).whole
    assert Reader.load().read(SAID[0], SAID[0]).whole
    assert 0 <= Reader.load(EVERY_LANGUAGE).answers("", "\ud800") <= 1


def test_a_folder_without_it_is_named(tmp_path):
    """Weights of one's own that lack a file end in one clear error."""
    with pytest.raises(ModelUnavailable, match=r"shipped networks|cannot be read"):
        Reader.load(tmp_path)
