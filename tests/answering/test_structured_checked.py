"""Structured answers whose every field is weighed: what is told when, what becomes of what nothing carries."""

import asyncio
import json
from contextlib import aclosing
from typing import Literal

import pytest
from pydantic import BaseModel, Field, field_validator, model_validator

from footnoted import AnswerWithSources, ComparisonResult, StructuredGenerator
from footnoted.errors import ConfigurationError, ProviderError, StructuredOutputError
from footnoted.events import FieldChecked, FieldCompleted, FieldsReset, OutputFinished
from footnoted.testing import Reply, ScriptedLLM
from footnoted.text import content_stems, sentences
from footnoted.types import Delta, Evidence, FinishReason, Usage, Verdict

from .conftest import chunk
from .test_generator import speaks
from .test_structured import ANSWER, PROTOCOLS, Excess

FALSE = "Racing is covered up to £900."
AMOUNTS = {
    "amounts": [{"pounds": 75, "what_for": "repair"}, {"pounds": 115, "what_for": "replacement"}],
    "note": "Racing is excluded.",
}


class Reads:
    """A weigher that finds the sentence most like the claim, and believes what shares a word with it."""

    def __init__(self, *, delay=0.0, fails=False):
        self.asked = []
        self.delay = delay
        self.fails = fails

    async def acheck(self, claim, sources, *, cited=()):
        self.asked.append((claim, tuple(cited), len(sources)))
        await asyncio.sleep(self.delay)
        if self.fails:
            raise RuntimeError("model file is corrupt")
        wanted = set(content_stems(claim))
        best, found = 0, None
        for index, source in enumerate(sources):
            for span in sentences(source.text):
                quote = source.text[span.start : span.end]
                share = len(wanted & set(content_stems(quote)))
                if share > best:
                    best, found = share, Evidence(index, span.start, span.end, quote, 1.0)
        if found is None or "Racing is covered" in claim:
            return Verdict("unsupported", score=0.1, tier="model", reason="no sentence says this")
        return Verdict("supported", score=0.9, tier="model", evidence=(found,))


class Believes:
    """A weigher that supports whatever it is asked with the words it is given."""

    def __init__(self, *evidence):
        self.evidence = evidence
        self.asked = []

    async def acheck(self, claim, sources, *, cited=()):
        self.asked.append(claim)
        return Verdict("supported", score=0.99, tier="model", evidence=self.evidence)


def door(said, *, weigher=None, **options):
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return StructuredGenerator(speaks(text), checker=weigher or Reads(), **options)


async def events_of(generator, request, schema, **how):
    return [event async for event in generator.stream_checked(request, schema, **how)]


def verdicts(output):
    return {path: found.verdict for path, found in output.evidence.items()}


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_every_field_has_its_words_on_every_protocol(asked, context, protocol):
    """Cut mid-token on a real socket, each value comes with its verdict and the exact words it rests on."""
    text = json.dumps(AMOUNTS)
    reply = Reply(json=AMOUNTS, pieces=[text[at : at + 3] for at in range(0, len(text), 3)])
    async with ScriptedLLM(reply) as llm:
        door_ = StructuredGenerator(protocol, api_key="k", base_url=llm.url(protocol), checker=Reads())
        async with door_ as generator:
            events = await events_of(generator, asked(), Excess)
    output = events[-1].output
    assert output.value == Excess(**AMOUNTS)
    assert list(output.evidence) == [
        "$.amounts[0].pounds",
        "$.amounts[0].what_for",
        "$.amounts[1].pounds",
        "$.amounts[1].what_for",
        "$.note",
    ]
    assert output.flagged == output.nulled == []
    for found in output.evidence.values():
        assert found.verdict == "supported"
        (span,) = found.evidence
        source = context[span.source_index]
        assert source.chunk_id == span.chunk_id
        assert source.content[span.source_start : span.source_end] == span.source_quote
    assert output.evidence["$.amounts[1].pounds"].evidence[0].source_quote == "A replacement costs you £115."
    told = {event.path: event.value for event in events if isinstance(event, FieldCompleted)}
    assert told["$.amounts[0].pounds"] == 75
    assert not output.usage.estimated


