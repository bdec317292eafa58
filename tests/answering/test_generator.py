"""The river end to end, on providers that are functions."""

import asyncio
import json
from contextlib import aclosing

import pytest
from pydantic import ValidationError

import footnoted
from footnoted import Deadlines, GeneratorProtocol, GroundedGenerator
from footnoted.errors import ConfigurationError, ProviderError, ProviderRejected, ProviderUnavailable
from footnoted.events import AnswerFinished, CitationFound, TextDelta
from footnoted.providers.openai import OpenAI
from footnoted.testing import Reply, ScriptedLLM, closed_port
from footnoted.types import Delta, FinishReason, Pointer, Usage


def speaks(*pieces, finish=None, seen=None):
    """A provider that says these pieces and, if told, ends for this reason."""

    async def model(prompt):
        if seen is not None:
            seen.append(prompt)
        for piece in pieces:
            yield piece if isinstance(piece, Delta) else Delta(piece)
        if finish is not None:
            yield Delta(finish_reason=finish)

    return model


async def events_of(generator, request):
    return [event async for event in generator.stream(request)]


async def test_text_citations_and_the_ending_come_in_order(asked):
    """The events tell the same story as the response that closes them."""
    generator = GroundedGenerator(speaks("The excess is £75", " for a repair [1", "]."))
    events = await events_of(generator, asked())
    response = events[-1].response
    assert isinstance(events[-1], AnswerFinished)
    assert sum(isinstance(event, AnswerFinished) for event in events) == 1
    text = [event for event in events if isinstance(event, TextDelta)]
    assert "".join(event.text for event in text) == response.response == "The excess is £75 for a repair [1]."
    for event in text:
        assert response.response[event.start : event.start + len(event.text)] == event.text
    assert sum(isinstance(event, CitationFound) for event in events) == len(response.citations) == 1


async def test_a_citation_points_at_the_exact_words(asked, context):
    """Marker in the answer, sentence in the source, both exact."""
    response = await GroundedGenerator(speaks("The excess is £75 for a repair [1].")).generate(asked())
    (citation,) = response.citations
    assert response.response[citation.start_pos : citation.end_pos] == "[1]"
    source = context[citation.source_index]
    assert source.content[citation.source_start : citation.source_end] == citation.source_quote
    assert citation.source_quote == "The excess is £75 for a repair."
    assert citation.chunk_id == source.chunk_id
    assert response.sources_used == [source.chunk_id]
    assert response.sources_provided == 2


async def test_numbers_follow_first_use(asked, context):
    """The reader's [1] is what is cited first, whatever number the model gave it."""
    said = "Theft is covered up to £40,000 [2]. The windscreen excess is £75 for a repair [1]. The theft excess is £250 [2]."
    response = await GroundedGenerator(speaks(said)).generate(asked("Compare theft and windscreen excess"))
    assert [(c.number, c.source_index) for c in response.citations] == [(1, 1), (2, 0), (1, 1)]
    assert response.sources_used == [context[1].chunk_id, context[0].chunk_id]


@pytest.mark.parametrize(
    ("style", "marker"), [("inline", "[Source 1]"), ("numbered", "[1]"), ("footnote", "¹"), ("endnote", "[1]")]
)
async def test_every_style_renders_and_points(asked, style, marker):
    """Whatever the style, start and end bound the marker as written."""
    generator = GroundedGenerator(speaks("The excess is £75 for a repair [1]."))
    response = await generator.generate(asked(citation_style=style))
    (citation,) = response.citations
    assert response.response[citation.start_pos : citation.end_pos] == marker
    listed = style in ("footnote", "endnote")
    assert ("Policy 1" in response.response) is listed
    assert response.response.startswith("The excess is £75 for a repair")


async def test_json_is_valid_whatever_the_model_wrote(asked):
    """The object around the text is ours: quotes and line breaks in the answer cannot break it."""
    said = 'The "excess" is £75 for a repair [1].\nA replacement costs £115 [1].'
    response = await GroundedGenerator(speaks(*said)).generate(asked(output_format="json"))
    parsed = json.loads(response.response)
    assert parsed["answer"].replace(" (unverified)", "") == said
    assert parsed["finish_reason"] == "complete"
    assert [each["quote"] for each in parsed["citations"]] == [each.source_quote for each in response.citations]
    first = response.citations[0]
    assert response.response[first.start_pos : first.end_pos] == "[1]"


