"""Numbered wordings without a model: clauses found, quoted with what opens their list, plans apart, or asked back."""

import pytest

from footnoted.assistants.insurance import ChunkResult, RetrievalAgent, read_policy
from footnoted.assistants.insurance.desk import InsuranceDesk, Manner
from footnoted.assistants.insurance.passages import Clauses, passages_of, stands_at, unbroken
from footnoted.assistants.insurance.quoting import is_wording
from footnoted.models import Embedder, ModelUnavailable
from footnoted.retrieval import Index

BOAT = """# Fernhill Boat Policy

## Section 2 – Damage

**2.1** **Repairs.** We will pay up to £900 for repairs to the Vessel after an accident.

**2.2** We will not pay for:

(a) rot, unless it follows an accident covered by clause 2.1;

(b) worms eating the hull; or

(c) loss of sails while racing.

**Table 1** – Limits by level of cover

| Item | Deck | Keel |
|---|---|---|
| Outboard motor | £300 | £700 |
| Sails and rigging | £100 | £200 |
"""
HORSE = """# Merrow Horse Policy

## Part 1 – Cover

**1.1** **Vet fees.** We will pay up to £4,000 a year for treatment of the Horse by a vet.

**1.2** We will not pay for shoeing or grooming.
"""


@pytest.fixture(scope="module")
def policies(tmp_path_factory):
    """Two wordings of different things."""
    folder = tmp_path_factory.mktemp("wordings")
    (folder / "boat.md").write_text(BOAT)
    (folder / "horse.md").write_text(HORSE)
    return RetrievalAgent([folder], cache="off")


@pytest.fixture
def desk(policies):
    """The whole chain without a model."""
    return InsuranceDesk(policies)


async def ask(desk, question, **more):
    return await desk.answer(question, manner=Manner(max_response_length=4000, **more))


def test_a_passage_is_a_clause_or_a_table_word_for_word(policies):
    """A clause with its items, a table with its caption, each a stretch of the document's own text."""
    clauses = read_policy(policies.index.sources())
    passages = {one.clauses[0].number: one for one in passages_of(clauses)}
    assert passages["2.2"].source.text.startswith("**2.2** We will not pay for:")
    assert passages["2.2"].source.text.endswith("(c) loss of sails while racing.")
    table = passages["Table 1, row Outboard motor"]
    assert "Table 1" in table.source.text.splitlines()[0]
    assert table.source.text.endswith("| Sails and rigging | £100 | £200 |")
    for passage in passages.values():
        whole = next(one for one in policies.index.sources() if one.metadata["file"] == passage.source.metadata["file"])
        start = passage.source.metadata["start"] - whole.metadata["start"]
        assert whole.text[start : start + len(passage.source.text)] == passage.source.text
        assert all(stands_at(clause, clause.source.text) for clause in passage.clauses)


def test_a_clause_is_whole_wherever_a_passage_of_the_index_ends(tmp_path):
    """Its list runs over the end of a passage, the sentence that closes it stands behind the list."""
    items = "\n".join(f"({letter}) the {'very ' * 30}old mast number {letter};" for letter in "abcdefghijklmnop")
    closing = "Clause 2.1 does not apply while the boat is ashore."
    text = f"# Gull Policy\n\n## Section 2 – Damage\n\n2.1 We will not pay for:\n\n{items}\n\n{closing}\n\n2.2 We will pay for sails.\n"
    (tmp_path / "gull.md").write_text(text, "utf-8")
    sources = Index.open(tmp_path, cache="off").sources()
    assert len(sources) > 1, "the section is one passage: the test tests nothing"
    first, *_ = passages_of(read_policy(unbroken(sources)))
    assert first.source.text.startswith("2.1 We will not pay for:")
    assert first.source.text.count("We will not pay") == 1
    assert first.source.text.endswith(closing)
    start = first.source.metadata["start"]
    document = sources[0].metadata["start"]
    assert text[text.index("2.1") + start - document :].startswith(first.source.text)
    assert passages_of(read_policy(unbroken(sources)))[1].source.text == "2.2 We will pay for sails."


async def test_an_exclusion_is_told_as_one(desk):
    """An item is quoted with the words that open its list, after a word that says what it does; never as cover."""
    turned = await ask(desk, "Do you pay if worms eat the hull of my boat?")
    answer = turned.result.answer
    assert is_wording(turned.request.context_chunks)
    assert "Not covered: “2.2(b) We will not pay for: worms eating the hull" in answer
    assert answer.index("Not covered") < answer.index("worms")
    citation = turned.result.generation.citations[0]
    content = turned.request.context_chunks[citation.source_index].content
    assert content[citation.source_start : citation.source_end] == citation.source_quote
    assert "worms eating the hull" in citation.source_quote


async def test_a_figure_is_told_of_the_plan_that_was_named(desk):
    """The row's other columns stay away."""
    result = (await ask(desk, "How much for an outboard motor on Keel?")).result
    line = next(line for line in result.answer.splitlines() if "Outboard" in line)
    assert "Keel £700" in line
    assert "£300" not in line


async def test_an_unnamed_plan_is_asked_for_and_all_are_compared(desk):
    """Each figure beside its own plan."""
    result = (await ask(desk, "What is the limit for the outboard motor of my boat?")).result
    assert result.asks
    assert "Deck, Keel" in result.asks
    assert "Deck £300; Keel £700" in result.answer