async def test_a_server_without_schemas_is_checked_too(asked):
    """An object in a fence, from any compatible server."""
    async with ScriptedLLM(f"Here it is:\n```json\n{json.dumps(AMOUNTS, indent=1)}\n```") as llm:
        door_ = StructuredGenerator("compatible", base_url=llm.url("openai"), checker=Reads())
        async with door_ as generator:
            output = await generator.generate_checked(asked(), Excess)
    assert output.value.amounts[1].pounds == 115
    assert set(verdicts(output).values()) == {"supported"}


async def test_no_model_is_needed(asked):
    """What the extractive provider copies is checked as any other's answer."""
    generator = StructuredGenerator("extractive", threshold=0.0, checker=Reads())
    output = await generator.generate_checked(asked(), AnswerWithSources)
    assert output.evidence["$.answer"].verdict == "supported"
    assert output.evidence["$.key_facts[0]"].verdict == "supported"
    assert output.flagged == []


async def test_the_shipped_checker_decides_unless_another_is_given(asked):
    """It never supports what it shows no words for, nor a number that is nowhere."""
    generator = StructuredGenerator(
        speaks(json.dumps({"amounts": [{"pounds": 76, "what_for": "repair"}], "note": FALSE}))
    )
    output = await generator.generate_checked(asked(), Excess)
    assert output.evidence["$.amounts[0].pounds"].verdict == "unsupported"
    assert output.evidence["$.note"].verdict != "supported"
    for found in output.evidence.values():
        assert found.evidence or found.verdict not in ("supported", "partial")


async def test_a_number_that_is_nowhere_is_never_believed(asked):
    """The weigher would believe it; it is not even asked."""
    weigher = Believes(Evidence(0, 18, 49, "The excess is £75 for a repair.", 1.0))
    output = await door({"amounts": [{"pounds": 76, "what_for": "repair"}]}, weigher=weigher).generate_checked(
        asked(), Excess
    )
    found = output.evidence["$.amounts[0].pounds"]
    assert (found.verdict, found.score, found.tier) == ("unsupported", 0.0, "exact")
    assert "£76" in found.reason
    assert not any("76" in claim for claim in weigher.asked)
    assert "$.amounts[0].pounds" in output.flagged


async def test_a_number_must_stand_in_the_words_shown_for_it(asked):
    """£115 is in the sources, but not where this weigher points, however often it is asked."""

    class Points:
        async def acheck(self, claim, sources, *, cited=()):
            quote = "The excess is £75 for a repair."
            start = sources[0].text.index(quote)
            return Verdict("supported", score=0.9, evidence=(Evidence(0, start, start + len(quote), quote, 1.0),))

    said = {"amounts": [{"pounds": 115, "what_for": "repair"}]}
    output = await door(said, weigher=Points()).generate_checked(asked(), Excess)
    found = output.evidence["$.amounts[0].pounds"]
    assert (found.verdict, found.tier, found.score) == ("unsupported", "exact", 0.0)
    assert found.evidence[0].source_quote == "The excess is £75 for a repair."
    assert output.evidence["$.amounts[0].what_for"].verdict == "supported"


async def test_a_number_and_a_name_from_elsewhere_do_not_belong_together(asked):
    """The words found for a short value are asked once more, alone."""
    weigher = Reads()
    said = {"amounts": [{"pounds": 75, "what_for": "repair"}]}
    await door(said, weigher=weigher).generate_checked(asked(), Excess)
    assert ("Repair: £75.", (), 2) in weigher.asked
    assert ("Repair: £75.", (), 1) in weigher.asked

    class Doubts(Reads):
        async def acheck(self, claim, sources, *, cited=()):
            if len(sources) == 1:
                return Verdict("unsupported", score=0.2, tier="model", reason="these words alone do not say so")
            return await super().acheck(claim, sources, cited=cited)

    output = await door(said, weigher=Doubts()).generate_checked(asked(), Excess)
    found = output.evidence["$.amounts[0].pounds"]
    assert (found.verdict, found.reason) == ("unsupported", "these words alone do not say so")
    assert found.evidence[0].source_quote == "The excess is £75 for a repair."


@pytest.mark.parametrize("evidence", [(), (Evidence(0, 0, 5, "wrong", 1.0),), (Evidence(7, 0, 1, "W", 1.0),)])
async def test_support_without_exact_words_is_no_support(asked, evidence):
    """No evidence, or evidence that does not stand where it points, leaves the field unchecked."""
    output = await door(AMOUNTS, weigher=Believes(*evidence)).generate_checked(asked(), Excess)
    assert set(verdicts(output).values()) == {"not_checked"}
    assert output.flagged == list(output.evidence)