async def test_json_is_valid_when_the_stream_is_cut(asked):
    """A cut answer is closed properly and says that it was cut."""
    generator = GroundedGenerator(speaks("The excess is £75", finish=FinishReason.TRUNCATED))
    response = await generator.generate(asked(output_format="json", require_grounding=False))
    assert json.loads(response.response)["finish_reason"] == "truncated"


async def test_bullets_are_bullets(asked):
    """Each line is an item, whether or not the model wrote its mark."""
    said = "The excess is £75 for a repair [1].\n* A replacement costs you £115 [1]."
    response = await GroundedGenerator(speaks(said)).generate(asked(output_format="bullets"))
    assert all(line.startswith("- ") for line in response.response.splitlines())


async def test_plain_has_no_markdown(asked):
    """Headings and bold go."""
    said = "## Answer\nThe **excess** is £75 for a repair [1]."
    response = await GroundedGenerator(speaks(*said)).generate(asked(output_format="plain"))
    assert "#" not in response.response
    assert "*" not in response.response


async def test_without_citations_shown_they_are_still_known(asked):
    """include_citations=False hides markers from the text, not from the response."""
    generator = GroundedGenerator(speaks("The excess is £75 for a repair [1]."))
    response = await generator.generate(asked(include_citations=False))
    assert response.response == "The excess is £75 for a repair."
    assert response.citations[0].start_pos == response.citations[0].end_pos
    assert response.sources_used


async def test_an_unknown_number_leaves_no_trace(asked):
    """[9] of 2 sources vanishes, its space too."""
    response = await GroundedGenerator(speaks("The excess is £75 for a repair [9] [1].")).generate(asked())
    assert "9" not in response.response
    assert "  " not in response.response
    assert len(response.citations) == 1


async def test_a_providers_own_pointer_is_kept(asked, context):
    """Native citations land on the same objects, at the provider's own span."""
    start = context[1].content.index("The excess for theft")
    pointer = Pointer(1, start, len(context[1].content))
    generator = GroundedGenerator(speaks(Delta("The excess for theft is £250.", pointers=(pointer,))))
    response = await generator.generate(asked("What is the theft excess?"))
    assert response.citations[0].source_quote == "The excess for theft is £250."


async def test_history_counts_in_both_ways_of_generating(asked):
    """One-shot and streaming hand the provider the same prompt."""
    seen = []
    generator = GroundedGenerator(speaks("It is £75 for a repair [1].", seen=seen))
    request = asked(history=[("Hello", "Hi, ask away.")], instructions="Speak plainly.")
    await generator.generate(request)
    assert [piece async for piece in generator.generate_streaming(request)]
    assert seen[0] == seen[1]
    assert seen[0].history[0].user == "Hello"
    assert "Speak plainly." in seen[0].system


async def test_streaming_text_is_the_response(asked):
    """Joined pieces are the answer, and the whole response waits on the iterator."""
    stream = GroundedGenerator(speaks("It is £75", " for a repair [1].")).generate_streaming(asked())
    pieces = [piece async for piece in stream]
    assert "".join(pieces) == stream.response.response
    assert isinstance(GroundedGenerator(speaks()), GeneratorProtocol)


@pytest.mark.parametrize("finish", [FinishReason.TRUNCATED, FinishReason.ERROR])
async def test_a_cut_answer_is_never_taken_for_a_whole_one(asked, finish):
    """generate() keeps the text and says so; text alone raises after its last piece."""
    generator = GroundedGenerator(speaks("The excess is £75 for a repair [1]. And", finish=finish))
    request = asked(require_grounding=False)
    response = await generator.generate(request)
    assert response.finish_reason is finish
    assert response.error is not None
    assert response.response.startswith("The excess is £75 for a repair [1].")
    pieces = []
    with pytest.raises(ProviderError):
        async for piece in generator.generate_streaming(request):
            pieces.append(piece)
    assert "".join(pieces) == response.response


