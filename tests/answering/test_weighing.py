"""How an answer waits for its verdicts: hold, mark, amend; and that no check ever fails open."""

import asyncio
import json
import subprocess
import sys
from contextlib import aclosing
from uuid import uuid4

import pytest

from footnoted import GroundedGenerator, SourceContext
from footnoted.answering.weighing import without
from footnoted.events import ClaimChecked, TextDelta, TextRetracted
from footnoted.grounding import Checker
from footnoted.types import Evidence, FinishReason, Verdict

from .test_generator import events_of, speaks

TRUE = "The excess is £75 for a repair"
FALSE = "Racing is covered up to £900"


class Knows:
    """A weigher that knows which words are false, and where the true ones stand."""

    def __init__(self, *, delay=0.0, fails=False, source=0):
        self.asked = []
        self.delay = delay
        self.fails = fails
        self.source = source

    async def acheck(self, claim, sources, *, cited=()):
        self.asked.append((claim, tuple(cited)))
        await asyncio.sleep(self.delay)
        if self.fails:
            raise RuntimeError("model file is corrupt")
        if "Racing" in claim:
            return Verdict("contradicted", score=0.03, tier="exact", reason="the source says excluded")
        text = sources[self.source].text
        start = text.index("The excess")
        quote = text[start:].split(".")[0] + "."
        return Verdict(
            "supported",
            score=0.9,
            tier="exact",
            evidence=(Evidence(self.source, start, start + len(quote), quote, 1.0),),
        )


class Queued(Knows):
    """The same behind a queue: a claim waits ``queue`` seconds for its turn, for ever if it is none of ``served``."""

    tells_when_begun = True

    def __init__(self, *, queue=0.0, served=("",), **options):
        super().__init__(**options)
        self.queue = queue
        self.served = served

    async def acheck(self, claim, sources, *, cited=(), begun=None):
        if not any(words in claim for words in self.served):
            await asyncio.sleep(60)
        await asyncio.sleep(self.queue)
        begun()
        return await super().acheck(claim, sources, cited=cited)


def door(said, *, weigher=None, **options):
    return GroundedGenerator(speaks(*said), checker=weigher or Knows(), **options)


async def test_hold_lets_out_what_is_carried_and_keeps_the_rest(asked):
    """The false sentence never reaches the reader; its verdict does."""
    weigher = Knows()
    generator = door([f"{TRUE} [1]. {FALSE} [1]. A replacement costs you £115 [1]."], weigher=weigher)
    response = await generator.generate(asked())
    assert response.response == f"{TRUE} [1]. A replacement costs you £115 [1]."
    assert [claim.verdict for claim in response.claims] == ["supported", "contradicted", "supported"]
    assert [claim.shown for claim in response.claims] == [True, False, True]
    assert weigher.asked[0] == (f"{TRUE}.", (0,))
    assert any("withheld" in note for note in response.notes)
    for claim in response.claims:
        if claim.shown:
            assert response.response[claim.start_pos : claim.end_pos].startswith(claim.text[:10])


async def test_what_stayed_behind_is_told_with_its_verdict_and_reason(asked):
    """`withheld` and the note say what was kept back and truly why: contradicted is not unchecked."""
    said = [f"{TRUE} [1]. {FALSE} [1]. The moon is made of slow checks [1]."]
    late = {"deadlines": {"total": 0.2}, "verdict_wait": 0.1, "doubt": "withhold"}
    response = await door(said, weigher=Queued(served=(TRUE, "Racing")), **late).generate(asked())
    assert [(each.text, each.verdict) for each in response.withheld] == [
        (f"{FALSE}.", "contradicted"),
        ("The moon is made of slow checks.", "not_checked"),
    ]
    assert response.withheld[0].reason == "the source says excluded"
    assert response.withheld[1].reason.startswith("busy")
    assert response.notes == [
        "2 sentences were withheld: 1 contradicted by the sources, 1 not checked",
        "1 not checked: the check was busy until the answer's time was over",
    ]