@pytest.mark.parametrize("weigher", [Reads(fails=True), Reads(delay=30)])
async def test_a_check_that_cannot_run_is_never_a_pass(asked, weigher):
    """Broken or slow: not_checked, flagged, nulled where that can be; shown as good only when asked for."""
    output = await door(AMOUNTS, weigher=weigher, verdict_wait=0.05).generate_checked(
        asked(), Excess, unsupported="null"
    )
    assert set(verdicts(output).values()) == {"not_checked"}
    assert output.nulled == ["$.note"]
    assert len(output.flagged) == 5
    lenient = door(AMOUNTS, weigher=weigher, verdict_wait=0.05, show_unchecked=True)
    assert (await lenient.generate_checked(asked(), Excess)).flagged == []


async def test_no_more_is_weighed_once_the_time_is_over(asked):
    """The total deadline bounds the checks as it bounds the reply."""
    facts = [f"The excess is £75 for a repair, they say {number} times over." for number in "abcdefghijkl"]
    said = {**ANSWER, "key_facts": facts}
    weigher = Reads(delay=0.1)
    generator = door(said, weigher=weigher, deadlines={"total": 0.05}, verdict_wait=0.15)
    output = await generator.generate_checked(asked(), AnswerWithSources)
    late = [found for found in output.evidence.values() if "no time" in found.reason]
    assert late
    assert all(found.verdict == "not_checked" for found in late)
    assert len(weigher.asked) < len(facts)


@pytest.mark.no_cover  # the same lines thousands of times
async def test_a_list_of_thousands_is_read_and_bounded(asked):
    """The time a long reply may cost is the deadline's, not its length's."""
    said = {"amounts": [{"pounds": 76, "what_for": FALSE}] * 1000}
    generator = door(said, weigher=Reads(delay=1), deadlines={"total": 0.1}, verdict_wait=0.1)
    output = await generator.generate_checked(asked(), Excess, unsupported="null")
    assert len(output.flagged) == 2000
    assert output.evidence["$.amounts[999].pounds"].verdict == "unsupported"


async def test_without_sources_nothing_is_supported(asked):
    """Even when no grounding is asked for."""
    weigher = Believes()
    output = await door(AMOUNTS, weigher=weigher).generate_checked(asked(sources=[], require_grounding=False), Excess)
    assert set(verdicts(output).values()) == {"unsupported"}
    assert weigher.asked == []
    with pytest.raises(StructuredOutputError, match="require_grounding"):
        await door(AMOUNTS).generate_checked(asked(sources=[]), Excess)


async def test_keep_flag_and_null(asked):
    """What nothing carries stays, is named, or is named and goes where it may be null."""
    said = {"amounts": [{"pounds": 900, "what_for": "repair"}], "note": FALSE}
    kept = await door(said).generate_checked(asked(), Excess, unsupported="keep")
    assert (kept.flagged, kept.nulled, kept.value.note) == ([], [], FALSE)
    flagged = await door(said).generate_checked(asked(), Excess, unsupported="flag")
    assert flagged.flagged == ["$.amounts[0].pounds", "$.note"]
    assert flagged.value == kept.value
    nulled = await door(said).generate_checked(asked(), Excess, unsupported="null")
    assert (nulled.flagged, nulled.nulled) == (["$.amounts[0].pounds", "$.note"], ["$.note"])
    assert nulled.value == Excess(amounts=[{"pounds": 900, "what_for": "repair"}], note=None)
    assert nulled.evidence["$.note"].verdict == "unsupported"
    with pytest.raises(ConfigurationError, match="keep, null, flag"):
        await door(said).generate_checked(asked(), Excess, unsupported="drop")


async def test_a_plain_structured_answer_is_checked_where_grounding_is_required(asked):
    """What nothing carries is null, or an error that names the fields; told not to check, all is taken as it is."""
    said = {"amounts": [{"pounds": 75, "what_for": "repair"}], "note": FALSE}
    assert (await door(said).generate_structured(asked(), Excess)).note is None
    false = {**said, "amounts": [{"pounds": 900, "what_for": "repair"}]}
    with pytest.raises(StructuredOutputError, match=r"\$\.amounts\[0\]\.pounds.*require_grounding=False") as caught:
        await door(false).generate_structured(asked(), Excess)
    assert caught.value.fields == ("$.amounts[0].pounds",)
    assert Excess.model_validate_json(caught.value.reply).amounts[0].pounds == 900
    named = await door(false).generate_structured(asked(), Excess, controls=["pounds"])
    assert (named.amounts[0].pounds, named.note) == (900, None)
    assert (await door(false).generate_structured(asked(require_grounding=False), Excess)).note == FALSE
    assert (await door(false, checking="off").generate_structured(asked(), Excess)).note == FALSE


