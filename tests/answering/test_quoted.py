"""Answers of a model that is asked for the words each marker points at."""

import pytest

from footnoted import GroundedGenerator
from footnoted.events import CitationFound, TextDelta
from footnoted.grounding import Checker
from footnoted.testing import Reply, ScriptedLLM, scripted_provider
from footnoted.types import Evidence, Pointer, Verdict

from .conftest import CAR, HOME

SAID = (
    'A repair sets you back £75 [1 "The excess is £75 for a repair"]. Stolen things are paid for, £40,000 at most '
    '[2 “covered up to £40,000”]. Racing is never paid for [1 "we pay nothing for races"].\n'
)
SEEN = "A repair sets you back £75 [1]. Stolen things are paid for, £40,000 at most [2]. Racing is never paid for."


class Believes:
    """A weigher that supports what it is shown a quote for, and notes what it was shown."""

    takes_quotes = True

    def __init__(self):
        self.shown = {}

    async def acheck(self, claim, sources, *, cited=(), quoted=()):
        words = [sources[one.source].text[one.start : one.end] for one in quoted]
        self.shown[claim] = words
        evidence = tuple(
            Evidence(one.source, one.start, one.end, word, 1.0) for one, word in zip(quoted, words, strict=True)
        )
        return Verdict(
            "supported" if quoted else "unsure", score=0.9 if quoted else 0.5, tier="model", evidence=evidence
        )


@pytest.mark.parametrize("protocol", ["openai", "responses", "anthropic", "gemini"])
async def test_over_the_wire(asked, protocol):
    """Asked for in the prompt, taken out of what the reader sees, and pointed at letter by letter."""
    weigher = Believes()
    named = {"provider": "openai", "api": protocol} if protocol == "responses" else {"provider": protocol}
    async with ScriptedLLM(Reply(pieces=list(SAID.strip()))) as llm:
        door = GroundedGenerator(
            **named,
            api_key="k",
            base_url=llm.url(protocol),
            model="m",
            citations="quoted",
            checker=weigher,
            judge=None,
        )
        async with door:
            response = await door.generate(asked())
        assert '[2 "the words"]' in llm.requests[0].system_text
    assert response.response == SEEN.replace("for.", "for. (unverified)")
    assert [one.source_quote for one in response.citations] == [
        "The excess is £75 for a repair",
        "covered up to £40,000",
    ]
    for one in response.citations:
        assert [CAR, HOME][one.source_index][one.source_start : one.source_end] == one.source_quote
        assert response.response[one.start_pos : one.end_pos] == f"[{one.number}]"
    assert list(weigher.shown.values()) == [["The excess is £75 for a repair"], ["covered up to £40,000"], []]


@pytest.mark.parametrize("form", ["plain", "markdown", "bullets", "json"])
@pytest.mark.parametrize("checking", ["hold", "mark", "amend", "off"])
async def test_no_part_of_a_quote_is_ever_told(asked, form, checking):
    """In every format and way of checking, cut anywhere, the same text, the same pointers."""
    made = set()
    for pieces in (SAID,), tuple(SAID), *((SAID[:at], SAID[at:]) for at in range(1, len(SAID), 13)):
        door = GroundedGenerator(scripted_provider(*pieces), citations="quoted", checking=checking, checker=Believes())
        events = [event async for event in door.stream(asked(output_format=form))]
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        quotes = tuple(event.citation.quote for event in events if isinstance(event, CitationFound))
        made.add((text, quotes))
    ((text, quotes),) = made
    assert quotes == ("The excess is £75 for a repair", "covered up to £40,000")
    told = text.split('"citations"')[0]
    assert "The excess is" not in told
    assert "we pay nothing" not in told
    assert " ." not in told


@pytest.mark.parametrize("mode", ["simple", "grounded", "analytical", "conversational"])
@pytest.mark.parametrize("query", ["What is the excess?", "Compare the excesses", "Sum up the cover"])
async def test_every_template_asks_for_quotes(asked, mode, query):
    """And for none where nobody wants them."""
    for citations, wanted in (("quoted", True), ("numbered", False)):
        model = scripted_provider("The excess is £75 for a repair.")
        await GroundedGenerator(model, citations=citations, checking="off").generate(asked(query, mode=mode))
        assert ('[2 "the words"]' in model.prompts[0].system) is wanted


def test_a_quote_is_read_with_what_introduces_it_and_its_neighbours(source):
    """Alone with its lead-in, and in a window with the sentences beside it; it is the evidence that is told first."""
    from footnoted.grounding.evidence import passage, window
    from footnoted.grounding.reading import read

    one = passage(source)
    start = source.text.index("glass of any kind")
    claim = read("Glass cover costs nothing extra.")
    found = window(claim, [one], [Pointer(0, start, start + 17)])
    assert found is not None
    whole, alone = found.texts
    assert alone.startswith("We do not pay for:")
    assert alone.endswith("- glass of any kind")
    assert "Glass cover costs extra" not in alone
    assert "- theft from cars" in whole
    assert found.evidence[0].quote == "- glass of any kind"
    without = window(claim, [one])
    assert without is not None
    assert without.evidence[0].quote == "Glass cover costs extra."


def test_what_is_quoted_does_not_hide_what_else_is_cited(source):
    """A quote that says nothing of a sentence costs it nothing: the sources are read as without it."""
    checker = Checker()
    claim = "Every claim must reach us within thirty days."
    start = source.text.index("glass of any kind")
    wrong = [Pointer(0, start, start + 17)]
    assert checker.check(claim, [source], quoted=wrong).ruling == checker.check(claim, [source]).ruling == "supported"


@pytest.fixture
def source():
    from footnoted.types import Source

    text = (
        "Home policy. We do not pay for:\n- theft from cars\n- glass of any kind\n- wear\n\n"
        "Every claim must reach us within thirty days. Payments are made by bank transfer within a week of our decision. "
        + "The company was founded in 1911 and has its seat in Leeds, where most of its people work today. " * 6
        + "Glass cover costs extra."
    )
    return Source("home", text)