async def test_what_could_not_be_checked_leaves_visibly_unverified(asked):
    """By default a sentence without a verdict is shown with a sign, in a table inside its row; its claim says why."""
    said = [f"{TRUE} [1]. The moon is made of checks.\n\n| Repair | Price |\n|---|---|\n| moon | £1 |\n"]
    response = await door(said, weigher=Queued(served=(TRUE,)), deadlines={"total": 0.1}, verdict_wait=0.1).generate(
        asked()
    )
    assert response.response.startswith(f"{TRUE} [1]. The moon is made of checks. (unverified)\n\n")
    assert "| moon | £1 (unverified) |\n" in response.response
    assert [claim.verdict for claim in response.claims if claim.kind == "claim"] == [
        "supported",
        "not_checked",
        "not_checked",
    ]
    assert response.withheld == []
    for claim in response.claims:
        assert response.response[claim.start_pos : claim.end_pos].startswith(claim.text[:8])


async def test_waiting_in_a_queue_is_not_the_checks_time(asked):
    """A verdict that comes late because others were before it comes all the same; a slow check still does not."""
    late = await door([f"{TRUE} [1]."], weigher=Queued(queue=0.3), verdict_wait=0.1).generate(asked())
    assert late.claims[0].verdict == "supported"
    slow = await door([f"{TRUE} [1]."], weigher=Queued(delay=0.5), verdict_wait=0.1).generate(asked())
    assert slow.claims[0].verdict == "not_checked"
    assert "longer than 0.1 s" in slow.claims[0].reason


async def test_the_shipped_checker_says_when_a_check_begins(asked):
    """With one thread for all, claims wait for one another longer than a check may take, and none is lost."""
    checker = Checker(workers=1)
    sources = [SourceContext(chunk_id=uuid4(), document_id=uuid4(), content=f"{TRUE} number {n}.") for n in range(40)]
    begun = []
    await checker.acheck("Repairs cost the customer £75.", [sources[0].as_source()])  # opens the reader
    asking = [
        checker.acheck(f"{TRUE} number {n}.", [each.as_source() for each in sources], begun=lambda: begun.append(1))
        for n in range(40)
    ]
    assert {verdict.ruling for verdict in await asyncio.gather(*asking)} == {"supported"}
    assert len(begun) == 40


async def test_nothing_false_is_ever_streamed_under_hold(asked):
    """Not even for a moment, however the model's text is cut."""
    generator = door(list(f"{FALSE} [1]. {TRUE} [1]."))
    text = "".join(event.text for event in await events_of(generator, asked()) if isinstance(event, TextDelta))
    assert "Racing" not in text
    assert text == f"{TRUE} [1]."


async def test_the_same_events_however_the_model_cuts_its_text(asked):
    """The law of the river holds under checking too."""
    said = f"Here is what applies:\n- {TRUE} [1].\n- {FALSE} [2].\n- A replacement costs you £115 [1]."
    whole = (await door([said]).generate(asked())).response
    assert (await door(list(said)).generate(asked())).response == whole
    for at in range(0, len(said), 5):
        assert (await door([said[:at], said[at:]]).generate(asked())).response == whole


async def test_when_nothing_survives_it_is_a_refusal_that_shows_what_was_found(asked):
    """All withheld: no empty answer, but a refusal with the nearest passages."""
    response = await door([f"Hello! {FALSE} [1]."]).generate(asked("Is racing covered?"))
    assert response.finish_reason is FinishReason.REFUSED
    assert response.refusal.reason == "ungrounded"
    assert response.refusal.found[0].source_quote == "Racing is excluded."
    assert "900" not in response.response
    assert response.claims[-1].verdict == "contradicted"


async def test_mark_tells_the_text_at_once_and_the_verdict_after(asked):
    """Nothing is withheld; verdicts stand on the response's own offsets."""
    generator = door([f"{TRUE} [1]. ", f"{FALSE} [1]."], checking="mark", weigher=Knows(delay=0.02))
    events = await events_of(generator, asked())
    response = events[-1].response
    assert response.response == f"{TRUE} [1]. {FALSE} [1]."
    kinds = [type(event) for event in events]
    assert kinds.index(TextDelta) < kinds.index(ClaimChecked)
    for event in events:
        if isinstance(event, ClaimChecked):
            assert response.response[event.claim.start : event.claim.end] == event.claim.text
    assert [claim.verdict for claim in response.claims] == ["supported", "contradicted"]