async def test_null_never_makes_an_invalid_object(asked):
    """A validator that wants a value gets to keep it, flagged; what it lets go, goes."""

    class Strict(BaseModel):
        one: str | None
        two: str | None
        three: list[str | None]

        @field_validator("one")
        @classmethod
        def _wanted(cls, value):
            if value is None:
                raise ValueError("one is wanted")
            return value

    said = {"one": FALSE, "two": FALSE, "three": [FALSE, "Racing is excluded."]}
    output = await door(said).generate_checked(asked(), Strict, unsupported="null")
    assert output.value == Strict(one=FALSE, two=None, three=[None, "Racing is excluded."])
    assert (output.flagged, output.nulled) == (["$.one", "$.two", "$.three[0]"], ["$.two", "$.three[0]"])


async def test_null_changes_nothing_else(asked):
    """Where a validator would answer a null with words nobody weighed, the value stays, flagged."""

    class Filling(BaseModel):
        note: str | None
        title: str

        @model_validator(mode="after")
        def _titled(self):
            if self.note is None:
                self.title = FALSE
            return self

    said = {"note": FALSE, "title": "Windscreen cover"}
    output = await door(said).generate_checked(asked(), Filling, unsupported="null")
    assert output.value.title == "Windscreen cover"
    assert (output.flagged, output.nulled) == (["$.note"], [])


async def test_a_text_is_as_good_as_its_worst_sentence(asked):
    """A true one before or after a false one saves nothing; the words of both are kept."""
    wrong = "Racing is covered in all countries."
    for answer in (f"The excess is £75 for a repair. {wrong}", f"{wrong} The excess is £75 for a repair."):
        output = await door({**ANSWER, "answer": answer}).generate_checked(asked(), AnswerWithSources)
        found = output.evidence["$.answer"]
        assert (found.verdict, found.score) == ("unsupported", 0.1)
        assert [span.source_quote for span in found.evidence] == ["The excess is £75 for a repair."]


async def test_fields_that_are_no_claims_are_not_checked_and_stand(asked):
    """How sure the model is, which sources it used, what they leave open, null, yes and no, the schema's own words."""
    output = await door({**ANSWER, "limitations": "Excesses of other glass."}).generate_checked(
        asked(), AnswerWithSources
    )
    unasked = ["$.confidence", "$.sources_used[0]", "$.limitations"]
    assert [path for path, verdict in verdicts(output).items() if verdict == "not_checked"] == unasked
    assert all(output.evidence[path].reason for path in unasked)
    assert output.flagged == []

    class Ruling(BaseModel):
        covered: bool
        level: Literal["high", "low"]
        reference: str
        currency: str = "GBP"

    said = {"covered": True, "level": "high", "reference": "REF-77"}
    output = await door(said).generate_checked(asked(), Ruling, controls=["reference"])
    assert set(verdicts(output).values()) == {"not_checked"}
    assert output.flagged == []
    assert (await door(said).generate_checked(asked(), Ruling)).flagged == ["$.reference"]


async def test_an_address_hides_in_no_field(asked):
    """A link nobody gave stands nowhere, not even among the limitations."""
    said = {**ANSWER, "limitations": "See https://evil.example/pay for more."}
    output = await door(said).generate_checked(asked(), AnswerWithSources, unsupported="null")
    assert output.nulled == ["$.limitations"]


async def test_markers_in_a_text_say_what_is_asked_first(asked):
    """They are no words of the claim; the sources they name are handed on as cited."""
    weigher = Reads()
    said = {**ANSWER, "answer": "Theft is covered up to £40,000 [2]."}
    await door(said, weigher=weigher).generate_checked(asked(), AnswerWithSources)
    assert ("Theft is covered up to £40,000.", (1,), 2) in weigher.asked


