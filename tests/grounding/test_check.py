"""The check as a whole: evidence is exact, sources are read to their end, and nothing ever fails open."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from footnoted.encoder import Encoder
from footnoted.encoder.encoder import WEIGHTS
from footnoted.grounding import Checker
from footnoted.types import Source

PAIRS = [json.loads(line) for line in Path(__file__).with_name("pairs.jsonl").read_text("utf-8").splitlines()]
FILLER = (
    "The harbour museum opens its doors at nine and shows model ships from four centuries. Visitors may walk "
    "through the rope store and see how sails were sewn. A small café by the pier serves soup and bread. In June "
    "the town holds a festival with music on the quay. "
)


@pytest.fixture(scope="module")
def checker():
    return Checker()


def source(text: str, name: str = "s") -> Source:
    return Source(id=name, text=text)


def test_the_authored_corpus(checker):
    """At least 95 % of 92 authored claims about policy, security and support prose get the right ruling."""
    right = [checker.check(p["claim"], [source(p["source"])]).ruling == p["ruling"] for p in PAIRS]
    assert sum(right) >= 0.95 * len(PAIRS)


def test_evidence_is_the_exact_words_of_its_source(checker):
    """Every span of every verdict cuts its quote out of the source it names."""
    sources = [source(p["source"], str(n)) for n, p in enumerate(PAIRS[::7])]
    for pair in PAIRS[::7]:
        verdict = checker.check(pair["claim"], sources)
        for evidence in verdict.evidence:
            assert sources[evidence.source].text[evidence.start : evidence.end] == evidence.quote
        assert all(0 <= span.start < span.end <= len(pair["claim"]) for span in verdict.flagged)


def test_evidence_at_the_very_end_of_a_long_source_is_found(checker):
    """200,000 characters with the evidence in the last sentence: supported, and contradicted when it differs."""
    text = FILLER * (200_000 // len(FILLER)) + "The excess for windscreen repair is £75."
    assert len(text) >= 199_000
    right = checker.check("The excess for windscreen repair is £75.", [source(text)])
    assert right.ruling == "supported"
    assert right.evidence[0].end == len(text)
    assert checker.check("The excess for windscreen repair is £175.", [source(text)]).ruling == "contradicted"


def test_irrelevant_passages_turn_no_verdict(checker):
    """Twenty passages about something else before and after the evidence leave the verdicts as they were."""
    noise = [source(f"{FILLER} Room {n} shows lamps.", f"n{n}") for n in range(20)]
    turned = 0
    for pair in PAIRS[::3]:
        alone = checker.check(pair["claim"], [source(pair["source"])])
        among = checker.check(pair["claim"], [*noise, source(pair["source"]), *noise])
        turned += alone.ruling != among.ruling
        if among.ruling == "supported":
            assert among.evidence[0].source == 20
    assert turned == 0


def test_cited_sources_are_asked_first_then_the_others(checker):
    """The evidence names the cited source when it carries the claim, and the right one when the marker is wrong."""
    sources = [source(FILLER, "a"), source("Refunds are paid within ten days.", "b")]
    sources.append(source("Refunds are paid within ten days. Always.", "c"))
    claim = "Refunds are paid within ten days [1]."
    assert checker.check(claim, sources, cited=[2]).evidence[0].source == 2
    wrong = checker.check(claim, sources, cited=[0])
    assert wrong.ruling == "supported"
    assert wrong.evidence[0].source == 1
    assert checker.check(claim, sources, cited=[7, -1]).ruling == "supported"


def test_markers_and_markdown_do_not_count_as_words(checker):
    """Citation markers, bold and list marks change neither the ruling nor where flags point."""
    sources = [source("You must report a claim within 14 days.")]
    assert checker.check("You **must** report a claim within 14 days [1].", sources).ruling == "supported"
    claim = "- You must report a claim within 40 days [1][2]."
    verdict = checker.check(claim, sources)
    assert verdict.ruling == "contradicted"
    assert claim[verdict.flagged[0].start : verdict.flagged[0].end] == "40 days"


def test_a_claim_of_several_sentences_is_as_good_as_its_worst(checker):
    """One false sentence among true ones makes the whole contradicted, with the flag in that sentence."""
    sources = [source("The excess is £75. Claims are paid within ten days. Cover starts on Monday.")]
    claim = "The excess is £75. Claims are paid within thirty days. Cover starts on Monday."
    verdict = checker.check(claim, sources)
    assert verdict.ruling == "contradicted"
    assert claim[verdict.flagged[0].start : verdict.flagged[0].end] == "thirty days"


@pytest.mark.parametrize("sources", [[], [source("")], [source("  \n ")]])
def test_without_sources_nothing_is_supported(checker, sources):
    """No source, or none with words, is unsupported, and says so."""
    verdict = checker.check("The excess is £75.", sources)
    assert verdict.ruling == "unsupported"
    assert verdict.reason


@pytest.mark.parametrize("claim", ["", "   ", "[1]", "!!!", "It is."])
def test_a_claim_that_says_nothing_is_not_checked(checker, claim):
    """What has no word of its own is never supported."""
    assert checker.check(claim, [source("The excess is £75.")]).ruling == "not_checked"


@pytest.mark.parametrize("damage", ["missing", "corrupt"])
def test_without_its_model_the_check_never_fails_open(tmp_path, damage):
    """With the model gone or damaged only the exact tier speaks; what it leaves open is not checked."""
    folder = tmp_path / "weights"
    shutil.copytree(WEIGHTS, folder)
    if damage == "missing":
        (folder / "model.onnx").unlink()
    else:
        (folder / "model.onnx").write_bytes(b"not a model")
    broken = Checker(weights=folder)
    sources = [source("You must report a claim within 14 days of the loss.")]
    assert broken.check("You must report a claim within 14 days of the loss.", sources).ruling == "supported"
    assert broken.check("You must report a claim within 40 days of the loss.", sources).ruling == "contradicted"
    open_ = broken.check("Please report any loss to us soon, in writing.", sources)
    assert open_.ruling == "not_checked"
    assert "model.onnx" in open_.reason
    for pair in PAIRS:
        verdict = broken.check(pair["claim"], [source(pair["source"])])
        assert verdict.ruling != "supported" or pair["ruling"] == "supported"


async def test_concurrent_answers_get_the_verdicts_they_would_get_alone(checker):
    """Many claims at once over the same threads give what one by one gives, and the loop stays free."""
    sources = [source(p["source"], str(n)) for n, p in enumerate(PAIRS[:40:8])]
    claims = [p["claim"] for p in PAIRS[:40:2]]
    alone = [checker.check(claim, sources) for claim in claims]
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    ticking = asyncio.create_task(tick())
    await Checker().aprepare(sources)
    together = await asyncio.gather(*(Checker().acheck(claim, sources) for claim in claims))
    ticking.cancel()
    assert together == alone
    assert ticks > 1


def test_preparing_ahead_changes_no_verdict(checker):
    """Sources read ahead give the same verdict as sources read on demand."""
    sources = [source(p["source"], str(n)) for n, p in enumerate(PAIRS[::9])]
    ahead = Checker()
    ahead.prepare(sources)
    for pair in PAIRS[::9]:
        assert ahead.check(pair["claim"], sources) == Checker().check(pair["claim"], sources)


def test_scores_are_probabilities(checker):
    """Scores stay within 0 and 1, higher for what is supported than for what is contradicted."""
    by_ruling: dict[str, list[float]] = {}
    for pair in PAIRS[::4]:
        verdict = checker.check(pair["claim"], [source(pair["source"])])
        assert verdict.score is not None
        assert 0 <= verdict.score <= 1
        by_ruling.setdefault(verdict.ruling, []).append(verdict.score)
    assert min(by_ruling["supported"]) > max(by_ruling["contradicted"])


def test_the_encoder_is_shared():
    """Two checkers use the one encoder of the process."""
    Checker().prepare([source("One sentence.")])
    assert Encoder.load() is Encoder.load()


def test_what_shares_no_word_and_no_meaning_is_never_supported():
    """A lone word against a lone word: nothing aligns, so no probability of the model's can make it a pass."""
    verdict = Checker().check("PWNED.", [Source("a", "Fine.")])
    assert verdict.ruling == "unsupported"
    assert verdict.evidence == ()