async def test_length_and_filter_are_named(asked):
    """The two other ways an answer ends early are told, with what to do for length."""
    request = asked(max_tokens=5, require_grounding=False)
    cut = await GroundedGenerator(speaks("The excess", finish=FinishReason.LENGTH)).generate(request)
    assert cut.finish_reason is FinishReason.LENGTH
    assert any("max_tokens" in note for note in cut.notes)
    filtered = await GroundedGenerator(speaks("The", finish=FinishReason.FILTERED)).generate(request)
    assert filtered.finish_reason is FinishReason.FILTERED


async def test_usage_is_the_wires_or_marked_as_estimated(asked):
    """Tokens by kind when the provider counts them; else an estimate that says it is one."""
    counted = speaks("It is £75 for a repair [1].", Delta(usage=Usage(input=90, cached=40, output=10)))
    response = await GroundedGenerator(counted).generate(asked())
    assert (response.usage.input, response.usage.cached, response.usage.output) == (90, 40, 10)
    assert response.tokens_used == 100
    assert not response.usage.estimated
    response = await GroundedGenerator(speaks("It is £75 for a repair [1].")).generate(asked())
    assert response.usage.estimated
    assert response.tokens_used > 20
    assert response.latency_ms >= response.time_to_first_token_ms > 0


@pytest.mark.parametrize(
    "said",
    [
        "NO_ANSWER: the pet excess",
        "The sources do not mention a pet excess.",
        Delta(finish_reason=FinishReason.REFUSED),
    ],
)
async def test_a_refusal_is_an_answer(asked, said):
    """By sentinel, in words, or by ending: a refused response with the nearest passages, no exception."""
    response = await GroundedGenerator(speaks(said)).generate(asked("What is the pet excess?"))
    assert response.finish_reason is FinishReason.REFUSED
    assert response.refusal.found
    assert "NO_ANSWER" not in response.response
    assert response.response
    assert response.citations == []
    assert response.grounding_score == response.confidence == 0


@pytest.mark.parametrize("form", ["plain", "markdown", "json", "bullets"])
async def test_a_refusal_keeps_the_format(asked, form):
    """Refusing in JSON is JSON, in bullets a bullet."""
    response = await GroundedGenerator(speaks("NO_ANSWER")).generate(asked(output_format=form))
    if form == "json":
        assert json.loads(response.response)["finish_reason"] == "refused"
    elif form == "bullets":
        assert response.response.startswith("- ")
    assert "do not answer" in response.response


async def test_no_sources_no_call(asked):
    """With nothing to ground on, the model is not even asked."""
    seen = []
    generator = GroundedGenerator(speaks("Made up.", seen=seen))
    response = await generator.generate(asked(sources=[]))
    assert response.finish_reason is FinishReason.REFUSED
    assert response.refusal.reason == "no_sources"
    assert seen == []


async def test_no_sources_without_grounding_asks_the_model(asked):
    """A caller who does not require grounding gets the model's own words."""
    response = await GroundedGenerator(speaks("Hello.")).generate(asked(sources=[], require_grounding=False))
    assert response.response == "Hello."
    assert response.finish_reason is FinishReason.COMPLETE


async def test_what_does_not_fit_is_said(asked, context):
    """The best sources stay; the response names the rest."""
    long = context[0].model_copy(update={"content": "filler " * 2000, "relevance_score": 0.01})
    response = await GroundedGenerator(speaks("It is £75 for a repair [1].")).generate(
        asked(sources=[long, *context], context_tokens=400)
    )
    assert response.sources_omitted == [long.chunk_id]
    assert any("context_tokens" in note for note in response.notes)
    assert response.citations[0].source_index == 1


async def test_failing_before_any_text_raises_and_after_it_does_not(asked):
    """Nothing to keep, nothing to return: the typed error comes out with its attempts."""

    async def refuses(prompt):
        raise ProviderRejected("no such model", status=404)
        yield

    async def breaks(prompt):
        yield "The excess is £75 for a repair [1]."
        raise ProviderUnavailable("reset")

    with pytest.raises(ProviderRejected) as caught:
        await GroundedGenerator(refuses).generate(asked())
    assert [attempt.status for attempt in caught.value.attempts] == [404]
    response = await GroundedGenerator(breaks).generate(asked(require_grounding=False))
    assert response.finish_reason is FinishReason.TRUNCATED
    assert "£75" in response.response


