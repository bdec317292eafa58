"""The documents' own sentences, product by product: what is said where the encoder cannot run."""

import pytest

from footnoted.assistants.insurance.extracts import PolicyExtracts
from footnoted.models import Embedder, ModelUnavailable
from footnoted.retrieval.relevance import ShippedMeaning
from footnoted.types import Prompt, Source

GLASS = "The windscreen excess is £75 when the glass is replaced. Loss of keys is covered up to £250."
ASKED = "What is the windscreen excess?"
PROMPT = Prompt(
    question=ASKED,
    system="",
    ask=ASKED,
    sources=(Source("a", GLASS, title="Acme Car › 3. Glass", metadata={"product_name": "Acme Car"}),),
)


def test_without_the_encoder_words_alone_decide(monkeypatch, caplog):
    """A damaged installation answers what its words find, says so once in the log, and does not fail a customer."""

    def missing(_, folder=None):
        raise ModelUnavailable("the weights are damaged")

    monkeypatch.setattr(Embedder, "load", classmethod(missing))
    provider = PolicyExtracts()
    for _ in range(2):
        said = provider.answer(PROMPT)
        assert any("£75" in passage.text for one in said for passage in one.passages)
    assert caplog.text.count("the weights are damaged") == 1
    with pytest.raises(ModelUnavailable):
        PolicyExtracts(meaning=ShippedMeaning()).answer(PROMPT)
