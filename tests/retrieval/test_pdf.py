"""PDF: text, sections, tables and pages; and a plain word on those that cannot be read."""

import io
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfWriter

from footnoted.errors import SourceError
from footnoted.retrieval.load import chunks, parse
from tests.retrieval.paper import encrypted, outlined, paragraphs, pdf, ruled

LONG = "We pay for emergency treatment abroad, a hospital bed and the journey home"


def read(*pages):
    return parse(pdf(*pages), "a.pdf")


def test_wrapped_lines_become_paragraphs_and_gaps_part_them():
    """Lines broken by the margin are one sentence again; a wider gap begins a new paragraph."""
    document = read(paragraphs(LONG + " if", "our doctor agrees.", "", "A second paragraph stands apart."))
    assert document.text == f"{LONG} if our doctor agrees.\n\nA second paragraph stands apart."


def test_a_paragraph_begins_at_its_gap_where_most_lines_are_paragraphs_of_their_own():
    """A wording of short clauses and items: the pitch is that of broken lines, not the most usual one."""
    lines, y = [], 780.0
    for x, text, step in (
        (60, "1.1 We pay for luggage that is lost.", 16),
        (60, "1.2 We do not pay for:", 16),
        (72, "(a) a drone;", 16),
        (72, "(b) a bicycle, at any time.", 16),
        (60, f"1.3 {LONG}.", 12),
        (60, "Keep the receipts.", 16),
        (60, "1.4 Write to us.", 16),
    ):
        lines.append((x, y, 9, text))
        y -= step
    assert read(lines).text == (
        "1.1 We pay for luggage that is lost.\n\n1.2 We do not pay for:\n\n(a) a drone;\n(b) a bicycle, at any time.\n\n"
        f"1.3 {LONG}. Keep the receipts.\n\n1.4 Write to us."
    )


def test_what_begins_left_of_an_item_s_label_is_a_paragraph_of_its_own():
    """However little it stands apart; what begins at the label or right of it goes on with the item."""
    lines = [
        (60, 700, 9, f"{LONG}:"),
        (72, 688, 9, "(a) a bicycle that was locked; and"),
        (84, 676, 9, "left at a station."),
        (72, 664, 9, "(b) a tent that was"),
        (72, 652, 9, "pitched."),
        (60, 640, 9, "Contents means clothes."),
    ]
    listed = "(a) a bicycle that was locked; and left at a station.\n(b) a tent that was pitched."
    assert read(lines).text == f"{LONG}:\n\n{listed}\n\nContents means clothes."


def test_hyphenated_line_ends_are_mended():
    """A word broken at the margin is whole again; one that has a hyphen elsewhere keeps it."""
    lines = paragraphs(
        "Cover for self-employed people. This sentence runs up to the margin with insur-",
        "ance for all. And this one, of the same length, is meant for the self-",
        "employed only.",
    )
    assert "insurance for all" in read(lines).text
    assert "the self-employed only" in read(lines).text


def test_headings_are_told_by_size_and_weight():
    """Larger lines are headings by their size, bold ones of the body's size below them."""
    document = read(
        [
            (60, 780, 20, "Medical Conditions", "bold"),
            (60, 750, 14, "1. Screening", "bold"),
            (60, 730, 11, LONG + "."),
            (60, 700, 11, "1.1 By telephone", "bold"),
            (60, 680, 11, LONG + "."),
        ]
    )
    assert document.title == "Medical Conditions"
    assert [s.headings for s in document.sections] == [("1. Screening",), ("1. Screening", "1.1 By telephone")]


TITLED = (
    [(60, 700, 26, "Touring caravans"), (60, 640, 18, "Northern Mutual Society")],
    [
        (60, 780, 18, "LOOKING AFTER"),
        (60, 758, 18, "YOUR CARAVAN"),
        (60, 700, 11, "Lock it."),
        (60, 660, 14, "1.1 Tyres", "bold"),
        (60, 620, 11, "Have them looked at."),
        (60, 580, 11, "Spare wheel", "bold"),
        (60, 560, 11, "Keep it with you."),
        (60, 500, 18, "Claims"),
        (60, 460, 11, "Write to us."),
    ],
)