async def test_evidence_counts_the_sources_given(asked, context):
    """Sources that were left out of the prompt still have their number."""
    sources = [chunk(8, "  "), context[0], chunk(9, context[0].content), context[1]]
    said = {"amounts": [{"pounds": 250, "what_for": "theft"}]}
    output = await door(said).generate_checked(asked(sources=sources), Excess)
    (span,) = output.evidence["$.amounts[0].pounds"].evidence
    assert span.source_index == 3
    assert span.chunk_id == context[1].chunk_id


@pytest.mark.parametrize("unsupported", ["flag", "null"])
async def test_the_same_events_however_the_reply_is_cut(asked, unsupported):
    """Fields in the order they complete, verdicts in the order their weighing began."""
    text = json.dumps({**AMOUNTS, "note": FALSE})

    async def told(*pieces):
        generator = StructuredGenerator(speaks(*pieces), checker=Reads())
        events = await events_of(generator, asked(), Excess, unsupported=unsupported)
        return [[event for event in events if isinstance(event, kind)] for kind in (FieldCompleted, FieldChecked)]

    whole = await told(text)
    assert len(whole[1]) == 5
    assert await told(*text) == whole
    for at in range(1, len(text), 9):
        assert await told(text[:at], text[at:]) == whole


async def test_a_verdict_comes_while_the_reply_is_still_written(asked):
    """A statement needs nothing that follows it."""
    more = asyncio.Event()

    async def slow(prompt):
        yield '{"answer": "The excess is £75 for a repair.", "confi'
        for _ in range(50):
            await asyncio.sleep(0)
        yield 'dence": 0.9, '
        await more.wait()
        yield '"sources_used": [1], "key_facts": []}'

    generator = StructuredGenerator(slow, checker=Reads())
    async with aclosing(generator.stream_checked(asked(), AnswerWithSources)) as events:
        first, second = await anext(events), await anext(events)
        assert first == FieldCompleted("$.answer", "The excess is £75 for a repair.")
        while not isinstance(second, FieldChecked):
            second = await anext(events)
        assert (second.path, second.evidence.verdict, second.shown) == ("$.answer", "supported", True)
        more.set()
        assert isinstance([event async for event in events][-1], OutputFinished)


async def test_what_is_nulled_is_never_told(asked):
    """With null a value waits for its verdict; one without support is only named."""
    events = await events_of(door({**AMOUNTS, "note": FALSE}), asked(), Excess, unsupported="null")
    told = [event.path for event in events if isinstance(event, FieldCompleted)]
    checked = [event for event in events if isinstance(event, FieldChecked)]
    assert "$.note" not in told
    assert [event.path for event in checked if not event.shown] == ["$.note"]
    assert events[-1].output.value.note is None
    for event in checked:
        if event.shown:
            assert events.index(event) == 1 + next(
                place for place, one in enumerate(events) if isinstance(one, FieldCompleted) and one.path == event.path
            )


async def test_what_a_repair_replaces_does_not_linger(asked):
    """The first reply's fields are taken back before the second's are told; both are paid for."""
    first = json.dumps({**AMOUNTS, "amounts": [{"pounds": -1, "what_for": "racing"}, *AMOUNTS["amounts"]]})

    async def twice(prompt):
        yield first if not prompt.history else json.dumps(AMOUNTS)
        yield Delta(usage=Usage(10, 2, 5), finish_reason=FinishReason.COMPLETE)

    events = await events_of(StructuredGenerator(twice, checker=Reads()), asked(), Excess)
    (reset,) = [place for place, event in enumerate(events) if isinstance(event, FieldsReset)]
    assert "greater than or equal to 0" in events[reset].reason
    before = [event.path for event in events[:reset] if isinstance(event, FieldCompleted)]
    after = {event.path: event.value for event in events[reset:] if isinstance(event, FieldCompleted)}
    assert "$.amounts[2].pounds" in before
    assert list(after) == list(events[-1].output.evidence)
    assert after["$.amounts[0].pounds"] == 75
    assert events[-1].output.usage.output == 10
    assert events[-1].output.usage.cached == 4


async def test_two_misfits_are_an_error(asked):
    """As without checking, with the last reply kept."""
    with pytest.raises(StructuredOutputError, match="amounts") as caught:
        await door('{"note": "x"}').generate_checked(asked(), Excess)
    assert caught.value.reply == '{"note": "x"}'