async def test_the_fallback_answers_when_the_first_cannot(asked):
    """Visible in the attempts; the reader gets an answer all the same."""

    async def down(prompt):
        raise ProviderUnavailable("no connection")
        yield

    generator = GroundedGenerator(down, fallback="extractive", retry={"attempts": 1})
    response = await generator.generate(asked())
    assert response.finish_reason is FinishReason.COMPLETE
    assert "£75" in response.response
    assert len(response.attempts) == 2
    assert response.provider == "extractive"


async def test_the_response_names_the_model_that_answered(asked):
    """The provider's own default, the generator's, the request's, and whoever took over in the end."""
    async with ScriptedLLM(Reply("The excess is £75 [1].")) as llm:
        given = {"api_key": "k", "base_url": llm.url("openai")}
        for wish, chosen, model in (
            (None, None, OpenAI.usual_model),
            (None, "small", "small"),
            ("large", "small", "large"),
        ):
            async with GroundedGenerator("openai", model=chosen, **given) as generator:
                response = await generator.generate(asked(model=wish))
            assert response.model == model == llm.requests[-1].model
    async with GroundedGenerator("openai", api_key="k", base_url=closed_port(), fallback="extractive") as generator:
        assert (await generator.generate(asked(model="large"))).model == "extractive"


async def test_deadlines_may_be_a_mapping(asked):
    """A silent model is given up on, and the error says after how long."""

    async def silent(prompt):
        await asyncio.sleep(30)
        yield "never"

    generator = GroundedGenerator(silent, deadlines={"first_token": 0.05, "total": 0.2})
    with pytest.raises(ProviderError, match=r"0\.05 s"):
        await generator.generate(asked())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GroundedGenerator("opnai"), "did you mean 'openai'"),
        (lambda: GroundedGenerator(deadlines={"first": 1}), "first_token"),
        (lambda: GroundedGenerator(templates="/nowhere"), "not a folder"),
        (lambda: GroundedGenerator(42), "async generator function"),
    ],
)
def test_a_wrong_argument_says_what_is_right(make, words):
    """Each message names what could have been given."""
    with pytest.raises(ConfigurationError, match=words):
        make()


def test_an_empty_question_is_stopped_at_the_door(asked):
    """White space asks nothing."""
    with pytest.raises(ValidationError, match="question is empty"):
        asked("  \n ")


async def test_leaving_early_closes_the_model(asked):
    """The reader breaks off; the provider's generator is closed before aclose returns."""
    closed = []

    async def model(prompt):
        try:
            while True:
                yield "word "
                await asyncio.sleep(0)
        finally:
            closed.append(True)

    generator = GroundedGenerator(model, deadlines=Deadlines(None, None, None))
    async with aclosing(generator.generate_streaming(asked(require_grounding=False))) as pieces:
        async for _ in pieces:
            break
    assert closed == [True]


async def test_extractive_is_the_default_and_cites_exactly(asked, context):
    """No key, no network: the answer is the sources' own sentence."""
    response = await GroundedGenerator().generate(asked())
    assert "£75" in response.response
    assert response.provider == "extractive"
    for citation in response.citations:
        content = context[citation.source_index].content
        assert content[citation.source_start : citation.source_end] == citation.source_quote


def test_scripts_have_one_blocking_door():
    """Texts in, response out; no event loop in sight."""
    response = footnoted.ask("What is the windscreen excess?", ["The windscreen excess is £75.", "Theft is covered."])
    assert "£75" in response.response
    assert response.citations[0].source_index == 0


async def test_a_folder_of_templates_reaches_the_model(asked, tmp_path):
    """Overriding words takes a file, not code."""
    (tmp_path / "grounded.md").write_text("Only rhyme. $cite")
    seen = []
    await GroundedGenerator(speaks("£75 [1].", seen=seen), templates=tmp_path).generate(asked())
    assert seen[0].system.startswith("Only rhyme.")


async def test_a_plain_list_below_has_no_markdown_in_it(asked, context):
    """Plain text is plain to its last line: no escapes, no trailing spaces for line breaks."""
    named = context[0].model_copy(update={"metadata": {"title": "Policy *A* [draft]"}})
    generator = GroundedGenerator(speaks("The excess is £75 for a repair [1]."))
    response = await generator.generate(asked(sources=[named], output_format="plain", citation_style="endnote"))
    assert response.response.endswith("[1] Policy *A* [draft]: “The excess is £75 for a repair.”")
