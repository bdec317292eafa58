"""Meaning: sections found that share no word with the question, each sentence read once, and none where nothing reads."""

import pytest

from footnoted.assistants.insurance import RetrievalAgent, RetrievalRequest
from footnoted.assistants.insurance import retrieval as retrieving
from footnoted.assistants.insurance.meaning import Shelf, in_place, nearness, read_in_place
from footnoted.models import ModelUnavailable
from footnoted.retrieval import Index
from footnoted.retrieval.relevance import ShippedMeaning, read
from footnoted.types import Source

STAY = Source(
    "stay",
    "We pay for overnight accommodation after an accident.\n\n| Benefit | Limit |\n| --- | --- |\n| Towing | 10 miles |",
    title="Acme Car › 5. Benefits",
    metadata={"product_name": "Acme Car", "section_hierarchy": ["5. Benefits"]},
)
GLASS = Source("glass", "The excess is £75 when the windscreen is replaced.", title="Acme Car › 3. Glass")
LODGING = "Which lodgings may I sleep in?"


class Counting(ShippedMeaning):
    """The package's encoder, and how many texts it was given."""

    def __init__(self):
        self.read = 0

    def queries(self, texts):
        """As the encoder has them."""
        self.read += len(texts)
        return super().queries(texts)

    def passages(self, texts):
        """As the encoder has them."""
        self.read += len(texts)
        return super().passages(texts)


class Missing:
    """An encoder whose weights are damaged."""

    def queries(self, texts):
        """Never."""
        raise ModelUnavailable("the weights are damaged")

    passages = queries


def test_a_sentence_is_read_where_it_stands():
    """Under its headings, or its product where it has none, a row after its header."""
    assert read_in_place(STAY) == [
        "5. Benefits: We pay for overnight accommodation after an accident.",
        "5. Benefits: | Benefit | Limit | | Towing | 10 miles |",
    ]
    assert in_place(GLASS, read(GLASS)[0]) == f"{GLASS.title}: {GLASS.text}"


def test_what_means_the_same_is_near_whatever_its_words():
    """Lodgings are an overnight accommodation and no windscreen."""
    lodging, _, glass = nearness(ShippedMeaning(), LODGING, [*read_in_place(STAY), *read_in_place(GLASS)])
    assert lodging > glass + 0.1
    shelf = Shelf([STAY, GLASS], ShippedMeaning())
    near = shelf.nearness(LODGING, ())
    assert near["stay"] == pytest.approx(lodging, abs=1e-3)
    assert near["glass"] == pytest.approx(max(glass, 0.0), abs=1e-3)


def test_each_sentence_is_read_once():
    """A second question reads itself alone; nothing is asked of an empty shelf."""
    counting = Counting()
    shelf = Shelf([STAY, GLASS], counting)
    shelf.nearness(LODGING, ())
    assert counting.read == 4
    shelf.nearness("What is the windscreen excess?", ())
    assert counting.read == 5
    assert Shelf([], counting).nearness(LODGING, ()) == {}
    assert counting.read == 5


def test_of_large_policies_words_choose_what_is_read():
    """Only the sections that were found by words are heard."""
    counting = Counting()
    shelf = Shelf([STAY, GLASS], counting, read_ahead=10)
    assert list(shelf.nearness(LODGING, ["glass"])) == ["glass"]
    assert counting.read == 2


def test_without_the_encoder_sections_are_found_by_words(caplog):
    """Said once in the log."""
    shelf = Shelf([STAY, GLASS], Missing())
    assert shelf.nearness(LODGING, ()) == {} == shelf.nearness(LODGING, ())
    assert caplog.text.count("the weights are damaged") == 1


@pytest.mark.parametrize("meaning", [ShippedMeaning(), Missing()])
def test_retrieval_finds_by_meaning_and_goes_without(monkeypatch, meaning):
    """The section that shares no word with the question comes where it can be read; by words there is none."""
    monkeypatch.setattr(retrieving, "ShippedMeaning", lambda: meaning)
    agent = RetrievalAgent(Index.of([STAY, GLASS]))
    intent = agent.router().classify_intent(LODGING)
    found = agent.retrieve(RetrievalRequest(intent_classification=intent))
    assert [chunk.section for chunk in found][:1] == (["5. Benefits"] if isinstance(meaning, ShippedMeaning) else [])
