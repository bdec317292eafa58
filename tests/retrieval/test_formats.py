"""Every format beside Markdown, HTML, PDF and Word: real files made by real libraries, read, empty, cut and hostile."""

import io
import json
import sys
import zipfile
from email.message import EmailMessage

import openpyxl
import pytest
from odf import opendocument, style, table, text
from pptx import Presentation
from pptx.util import Inches

from footnoted.errors import SourceError
from footnoted.retrieval.load import chunks, parse

WORDS = "The excess is £75 for a repair."


def saved(thing) -> bytes:
    out = io.BytesIO()
    thing.save(out)
    return out.getvalue()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    prices = book.active
    prices.title = "Prices"
    for row in (
        ["Tariffs of 2026"],
        [],
        ["Cover", "Excess", "From"],
        ["Glass | all", 75, None],
        ["Theft", 250.5, True],
    ):
        prices.append(row)
    book.create_sheet("Notes")["C4"] = WORDS
    return saved(book)


def slides() -> bytes:
    shown = Presentation()
    slide = shown.slides.add_slide(shown.slide_layouts[1])
    slide.shapes.title.text = "Glass cover"
    slide.placeholders[1].text = "Repairs\nReplacements"
    slide.notes_slide.notes_text_frame.text = WORDS
    grid = shown.slides.add_slide(shown.slide_layouts[5])
    grid.shapes.title.text = "Excesses"
    cells = grid.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(2)).table
    for place, said in enumerate(["Cover", "Excess", "Theft", "£250"]):
        cells.cell(place // 2, place % 2).text = said
    return saved(shown)


def letter() -> bytes:
    document = opendocument.OpenDocumentText()
    document.text.addElement(text.H(outlinelevel=1, text="Glass cover"))
    document.text.addElement(text.P(text=WORDS))
    items = text.List()
    for said in ("Repairs", "Replacements"):
        item = text.ListItem()
        item.addElement(text.P(text=said))
        items.addElement(item)
    document.text.addElement(items)
    grid = table.Table(name="Excesses")
    for cells in (["Cover", "Excess"], ["Theft", "£250"]):
        row = table.TableRow()
        for said in cells:
            cell = table.TableCell()
            cell.addElement(text.P(text=said))
            row.addElement(cell)
        grid.addElement(row)
    document.text.addElement(grid)
    document.automaticstyles.addElement(style.Style(name="unused", family="paragraph"))
    return saved(document)


def book() -> bytes:
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/a.opf"/></rootfiles></container>',
        "OPS/a.opf": """<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Covers</dc:title></metadata>
            <manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
            <item id="b" href="two%20b.xhtml" media-type="application/xhtml+xml"/>
            <item id="a" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>
            <spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>""",
        "OPS/nav.xhtml": "<html><body><p>Contents</p></body></html>",
        "OPS/one.xhtml": f"<html><body><h1>Glass</h1><p>{WORDS}</p></body></html>",
        "OPS/two b.xhtml": "<html><body><h1>Theft</h1><p>The excess is £250.</p></body></html>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, said in parts.items():
            archive.writestr(name, said)
    return out.getvalue()


def mail() -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Your excess", "Ann <ann@x.io>", "bo@y.io"
    message["Date"] = "Mon, 02 Mar 2026 10:00:00 +0000"
    message.set_content(f"Dear Bo,\n\n{WORDS}\n")
    message.add_alternative(f"<p>Dear Bo,</p><p>{WORDS}</p>", subtype="html")
    message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="terms.pdf")
    return bytes(message)


def notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": ["# Glass { #g }\n", "\n", WORDS]},
        {"cell_type": "code", "source": "print(75)", "outputs": [{"output_type": "stream", "text": ["75\n"]}]},
        {"cell_type": "raw", "source": "unseen"},
    ]
    return json.dumps({"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}).encode()


RST = f"""
:author: Ann

Glass cover
===========

.. _glass:

.. toctree::
   :maxdepth: 2

   other

{WORDS} See :ref:`the terms <terms>`, :class:`~app.Cover` and `them <https://x.io>`_; |gone|.

.. note:: Mind it.

.. versionadded:: 2.0
   It is new.

- Repairs
- Replacements

.. code-block:: python
   :linenos:

   if x:
       y()

.. list-table:: Excesses
   :header-rows: 1

   * - Cover
     - Excess
   * - Theft
     - £250

Deeper
------

.. unknown:: Titled
   :option: 1

   Inside.
"""
ADOC = f"""= Glass cover
Ann <ann@x.io>
:toc:
:sum: £75

// a remark
[[glass]]
== Repairs

{WORDS.replace("£75", "{sum}")} See <<terms,the terms>> and https://x.io[them].

NOTE: Mind it.

[WARNING]
====
It is hot.
====

* Repairs
** Of glass

. First
. Second

[source,python]
----
if x:
    y() # <1>
----

.Excesses
|===
|Cover |Excess

|Theft
|£250
|===

include::other.adoc[]
image::a.png[A picture]

////
Unseen.
////
term:: Its meaning.
"""

READ = {
    "a.xlsx": (workbook, ["Tariffs of 2026", "| Cover | Excess | From |", "| Glass \\| all | 75 |  |", "| Theft | 250.5 | TRUE |", WORDS], []),
    "a.csv": (lambda: b'Cover;Excess\nGlass;75\n"Theft, all";250\n', ["| Cover | Excess |", "| Theft, all | 250 |"], [";"]),
    "a.tsv": (lambda: b"Cover\tExcess\nGlass\t75\n", ["| Glass | 75 |"], ["\t"]),
    "a.pptx": (slides, ["- Repairs\n- Replacements", WORDS, "| Theft | £250 |"], []),
    "a.odt": (letter, [WORDS, "- Repairs\n- Replacements", "| Cover | Excess |\n| --- | --- |\n| Theft | £250 |"], []),
    "a.epub": (book, [f"# Glass\n\n{WORDS}\n\n# Theft"], ["Contents"]),
    "a.eml": (mail, ["From: Ann <ann@x.io>", WORDS, "Attached, not read: terms.pdf"], ["<p>"]),
    "a.ipynb": (notebook, [WORDS, "```python\nprint(75)\n```", "```text\n75\n"], ["unseen", "{ #g }"]),
    "a.rst": (
        RST.encode,
        [f"{WORDS} See the terms, `Cover` and [them](https://x.io)", "Mind it.", "It is new.", "- Repairs\n- Replacements", "```python\nif x:\n    y()\n```", "Excesses\n\n| Cover | Excess |", "| Theft | £250 |", "**Titled**\n\nInside."],
        ["toctree", "::", ":ref:", "maxdepth", "_glass", "option", "author"],
    ),
    "a.adoc": (
        ADOC.encode,
        [f"{WORDS} See the terms and [them](https://x.io).", "Mind it.", "It is hot.", "- Repairs\n   - Of glass\n      1. First\n      2. Second", "```python\nif x:\n    y()\n```", "**Excesses**", "| Cover | Excess |\n| --- | --- |\n| Theft | £250 |", "- term: Its meaning."],
        ["remark", "Unseen", "include", "picture", "[[", "NOTE", "====", ":toc:", "<1>"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_real_file_reads_as_its_reader_reads_it(name):
    """Words, lists, tables and listings are there; what builds or frames them is not; passages are exact stretches."""
    make, there, gone = READ[name]
    document = parse(make(), name)
    for words in there:
        assert words in document.text
    for words in gone:
        assert words not in document.text
    for passage in chunks(document):
        assert passage.text.endswith(document.text[passage.metadata["start"] : passage.metadata["end"]])


TITLES = {
    "a.epub": "Covers",
    "a.eml": "Your excess",
    "a.ipynb": "Glass",
    "a.rst": "Glass cover",
    "a.adoc": "Glass cover",
    "a.odt": "Glass cover",
}


@pytest.mark.parametrize("name", TITLES)
def test_the_title_is_the_documents_own(name):
    """What the file calls itself, not its name."""
    assert parse(READ[name][0](), name).title == TITLES[name]


def test_a_citation_of_a_spreadsheet_names_sheet_and_cell():
    """Each cell's words lead to it, wherever it stands on its sheet."""
    told = {
        passage.text[place["start"] : place["end"]]: (place["sheet"], place["cell"])
        for passage in chunks(parse(workbook(), "a.xlsx"))
        for place in passage.metadata["places"]
    }
    assert told["Tariffs of 2026"] == ("Prices", "A1")
    assert told["Glass \\| all"] == ("Prices", "A4")
    assert told["250.5"] == ("Prices", "B5")
    assert told[WORDS] == ("Notes", "C4")


def test_a_slide_is_a_page():
    """A passage of a presentation knows its slide's number, and stands under its title."""
    found = chunks(parse(slides(), "a.pptx"))
    assert [(p.metadata["page"], p.metadata["section"]) for p in found] == [(1, "Glass cover"), (2, "Excesses")]


def test_every_piece_of_a_long_sheet_has_its_head():
    """Rows far down still say what their columns mean."""
    rows = "\n".join(f"Cover of kind {n},{n}00" for n in range(500))
    found = chunks(parse(f"Cover,Excess\n{rows}\n".encode(), "a.csv"))
    assert len(found) > 3
    assert all(passage.text.startswith("| Cover | Excess |\n| --- | --- |\n") for passage in found)
    last = found[-1]
    assert last.text[last.metadata["places"][-1]["start"] :].startswith("49900")
    assert last.metadata["places"][-1]["cell"] == "B501"


def test_what_is_not_installed_is_named(monkeypatch):
    """A presentation without python-pptx says what to install, and nothing else fails."""
    monkeypatch.setitem(sys.modules, "pptx", None)
    with pytest.raises(SourceError, match=r"pip install 'footnoted\[formats\]'"):
        parse(slides(), "a.pptx")


ARCHIVES = [name for name in READ if READ[name][0]()[:2] == b"PK"]


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_cut_file_is_damaged(name):
    """Half of an archive is told as damaged, with no traceback."""
    data = READ[name][0]()
    with pytest.raises(SourceError, match="damaged"):
        parse(data[: len(data) // 2], name)


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_that_grows_beyond_measure_is_refused(name):
    """What unpacks to hundreds of times its size is not unpacked."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", b"0" * 30_000_000)
    with pytest.raises(SourceError, match="zip bomb"):
        parse(out.getvalue(), name, limit_bytes=5_000_000)


NOISE = [b"", b"\x00\x01\x02" * 50, b"PK\x03\x04" + bytes(range(256))]


@pytest.mark.parametrize("data", NOISE, ids=["nothing", "zeros", "a torn archive"])
@pytest.mark.parametrize("name", [name for name in READ if name != "a.eml"])
def test_noise_is_an_error_in_one_line(name, data):
    """Bytes that are no such file at all, and none, are told in one line."""
    with pytest.raises(SourceError, match=r"\A[^\n]+\Z"):
        parse(data, name)


def test_xml_that_names_files_and_bombs_is_not_followed(tmp_path):
    """No entity of a document reads a file of this machine or grows."""
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    out = io.BytesIO()
    content = f"""<!DOCTYPE a [<!ENTITY s SYSTEM "{secret.as_uri()}"><!ENTITY b "{"x" * 1000}">]>
    <o:body xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
    <o:text><t:p>Words &s; {"&b;" * 100}</t:p></o:text></o:body>"""
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("content.xml", content)
    said = parse(out.getvalue(), "a.odt").text
    assert "Words" in said
    assert "swordfish" not in said


def test_a_notebook_of_restructured_text_cannot_read_files(tmp_path):
    """Neither includes nor raw directives of reStructuredText open a file."""
    (tmp_path / "secret.txt").write_text("swordfish")
    source = f"Words.\n\n.. include:: {tmp_path}/secret.txt\n\n.. raw:: html\n   :file: {tmp_path}/secret.txt\n\n.. csv-table::\n   :file: {tmp_path}/secret.txt\n"
    assert "swordfish" not in parse(source.encode(), "a.rst").text


SPHINX = """
Fields
======

.. setting:: date_format

date_format
-----------

.. versionadded:: 2.5

Default: none. See :rfc:`the limit of 4096 bytes <2965#s>` and :pep:`8`.

.. class:: DateField(auto_now=False, *args)

A date.

.. class:: Broken

   Holds things.

.. autofunction:: getLogger
.. autoclass:: Adapter

   Says what it adapts. [1]_

.. [1] Not all.

.. class:: wide
"""
READ_OF_SPHINX = """# Fields

## date_format

versionadded: 2.5

Default: none. See the limit of 4096 bytes and [PEP 8](https://peps.python.org/pep-0008).

DateField(auto_now=False, *args)

A date.

**Broken**

Holds things.

**Adapter**

Says what it adapts.

Not all."""


def test_what_sphinx_writes_otherwise_than_docutils_is_read_as_sphinx_means_it():
    """A class has its signature, a role its title; of entries for the index and names told from code nothing is left."""
    assert parse(SPHINX.encode(), "a.rst").text == READ_OF_SPHINX


@pytest.mark.parametrize(
    ("words", "kind"), [(SPHINX, "rst"), ("See :ref:`a <b>`.", "rst"), ("Note: see `a`: it.", "text")]
)
def test_a_text_file_of_restructured_text_is_read_as_that(words, kind):
    """As Django's documentation is written; a text without its directives and roles stays as it is."""
    document = parse(words.encode(), "a.txt")
    assert document.format == kind
    assert document.text == parse(words.encode(), "a.rst" if kind == "rst" else "a.text").text


LISTS = """
- First. It
  goes on.

      Set apart.

  For example:

  .. code-block:: python

     if x:

         y()

  After.

  * inner

- Other.

term : kind
   Means it.

   1. a
   2. b

   +---+---+
   | c | d |
   +---+---+

:key: Its
   value.
"""
READ_OF_LISTS = """- First. It goes on. Set apart. For example:
  ```python
  if x:

      y()
  ```
  After.
  - inner
- Other.

- term: kind: Means it.
  1. a
  2. b
  | c | d |

- key: Its value."""


def test_what_an_item_holds_stays_apart():
    """The words of an item in a line; listings, tables and lists in it under them, in their own lines."""
    assert parse(LISTS.encode(), "a.rst").text == READ_OF_LISTS


def test_a_row_of_dashes_is_a_row():
    """What looks like the line under a table's head is read as the cells it is, and each knows its place."""
    document = parse(b"Cover;Excess\n---;0\nGlass;75\n", "a.csv")
    assert "| --- | 0 |\n| Glass | 75 |" in document.text
    assert [mark.cell for mark in document.marks] == ["A1", "B1", "A2", "B2", "A3", "B3"]


def test_asciidoc_keeps_keys_and_marks_inside_links():
    """Keys to press stay as words, and the words of a link are read as any."""
    document = parse(b"Press kbd:[Ctrl+C], see https://x.io[the *whole* page] and <<glass,the *cover*>>.", "a.adoc")
    assert document.text.strip() == "Press Ctrl+C, see [the **whole** page](https://x.io) and the **cover**."


def test_an_open_document_has_its_numbers_notes_and_boxes():
    """Steps are counted as the list's style says; a note and a box stand after the paragraph they belong to."""
    document = opendocument.OpenDocumentText()
    counted = text.ListStyle(name="Steps")
    counted.addElement(text.ListLevelStyleNumber(level=1, numformat="1"))
    counted.addElement(text.ListLevelStyleBullet(level=2, bulletchar="•"))
    document.automaticstyles.addElement(counted)
    paragraph = text.P(text="We pay £75.")
    note = text.Note(noteclass="footnote")
    note.addElement(text.NoteCitation(text="1"))
    body = text.NoteBody()
    body.addElement(text.P(text="Not on Sundays."))
    note.addElement(body)
    paragraph.addElement(note)
    document.text.addElement(paragraph)
    steps = text.List(stylename="Steps")
    for said in ("Stop", "Call"):
        item = text.ListItem()
        item.addElement(text.P(text=said))
        steps.addElement(item)
    inner = text.List()
    within = text.ListItem()
    within.addElement(text.P(text="the police"))
    inner.addElement(within)
    item.addElement(inner)
    document.text.addElement(steps)
    assert parse(saved(document), "a.odt").text == (
        "We pay £75.\n\nNot on Sundays.\n\n1. Stop\n2. Call\n  - the police"
    )


def test_what_a_message_quotes_stands_apart_without_its_marks():
    """Lists of a message are lists; what was said before reads as words."""
    message = EmailMessage()
    message["Subject"], message["From"] = "Re: Outage", "Ann <ann@x.io>"
    message.set_content(
        "It is back. Weekly:\n\n1. log in\n2. clean\n\nBo wrote:\n> It is down. When\n> is it back?\n> > Who?\n"
    )
    document = parse(bytes(message), "a.eml")
    assert document.text.endswith(
        "Weekly:\n\n1. log in\n2. clean\n\nBo wrote:\n\nIt is down. When\nis it back?\n\nWho?"
    )
    assert [block.kind for block in document.sections[0].blocks].count("list") == 1


def test_a_presentation_is_called_what_its_title_slide_says():
    """Where the file says no title of its own; a slide that repeats it is no section of that name."""
    shown = Presentation()
    shown.core_properties.title = ""
    opening = shown.slides.add_slide(shown.slide_layouts[0])
    opening.shapes.title.text, opening.placeholders[1].text = "How we work", WORDS
    document = parse(saved(shown), "slides_v3.pptx")
    assert document.title == "How we work"
    assert [section.headings for section in document.sections] == [()]


def test_a_notebook_whose_words_are_for_sphinx_is_read_as_such():
    """Raw cells with roles and directives are its text; they share their levels of headings."""
    cells = [
        {"cell_type": "raw", "source": ["Grids\n", "=====\n", "\n", "See :class:`Grid`.\n"]},
        {"cell_type": "code", "source": "g = Grid()\n\ng.map(x)", "outputs": []},
        {"cell_type": "raw", "source": "Rows\n----\n\nThey are wrapped."},
    ]
    document = parse(json.dumps({"cells": cells}).encode(), "a.ipynb")
    assert (document.title, document.format) == ("Grids", "notebook")
    assert [section.headings for section in document.sections] == [(), ("Rows",)]
    assert "See `Grid`.\n\n```python\ng = Grid()\n\ng.map(x)\n```" in document.text