def headings(document):
    return [section.headings for section in document.sections]


def test_an_outline_says_what_heads_what():
    """Whatever the sizes: what the title page sets large heads nothing, and a heading of three levels has three."""
    entries = [(0, "Looking after your caravan", 2), (1, "Tyres", 2), (0, "Claims", 2)]
    document = parse(outlined(pdf(*TITLED), *entries), "a.pdf")
    assert document.title == "Touring caravans"
    assert headings(document)[1:] == [
        ("LOOKING AFTER YOUR CARAVAN",),
        ("LOOKING AFTER YOUR CARAVAN", "1.1 Tyres"),
        ("LOOKING AFTER YOUR CARAVAN", "1.1 Tyres", "Spare wheel"),
        ("Claims",),
    ]


def test_an_outline_of_something_else_changes_nothing():
    """Bookmarks that are no headings: page names, or titles printed elsewhere."""
    entries = [(0, "Page one", 1), (1, "Page two", 2), (0, "Claims", 1)]
    assert headings(parse(outlined(pdf(*TITLED), *entries), "a.pdf")) == headings(read(*TITLED))


def test_text_right_under_a_bold_line_is_no_part_of_the_heading():
    """A term and what it means, set without a gap between them."""
    body = paragraphs(LONG + ".", "", LONG + ".", "", LONG + ".")
    document = read(
        [
            (60, 810, 16, "Words we use"),
            *body,
            (60, 640, 11, "Accident", "bold"),
            (60, 627, 11, "Something sudden that hurts you."),
        ]
    )
    assert headings(document)[-1] == ("Accident",)
    assert document.text.endswith("# Accident\n\nSomething sudden that hurts you.")


def test_a_foot_note_does_not_break_the_sentence_that_goes_on_over_the_page():
    """The note stands behind its paragraph, its call is gone; a raised figure that calls no note stays raised."""
    above = [
        (60, 780, 11, "A shed of up to 30 m"),
        (60 + 11 * 9.228, 785, 6, "2"),
        (60, 740, 11, LONG + ", as far as we cover"),
        (60 + 11 * 43.354, 745, 6, "1"),
        (60, 100, 6, "1"),
        (60, 96, 8, "Cover is what your schedule names."),
    ]
    text = read(above, paragraphs("them for you.", "", LONG + " if", "our doctor agrees.")).text
    assert "30 m²" in text
    assert "as far as we cover them for you.\n\n1 Cover is what your schedule names." in text


def test_rows_of_cells_become_a_table():
    """Cells set apart on one height are a row; rows of as many cells a table."""
    rows = [("Band", "Premium", "Excess"), ("A", "Nothing", "£100"), ("B", "25%", "£250")]
    lines = [(60 + 120 * n, 780 - 14 * r, 11, cell) for r, row in enumerate(rows) for n, cell in enumerate(row)]
    document = read([*paragraphs("The bands are these:", top=800), *lines])
    assert "| Band | Premium | Excess |\n| --- | --- | --- |\n| A | Nothing | £100 |" in document.text


def test_lists_are_known_as_lists():
    """Items stay apart, their wrapped lines joined."""
    lines = paragraphs(
        "Tell us about:", "- heart conditions;", "- breathing conditions that needed a", "hospital;", "- cancer."
    )
    blocks = [b for s in read(lines).sections for b in s.blocks]
    assert [b.kind for b in blocks] == ["text", "list"]
    assert len(blocks[1].parts) == 3


