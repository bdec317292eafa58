"""What clauses name comes along: the row of a table that bears their number, the clause that widens them."""

import pytest

from footnoted.assistants.insurance import ChunkResult, RetrievalAgent, read_policy
from footnoted.assistants.insurance.deciding import Candidate, candidates, named_beside
from footnoted.assistants.insurance.desk import InsuranceDesk
from footnoted.assistants.insurance.linked import joined, passages_joined, rows_of, turned_by
from footnoted.assistants.insurance.passages import Clauses, passages_of
from footnoted.assistants.insurance.quoting import nearest
from footnoted.retrieval import Index

SAIL = """# Zephyrine Dinghy Policy

## Part B – What we pay

B1 Sails. We will pay for a torn sail up to the limit in Table A.

B2 Abroad. We will pay for repairs in France for up to 40 days a year. The excess is that in row 2 of Table B.

B3 Longer stays. We may extend the 40 days in clause B2 to 90 days if you ask before you leave.

## Part T – Tables

Table A – Limits

| Section | Benefit | Breeze | Gale |
| --- | --- | --- | --- |
| B1 | Sails | £300 | £900 |
| B4 | Trailers | £100 | £200 |

Table B – Excesses

| Row | Who sails | Excess |
| --- | --- | --- |
| 1 | Helm aged 21 or over | £50 |
| 2 | Helm aged 17 to 20 | £150 |
"""


@pytest.fixture
def sail(tmp_path):
    (tmp_path / "sail.md").write_text(SAIL, "utf-8")
    return tmp_path / "sail.md"


@pytest.fixture
def clauses(sail):
    return read_policy(Index.open(sail, cache="off").sources())


def of(clauses, number):
    clause = next(one for one in clauses if one.number == number)
    return {(other.number, how) for other, how in joined(clause, clauses)}


def test_a_clause_is_joined_to_its_row_and_to_what_names_it(clauses):
    assert of(clauses, "B1") == {("Table A, row B1", "row")}
    assert of(clauses, "B2") == {("Table B, row 2", "row"), ("B3", "named")}
    assert of(clauses, "B3") == {("B2", "names")}
    assert of(clauses, "Table A, row B1") == {("B1", "row")}
    assert of(clauses, "Table A, row B4") == {("B1", "named")}


def test_a_section_that_is_named_elsewhere_is_named_with_its_clauses(tmp_path):
    """Whoever reads "unless Section 10C is shown" is sent there; within the section itself nobody is sent."""
    text = (
        "# Policy\n\n## Section 4 – Damage\n\n4.1 We will lend you a car, unless Section 10C is in force.\n\n"
        "4.2 We pay under Section 4 for glass.\n\n## Section 10C – Hire car\n\n10C.1 We will provide a hire car.\n"
    )
    (tmp_path / "car.md").write_text(text, "utf-8")
    clauses = read_policy(Index.open(tmp_path / "car.md", cache="off").sources())
    assert of(clauses, "4.1") == {("10C.1", "names")}
    assert of(clauses, "4.2") == set()


def test_where_a_clause_names_a_table_and_no_row_each_row_may_be_meant(tmp_path):
    (tmp_path / "kite.md").write_text(SAIL + "\n## Part C – Claims\n\nC1 The excess is as shown in Table B.\n", "utf-8")
    clauses = read_policy(Index.open(tmp_path / "kite.md", cache="off").sources())
    assert of(clauses, "C1") == {("Table B, row 1", "row"), ("Table B, row 2", "row")}
    assert of(clauses, "B2") == {("Table B, row 2", "row"), ("B3", "named")}


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ({"B3": 0, "B2": -4.5, "B1": -1}, ["B2"]),  # however near another is that neither names
        ({"B3": 0, "B2": -5.5}, []),
        ({"B2": 0, "B3": -4.5}, ["B3"]),
        ({"B2": 0, "B3": -4.5, "Table B, row 2": -4}, ["Table B, row 2"]),  # one only, the likeliest
    ],
)
def test_what_the_first_clause_names_is_told_with_it(clauses, scores, told):
    of = {one.number: one for one in clauses}
    found = sorted((Candidate(0, of[number], {}, score) for number, score in scores.items()), key=lambda c: -c.score)
    assert [one.clause.number for one in named_beside([found[0].clause], found)] == told


def beside(clauses, number, *numbers):
    clause = next(one for one in clauses if one.number == number)
    return [row.number for row in rows_of(clause, clauses, numbers)]


def test_a_clause_is_told_with_its_row_of_the_table_it_names(clauses):
    assert beside(clauses, "B1") == ["Table A, row B1"]
    assert beside(clauses, "B2", 25.0) == ["Table B, row 2"]
    assert beside(clauses, "B3") == []


