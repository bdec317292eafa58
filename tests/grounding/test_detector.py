"""The detector: claims of a response, which are grounded, and the response without the others."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from footnoted.contract import SourceContext
from footnoted.errors import ConfigurationError
from footnoted.grounding import Checker, HallucinationDetector
from footnoted.grounding.judge import Cascade, Judge
from footnoted.types import Source

SOURCE = (
    "You must report a claim within 14 days of the loss. The excess for windscreen repair is £75. "
    "We do not cover damage caused by rust."
)
GOOD = "You must report a claim within 14 days of the loss [1]."
BAD = "The excess for windscreen repair is £750."


@pytest.fixture(scope="module")
def detector():
    return HallucinationDetector()


async def test_a_grounded_response(detector):
    """Every claim carried: grounded, no ungrounded claims, each with its source and exact evidence."""
    result = await detector.check_grounding(f"Hello! {GOOD} We do not cover damage caused by rust.", [SOURCE])
    assert result.grounded
    assert result.ungrounded_claims == []
    assert [claim.source for claim in result.claims] == [0, 0]
    for claim in result.claims:
        assert SOURCE[claim.evidence[0].start : claim.evidence[0].end] == claim.evidence[0].quote
    assert result.confidence > 0.4


async def test_an_ungrounded_claim_is_named(detector):
    """One false claim makes the response ungrounded and is listed, with why."""
    response = f"{GOOD} {BAD}"
    result = await detector.check_grounding(response, [SOURCE])
    assert not result.grounded
    assert result.ungrounded_claims == [BAD]
    good, bad = result.claims
    assert (good.supported, bad.supported, bad.verdict) == (True, False, "contradicted")
    assert response[bad.start : bad.end] == bad.claim
    assert "£75" in bad.reason
    assert result.confidence < 0.2


async def test_sources_of_every_kind_are_taken(detector):
    """A string, a SourceContext and a Source give the same result."""
    context = SourceContext(chunk_id=uuid4(), document_id=uuid4(), content=SOURCE)
    results = [await detector.check_grounding(GOOD, [one]) for one in (SOURCE, context, Source(id="x", text=SOURCE))]
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(
    "said",
    ["# Racing is covered\n", "Did you know the excess is £500?", "```\nexcess = 500\n```", "`excess = 500`"],
)
async def test_what_is_not_read_is_not_called_grounded(detector, said):
    """A heading, a question, code: nothing of them is known, so it is told, unless the sources have the words."""
    result = await detector.check_grounding(f"{said}\n\n{GOOD}", [SOURCE])
    assert not result.grounded
    assert [claim.verdict for claim in result.claims] == ["not_checked", "supported"]
    assert (await detector.check_grounding(f"# Claim\n\n{GOOD}", [SOURCE])).grounded


async def test_a_judge_decides_alone_or_what_the_shipped_tiers_leave_open():
    """The detector takes whatever weighs: the verdicts say who decided."""

    async def ask(prompt):
        said = {"statement": 1, "quote": "We do not cover damage caused by rust.", "verdict": "supported", "reason": ""}
        return json.dumps({"verdicts": [said]})

    claim = "Nothing is paid when rust ruins the car."
    for checker in (Judge(ask), Cascade(Checker(), Judge(ask))):
        result = await HallucinationDetector(checker).check_grounding(claim, [SOURCE])
        assert result.grounded
        assert [(one.tier, one.source) for one in result.claims] == [("judge", 0)]
        assert result.confidence > 0.9


async def test_what_needs_no_support_is_grounded(detector):
    """Courtesies are no claims; nothing to check is grounded."""
    result = await detector.check_grounding("Hello! I hope this helps.", [SOURCE])
    assert result.grounded
    assert result.claims == []


async def test_no_sources_ground_nothing(detector):
    """Without sources a claim is not grounded."""
    result = await detector.check_grounding(GOOD, [])
    assert not result.grounded
    assert result.confidence == 0


async def test_remove_takes_out_what_is_not_carried(detector):
    """The false sentence goes, the true ones and the layout stay."""
    text = f"{GOOD} {BAD} We do not cover damage caused by rust."
    kept = await detector.filter_hallucinations(text, [SOURCE])
    assert kept == f"{GOOD} We do not cover damage caused by rust."
    listed = f"Here is what applies:\n\n- {GOOD}\n- {BAD}\n- We do not cover damage caused by rust."
    kept = await detector.filter_hallucinations(listed, [SOURCE], "remove")
    assert kept == f"Here is what applies:\n\n- {GOOD}\n- We do not cover damage caused by rust."


async def test_flag_marks_what_is_not_carried(detector):
    """The false sentence stays and is marked."""
    assert await detector.filter_hallucinations(f"{GOOD} {BAD}", [SOURCE], "flag") == f"{GOOD} {BAD} [unsupported]"


async def test_rewrite_is_checked_again():
    """A rewritten claim that its evidence carries takes the place of the false one; one that does not is removed."""

    async def honest(claim, quotes):
        return quotes[0]

    async def stubborn(claim, quotes):
        return claim

    text = f"{GOOD} {BAD}"
    mended = await HallucinationDetector(rewriter=honest).filter_hallucinations(text, [SOURCE], "rewrite")
    assert mended == f"{GOOD} The excess for windscreen repair is £75."
    dropped = await HallucinationDetector(rewriter=stubborn).filter_hallucinations(text, [SOURCE], "rewrite")
    assert dropped == GOOD


async def test_a_wrong_action_is_said(detector):
    """An unknown action, or rewriting without a rewriter, is a configuration error."""
    with pytest.raises(ConfigurationError, match="action"):
        await detector.filter_hallucinations(GOOD, [SOURCE], "erase")
    with pytest.raises(ConfigurationError, match="rewriter"):
        await detector.filter_hallucinations(GOOD, [SOURCE], "rewrite")


@pytest.mark.parametrize("sources", [SOURCE, SOURCE.encode(), {"text": SOURCE}, 5, None, [5], [{"text": "x"}]])
async def test_what_is_no_list_of_texts_is_refused_in_words(detector, sources):
    """One text is not the list of its letters: the error says what is wanted, and how it is written."""
    for weigh in (detector.check_grounding, detector.filter_hallucinations):
        with pytest.raises(ConfigurationError, match=r"not (str|bytes|dict|int|NoneType): check_grounding\("):
            await weigh(GOOD, sources)


async def test_what_is_no_text_is_no_response(detector):
    """None is named, whatever the sources are."""
    with pytest.raises(ConfigurationError, match="response is a text, not NoneType"):
        await detector.check_grounding(None, [SOURCE])


@pytest.mark.parametrize("sources", [["a\ud83d " + SOURCE], [Source("a", "a\udfff " + SOURCE)]])
async def test_half_a_character_can_be_told_on(detector, sources):
    """Half a surrogate pair, in the response or in a source, becomes U+FFFD: the result is JSON, offsets stay."""
    response = f"\ud83d {GOOD} {BAD}\ud83d"
    result = await detector.check_grounding(response, sources)
    assert result.model_dump_json()
    assert [response[one.start : one.end].encode("utf-8", "replace") for one in result.claims] == [
        one.claim.replace("\ufffd", "?").encode() for one in result.claims
    ]
    assert (await detector.filter_hallucinations(response, sources)).encode()
