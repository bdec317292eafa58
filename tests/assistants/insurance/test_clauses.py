"""A wording as a tree: numbers, inherited lead-ins, kinds, references, tables whose figures know their column."""

import pytest

from footnoted.assistants.insurance import read_policy
from footnoted.assistants.insurance.clauses import kind_of
from footnoted.assistants.insurance.labels import Label, inline_items, numbers_in, opening_label, split_run_on
from footnoted.assistants.insurance.rows import rows_of
from footnoted.retrieval import Index

WORDING = """# Fernhill Boat Policy

## Section 1 – Words

**1.1** **Vessel** means the boat named in Your Schedule. It does not include a tender.

## Section 2 – Damage

This Section applies to Deck and Keel cover only.

**2.1** **Repairs.** We will pay up to £900 for repairs to the Vessel after an accident.

**2.2** We will not pay for:

(a) rot, unless it follows an accident covered by clause 2.1;

(h) worms; or

(i) loss of: (i) sails while racing; or (ii) anchors

left on the sea bed.

Clause 2.2 does not apply to a Vessel under one year old.

**Table 1** – Limits by level of cover

| Item | Deck | Keel |
|---|---|---|
| Outboard motor | £300 | £700 |
| Sails, owner aged 18 to 30 | £100 | £200 |

## Endorsement R – Racing

**R.1** The exclusion in clause 2.2(i)(i) is deleted, up to £400.
"""


@pytest.fixture(scope="module")
def clauses(tmp_path_factory):
    """The clauses of the wording by their numbers."""
    folder = tmp_path_factory.mktemp("wording")
    (folder / "boat.md").write_text(WORDING)
    return {one.number: one for one in read_policy(Index.open([folder], cache="off").sources())}


def test_every_clause_has_its_number_in_the_order_of_the_wording(clauses):
    """Letters, roman numbers within a line, rows, endorsements; "(i)" after "(h)" is a letter."""
    assert [number for number in clauses if number] == [
        "1.1", "Section 2", "2.1", "2.2", "2.2(a)", "2.2(h)", "2.2(i)", "2.2(i)(i)", "2.2(i)(ii)",
        "Table 1, row Outboard motor", "Table 1, row Sails, owner aged 18 to 30", "R.1",
    ]  # fmt: skip


def test_an_item_is_cited_with_the_words_that_open_its_list(clauses):
    """And keeps what its section says of all its clauses."""
    assert clauses["2.2(a)"].cited.startswith("2.2(a) We will not pay for: rot, unless it follows")
    assert clauses["2.2(i)(ii)"].lead == ("We will not pay for:", "loss of:")
    assert clauses["2.2(i)(ii)"].text == "anchors left on the sea bed."
    assert clauses["2.2(a)"].scope == ("This Section applies to Deck and Keel cover only.",)


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        ("1.1", "definition"),
        ("2.1", "limit"),
        ("2.2", "exclusion"),
        ("2.2(h)", "exclusion"),
        ("2.2(i)(i)", "exclusion"),
    ],
)
def test_the_kind_comes_from_the_words_that_open_the_list(clauses, number, kind):
    """Worms are excluded by the line above them."""
    assert clauses[number].kind == kind


def test_definitions_references_and_what_stands_behind_a_list_are_known(clauses):
    """The tail of 2.2 is part of 2.2 and of none of its items."""
    assert clauses["1.1"].defines == ("Vessel",)
    assert clauses["R.1"].refers == ("2.2(i)(i)",)
    assert clauses["2.2"].tail == "Clause 2.2 does not apply to a Vessel under one year old."
    assert "under one year" not in clauses["2.2(i)(ii)"].text


def test_a_figure_is_told_under_its_own_column(clauses):
    """The row of one level does not hold the other's figure; without a level both stand side by side."""
    row = clauses["Table 1, row Outboard motor"].row
    assert row.of(["Keel"]).told() == "Table 1 – Limits by level of cover. Outboard motor: Keel £700."
    assert "Deck £300; Keel £700" in row.told()


def test_a_table_whose_columns_cannot_be_read_tells_no_row():
    """A cell that slipped would put a figure under another plan."""
    assert rows_of("| Item | Deck | Keel |\n| --- | --- | --- |\n| Motor £300 | £700 | |", "", "") == []


