"""Passages: reading-sized, never across sections, whole where a cut would lose the sense."""

import uuid
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from footnoted.retrieval.load import chunks, parse
from footnoted.retrieval.load.chunks import LEAST, MOST, TABLE_MOST, size_of
from tests.laws import tried


def passages(text: str, path: str = "a.md"):
    return chunks(parse(text.encode(), path))


def sentence(number: int) -> str:
    return f"Sentence number {number} says one more thing about the cover that this policy gives."


def test_long_sections_are_cut_between_sentences():
    """Every passage of running text ends where a sentence does, and stays within the bound."""
    found = passages("# T\n\n" + " ".join(map(sentence, range(100))))
    assert len(found) > 3
    assert all(LEAST <= size_of(passage.text) <= MOST * 1.25 for passage in found)
    assert all(passage.text.endswith("gives.") for passage in found)


def test_short_paragraphs_of_a_section_are_read_together():
    """Neighbouring paragraphs share a passage until it is full."""
    found = passages("# T\n\n" + "\n\n".join(map(sentence, range(40))))
    assert all(size_of(passage.text) > LEAST for passage in found)


def test_no_passage_crosses_a_heading():
    """However short, what stands under another heading is another passage."""
    found = passages("# T\n\n## A\n\nOne.\n\n## B\n\nTwo.\n")
    assert [(p.title, p.text) for p in found] == [("T › A", "One."), ("T › B", "Two.")]


def test_a_table_is_kept_whole():
    """A table longer than a passage of prose still stands in one piece."""
    rows = "\n".join(f"| Claim of kind {n} | £{n}00 a year and person |" for n in range(45))
    table = f"| Claim | Excess |\n| --- | --- |\n{rows}"
    assert MOST < size_of(table) < TABLE_MOST
    assert any(table in passage.text for passage in passages(f"# T\n\nBefore.\n\n{table}\n\nAfter.\n"))


def test_a_very_long_table_repeats_its_head():
    """Each piece of a cut table says what its columns mean."""
    rows = [f"| Claim of kind {n} | £{n}00 a year and person |" for n in range(400)]
    head = "| Claim | Excess |\n| --- | --- |"
    found = passages("# T\n\n" + "\n".join([head, *rows]))
    assert len(found) > 5
    assert all(passage.text.startswith(head + "\n| Claim") for passage in found)
    assert [row for p in found for row in p.text.splitlines()[2:]] == rows
    assert [p.metadata.get("continued", False) for p in found] == [False] + [True] * (len(found) - 1)


def test_an_introduction_stays_with_its_list():
    """The line that ends in a colon is never parted from what it announces, even when the list is cut."""
    items = "\n".join(f"- {sentence(n)}" for n in range(60))
    prose = " ".join(map(sentence, range(15)))
    found = passages(f"# T\n\n{prose}\n\nWe do not cover:\n\n{items}\n")
    lists = [passage for passage in found if passage.metadata["kind"] == "list"]
    assert len(lists) > 2
    assert all(passage.text.startswith("We do not cover:") for passage in lists)


def test_a_caption_stays_with_its_table():
    """The short line before a table says what it is of, and is never parted from it; a sentence before it may be."""
    rows = "\n".join(f"| Claim of kind {n} | £{n}00 a year and person |" for n in range(20))
    table = f"| Claim | Excess |\n| --- | --- |\n{rows}"
    prose = "\n\n".join(map(sentence, range(12)))
    (last,) = [one for one in passages(f"# T\n\n{prose}\n\nTable 2 – What you pay\n\n{table}\n") if "|" in one.text]
    assert last.text == f"Table 2 – What you pay\n\n{table}"
    (last,) = [one for one in passages(f"# T\n\n{prose}\n\nIt is all here.\n\n{table}\n") if "|" in one.text]
    assert last.text == table


def test_metadata_tells_where_a_passage_stands():
    """File, section, kind and offsets ride on each passage; the offsets bound its text."""
    document = parse(b"# T\n\n## A\n\n### B\n\nSome words.\n", "dir/a.md")
    (passage,) = chunks(document)
    data = passage.metadata
    assert (data["file"], data["section"], data["section_hierarchy"]) == ("dir/a.md", "A › B", ["A", "B"])
    assert (data["kind"], data["format"], data["title"]) == ("text", "markdown", "T")
    assert document.text[data["start"] : data["end"]] == passage.text


def test_ids_depend_on_path_and_place_only():
    """The same file gives the same ids on every machine and day; another path gives others."""
    one, again, other = (
        passages("# T\n\nWords.", "a.md"),
        passages("# T\n\nWords.", "a.md"),
        passages("# T\n\nWords.", "b.md"),
    )
    assert [p.id for p in one] == [p.id for p in again]
    assert one[0].id != other[0].id
    assert one[0].metadata["document_id"] != other[0].metadata["document_id"]
    assert uuid.UUID(one[0].id).version == uuid.UUID(one[0].metadata["document_id"]).version == 5


def test_chinese_and_thai_are_cut_into_reading_sizes():
    """Scripts without spaces are measured by characters and cut at their own sentence ends."""
    chinese = passages("# 保险\n\n" + "保险公司应当在三十日内赔付被保险人的损失。" * 100)
    assert len(chinese) > 3
    assert all(passage.text.endswith("。") and size_of(passage.text) <= MOST * 1.25 for passage in chinese)
    thai = passages("# ประกัน\n\n" + "บริษัทจะจ่ายค่าสินไหมทดแทนภายในสิบห้าวันนับจากวันที่ได้รับเอกสาร " * 60)
    assert len(thai) > 3
    assert all(size_of(passage.text) <= MOST * 1.25 for passage in thai)


def test_text_without_any_words_or_ends_is_bounded():
    """A megabyte in one line does not become one passage."""
    for text in ("x" * 300_000, "word " * 60_000, "- a\n" + " " * 200_000 + "- b"):
        assert all(len(passage.text) <= 6000 for passage in passages(text, "a.txt"))


BLOCKS = st.lists(
    st.sampled_from(
        [
            "# Top\n",
            "## Section\n",
            "### Deeper\n",
            "A paragraph of a few words.\n",
            " ".join(map(sentence, range(12))) + "\n",
            "We pay for:\n",
            "- one\n- two\n  more\n",
            "1. first\n2. second\n",
            "| a | b |\n| - | - |\n| 1 | 2 |\n",
            "```\ncode here\n```\n",
            "> quoted words\n",
            "保险公司应当赔付。\n",
            "---\n",
            "<b> inline </b> html\n",
        ]
    ),
    min_size=1,
    max_size=14,
)


@tried(120)
@given(BLOCKS)
def test_every_word_of_a_document_is_in_some_passage_or_title(blocks):
    """Cutting loses nothing: each word stands in a passage, or in the title above it; passages never overlap."""
    text = "\n".join(["Opening words.\n", *blocks])
    document = parse(text.encode(), "a.md")
    found = chunks(document)
    said = " ".join(f"{p.title} {p.text}" for p in found) + document.title
    if found:
        assert all(
            word in said for word in text.replace("<b>", "").replace("</b>", "").split() if any(map(str.isalnum, word))
        )
    places = [(p.metadata["start"], p.metadata["end"]) for p in found]
    assert all(before[1] <= after[0] for before, after in pairwise(places))
    assert all(document.text[a:b] == p.text for (a, b), p in zip(places, found, strict=True))