def test_a_section_s_row_is_that_of_each_of_its_clauses(tmp_path):
    text = SAIL.replace("B1 Sails. We", "B1.2 Sails. We")
    (tmp_path / "sail.md").write_text(text, "utf-8")
    clauses = read_policy(Index.open(tmp_path / "sail.md", cache="off").sources())
    assert beside(clauses, "B1.2") == ["Table A, row B1"]


def test_of_a_table_without_such_a_row_the_row_for_the_number_asked_is_told(tmp_path):
    (tmp_path / "kite.md").write_text(SAIL + "\n## Part C – Claims\n\nC1 The excess is as shown in Table B.\n", "utf-8")
    clauses = read_policy(Index.open(tmp_path / "kite.md", cache="off").sources())
    assert beside(clauses, "C1") == []
    assert beside(clauses, "C1", 18.0) == ["Table B, row 2"]


def test_what_a_passage_names_stands_behind_those_that_were_found(sail):
    passages = passages_of(read_policy(Index.open(sail, cache="off").sources()))
    place = next(n for n, one in enumerate(passages) if one.clauses[0].number == "B1")
    assert [passages[n].clauses[0].number for n in passages_joined([place], passages)] == ["Table A, row B1"]


async def test_the_row_of_another_age_is_not_told(sail):
    passages = passages_of(read_policy(Index.open(sail, cache="off").sources()))
    found = candidates("my son is 18, what is the excess?", Clauses(passages), [0.0] * len(passages))
    rows = {one.clause.number for one in found if one.clause.row is not None and one.clause.row.table == "Table B"}
    assert rows == {"Table B, row 2"}
    turned = await InsuranceDesk(RetrievalAgent([sail], cache="off")).answer("my son is 18, what is the excess?")
    assert "£50" not in turned.result.answer


def test_a_row_cut_from_its_caption_still_knows_its_table():
    table = SAIL[SAIL.index("| Section") : SAIL.index("Table B –")].strip()
    chunk = ChunkResult(content=table, product_name="Zephyrine", section_hierarchy=["Part T – Tables", "Table A"])
    told = nearest("how much for a torn sail with Gale?", [chunk]).quotes[0]
    assert told.text == "Table A. B1 Sails: Gale £900."


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("a torn sail on Gale?", "Gale £900."),
        ("a torn sail on Gale Plus?", "Gale Plus £950."),
        ("a torn sail on Gale Plus, or on Gale?", "Gale £900; Gale Plus £950."),
        ("a torn sail on gale, plus a towed dinghy?", "Gale £900."),
    ],
)
def test_a_plan_whose_name_begins_like_another_s_is_told_alone(asked, told):
    table = SAIL[SAIL.index("| Section") : SAIL.index("Table B –")].strip()
    table = table.replace("Gale |", "Gale | Gale Plus |").replace("--- |\n", "--- | --- |\n")
    table = table.replace("£900 |", "£900 | £950 |").replace("£200 |", "£200 | £250 |")
    chunk = ChunkResult(content=table, product_name="Zephyrine", section_hierarchy=["Part T – Tables", "Table A"])
    assert nearest(asked, [chunk]).quotes[0].text == f"Table A. B1 Sails: {told}"


async def test_another_insurers_clauses_are_not_quoted_where_one_is_named(sail, tmp_path):
    other = SAIL.replace("Zephyrine", "Borealine").replace("£900", "£700").replace("40 days", "30 days")
    (tmp_path / "other.md").write_text(other, "utf-8")
    desk = InsuranceDesk(RetrievalAgent([sail, tmp_path / "other.md"], cache="off"))
    turned = await desk.answer("how long does zephyrine pay for repairs in France?")
    assert "40 days" in turned.result.answer
    assert "30 days" not in turned.result.answer


HEADED = """# Zephyrine Dinghy Policy

## SECTION 4 – SAILS

4.1 We pay for a torn sail up to the limit in the Table of Benefits.

4.2 We pay for a lost sail.

4.3 We do not pay for stains.

## SECTION 5 – TOWING

5.1 We tow the dinghy, as Part 9 shows.

## PART 9 – TABLE OF BENEFITS

| Benefit | Breeze | Gale |
| --- | --- | --- |
| Sails, new for old (4.2) | £300 | £900 |
| Section 4 | £200 | £400 |
| Section 5 – Towing | £100 | £200 |
"""


@pytest.fixture
def headed(tmp_path):
    (tmp_path / "headed.md").write_text(HEADED, "utf-8")
    return tmp_path / "headed.md"


def test_a_table_without_a_caption_goes_by_the_heading_over_it(headed):
    clauses = read_policy(Index.open(headed, cache="off").sources())
    assert beside(clauses, "4.1") == ["TABLE OF BENEFITS, row Section 4"]
    assert beside(clauses, "5.1") == ["TABLE OF BENEFITS, row Section 5 – Towing"]
    assert beside(clauses, "4.3") == []
    assert of(clauses, "5.1") >= {("TABLE OF BENEFITS, row Section 5 – Towing", "row")}