async def test_what_is_not_sure_is_refused_with_the_clauses_that_come_nearest(desk):
    """One number decides: the chance, against a threshold."""
    result = (await ask(desk, "May my cousin sleep on the boat in winter?")).result
    assert result.refused or result.asks
    assert not result.has_sufficient_context
    assert result.citations
    assert result.calibrated_confidence < 0.6


async def test_the_customer_is_told_in_their_language_what_is_quoted(desk):
    """Malay words around the policy's English ones."""
    result = (await ask(desk, "Adakah polisi ini membayar rawatan doktor haiwan untuk kuda saya?")).result
    assert "£4,000" in result.answer
    assert "Dipetik daripada dokumen polisi" in result.answer


async def test_a_follow_up_is_found_with_the_question_before(desk):
    """A message that only names another plan is about the motor of the one before."""
    history = [("How much for an outboard motor on Keel?", "£700.")]
    turned = await desk.answer("and on Deck?", history=history, manner=Manner(max_response_length=4000))
    assert "Deck £300" in turned.result.answer


def test_without_the_encoder_words_find_the_clauses(policies, monkeypatch, caplog):
    """Said once in the log."""

    def missing(_, folder=None):
        raise ModelUnavailable("the weights are damaged")

    monkeypatch.setattr(Embedder, "load", classmethod(missing))
    clauses = Clauses(passages_of(read_policy(policies.index.sources())))
    near = [clauses.nearness("worms in the hull") for _ in range(2)][1]
    assert clauses.read[near.index(max(near))][1].number.startswith("2.2")
    assert caplog.text.count("the weights are damaged") == 1


async def test_a_question_back_is_in_the_field_for_it(desk):
    """Where no product is named and nothing is asked of one, the choice is what is asked."""
    result = (await ask(desk, "covered?")).result
    assert result.asks == result.answer
    assert "Confidence" not in result.format_response(include_confidence=True)


async def test_what_the_documents_speak_of_is_ours_and_a_greeting_is_told_what_is(desk):
    """The vocabulary has no worms and no shoes; the wordings do. A greeting comes near a section and gets no refusal."""
    assert (await ask(desk, "Will worms eat my hull?")).intent.kind != "not_ours"
    turned = await ask(desk, "hello")
    assert turned.intent.kind == "not_ours"
    assert "only help with questions about the insurance" in turned.result.answer


async def test_the_clauses_of_a_product_are_a_list_under_its_name_and_whole_however_short_the_answer(desk):
    """A dash behind the name is no list; where no clause fits, the shortest is told."""
    whole = (await ask(desk, "Do you pay for worms eating the hull?")).result.answer
    assert "**Fernhill Boat Policy:**\n- Not covered: " in whole
    turned = await desk.answer("Do you pay for worms eating the hull?", manner=Manner(max_response_length=5))
    assert whole.endswith(turned.result.answer)
    turned = await desk.answer(
        "What is the limit for the outboard motor of my boat?", manner=Manner(max_response_length=5)
    )
    assert "Which of these do you mean: Deck, Keel?" in turned.result.answer
    assert turned.result.answer.endswith("” [1]")


async def test_where_the_answer_hangs_on_the_policy_it_asks_which_and_quotes_each(tmp_path):
    for name, days in (("Boat", 14), ("Horse", 30)):
        text = f"# Fernhill {name} Policy\n\n## Part 9 – Ending\n\n9.1 You may cancel within {days} days and get all money back.\n"
        text += "\n9.2 We write to You thirty days before the policy is renewed.\n"
        (tmp_path / f"{name.lower()}.md").write_text(text)
    desk = InsuranceDesk(RetrievalAgent([tmp_path], cache="off"))
    result = (await ask(desk, "until when can i still step back from it?")).result
    assert result.asks
    assert "Fernhill Boat Policy" in result.asks
    assert "Fernhill Horse Policy" in result.asks
    assert "14 days" in result.answer
    assert "30 days" in result.answer


def test_a_table_under_a_heading_alone_makes_no_wording_of_a_guide():
    """Any document has those; a caption with a number, or numbered clauses, do."""
    table = "| Item | Deck |\n| --- | --- |\n| Motor | £300 |"
    guide = ChunkResult(content=table, product_name="Guide", section_hierarchy=["Guide", "What it costs"])
    assert not is_wording([guide])
    assert is_wording([guide.model_copy(update={"content": f"Table 1 – Limits\n\n{table}"})])


async def test_an_item_is_quoted_without_what_joins_it_to_the_next(desk):
    """What joins it belongs to the list it stands in."""
    turned = await ask(desk, "Does the Fernhill boat policy pay for worms in the hull?")
    assert "2.2(b) We will not pay for: worms eating the hull”" in turned.result.answer


async def test_a_plan_that_goes_by_a_code_is_told_alone(tmp_path):
    """Its name stands over several columns, each with a code of its own; who names one is not asked which."""
    table = (
        "Table 2 – Benefits\n\n| Benefit | Staff | Staff | Top |\n|---|---|---|---|\n| | S1 | S2 | E1 |\n"
        "| Room and board, each day | RM150 | RM250 | RM400 |\n| Surgeon's fees | RM9,000 | RM8,000 | RM7,000 |\n"
    )
    (tmp_path / "ward.md").write_text(f"# Ward Policy\n\n## Section C – Benefits\n\n{table}", "utf-8")
    desk = InsuranceDesk(RetrievalAgent([tmp_path], cache="off"))
    answer = (await ask(desk, "How much is room and board a day on staff plan S2?")).result.answer
    assert "Room and board, each day: Staff – S2 RM250." in answer
    assert "RM150" not in answer