async def test_a_field_the_object_does_not_keep_is_taken_back(asked):
    """A number that names no source goes; what was told of it is reset and the rest told anew."""
    events = await events_of(door({**ANSWER, "sources_used": [1, 9]}), asked(), AnswerWithSources)
    (reset,) = [place for place, event in enumerate(events) if isinstance(event, FieldsReset)]
    assert "$.sources_used[1]" in events[reset].reason
    output = events[-1].output
    after = {event.path for event in events[reset:] if isinstance(event, FieldCompleted)}
    assert after == set(output.evidence) == {event.path for event in events[reset:] if isinstance(event, FieldChecked)}
    assert output.value.sources_used == [1]


async def test_what_validation_changes_is_told_and_weighed_as_it_is(asked):
    """The model wrote a text, the object holds a number; a name the schema lacks is not told at all."""
    said = {"amounts": [{"pounds": "75", "what_for": "repair", "aside": FALSE}]}
    events = await events_of(door(said), asked(), Excess)
    told = [(event.path, event.value) for event in events if isinstance(event, FieldCompleted)]
    assert told == [
        ("$.amounts[0].pounds", "75"),
        ("$.amounts[0].what_for", "repair"),
        ("$.amounts[0].pounds", 75),
        ("$.note", None),
    ]
    assert list(events[-1].output.evidence) == ["$.amounts[0].pounds", "$.amounts[0].what_for", "$.note"]


async def test_names_the_schema_writes_otherwise_are_checked_all_the_same(asked):
    """An alias the stream does not know is weighed at the end."""

    class Aliased(BaseModel):
        model_config = {"populate_by_name": True}

        note: str = Field(alias="remark")

    output = await door({"note": FALSE}).generate_checked(asked(), Aliased)
    assert verdicts(output) == {"$.remark": "unsupported"}
    assert output.flagged == ["$.remark"]


async def test_a_value_told_twice_counts_as_told_last(asked):
    """As every parser reads it."""
    output = await door(
        '{"amounts": [], "note": "Racing is excluded.", "note": ' + json.dumps(FALSE) + "}"
    ).generate_checked(asked(), Excess)
    assert output.value.note == FALSE
    assert verdicts(output) == {"$.note": "unsupported"}


async def test_a_cut_reply_is_an_error_whatever_was_told(asked):
    """Half an object is no answer."""
    generator = StructuredGenerator(
        speaks('{"note": "Racing is excluded.", "amou', finish=FinishReason.LENGTH), checker=Reads()
    )
    told = []
    with pytest.raises(StructuredOutputError, match="max_tokens"):
        async for event in generator.stream_checked(asked(), Excess):
            told.append(event)
    assert told[0] == FieldCompleted("$.note", "Racing is excluded.")
    broken = StructuredGenerator(speaks('{"note": "x', finish=FinishReason.TRUNCATED), checker=Reads())
    with pytest.raises(ProviderError):
        await broken.generate_checked(asked(), Excess)


async def test_a_reader_who_leaves_stops_everything(asked):
    """The provider's stream is closed and no check outlives the events."""
    closed = []

    async def endless(prompt):
        try:
            yield '{"note": "Racing is excluded here.", "amounts": ['
            while True:
                await asyncio.sleep(0.01)
                yield " "
        finally:
            closed.append(True)

    before = len(asyncio.all_tasks())
    generator = StructuredGenerator(endless, checker=Reads(delay=30))
    async with aclosing(generator.stream_checked(asked(), Excess)) as events:
        await anext(events)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert closed == [True]
    assert len(asyncio.all_tasks()) == before


async def test_lists_of_statements_are_checked_one_by_one(asked):
    """Each item is a field."""
    said = {
        "similarities": ["Both sources name an excess."],
        "differences": ["The excess is £75 for a repair.", FALSE],
        "contradictions": [],
        "conclusion": "Racing is excluded. " + FALSE,
    }
    output = await door(said).generate_checked(asked(), ComparisonResult)
    assert output.flagged == ["$.differences[1]", "$.conclusion"]
    assert output.evidence["$.differences[0]"].evidence[0].source_quote == "The excess is £75 for a repair."
    assert "£900" in output.evidence["$.conclusion"].reason


async def test_the_output_is_json_of_the_object_and_its_evidence(asked):
    """A door: it can be stored and sent as it is."""
    output = await door(AMOUNTS).generate_checked(asked(), Excess)
    stored = json.loads(output.model_dump_json())
    assert stored["value"] == AMOUNTS
    assert stored["evidence"]["$.note"]["evidence"][0]["source_quote"] == "Racing is excluded."
    assert stored["usage"]["estimated"] is True
