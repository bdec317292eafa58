"""Variants and feedback: the same customer the same variant, counted with intervals, on SQLite and PostgreSQL."""

from collections import Counter

import pytest

from footnoted.assistants.insurance import (
    ChunkResult,
    Citation,
    IntentRouter,
    ResponseResult,
    RetrievalAgent,
    RetrievalRequest,
)
from footnoted.assistants.insurance.outcomes import Outcomes, SectionFeedback
from footnoted.assistants.insurance.variants import Experiment, Outcome, Variant, difference, outcome_table, wilson
from footnoted.errors import ConfigurationError
from footnoted.retrieval import Index
from footnoted.store import Database
from footnoted.types import Source
from tests.services import postgres_database

TRIAL = Experiment("tone", (Variant("plain"), Variant("short", weight=3.0)))
CITED = Citation(id="cite_1", product_name="Car", source_file="car.md", section_hierarchy=["3. Glass", "3.2 Excess"])
RESULT = ResponseResult(answer="£75 [1].", citations=[CITED], confidence_score=0.8, context_used=1, latency_ms=20)


@pytest.fixture(params=["sqlite", "postgresql"])
async def outcomes(request, tmp_path):
    """Both databases, real."""
    if request.param == "sqlite":
        async with Database(f"sqlite:///{tmp_path}/outcomes.db") as database:
            kept = Outcomes(database)
            await kept.prepare()
            yield kept
    else:
        async with postgres_database() as url:
            async with Database(url) as database:
                kept = Outcomes(database)
                await kept.prepare()
                yield kept


def test_the_same_customer_gets_the_same_variant():
    """On every machine: the hash is of the names, not of the process."""
    assert [TRIAL.assign(f"c{n}").name for n in range(8)] == [TRIAL.assign(f"c{n}").name for n in range(8)]
    assert TRIAL.assign("customer-1").name == "short"


def test_weights_are_shares():
    """1 : 3 of 4,000 customers is 1,000 : 3,000, within five standard deviations (27 each)."""
    counts = Counter(TRIAL.assign(f"customer-{n}").name for n in range(4_000))
    assert 865 < counts["plain"] < 1_135


def test_a_variant_without_weight_is_never_given():
    """An ended variant keeps its name in the table and gets nobody."""
    ended = Experiment("tone", (Variant("plain", weight=0), Variant("short")))
    assert {ended.assign(f"c{n}").name for n in range(200)} == {"short"}


@pytest.mark.parametrize(
    "variants", [(), (Variant("a"), Variant("a")), (Variant("a", weight=-1),), (Variant("a", weight=0),)]
)
def test_a_broken_experiment_is_told_at_once(variants):
    """No variants, two of one name, no weight."""
    with pytest.raises(ConfigurationError):
        Experiment("x", variants)


def test_intervals_are_wilsons_and_newcombes():
    """8 of 10: 0.490–0.943 (Wilson). 56 of 70 and 48 of 80: +20 points, 5.2 to 33.4 (Newcombe 1998, table II, a)."""
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)
    assert wilson(0, 0) == (0, 1)
    some = {"refused": 0, "degraded": 0, "confidence": 0.5, "latency_ms": 1.0}
    better = Outcome("a", answers=70, rated=70, helpful=56, **some)
    worse = Outcome("b", answers=80, rated=80, helpful=48, **some)
    assert difference(worse, better) == pytest.approx((0.2, 0.0524, 0.3339), abs=0.001)
    assert "80% (69%–88%)" in outcome_table([worse, better])
    assert "+20 points (+5 to +33)" in outcome_table([worse, better])


async def test_feedback_is_counted_by_variant(outcomes):
    """Answers, refusals and thumbs of each; another tenant's and another experiment's are not among them."""
    for variant, helpful in (("plain", True), ("plain", False), ("short", True)):
        kept = await outcomes.keep("ada", "What?", RESULT, experiment="tone", variant=variant)
        await outcomes.rate("ada", kept, helpful=helpful)
    await outcomes.keep("ada", "What?", RESULT.model_copy(update={"refused": True}), experiment="tone", variant="short")
    await outcomes.keep("bob", "What?", RESULT, experiment="tone", variant="plain")
    plain, short = await outcomes.by_variant("ada", "tone")
    assert (plain.variant, plain.answers, plain.rated, plain.helpful) == ("plain", 2, 2, 1)
    assert (short.answers, short.refused, short.rated, short.helpful) == (2, 1, 1, 1)


async def test_a_section_marked_wrong_is_shown_to_its_owner(outcomes):
    """With its comment, before all others."""
    good = await outcomes.keep("ada", "What?", RESULT)
    bad = await outcomes.keep("ada", "What?", RESULT)
    await outcomes.rate("ada", good, helpful=True)
    await outcomes.rate("ada", bad, helpful=False, wrong=1, comment="that is last year's excess")
    (section,) = await outcomes.by_section("ada")
    assert (section.file, section.section) == ("car.md", "3. Glass > 3.2 Excess")
    assert (section.cited, section.helpful, section.unhelpful, section.wrong) == (2, 1, 1, 1)
    assert section.comments == ("that is last year's excess",)


async def test_a_later_word_replaces_the_first_and_only_ones_own(outcomes):
    """One thumb an answer; another tenant's answer is not there."""
    kept = await outcomes.keep("ada", "What\x00?", RESULT, experiment="e", variant="v")
    await outcomes.rate("ada", kept, helpful=False)
    await outcomes.rate("ada", kept, helpful=True)
    (outcome,) = await outcomes.by_variant("ada", "e")
    assert (outcome.rated, outcome.helpful) == (1, 1)
    with pytest.raises(ConfigurationError):
        await outcomes.rate("bob", kept, helpful=True)


def test_feedback_moves_a_section_by_a_tenth_at_most():
    """Ten thanks 1.1, ten complaints 0.9, a hundred no more; five 1.05."""
    place = {"file": "a", "section": "b", "cited": 1}
    assert SectionFeedback(**place, helpful=5, unhelpful=0, wrong=0).factor == pytest.approx(1.05)
    assert SectionFeedback(**place, helpful=100, unhelpful=0, wrong=0).factor == pytest.approx(1.1)
    assert SectionFeedback(**place, helpful=0, unhelpful=100, wrong=100).factor == pytest.approx(0.9)


def test_retrieval_heeds_feedback_and_drops_nothing():
    """Of two equal sections the thanked one comes first; the other still comes."""
    texts = {
        "a.md": "The excess for glass is £75 for each claim.",
        "b.md": "The excess for glass is £80 for each claim.",
    }
    agent = RetrievalAgent(Index.of([Source(name, text, metadata={"file": name}) for name, text in texts.items()]))
    asked = RetrievalRequest(IntentRouter().classify_intent("What is the excess for glass?"))
    agent.heed({("b.md", ""): 1.1})
    assert [chunk.source_file for chunk in agent.retrieve(asked)] == ["b.md", "a.md"]
    agent.heed({("b.md", ""): 0.0})
    found = agent.retrieve(asked)
    assert [chunk.source_file for chunk in found] == ["a.md", "b.md"]
    assert isinstance(found[0], ChunkResult)