async def test_amend_takes_back_what_failed(asked):
    """The text went out, then a retraction; the response holds what stands, offsets moved."""
    generator = door([f"{FALSE} [1]. {TRUE} [1]."], checking="amend")
    events = await events_of(generator, asked())
    response = events[-1].response
    (retraction,) = [event for event in events if isinstance(event, TextRetracted)]
    told = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert told[retraction.start : retraction.end] == f"{FALSE} [1]. "
    assert "Racing" not in response.response
    (citation,) = response.citations
    assert response.response[citation.start_pos : citation.end_pos] == "[1]"
    shown = [claim for claim in response.claims if claim.shown]
    assert response.response[shown[0].start_pos : shown[0].end_pos] == shown[0].text


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("{T} {F} {T}", "{T} {T}"),
        ("{F} {F} {T}", "{T}"),
        ("{T} {F} {F} {T}", "{T} {T}"),
        ("{F} {T} {F} {T} {F}", "{T} {T}"),
        ("{T}\n\n{F} {T}", "{T}\n\n{T}"),
        ("- {T}\n- {T} {F}\n- {T}", "- {T}\n- {T}\n- {T}"),
    ],
)
async def test_what_is_taken_back_leaves_no_second_blank(asked, said, left):
    """The blank beside a sentence goes with it, each once, and citations stay where their markers stand."""
    text = said.format(T=f"{TRUE} [1].", F=f"{FALSE} [1].")
    response = (await events_of(door([text], checking="amend"), asked()))[-1].response
    assert response.response.rstrip() == left.format(T=f"{TRUE} [1].")
    for citation in response.citations:
        assert response.response[citation.start_pos : citation.end_pos] == "[1]"
    for claim in response.claims:
        if claim.shown:
            assert response.response[claim.start_pos : claim.end_pos] == claim.text


@pytest.mark.parametrize("form", ["markdown", "json", "bullets"])
async def test_amend_leaves_nothing_before_a_refusal(asked, form):
    """Where every sentence is taken back, so are the blanks between them: what the reader keeps is the refusal."""
    generator = door([f"{FALSE} [1].\n\n{FALSE} [1]. {FALSE} [1]."], checking="amend")
    events = await events_of(generator, asked(output_format=form))
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    for gone in sorted((e for e in events if isinstance(e, TextRetracted)), key=lambda e: -e.start):
        text = text[: gone.start] + text[gone.end :]
    assert text == events[-1].response.response
    said = json.loads(text)["answer"] if form == "json" else text
    assert said.startswith("- No sentence" if form == "bullets" else "No sentence")


async def test_text_alone_is_held_even_when_amending(asked):
    """A reader of text cannot be told of a retraction, so nothing false is said to it."""
    generator = door([f"{FALSE} [1]. {TRUE} [1]."], checking="amend")
    pieces = [piece async for piece in generator.generate_streaming(asked())]
    assert "Racing" not in "".join(pieces)


@pytest.mark.parametrize("checking", ["hold", "mark", "amend"])
async def test_json_stays_json_under_every_checking(asked, checking):
    """Sentences wait there, so the object closes over what stands."""
    response = await door([f"{TRUE} [1]. {FALSE} [1]."], checking=checking).generate(asked(output_format="json"))
    assert ("Racing" in json.loads(response.response)["answer"]) is (checking == "mark")


async def test_a_marker_on_the_wrong_source_is_moved(asked):
    """Wrong but existing: the reader sees the source that carries it, and the claim says so."""
    response = await door([f"{TRUE} [2]."]).generate(asked())
    assert [citation.source_index for citation in response.citations] == [0]
    assert "moved" in response.claims[0].reason


async def test_a_missing_marker_is_added_before_the_full_stop(asked):
    """A true sentence without a marker gets one, at the exact words."""
    response = await door([f"{TRUE}."]).generate(asked())
    assert response.response == f"{TRUE} [1]."
    assert response.citations[0].source_quote == "The excess is £75 for a repair."
    assert "added" in response.claims[0].reason