def test_page_numbers_ride_along_and_running_heads_go():
    """Each passage knows its page; heads, feet and page numbers are in none of them."""
    pages = [
        [
            (60, 820, 9, "Harbour Mutual"),
            (60, 780, 14, f"Part {number}", "bold"),
            (60, 750, 11, f"The text of part number {number} says {number}00 pounds."),
            (280, 30, 9, f"Page {number} of 3"),
        ]
        for number in (1, 2, 3)
    ]
    passages = chunks(read(*pages))
    assert [(p.metadata["page"], p.title) for p in passages] == [(n, f"A › Part {n}") for n in (1, 2, 3)]
    assert not any("Harbour" in p.text or "of 3" in p.text for p in passages)


def test_a_running_head_of_two_parts_goes_from_pages_of_one_column_and_of_two():
    """What stands left and right at one height is one line or two, as the page has columns."""
    pages = []
    for number in range(4):
        page = [(60, 815, 9, "Fernhill Mutual"), (310, 815, 9, "Bicycle insurance, wording FM/4")]
        for row, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
            columns = [(60, 740 - 14 * row, 11, left), (310, 740 - 14 * row, 11, right)]
            page += columns if number % 2 else [(60, 740 - 14 * row, 11, f"{left}, {right}")]
        pages.append(page)
    text = read(*pages).text
    assert "Fernhill Mutual" not in text
    assert "FM/4" not in text
    assert text.count(LEFT[0]) == 4


def test_a_running_head_that_names_its_section_goes():
    """It differs on each page; what tells it is the page's number at its end."""
    names = "Ships", "Cargo", "Harbour dues", "Crew"
    pages = [
        [(60, 820, 9, f"{number}. {name} {number + 6}"), *paragraphs(f"{LONG} for {name.lower()}.", top=700)]
        for number, name in enumerate(names, 1)
    ]
    assert read(*pages).text == "\n\n".join(f"{LONG} for {name.lower()}." for name in names)


def test_a_scan_says_that_it_needs_ocr():
    """A PDF without any text is reported as images, not as empty."""
    with pytest.raises(SourceError, match=r"images only .*2 pages.*OCR"):
        read([], [])


def test_pages_that_are_pictures_are_told_beside_those_that_are_read():
    """A PDF with one scanned page is read, and the page it could not read is named; a blank page is not."""
    picture, data = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (40, 40), "white").save(picture, "PDF")
    writer = PdfWriter()
    writer.append(io.BytesIO(pdf(paragraphs("The first page has words."))))
    writer.append(picture)
    writer.add_blank_page(595, 842)
    writer.write(data)
    document = parse(data.getvalue(), "a.pdf")
    assert document.text == "The first page has words."
    assert document.unread == "is read in part: page 2 holds images only and needs OCR first"


def test_a_locked_pdf_is_named_as_such():
    """A password that is not empty is said to be in the way."""
    with pytest.raises(SourceError, match="password"):
        parse(encrypted(pdf(paragraphs(LONG)), "secret"), "a.pdf")


def test_a_pdf_locked_for_owners_only_is_read():
    """Files that only forbid printing open without a password."""
    assert parse(encrypted(pdf(paragraphs(LONG)), "", "owner"), "a.pdf").text == LONG


def test_a_modern_cipher_is_opened():
    """A file locked for owners only with AES opens too."""
    data = (Path(__file__).parent / "locked_for_owners.pdf").read_bytes()
    assert parse(data, "a.pdf").text == "Locked for owners."


LEFT = [
    "The council of the town met on Monday and",
    "spoke about the price of water, which has",
    "risen every year since the works opened.",
    "Nobody asked for more money than before.",
]
RIGHT = [
    "Fishing in the harbour is allowed for all",
    "who hold a licence. The licence costs five",
    "pounds a year and is sold at the office of",
    "the harbour master on each working day.",
]


@pytest.mark.parametrize("lower", [0, 5])
def test_two_columns_are_read_one_after_the_other(lower):
    """Whether their lines stand at one height or not; what goes across both stays where it stands."""
    page = [(60, 800, 11, "A line across both of the columns, from one margin of the page to the other margin.")]
    for row, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        page += [(60, 760 - 14 * row, 11, left), (310, 760 - lower - 14 * row, 11, right)]
    page.append((60, 640, 11, "Another line across both of the columns stands below them, also to the other margin."))
    document = read(page)
    paragraphs = document.text.split("\n\n")
    assert paragraphs[1:3] == [" ".join(LEFT), " ".join(RIGHT)]
    assert [part.split()[0] for part in paragraphs] == ["A", "The", "Fishing", "Another"]


