"""Rules that lower a tick: negation in many languages, words that turn a sentence, order, figures, names, cells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnoted.grounding import Checker
from footnoted.grounding.agreement import passed_over, reckoned, reordered, turned, unknown_name
from footnoted.grounding.evidence import passage
from footnoted.grounding.tables import Row, misplaced, rows
from footnoted.types import Source

NEGATED = [json.loads(line) for line in Path(__file__).with_name("negation.jsonl").read_text("utf-8").splitlines()]
LANGUAGES = sorted({pair["lang"] for pair in NEGATED})


@pytest.fixture(scope="module")
def checker():
    return Checker()


def test_fifteen_languages_of_ten_pairs():
    """What the figures below are about."""
    assert len(LANGUAGES) == 15
    assert all(sum(pair["lang"] == code for pair in NEGATED) == 10 for code in LANGUAGES)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_negation_put_in_or_left_out_is_never_ticked(checker, code):
    """In no language, and a sentence quoted whole is ticked in all."""
    for pair in NEGATED:
        if pair["lang"] != code:
            continue
        with_, without = pair["with"], pair["without"]
        assert checker.check(with_, [Source("s", without)]).ruling != "supported"
        assert checker.check(without, [Source("s", with_)]).ruling != "supported"
        assert checker.check(with_, [Source("s", f"{with_} {without}")]).ruling == "supported"


def test_the_words_of_negation_are_known():
    """The same told by the rule alone, whatever the reader and the languages it is measured in: 98 of 100."""
    told = [turned(pair[a], pair[b]) for pair in NEGATED for a, b in (("with", "without"), ("without", "with"))]
    assert sum(map(bool, told)) >= 0.98 * len(told)


@pytest.mark.parametrize(
    ("claim", "sentence", "word"),
    [
        ("Guests may use the pool.", "Guests must use the pool.", "may"),
        ("All members of the club can vote.", "Most members of the club can vote.", "all"),
        ("The tunnel is open to lorries.", "The tunnel is open to lorries unless it snows.", "unless"),
        ("The bridge was built by monks.", "The guide claims that the bridge was built by monks.", "claims"),
        ("The bridge was built by monks.", "According to the guide, the bridge was built by monks.", "according"),
        ("According to the guide, the bridge was built by monks.", "The bridge was built by monks.", ""),
        ("It holds fewer than 40 people.", "It holds more than 40 people.", "fewer"),
        ("The pool never closes in winter.", "The pool closes in winter.", "never"),
        ("The pool closes in winter.", "In winter the pool closes.", ""),
        ("Guests can use the pool.", "Guests may use the pool.", ""),
        ("The tower was finished late.", "Some say the weather was bad all year, unless you ask a sailor.", ""),
    ],
)
def test_a_word_that_turns_one_of_two_nearly_equal_sentences(claim, sentence, word):
    """It is named; between sentences that say different things no word counts."""
    assert turned(claim, sentence) == word


@pytest.mark.parametrize(
    ("claim", "sentence", "told"),
    [
        ("The town sold the hall to the Trust.", "The Trust sold the hall to the town.", True),
        ("Cars pay 7 euros and lorries 3.", "Cars pay 3 euros and lorries 7.", True),
        ("The limit is counted per token, not per project.", "The limit is counted per project, not per token.", True),
        ("The hall was sold to the Trust by the town.", "The town sold the hall to the Trust.", False),
        ("In 1989 the town sold the hall.", "The town sold the hall in 1989.", False),
        ("Loans end early if a book is reserved.", "If a book is reserved, loans end early.", False),
    ],
)
def test_things_that_changed_places(claim, sentence, told):
    """Around what stands between them; a part that only moved to the front or end changes nothing."""
    assert reordered(claim, sentence) is told


@pytest.mark.parametrize(
    ("claim", "figure"),
    [
        ("The pool opens at 9 a.m. on Saturday.", "10 a.m."),
        ("The pool opens at 10 a.m.", ""),
        ("The pool opens at 9 a.m. on weekdays.", ""),
        ("On Saturday the pool opens at 10 a.m.", ""),
        ("The pool opens at 9 a.m. on weekdays and at 10 a.m. on Saturday.", ""),
    ],
)
def test_figures_of_a_list_are_bound_in_order(claim, figure):
    """A claim that takes one figure's place with the other's word passes over that other figure."""
    assert passed_over(claim, "The pool opens at 9 a.m. on weekdays and at 10 a.m. on Saturday.") == figure


def test_a_name_that_no_source_has():
    """It is pointed at; inflection, titles and metadata count as having it."""
    said = [
        passage(Source("s", "The bridge was built by monks in Sicily.", "Harbour Mutual", metadata={"by": "Vance"}))
    ]
    claim = "The bridge was built by Rossi."
    found = unknown_name(claim, said)
    assert found is not None
    assert claim[found.start : found.end] == "Rossi"
    assert unknown_name("The bridge on the Sicilian coast was built by monks.", said) is None
    assert unknown_name("A claim is sent to Harbour Mutual and to Vance.", said) is None
    assert unknown_name("Rossi built it.", said) is None  # a sentence's first word says nothing


TABLE = """## Plans