def test_a_number_falls_into_its_row():
    """24 is aged 18 to 30; 31 is not."""
    row = rows_of("| Owner | Pays |\n|---|---|\n| aged 18 to 30 | £5 |", "", "")[0]
    assert row.holds(24)
    assert not row.holds(31)


def test_each_definition_of_an_unnumbered_list_is_a_clause_of_its_own(tmp_path):
    """The items of one end where the next is explained; a sentence that goes on with it does not end them."""
    text = """# Fernhill Boat Policy

## Words

Vessel means the boat named in Your Schedule and its:

(a) sails; and

(b) oars.

It does not mean a tender.

Mooring means a place to which the Vessel is tied.
"""
    (tmp_path / "boat.md").write_text(text)
    read = {one.defines: one.text for one in read_policy(Index.open([tmp_path], cache="off").sources()) if one.defines}
    assert set(read) == {("Vessel",), ("Mooring",)}
    assert read["Vessel",].endswith("oars. It does not mean a tender.")


@pytest.mark.parametrize(
    ("line", "before", "label"),
    [
        ("4.2 New car.", [], Label("4.2", 0)),
        ("B7 Liability", [], Label("B7", 0)),
        ("10A.1 Legal", [], Label("10A.1", 0)),
        ("(b) theft", [Label("(a)", 1)], Label("(b)", 1)),
        ("(i) theft", [Label("(c)", 1)], Label("(i)", 2)),
        ("(ii) fire", [Label("(c)", 1), Label("(i)", 2)], Label("(ii)", 2)),
        ("2026 was a good year", [], None),
    ],
)
def test_a_label_is_told_from_words(line, before, label):
    """By its form and by what it follows."""
    assert opening_label(line, before)[0] == label


def test_clauses_that_run_on_in_a_paragraph_are_parted_at_the_next_number_only():
    """As PDFs have them; a number that does not follow is part of the sentence."""
    assert split_run_on("B3.1 We pay. B3.2 We also pay. B9.1 Then.", "") == [
        "B3.1 We pay.",
        "B3.2 We also pay. B9.1 Then.",
    ]


def test_one_item_is_no_list():
    """A bracket in a sentence opens none."""
    assert inline_items("We pay for: (a) theft.")[1] == []


def test_references_are_read_with_their_letters():
    """Lists of numbers, and names without a number."""
    said = "Clauses 2.1(b)(iii) and 2.1(c)(ii), Section B1 and Endorsement L apply; so does Part 7."
    assert numbers_in(said) == ("2.1(b)(iii)", "2.1(c)(ii)", "B1", "Endorsement L", "Part 7")


def test_a_table_that_goes_on_over_the_page_does_not_name_its_columns_by_a_row():
    """The first line there is a row like the others: no figure is told as of the plan "£550"."""
    rows = rows_of(
        "| Driver aged 17 to 20 | £550 | £200 |\n| Driver aged 21 to 24 | £375 | £200 |", "Table 2", "Excess"
    )
    assert [row.cells for row in rows] == [("£550", "£200"), ("£375", "£200")]
    assert rows[1].told() == "Table 2 – Excess. Driver aged 21 to 24: £375; £200."


@pytest.mark.parametrize(
    ("said", "heading", "kind"),
    [
        ("The Reef plan also covers you in Malta.", "6. Where you may sail", "cover"),
        ("You may end this policy within 9 days and get your money back.", "8. Ending it", "other"),
        ("You may only claim once in 9 days.", "", "procedure"),
    ],
)
def test_what_is_granted_is_no_condition(said, heading, kind):
    """Neither a cover by a plan's name nor a right is something a customer has to do."""
    assert kind_of(said, [], heading) == kind


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("If we cannot match a sail, we replace the pair.", "cover"),
        ("Epidemics are not excluded.", "other"),
        ("We do not exclude an injury that a gust has caused.", "other"),
        ("If the sail is wet, we do not pay.", "exclusion"),
        ("If we pay a total loss, the wreck is ours, provided that you agree.", "cover"),
    ],
)
def test_a_clause_does_what_its_main_clause_says(said, kind):
    """What is not excluded is no exclusion, nor is what follows where the insurer cannot do a thing."""
    assert kind_of(said, [], "") == kind