def test_words_set_without_spaces_read_as_words():
    """Many programs move to where a word begins and write no space; the gap is one."""
    said = "performing all the necessary tasks at once".split()
    at, page = 60.0, []
    for word in said:
        page.append((at, 700, 11, word))
        at += 11 * (0.5 * len(word) + 0.55)
    assert read(page).text == " ".join(said)


def test_a_passage_knows_the_rectangle_of_each_line():
    """Each line's words, page and box in points from the lower left corner, by offsets into the passage's text."""
    pages = [paragraphs(LONG + " if", "our doctor agrees."), paragraphs("The second page.", top=400)]
    passage, *_ = chunks(read(*pages))
    places = passage.metadata["places"]
    assert [passage.text[p["start"] : p["end"]] for p in places] == [
        LONG + " if",
        "our doctor agrees.",
        "The second page.",
    ]
    assert [p["page"] for p in places] == [1, 1, 2]
    for place, (x, y) in zip(places, [(60, 780), (60, 766), (60, 400)], strict=True):
        left, bottom, right, top = place["box"]
        assert left == pytest.approx(x, abs=2)
        assert bottom - 3 <= y <= top <= y + 11
        assert right > left + 4 * (place["end"] - place["start"])


def test_rows_and_items_have_their_rectangles():
    """A table's row and a list's item lead to where they are printed."""
    rows = [("Band", "Premium"), ("A", "Nothing")]
    lines = [(60 + 120 * n, 700 - 14 * r, 11, cell) for r, row in enumerate(rows) for n, cell in enumerate(row)]
    passage, *_ = chunks(read([*paragraphs("Tell us about:", "- heart conditions;", "- cancer."), *lines]))
    told = {passage.text[p["start"] : p["end"]]: p["box"] for p in passage.metadata["places"]}
    assert told.keys() == {
        "Tell us about:",
        "- heart conditions;",
        "- cancer.",
        "| Band | Premium |",
        "| A | Nothing |",
    }
    assert told["| A | Nothing |"][1] == pytest.approx(686, abs=3)


DRIVERS = [
    (64, 672, 9, "Person driving"),
    (244, 672, 9, "Section 4"),
    (244, 662, 9, "(damage)"),
    (64, 652, 9, "Driver aged 25 or over who has held"),
    (64, 642, 9, "a full licence for a year or more"),
    (244, 652, 9, "£150"),
    (64, 632, 9, "Driver aged 17 to 20"),
    (244, 632, 9, "£550"),
]
GRID = ruled([60, 240, 340], [680, 660, 640, 628])


def test_cells_of_several_lines_between_rules_stay_one_cell():
    """Where strokes are drawn, they tell the cells: a key of two lines is no row of its own, nor is a heading's."""
    document = parse(pdf(DRIVERS, drawn=GRID), "a.pdf")
    assert document.text == (
        "| Person driving | Section 4 (damage) |\n| --- | --- |\n"
        "| Driver aged 25 or over who has held a full licence for a year or more | £150 |\n"
        "| Driver aged 17 to 20 | £550 |"
    )


def test_a_cell_over_two_rows_is_told_in_both():
    """Where the stroke between two cells is missing, what stands there is said of both rows."""
    broken = GRID.replace("60 640 m 340 640 l", "60 640 m 240 640 l")
    document = parse(pdf([line for line in DRIVERS if line[3] != "£550"], drawn=broken), "a.pdf")
    assert "| Driver aged 17 to 20 | £150 |" in document.text