| Plan | Monthly price | Storage |
|:---|---:|---|
| Free | $0 | 5 GB |
| **Plus** | $25 | 50 GB |
| Team | $60 | 500 GB |
"""


def test_a_row_is_read_with_its_headers():
    """Row, header and caption are one evidence; the span is still the row itself."""
    one = passage(Source("s", TABLE))
    told = {row.key: row.told() for row in rows(TABLE, one.spans).values()}
    assert told["Plus"] == "Plus, Monthly price: $25; Storage: 50 GB."
    assert set(told) == {"Free", "Plus", "Team"}
    index = next(index for index, row in one.rows.items() if row.key == "Team")
    assert one.read(index).startswith("Team, Monthly price")
    assert one.words(index) == "| Team | $60 | 500 GB |"


@pytest.mark.parametrize(
    ("claim", "instead"),
    [
        ("The Plus plan costs $60 a month.", "$25"),
        ("Team has 50 GB of storage.", "500 GB"),
        ("The Plus plan costs $25 a month.", None),
        ("The Plus plan costs 300 dollars a year.", None),  # a sum: no cell has it
        ("The Team plan costs more than $25.", None),
        ("Plus is $35 cheaper than Team.", None),  # two rows
        ("Every plan costs $25.", None),  # no row
    ],
)
def test_a_figure_is_bound_to_its_row_and_column(claim, instead):
    """A figure of the table in another cell than the words name is told, with what the named one has."""
    found = misplaced(claim, passage(Source("s", TABLE)).rows.values())
    assert (found.instead if found else None) == instead


def test_a_row_without_header_and_a_cell_with_a_bar():
    """An empty header leaves the cell alone; an escaped bar ends none."""
    assert Row(("", ""), ("E01", "no flame")).told() == "E01, no flame."
    text = "| Code | Meaning |\n|---|---|\n| a\\|b | both |\n"
    (row,) = passage(Source("s", text)).rows.values()
    assert row.cells == ("a\\|b", "both")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The car was red.", 'The witness said: "It was dark. The car was red. It drove off."'),
        ("The moon is made of cheese.", "The moon is made of cheese. This is a myth."),
        ("The moon is made of cheese.", "The moon is made of cheese? Nobody knows."),
        ("Kestrel shredded its records.", "Newspapers reported: “Kestrel was warned. Kestrel shredded its records.”"),
        ("Die Gebühr entfällt.", "Die Gebühr entfällt; das gilt nicht für Hunde."),
    ],
)
def test_what_a_source_quotes_denies_or_takes_back_gets_no_tick(checker, claim, source):
    """Though it stands there letter by letter."""
    assert checker.check(claim, [Source("s", source)]).ruling != "supported"


@pytest.mark.parametrize(
    ("claim", "odd"),
    [
        ("The premium is due before Your Schedule is issued.", ""),
        ("Boats are covered in The Solent when You are aboard.", "Solent"),
        ("The moorings are let to RIBs in the summer.", ""),
        ("The moorings are let by Kestrelmoor in the summer.", "Kestrelmoor"),
    ],
)
def test_a_word_that_everybody_knows_is_no_unknown_name(claim, odd):
    """Policies write "Your" and "The"; that no source has the word says nothing. A name that none has does."""
    passages = [passage(Source("a", "Boats on a mooring are covered while somebody is aboard."))]
    found = unknown_name(claim, passages)
    assert (claim[found.start : found.end] if found else "") == odd


@pytest.mark.parametrize(
    ("claim", "evidence", "figure"),
    [
        ("Report it within two weeks.", "Report a claim within 14 days.", "two weeks"),
        ("It runs for 48 hours.", "It runs for two days.", "48 hours"),
        ("Report it within 14 days.", "Report a claim within 14 days.", ""),
        ("Report it within 10 days.", "Report a claim within 14 days.", ""),
        ("It is free.", "It is free.", ""),
    ],
)
def test_a_figure_in_another_unit_is_for_no_reader_of_words(claim, evidence, figure):
    """Equal figures in other units are named, so that none is called a contradiction; other figures are not."""
    assert reckoned(claim, evidence) == figure