def test_a_row_that_bears_a_clause_s_number_is_that_clause_s_own(headed):
    clauses = read_policy(Index.open(headed, cache="off").sources())
    assert beside(clauses, "4.2") == ["TABLE OF BENEFITS, row Sails, new for old (4.2)"]
    assert ("TABLE OF BENEFITS, row Sails, new for old (4.2)", "row") in of(clauses, "4.2")
    assert ("4.2", "row") in of(clauses, "TABLE OF BENEFITS, row Sails, new for old (4.2)")


async def test_such_a_row_is_told_with_its_clause_and_stands_under_its_heading(headed):
    retrieval = RetrievalAgent([headed], cache="off")
    turned = await InsuranceDesk(retrieval).answer("will you pay for a lost sail with Gale?")
    assert "TABLE OF BENEFITS. Sails, new for old (4.2): Gale £900." in turned.result.answer
    places = [one.section_hierarchy for one in turned.request.context_chunks]
    assert ["PART 9 – TABLE OF BENEFITS"] in places


def test_a_clause_may_be_named_by_its_number_alone(tmp_path):
    more = "\n## Endorsement E – Regattas\n\nE.1 The exclusion in 4.3 is deleted.\n"
    (tmp_path / "headed.md").write_text(HEADED + more, "utf-8")
    clauses = read_policy(Index.open(tmp_path / "headed.md", cache="off").sources())
    assert of(clauses, "4.3") == {("E.1", "named")}


async def test_an_exclusion_is_told_with_the_endorsement_that_deletes_it(tmp_path):
    more = "\n## Endorsement E – Laundry\n\nE.1 Clause 4.3 is deleted, for up to £60 a year.\n"
    (tmp_path / "headed.md").write_text(HEADED + more, "utf-8")
    read = {one.number: one for one in read_policy(Index.open(tmp_path / "headed.md", cache="off").sources())}
    every = list(read.values())
    assert turned_by(read["4.3"], every) == [read["E.1"]]
    assert turned_by(read["4.3"], [*every, read["4.3"]]) == []
    assert turned_by(read["4.1"], every) == []
    turned = await InsuranceDesk(RetrievalAgent([tmp_path / "headed.md"], cache="off")).answer("do you pay for stains?")
    assert "E.1 Clause 4.3 is deleted, for up to £60 a year." in turned.result.answer


def test_a_row_called_like_a_clause_or_its_section_is_that_clause_s_own(tmp_path):
    """An exclusion has no sum; words that any heading may have in common with a row are no name."""
    text = """# Zephyrine Dinghy Policy

## 4. Loss of or damage to Your Dinghy

4.1 We pay for a wreck.

4.2 We do not pay for stains.

4.3 Child seats. We pay for a new one.

## 5. How to claim

5.1 Write to us.

## 6. Limits

| Benefit | Breeze | Gale |
| --- | --- | --- |
| Loss or damage to the Dinghy | £300 | £900 |
| Child seats, each | £20 | £40 |
| All other claims | £10 | £30 |
"""
    (tmp_path / "sail.md").write_text(text, "utf-8")
    clauses = read_policy(Index.open(tmp_path / "sail.md", cache="off").sources())
    assert beside(clauses, "4.1") == ["Limits, row Loss or damage to the Dinghy"]
    assert beside(clauses, "4.3") == ["Limits, row Child seats, each"]
    assert beside(clauses, "4.2") == beside(clauses, "5.1") == []
    assert ("4.3", "row") in of(clauses, "Limits, row Child seats, each")
    assert ("Limits, row Child seats, each", "row") in of(clauses, "4.3")


def test_a_row_is_named_by_its_table_and_item_too(tmp_path):
    """Clause B2.2 names item 1 of a table; the row whose key is its part's number is another benefit's."""
    text = SAIL.replace(
        "B1 Sails. We will pay for a torn sail up to the limit in Table A.", "2.2 Up to Table B, item 1."
    )
    (tmp_path / "items.md").write_text(text, "utf-8")
    clauses = read_policy(Index.open(tmp_path / "items.md", cache="off").sources())
    assert beside(clauses, "2.2") == ["Table B, row 1"]
    assert of(clauses, "2.2") == {("Table B, row 1", "row")}


def test_an_exclusion_of_a_lettered_section_is_told_with_what_deletes_it(tmp_path):
    """What is called F(b) is item (b) of Section F."""
    text = "# Boat\n\n## Section F – Exclusions\n\nWe do not pay for:\n\n(a) rust; or\n\n(b) racing.\n\n"
    (tmp_path / "f.md").write_text(f"{text}## Endorsement 2 – Racing\n\nExclusion F(b) is deleted.\n", "utf-8")
    clauses = read_policy(Index.open(tmp_path / "f.md", cache="off").sources())
    racing = next(one for one in clauses if one.number == "Section F(b)")
    assert [one.text for one in turned_by(racing, clauses)] == ["Exclusion F(b) is deleted."]