def test_a_table_that_goes_on_over_the_page_says_its_head_once():
    """The head that a program repeats on the next page is no row of the table."""
    document = parse(pdf(DRIVERS, [*DRIVERS[:3], (64, 652, 9, "Others"), (244, 652, 9, "£300")], drawn=GRID), "a.pdf")
    assert document.text.count("Person driving") == 1
    assert document.text.endswith("| Driver aged 17 to 20 | £550 |\n| Others | £300 |")


def test_a_frame_round_text_and_a_chart_are_no_tables():
    """A box has one cell, the squares behind a chart have few words in them."""
    lines = paragraphs(LONG + ".", "Call us first.")
    assert parse(pdf(lines, drawn="50 700 500 100 re S"), "a.pdf").text == f"{LONG}. Call us first."
    squares = ruled([50 + 50 * n for n in range(9)], [600 - 50 * n for n in range(8)])
    assert "|" not in parse(pdf([*lines, (60, 560, 9, "2020"), (260, 410, 9, "2024")], drawn=squares), "a.pdf").text


def test_a_table_within_a_frame_is_read_as_one():
    """A frame round a page, or a box round a text and its table, parts no cells: the text stays text."""
    lines = [(64, 800, 9, LONG + "."), (64, 600, 9, "Call us first.")]
    framed = GRID + "\n20 20 555 802 re S\n40 580 515 240 re S"
    document = parse(pdf([*lines, *DRIVERS], drawn=framed), "a.pdf")
    assert document.text.split("\n\n")[::2] == [LONG + ".", "Call us first."]
    assert "| Driver aged 17 to 20 | £550 |" in document.text


def test_a_cell_over_the_whole_width_that_holds_a_text_is_a_frame():
    """A form whose frame has a head of cells: what stands below the head is read as text, with its table."""
    head = [(34, 805, 9, "Harbour Mutual"), (304, 805, 9, "Car insurance")]
    frame = "30 20 545 800 re S\n30 795 m 575 795 l S\n300 795 m 300 820 l S\n30 50 m 575 50 l S"
    text = [(64, 780 - 12 * n, 9, f"{LONG}, says line {n}.") for n in range(1, 8)]
    document = parse(pdf([*head, *text, *DRIVERS], drawn=f"{GRID}\n{frame}"), "a.pdf")
    assert [block.kind for section in document.sections for block in section.blocks] == ["table", "text", "table"]
    assert document.text.startswith("| Harbour Mutual | Car insurance |\n\nWe pay")


def test_tables_side_by_side_stay_two():
    """Rows that happen to stand at one height are not joined; each table is read to its end."""
    right = [(x + 290, y, size, text.replace("Driver", "Rider")) for x, y, size, text in DRIVERS]
    both = GRID + "\n" + ruled([350, 530, 580], [680, 660, 640, 628])
    tables = parse(pdf([*DRIVERS, *right], drawn=both), "a.pdf").text.split("\n\n")
    assert [len(table.splitlines()) for table in tables] == [4, 4]
    assert tables[1] == tables[0].replace("Driver", "Rider")


def test_a_table_in_one_of_two_columns_stays_there():
    """A table is as good as lines of prose to tell that a page is set in columns."""
    page = [(310, 680 - 14 * row, 11, right) for row, right in enumerate(RIGHT)]
    document = parse(pdf([*page, *DRIVERS], drawn=ruled([60, 240, 300], [680, 660, 640, 628])), "a.pdf")
    assert document.text.endswith("| Driver aged 17 to 20 | £550 |\n\n" + " ".join(RIGHT))


def test_a_table_in_larger_letters_than_the_text_is_no_heading():
    """Rows between rules are rows, whatever size they are set in."""
    small = [(60, 600 - 8 * row, 6, LONG) for row in range(9)]
    assert "| Driver aged 17 to 20 | £550 |" in parse(pdf([*DRIVERS, *small], drawn=GRID), "a.pdf").text