@pytest.mark.parametrize(("show", "finish"), [(True, FinishReason.COMPLETE), (False, FinishReason.REFUSED)])
@pytest.mark.parametrize("weigher", [Knows(fails=True), Knows(delay=30)])
async def test_a_check_that_cannot_run_is_never_a_pass(asked, weigher, show, finish):
    """A broken or slow check leaves not_checked: withheld by default, shown only when asked for."""
    generator = door([f"{TRUE} [1]."], weigher=weigher, verdict_wait=0.05, show_unchecked=show)
    response = await generator.generate(asked())
    assert response.claims[0].verdict == "not_checked"
    assert response.finish_reason is finish
    assert response.grounding_score == 0


async def test_what_needs_no_support_goes_with_what_has_it(asked):
    """A lead-in waits for its claim; a greeting alone is shown."""
    response = await door([f"Hello! Here you are:\n\n- {TRUE} [1].\n\nI hope this helps!"]).generate(asked())
    assert response.response == f"Hello! Here you are:\n\n- {TRUE} [1].\n\nI hope this helps!"
    response = await door(["Hello! Thanks for asking."]).generate(asked("Hi"))
    assert response.response == "Hello! Thanks for asking."
    assert response.finish_reason is FinishReason.COMPLETE


async def test_checking_off_costs_nothing_and_asks_nobody(asked):
    """The weigher is not called and no claims are made up."""
    weigher = Knows()
    response = await door([f"{FALSE} [1]."], weigher=weigher, checking="off").generate(asked())
    assert weigher.asked == []
    assert response.claims == []
    assert "Racing" in response.response


async def test_without_required_grounding_the_answer_is_marked_not_held(asked):
    """require_grounding=False: everything is shown, everything is weighed."""
    response = await door([f"{FALSE} [1]."]).generate(asked(require_grounding=False))
    assert "Racing" in response.response
    assert response.claims[0].verdict == "contradicted"


@pytest.mark.parametrize(
    ("config", "options", "held"),
    [
        ({"mode": "grounded"}, {}, True),
        ({"mode": "analytical"}, {}, True),
        ({"mode": "simple"}, {}, False),
        ({"mode": "conversational"}, {}, False),
        ({"mode": "simple", "require_grounding": True}, {}, True),
        ({"mode": "analytical", "require_grounding": False}, {}, False),
        ({"mode": "conversational"}, {"checking": "hold"}, True),
        ({"mode": "grounded"}, {"checking": "mark"}, False),
    ],
)
async def test_how_strictly_a_mode_is_held(asked, config, options, held):
    """Strict modes hold, the others mark and say what does not stand; what somebody sets wins over the mode."""
    request = asked(**config)
    reread = request.model_validate_json(request.model_dump_json(exclude_unset=True))
    for one in (request, reread):
        response = await door([f"{TRUE} [1]. {FALSE} [1]."], **options).generate(one)
        assert ("Racing" not in response.response) is held
        assert len(response.withheld) == int(held)
        assert ("1 sentence shown does not stand: 1 contradicted by the sources" in response.notes) is not held


async def test_a_reader_who_leaves_stops_the_checks(asked):
    """No task outlives the stream."""
    generator = door([f"{TRUE} [1]. {TRUE} [1]. x"], checking="mark", weigher=Knows(delay=30))
    before = len(asyncio.all_tasks())
    async with aclosing(generator.stream(asked())) as events:
        async for _ in events:
            break
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == before


async def test_every_style_survives_holding(asked):
    """Superscripts close up, inline markers do not."""
    for style, expected in (("footnote", f"{TRUE}¹."), ("inline", f"{TRUE} [Source 1].")):
        response = await door([f"{TRUE} [1]."]).generate(asked(citation_style=style))
        assert response.response.startswith(expected)


def test_a_claims_words_are_read_without_its_markers():
    """Markers and the space before them go; the rest stays."""
    assert without([(4, 8), (8, 12)], "True [1] [2].") == "True."
    assert without([(6, 9), (6, 9)], "True. [1]") == "True."


