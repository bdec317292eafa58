"""The documents' own sentences, product by product: what is said where the encoder cannot run."""

import pytest

from footnoted.assistants.insurance import ChunkResult, ResponseGenerationAgent, ResponseRequest
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


TABLE = """| Cover | Creek | Lagoon |
|---|---|---|
| Excess for each claim | £40 | £30 |
| Rescue limit | £500 | £900 |"""
PLANS = [
    ChunkResult(content=TABLE, product_name="Wren Canoe", section_hierarchy=["Limits"], relevance_score=0.9),
    ChunkResult(
        content="Excess. The excess for theft is £75. Commuting is covered.",
        product_name="Elm Scooter",
        section_hierarchy=["Excess and use"],
        relevance_score=0.8,
    ),
]


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("How much is the excess for the Lagoon plan?", "Excess for each claim; Lagoon: £30", ["£40", "£900", "£75"]),
        ("What is the theft excess for Elm Scooter?", "The excess for theft is £75", ["Excess. [", "£40", "£30"]),
    ],
)
async def test_only_what_was_asked_is_told(question, told, untold):
    """No other plan's figure, no other row, no other product, no title that stands before its paragraph."""
    request = ResponseRequest(original_query=question, context_chunks=PLANS)
    result = await ResponseGenerationAgent(timeout=60).agenerate_response(request)
    assert told in result.answer
    assert not [one for one in untold if one in result.answer]