@pytest.mark.parametrize(
    "drawn",
    [
        GRID.replace("0.5 w", "3 w"),
        "\n".join(line for line in GRID.splitlines() if not line.startswith(("60 680 m 60", "340 680 m 340"))),
        "\n".join(line for line in GRID.splitlines() if "m 340 680" not in line and "m 340 628" not in line),
    ],
    ids=["thick", "open at the sides", "open above and below"],
)
def test_tables_are_known_by_thick_lines_and_by_inner_ones(drawn):
    """A table without lines round it reaches as far as those inside it."""
    text = parse(pdf(DRIVERS, drawn=drawn), "a.pdf").text
    assert text.startswith("| Person driving | Section 4 (damage) |\n")
    assert text.endswith("| £550 |")


@pytest.mark.parametrize(
    "drawn",
    [
        "\n".join(f"60 {y} m 340 {y} l S" for y in (680, 660, 640, 628)),
        "\n".join(f"60 {y} m 240 {y} l 340 {y} l S" for y in (660, 640, 628)),
        "0.9 g 60 660 280 20 re f 60 628 280 12 re f 0 g",
        "0.9 g 60 660 180 20 re f 240 660 100 20 re f 60 628 180 12 re f 240 628 100 12 re f 0 g",
    ],
    ids=["rules", "rules below rows", "shaded rows", "shaded cells"],
)
def test_rows_parted_by_rules_or_shading_alone_keep_their_cells(drawn):
    """Without lines down, the white that goes through all rows tells the columns, also of the row outside the rules."""
    document = parse(pdf([*DRIVERS, *paragraphs(LONG, size=9, top=600)], drawn=drawn), "a.pdf")
    assert document.text == (
        "| Person driving | Section 4 (damage) |\n| --- | --- |\n"
        "| Driver aged 25 or over who has held a full licence for a year or more | £150 |\n"
        f"| Driver aged 17 to 20 | £550 |\n\n{LONG}"
    )


def test_a_line_over_all_columns_does_not_end_a_table():
    """The name of a part of a table, between the same rules as its rows, is a row of its own."""
    rows = [
        (64, 616, 9, "Drivers whom we have agreed to insure for one trip only"),
        (64, 602, 9, "Guests"),
        (244, 602, 9, "£9"),
    ]
    rules = "\n".join(f"60 {y} m 340 {y} l S" for y in (680, 660, 640, 628, 612, 598))
    text = parse(pdf([*DRIVERS, *rows], drawn=rules), "a.pdf").text
    assert text.endswith("£550 |\n| Drivers whom we have agreed to insure for one trip only |  |\n| Guests | £9 |")


def test_rules_between_texts_make_no_table():
    """Headings with a rule below each, their numbers set apart, part texts and no rows; nor does a chart's grid."""
    page, rules = [], []
    for number in range(5):
        y = 780 - 100 * number
        page += [(60, y, 11, f"{number}"), (90, y, 11, "How to claim"), *paragraphs(LONG + ",", "now.", top=y - 20)]
        rules.append(f"60 {y - 4} m 535 {y - 4} l S")
    text = parse(pdf(page, drawn="\n".join(rules)), "a.pdf").text
    assert text.count(f"{LONG}, now.") == 5
    axis = [(62, 596 - 20 * n, 9, f"{100 - n}") for n in range(5)] + [
        (200, 596 - 20 * n, 9, f"{n} %") for n in range(5)
    ]
    chart = "\n".join(f"60 {600 - 20 * n} m 300 {600 - 20 * n} l S" for n in range(5))
    assert parse(pdf(axis, drawn=chart), "a.pdf").text == parse(pdf(axis), "a.pdf").text


def test_a_table_in_a_cell_is_what_that_cell_says():
    """The lines of a small table in a cell part no rows of the one around it."""
    inner = ruled([247, 290, 333], [656.5, 650, 643.5])
    limits = [(x, y, 6, text) for y in (651, 645) for x, text in ((249, "Theft"), (292, f"£{y}"))]
    document = parse(pdf([line for line in DRIVERS if line[3] != "£150"] + limits, drawn=f"{GRID}\n{inner}"), "a.pdf")
    assert "full licence for a year or more | Theft £651 Theft £645 |\n| Driver aged 17" in document.text


