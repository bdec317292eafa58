"""A wording as a tree: numbers, inherited lead-ins, kinds, references, tables whose figures know their column."""

import pytest

from footnoted.assistants.insurance import read_policy
from footnoted.assistants.insurance.clauses import kind_of
from footnoted.assistants.insurance.labels import Label, inline_items, numbers_in, opening_label, split_run_on
from footnoted.assistants.insurance.rows import figures, rows_of
from footnoted.retrieval import Index
from footnoted.types import Source

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
        ("If you are late we look at the claim, but we may reduce what we pay.", "other"),
    ],
)
def test_a_clause_does_what_its_main_clause_says(said, kind):
    """What is not excluded is no exclusion, nor is what follows where the insurer cannot do a thing."""
    assert kind_of(said, [], "") == kind


def read(text, heading="D1 Cover"):
    return read_policy([Source("a", text, metadata={"file": "a.md", "section_hierarchy": [heading]})])


@pytest.mark.parametrize(
    ("cover", "exclusion"),
    [
        ("- theft;\n\n- fire.", "- rot;\n\n- rust."),
        ("1. theft;\n\n2. fire.", "1. rot;\n\n2. rust."),
        ("4.2 These too:\n\n(a) theft;\n\n(b) fire.", "(a) rot;\n\n(b) rust."),
    ],
)
def test_a_second_list_of_a_section_is_opened_by_its_own_words(cover, exclusion):
    """Rot is no cover because a list of covers stands before it."""
    found = read(f"We will pay for:\n\n{cover}\n\nWe will not pay for:\n\n{exclusion}")
    kinds = {one.text: (one.kind, one.lead[-1:]) for one in found}
    assert kinds["fire."][0] == "cover"
    assert kinds["rot;"] == kinds["rust."] == ("exclusion", ("We will not pay for:",))


def test_an_inner_list_is_told_by_how_far_it_is_set_in():
    """Numbers within numbers, a bullet after letters, and what goes on behind an inner list."""
    found = read(
        "3. You may join within 31 days of:\n  1. a marriage; or\n  2. a birth.\n  Later is too late.\n"
        "4. Cover ends when:\n  (a) you leave; or\n  (b) you die.\n- This is all."
    )
    leads = {one.text: (one.number, one.lead) for one in found}
    assert leads["1. a marriage; or"] == ("3", ("You may join within 31 days of:",))
    assert leads["you die."] == ("4(b)", ("Cover ends when:",))
    assert leads["This is all."] == ("4", ("Cover ends when:",))
    assert next(one.tail for one in found if one.number == "3") == "Later is too late."
    assert next(one.cited for one in found if one.text == "2. a birth.") == (
        "3 You may join within 31 days of: 2. a birth."
    )


def test_a_list_of_roman_numbers_alone_has_one_level():
    assert [one.number for one in read("(i) x;\n\n(ii) y;\n\n(iii) z.")] == ["D1", "D1(i)", "D1(ii)", "D1(iii)"]


def test_bullets_that_nothing_opens_are_clauses_and_no_list():
    """A list of definitions is as many clauses as it has terms."""
    found = read("- Home: the house.\n- Child:\n  (a) yours; or\n  (b) your partner's.\n- Bike: a bicycle.")
    assert [one.opening or one.text for one in found] == [
        *("Home: the house.", "Child:", "yours; or", "your partner's.", "Bike: a bicycle."),
    ]


def test_what_is_covered_and_what_is_not_are_told_apart_side_by_side():
    """Each cell is cover or exclusion by its column, whether rows have names or not, and some cells are empty."""
    table = "| What is covered | What is not covered |\n|---|---|\n| Theft of the bike. | Rust. |\n| Fire. | |"
    assert [(one.kind, one.cited) for one in read(table)] == [
        ("cover", "What is covered: Theft of the bike."),
        ("exclusion", "What is not covered: Rust."),
        ("cover", "What is covered: Fire."),
    ]
    named = "| | Covered | Not covered |\n|---|---|---|\n| Birth | In a hospital. | Home delivery without doctor. |"
    assert [(one.kind, one.cited) for one in read(named)][1] == (
        "exclusion",
        "Birth – Not covered: Home delivery without doctor.",
    )
    ticked = "| Item | Covered | Not covered |\n|---|---|---|\n| Theft | Yes | No |"
    assert [one.cited for one in read(ticked)] == ["Cover. Theft: Covered Yes; Not covered No."]


def test_a_head_of_two_lines_names_each_column_by_both():
    """RM150 is of plan S1 and not of "Staff plans" twice; an empty corner and a title over all columns harm nothing."""
    table = "| Benefit | Staff | Staff | Top |\n|---|---|---|---|\n| Benefit | S1 | S2 | Top |\n| Ward | RM150 | RM250 | RM9 |"
    expected = [("Ward", ("Staff – S1", "Staff – S2", "Top"), ("RM150", "RM250", "RM9"))]
    told = [(row.name, row.columns, row.cells) for row in rows_of(table, "", "")]
    assert told == expected
    corner = table.replace("| Benefit |", "| |")
    titled = "| Limits | Limits | Limits | Limits |\n" + table
    assert [(row.name, row.columns, row.cells) for row in rows_of(corner, "", "")] == expected
    assert [(row.name, row.columns, row.cells) for row in rows_of(titled, "", "")] == expected
    (row,) = rows_of("| | Deck | Keel |\n|---|---|---|\n| Sails | £1 | £2 |", "", "")
    assert row.told() == "Sails: Deck £1; Keel £2."


def test_a_number_with_letters_is_a_reference_wherever_it_stands():
    said = "4.3(b)(iii) does not apply, notwithstanding 2.1(a); exclusion F(d) is deleted. Plan A (b) and 4.5 litres."
    assert numbers_in(said) == ("4.3(b)(iii)", "2.1(a)", "F(d)")


def test_an_amount_falls_into_the_row_for_such_amounts():
    """A bicycle of 2700 needs a gold lock; its owner's 27 years are no amount, nor is a limit a range."""
    table = (
        "| Value | Lock |\n|---|---|\n| Up to £1,000 | Bronze |\n| £1,001 to £6,000 | Gold |\n| Over £6,000 | Diamond |"
    )
    rows = rows_of(table, "", "")
    for said, lock in (("worth 2700", "Gold"), ("costs £900", "Bronze"), ("£6,001", "Diamond")):
        (figure,) = figures(said)
        assert [row.cells[0] for row in rows if row.holds(figure)] == [lock]
    assert not any(row.holds(figure) for row in rows for figure in figures("I am 27 and ride 3 days"))
    (row,) = rows_of("| Item | Pays |\n|---|---|\n| Cash up to £300 | Yes |", "", "")
    assert not row.holds(*figures("£200"))
