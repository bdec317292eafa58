"""No marker is laundered: where a sentence may be pointed elsewhere, and which part of a document it may name."""

import pytest

from footnoted import GroundedGenerator
from footnoted.answering.watch import Watch
from footnoted.testing import scripted_provider
from footnoted.types import Evidence, Source, Verdict
from tests.answering.conftest import chunk

OPENED = "The Atlas bridge opened in 1998."
LANES = "The Atlas bridge has five lanes, and the mayor of Porto likes it."
TUNNEL = "Tolls in the Severn tunnel. Cars pay 5 euros."
BRIDGE = "Tolls on the Atlas bridge. Cars pay 5 euros."


@pytest.mark.parametrize(
    ("sources", "said", "cited"),
    [
        ([OPENED, LANES, TUNNEL], "The Atlas bridge opened in 1998 [1]. Cars pay 5 euros [2].", [0]),
        ([OPENED, LANES, TUNNEL], "The Atlas bridge opened in 1998 [1]. Cars pay 5 euros.", [0]),
        ([OPENED, LANES, TUNNEL], "The Atlas bridge opened in 1998. It is well liked. Cars pay 5 euros.", [0]),
        ([OPENED, LANES, TUNNEL], "## Atlas bridge\n\nCars pay 5 euros [2].", []),
        # the new source speaks of it, or the one before did, or nothing was named
        ([OPENED, LANES, BRIDGE], "The Atlas bridge opened in 1998 [1]. Cars pay 5 euros [2].", [0, 2]),
        ([OPENED, LANES, BRIDGE], "The Atlas bridge opened in 1998 [1]. Cars pay 5 euros.", [0, 2]),
        ([f"{OPENED} Cars pay 5 euros.", LANES], "The Atlas bridge opened in 1998 [1]. Cars pay 5 euros [2].", [0, 0]),
        ([OPENED, LANES, TUNNEL], "Cars pay 5 euros [1].", [2]),
        ([OPENED, LANES, TUNNEL], "The Atlas bridge opened in 1998 [1]. Cars pay 5 euros [3].", [0, 2]),
    ],
)
async def test_a_marker_moves_only_to_a_source_that_speaks_of_the_subject(asked, sources, said, cited):
    """What another thing's source says in the same words is no support; the sentence stays behind and says why."""
    request = asked("What do cars pay?", sources=[chunk(n, text) for n, text in enumerate(sources, start=1)])
    async with GroundedGenerator(scripted_provider(said)) as generator:
        response = await generator.generate(request)
    assert [one.source_index for one in response.citations] == cited
    last = response.claims[-1]
    assert last.shown == ("Cars" in response.response)
    if not last.shown:
        assert (last.verdict, last.reason) == ("unsupported", "the source that says this does not speak of Atlas")


async def test_only_a_supported_sentence_gets_its_marker_moved(asked, context):
    """Where sentences are shown whatever their verdict, one that does not stand keeps the marker it came with."""

    class Objects:
        async def acheck(self, claim, sources, *, cited=()):
            return Verdict("contradicted", 0.1, "exact", (Evidence(0, 0, 5, sources[0].text[:5], 0.2),))

    for said, cited in (("Racing is covered [2].", [1]), ("Racing is covered.", [])):
        generator = GroundedGenerator(scripted_provider(said), checker=Objects(), checking="mark")
        response = await generator.generate(asked(output_format="json"))
        assert [one.source_index for one in response.citations] == cited
        assert response.claims[0].reason == ""


PARTS = Source(
    "a",
    "12.4 Cancellation. You may cancel within 14 days, see clause 7a and § 12 (6). Annex II lists fees of 3.5 euros.",
    title="Terms › Article 9",
    metadata={"schedule": "schedule 21"},
)


@pytest.mark.parametrize(
    ("said", "unknown"),
    [
        ("According to section 12.4, you may cancel.", ""),
        ("Under clause 7a and § 12.6 you may cancel.", ""),
        ("Article 9, annex II and schedule 21 list fees.", ""),
        ("This section describes 15 ways to cancel.", ""),
        ("According to section 12.5, you may cancel.", "section 12.5"),
        ("According to section 2.4, you may cancel.", "section 2.4"),
        ("According to section 12.4.1, you may cancel.", "section 12.4.1"),
        ("According to section 3, you may cancel.", "section 3"),
        ("You may cancel (§ 8).", "§ 8"),
        ("Nach Artikel 5 gilt das.", "Artikel 5"),
        ("Annex IV lists fees.", "Annex IV"),
        ("Clause 7 lets you cancel.", "Clause 7"),
    ],
)
def test_a_part_that_no_source_has_is_named(said, unknown):
    """Its number stands in a source, a title or metadata, or the sentence does not stand."""
    objection = Watch("What of section 12.5?", [PARTS]).objection(said)
    assert objection == (f"it names {unknown}, which no source has" if unknown else "")


async def test_a_made_up_clause_does_not_reach_the_reader(asked):
    """However well the rest of the sentence fits."""
    said = "According to section 12.4, the excess is £75 for a repair [1]. The excess is £75 for a repair [1]."
    async with GroundedGenerator(scripted_provider(said)) as generator:
        response = await generator.generate(asked())
    assert response.response == "The excess is £75 for a repair [1]."
    assert [claim.verdict for claim in response.claims] == ["unsupported", "supported"]