POLICY = source(
    "We pay for theft of the car.\n\nWe do not pay for:\n\n- rust and wear;\n- theft when the keys were left in the car.\n\n"
    "You are covered for:\n\n1. fire;\n2. storm damage up to £5,000.\n"
)


@pytest.mark.parametrize(
    ("claim", "ruling", "lead"),
    [
        ("We do not pay for rust and wear.", "supported", "We do not pay for:"),
        ("We pay for rust and wear.", "contradicted", "We do not pay for:"),
        ("We pay for theft when the keys were left in the car.", "contradicted", "We do not pay for:"),
        ("You are covered for fire.", "supported", "You are covered for:"),
        ("You are not covered for fire.", "contradicted", "You are covered for:"),
    ],
)
def test_a_list_item_says_what_its_lead_makes_it_say(checker, claim, ruling, lead):
    """An item under "We do not pay for:" is excluded, and the verdict shows the item and its lead, letter by letter."""
    verdict = checker.check(claim, [POLICY])
    assert verdict.ruling == ruling
    assert lead in [evidence.quote for evidence in verdict.evidence[:2]]
    assert all(POLICY.text[e.start : e.end] == e.quote for e in verdict.evidence)


NEVER = "1. Use for racing, pace-making or on a track.\n2. Carrying passengers for payment.\n"


