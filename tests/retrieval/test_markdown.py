"""Markdown: structure is found, the words stay the file's own, and what only a site's builder reads is gone."""

from footnoted.retrieval.load import chunks, parse

PAGE = """---
title: "Car Policy"
product_name: Harbour Car
tags: [a, b]
---

# Car Policy

An opening paragraph.

## Windscreen *excess* & `glass`

The excess is **£75**.
It is £115 elsewhere.

| Claim | Excess |
| --- | --- |
| Fire | £200 |
| Theft | £300 |

### Conditions

You must:

- lock the car;
- tell us,
  soon.

Setext heading
--------------

```python
# not a heading
x = 1
```

<!-- a remark nobody reads -->

<div>

<script>
var words = "unseen";
</script>

[link]: https://example.org
"""


def read(text: str):
    return parse(text.encode(), "car/policy.md")


def test_sections_follow_the_headings_and_their_levels():
    """Each section knows the headings above it; the top heading is the title and stands in no trail."""
    document = read(PAGE)
    assert document.title == "Car Policy"
    assert [section.headings for section in document.sections] == [
        (),
        ("Windscreen excess & glass",),
        ("Windscreen excess & glass", "Conditions"),
        ("Setext heading",),
    ]


def test_the_words_are_the_files_own():
    """Each passage is a stretch of the text, with the author's bold, code and line ends; its line is the file's."""
    document = read(PAGE)
    passages = chunks(document)
    assert all(document.text[p.metadata["start"] : p.metadata["end"]] == p.text for p in passages)
    assert any("The excess is **£75**.\nIt is £115 elsewhere." in p.text for p in passages)
    assert all(PAGE.splitlines()[p.metadata["line"] - 1] == p.text.splitlines()[0] for p in passages)


def test_titles_tell_document_section_and_subsection():
    """A passage's title reads from the document down to its own heading."""
    titles = [passage.title for passage in chunks(read(PAGE))]
    assert "Car Policy › Windscreen excess & glass › Conditions" in titles


def test_front_matter_is_metadata_and_no_passage():
    """Front matter gives the title and rides along as metadata; nobody is shown it as a passage."""
    passages = chunks(read(PAGE))
    assert all(passage.metadata["product_name"] == "Harbour Car" for passage in passages)
    assert not any("product_name" in passage.text for passage in passages)


def test_toml_front_matter_is_understood():
    """Hugo's ``+++`` blocks work as YAML's."""
    document = read('+++\ntitle = "Hello"\n+++\nBody text.\n')
    assert document.title == "Hello"
    assert [passage.text for passage in chunks(document)] == ["Body text."]


def test_a_rule_at_the_top_is_not_front_matter():
    """A page that merely opens with a rule keeps all its text."""
    assert [p.text for p in chunks(read("---\n\nOnly text here.\n"))] == ["Only text here."]


def test_a_table_is_one_block_with_its_head():
    """Rows and head are known apart, for tables too long for one passage."""
    blocks = [block for section in read(PAGE).sections for block in section.blocks if block.kind == "table"]
    assert len(blocks) == 1
    assert read(PAGE).text[slice(*blocks[0].lead)] == "| Claim | Excess |\n| --- | --- |"
    assert [read(PAGE).text[a:b] for a, b in blocks[0].parts] == ["| Fire | £200 |", "| Theft | £300 |"]


def test_list_items_keep_their_wrapped_lines():
    """An item's second line belongs to it."""
    blocks = [block for section in read(PAGE).sections for block in section.blocks if block.kind == "list"]
    assert [read(PAGE).text[a:b] for a, b in blocks[0].parts] == ["- lock the car;", "- tell us,\n  soon."]


def test_code_is_no_heading_and_remarks_are_dropped():
    """A ``#`` inside a listing opens no section; HTML without words is no passage."""
    passages = chunks(read(PAGE))
    assert passages[-1].metadata["kind"] == "code"
    assert not any("remark" in p.text or "<div>" in p.text or "unseen" in p.text for p in passages)


def test_a_file_without_headings_is_named_after_itself():
    """The file's name, made readable, is the title of last resort."""
    document = parse(b"Just a paragraph.", "notes/third-party_only.md")
    assert document.title == "Third party only"
    assert chunks(document)[0].title == "Third party only"


def test_two_top_headings_stay_in_the_trail():
    """Where no heading is the title, all of them lead to their sections."""
    document = read("# One\n\na\n\n# Two\n\nb\n")
    assert [section.headings for section in document.sections] == [("One",), ("Two",)]


def test_a_heading_with_nothing_under_it_is_text():
    """Rules written as bare headings are found too."""
    document = read("# Rules\n\n## 1. Be kind\n\n## 2. Do not spam\n\n## More\n\nText.\n")
    passages = chunks(document)
    assert passages[0].text == "## 1. Be kind\n\n## 2. Do not spam"
    assert passages[1].title == "Rules › More"


def test_windows_line_ends_are_read_alike():
    """CRLF files give the same sections and passages as LF files."""
    unix, windows = read(PAGE), read(PAGE.replace("\n", "\r\n"))
    assert [s.headings for s in unix.sections] == [s.headings for s in windows.sections]
    assert [p.text for p in chunks(unix)] == [p.text for p in chunks(windows)]