def test_a_head_of_two_rows_is_said_once():
    """Each row of a head that is printed again on the next page is left out there."""
    more = [(64, 652, 9, "Others"), (244, 652, 9, "£300")]
    shorter = [(x, y - 5, size, text) for x, y, size, text in (*more, (64, 639, 9, "Nobody"), (244, 639, 9, "£5"))]
    units = [(64, 667, 9, "Age"), (244, 667, 9, "pounds"), *shorter]
    drawn = ruled([60, 240, 340], [690, 675, 660, 645, 630])
    head = [(64, 680, 9, "Person driving"), (244, 680, 9, "Section 4")]
    first = [*head, *units]
    second = [
        *head,
        *units[:2],
        (64, 650, 9, "Guests"),
        (244, 650, 9, "£70"),
        (64, 635, 9, "Heirs"),
        (244, 635, 9, "£9"),
    ]
    text = parse(pdf(first, second, drawn=drawn), "a.pdf").text
    assert [line.split()[1] for line in text.splitlines()] == [
        "Person",
        "---",
        "Age",
        "Others",
        "Nobody",
        "Guests",
        "Heirs",
    ]


def test_a_page_set_sideways_is_read():
    """A wide table is often set sideways on an upright page; its marks lie where it is printed."""
    rows = [(100, 64, "Driver"), (100, 244, "Excess"), (120, 64, "Aged 17 to 20"), (120, 244, "\\243550")]
    shown = [f"BT /F1 9 Tf 0 1 -1 0 {x} {y} Tm ({text}) Tj ET" for x, y, text in rows]
    lines = [f"{x} 60 m {x} 340 l S" for x in (88, 106, 126)] + [f"88 {y} m 126 {y} l S" for y in (60, 240, 340)]
    document = parse(pdf([], drawn="\n".join([*shown, *lines])), "a.pdf")
    assert document.text == "| Driver | Excess |\n| --- | --- |\n| Aged 17 to 20 | £550 |"
    assert [mark.box for mark in document.marks] == [(88, 60, 106, 340), (106, 60, 126, 340)]


def test_a_drawing_of_thousands_of_lines_is_no_table():
    """Strokes beyond counting are given up, the words among them are not."""
    strokes = "\n".join(f"50 {100 + n / 10} m 550 {100 + n / 10} l S {n / 9} 50 m {n / 9} 800 l S" for n in range(2400))
    assert parse(pdf(paragraphs(LONG), drawn=strokes), "a.pdf").text == LONG


def test_a_table_of_contents_is_no_heading():
    """Lines of dots that lead to a page number are dropped; the sections they name are found in the text."""
    page = [
        (60, 780, 14, "1 Cover . . . . . . . . . 2"),
        *paragraphs(LONG + ".", top=700),
        *paragraphs(LONG + "!", top=600),
    ]
    assert read(page).text == f"{LONG}.\n\n{LONG}!"


def test_a_chapter_in_a_table_of_contents_goes_with_its_sections():
    """Chapters are often listed without dots, above their sections; any other line may end in a number."""
    contents = [(60, 780, 11, "1 Cover 2", "bold")]
    contents += [(60, 760 - 14 * n, 11, f"1.{n} Part . . . . . . . . . {n}") for n in range(3)]
    assert read([*contents, *paragraphs(LONG + " of 2026", top=600)]).text == f"{LONG} of 2026"
    assert "1 Cover 2" in read([contents[0], *paragraphs(LONG + ".", top=600)]).text


@pytest.mark.parametrize("keep", [20, 300, 700])
def test_a_broken_pdf_is_named_as_such(keep):
    """A file cut off or overwritten is damaged, whatever the parser says about it."""
    data = pdf(paragraphs(LONG))
    with pytest.raises(SourceError, match=r"damaged|images only"):
        parse(data[:keep].replace(b"obj", b"0bj"), "a.pdf")