@pytest.mark.parametrize(
    "under",
    [
        Source("a", NEVER, title="Car policy › 9. What we never cover"),
        Source("a", NEVER, title="Car policy", metadata={"section": "General exclusions"}),
        Source("a", f"# Car policy\n\n## 9. What we never cover\n\n{NEVER}"),
    ],
    ids=["title", "section", "text"],
)
def test_a_list_item_says_what_the_heading_above_it_makes_it_say(checker, under):
    """An item whose section says "never cover" is excluded, wherever that heading stands; elsewhere it says nothing."""
    assert checker.check("Racing on a track is covered.", [under]).ruling == "contradicted"
    assert checker.check("Racing on a track is not covered.", [under]).ruling == "supported"
    covered = Source("b", NEVER, title="Car policy › 2. What we cover")
    assert checker.check("Racing on a track is covered.", [covered]).ruling == "supported"
    assert checker.check("Racing on a track is covered.", [under]).ruling == "contradicted"  # the same text is kept


@pytest.mark.parametrize(
    ("claim", "ruling"),
    [
        ("We do not pay for: rust and wear; theft when the keys were left in the car.", "supported"),
        ("We pay for theft of the car, but we do not pay for rust and wear.", "supported"),
        ("We pay for theft of the car, and refunds are paid within twenty days.", "contradicted"),
        ("We pay for theft of the car, and refunds are not paid within ten days.", "contradicted"),
    ],
)
def test_a_sentence_that_says_several_things_is_weighed_against_every_place_they_stand(checker, claim, ruling):
    """Parts that stand in different sentences support it together; one told with another number contradicts it."""
    verdict = checker.check(claim, [POLICY, source("Refunds are paid within ten days.")])
    assert verdict.ruling == ruling
    assert verdict.tier == "exact"
    assert all(verdict.reason or ruling == "supported" for _ in verdict.flagged)
    for span in verdict.flagged:
        assert claim[span.start : span.end] in ("twenty days", "paid")


def test_what_stands_word_for_word_waits_for_no_model():
    """A quote of the cited source is supported before the encoder is opened; anything else opens it."""

    class Unopened(Checker):
        def _encoder(self):
            raise LookupError("the model was opened")

    source = Source(id="a", text="The windscreen excess is £75 for a repair. Racing is not covered.")
    assert Unopened().check("The windscreen excess is £75 for a repair.", [source], cited=[0]).ruling == "supported"
    with pytest.raises(LookupError):
        Unopened().check("Repairing the screen costs the customer £75.", [source], cited=[0])


def test_a_claim_met_again_is_not_weighed_again_unless_its_sources_or_citations_differ():
    checker, sources = Checker(), [source("The excess is £75."), source("Trees are green in June.")]
    first = checker.check("The excess comes to £75.", sources)
    assert checker.check("The excess comes to £75.", sources) is first
    moved = checker.check("The excess comes to £75.", sources[::-1])
    assert moved.evidence[0].source == 1
    assert moved.evidence[0].quote == first.evidence[0].quote == "The excess is £75."


def test_what_could_not_be_checked_is_asked_again(tmp_path):
    checker = Checker(weights=tmp_path)
    claim = "Please report any loss to us soon, in writing."
    sources = [source("You must report a claim within 14 days of the loss.")]
    assert checker.check(claim, sources).ruling == "not_checked"
    checker._weights = None
    assert checker.check(claim, sources).ruling != "not_checked"


@pytest.mark.parametrize("talk", ["Yep.", "Yes, I agree with that.", "That's impressive!"])
def test_small_talk_is_no_claim_whoever_says_it(checker, talk):
    """Some passage among many says it too; beside a fact the fact alone decides, and points at its own words."""
    sources = [source(f"Clare: {talk}"), source("The excess is £75.")]
    assert checker.check(talk, sources).ruling == "not_checked"
    verdict = checker.check(f"{talk} The excess is £75.", sources)
    assert verdict.ruling == "supported"
    assert {one.quote for one in verdict.evidence} == {"The excess is £75."}