async def test_a_judge_over_http_decides_what_the_checker_is_unsure_of(asked):
    """One call for the unsure sentence, none for the sure one; its word counts."""
    from footnoted.providers import build
    from footnoted.testing import Reply, ScriptedLLM

    class Unsure(Knows):
        async def acheck(self, claim, sources, *, cited=()):
            verdict = await super().acheck(claim, sources, cited=cited)
            return Verdict("unsure", score=0.6, tier="model", evidence=verdict.evidence) if "115" in claim else verdict

    quote = "A replacement costs you £115."
    ruling = {"statement": 1, "verdict": "contradicted", "quote": quote, "reason": "says otherwise"}
    async with ScriptedLLM(judge=Reply(json={"verdicts": [ruling]})) as llm:
        judge = build("anthropic", api_key="k", base_url=llm.url("anthropic"))
        async with door([f"{TRUE} [1]. A replacement is £115 [1]."], weigher=Unsure(), judge=judge) as generator:
            response = await generator.generate(asked())
        assert len(llm.judged) == 1
    assert [claim.tier for claim in response.claims] == ["exact", "judge"]
    assert response.response == f"{TRUE} [1]."
    assert response.usage.judge.calls == 1


async def test_the_model_that_answers_judges_a_paragraph_in_one_call(asked):
    """By default the same provider is asked, once a paragraph, while the answer is written; `judge=None` asks nobody."""
    from footnoted.grounding.judge import SYSTEM
    from footnoted.testing import ScriptedLLM
    from footnoted.testing.server import JUDGING

    assert SYSTEM.startswith(JUDGING)
    said = "Repairs set you back £75 [1]. Mending is never free [1].\n\nNew glass sets you back £115 [1]."

    def verdicts(request):
        told = [("Repairs set", "supported", TRUE), ("New glass", "supported", "A replacement costs you £115.")]
        order = [line for line in request.prompt_text.splitlines() if line.startswith(("Repairs", "Mending", "New"))]
        return json.dumps(
            {
                "verdicts": [
                    {"statement": order.index(line) + 1, "verdict": ruling, "quote": quote, "reason": "r"}
                    for line in order
                    for start, ruling, quote in told
                    if line.startswith(start)
                ]
            }
        )

    class Unsure(Knows):
        async def acheck(self, claim, sources, *, cited=()):
            return Verdict("unsure", score=0.5, tier="model")

    own = {"api_key": "k", "checker": Unsure()}
    for mode in ("hold", "mark"):
        async with ScriptedLLM(said, judge=verdicts) as llm:
            base = llm.url("openai")
            async with GroundedGenerator("openai", base_url=base, checking=mode, **own) as generator:
                response = await generator.generate(asked())
            assert len(llm.requests) == 1
            assert len(llm.judged) == 2
        assert [claim.verdict for claim in response.claims] == ["supported", "unsure", "supported"]
        assert [claim.tier for claim in response.claims] == ["judge", "model", "judge"]
        assert response.usage.judge.calls == 2
    async with ScriptedLLM(said, judge=verdicts) as llm:
        base = llm.url("openai")
        async with GroundedGenerator("openai", base_url=base, judge=None, **own) as generator:
            response = await generator.generate(asked())
        assert not llm.judged
    assert {claim.verdict for claim in response.claims} == {"unsure"}


async def test_sources_that_disagree_are_both_told(asked):
    """The answer rests on one; the other's words, both dates and both pointers are in the event and the text."""
    from footnoted.events import SourcesDisagree

    from .conftest import chunk

    old = chunk(1, "The excess is £75 for a repair.", title="Car policy 2023")
    new = chunk(2, "General terms. The excess is £95 for a repair.", title="Car policy 2025")
    events = await events_of(door([f"{TRUE} [1]."]), asked(sources=[old, new]))
    response = events[-1].response
    assert sum(isinstance(event, SourcesDisagree) for event in events) == 1
    assert response.response == (
        f"{TRUE} [1].\n\nThe sources disagree: “The excess is £75 for a repair.” (2023) [1], "
        "but “The excess is £95 for a repair.” (2025) [2]."
    )
    (dispute,) = response.disagreements
    assert new.content[dispute.second.source_start : dispute.second.source_end] == dispute.second.source_quote
    assert (dispute.first_date, dispute.second_date) == ("2023", "2025")


@pytest.mark.parametrize(("checking", "opened"), [(None, True), ("off", False)])
def test_a_service_opens_the_model_ahead(checking, opened):
    """`warm` leaves the model in memory before the first claim; where nothing is checked it opens none."""
    script = (
        "import asyncio; from footnoted.answering.generator import GroundedGenerator\n"
        "from footnoted.models import Reader\n"
        f"asyncio.run(GroundedGenerator(checking={checking!r}).warm()); print(bool(Reader._loaded))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(opened)
