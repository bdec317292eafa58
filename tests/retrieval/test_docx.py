"""Word: headings, lists and tables in the order they stand; broken and hostile files refused."""

import io
import zipfile

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from footnoted.errors import SourceError
from footnoted.retrieval.load import chunks, parse
from tests.retrieval.paper import saved


def booklet():
    word = docx.Document()
    word.add_heading("Home Emergency", 0)
    word.add_paragraph("An opening.")
    word.add_heading("What we pay", 1)
    table = word.add_table(rows=3, cols=3)
    for row, texts in zip(
        table.rows, [("Benefit", "Limit", "Excess"), ("Labour", "£1,000", "None"), ("Pests", "", "")], strict=True
    ):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    word.add_paragraph("After the table:")
    word.add_paragraph("first", style="List Bullet")
    word.add_paragraph("second", style="List Number")
    word.add_heading("Details", 2)
    word.add_paragraph("The end.")
    return word


def test_everything_stands_in_its_order():
    """Headings, paragraphs, tables and lists come out as they are read."""
    document = parse(saved(booklet()), "home.docx")
    assert document.title == "Home Emergency"
    assert [s.headings for s in document.sections] == [(), ("What we pay",), ("What we pay", "Details")]
    assert document.text.index("An opening.") < document.text.index("| Benefit |") < document.text.index("1. second")


def test_tables_are_rows_and_merged_cells_are_said_again():
    """A cell merged over two rows stands in both."""
    text = parse(saved(booklet()), "a.docx").text
    assert (
        "| Benefit | Limit | Excess |\n| --- | --- | --- |\n| Labour Pests | £1,000 | None |\n| Labour Pests |  |  |"
        in text
    )


def test_lists_are_kept_with_their_introduction():
    """Neighbouring items are one list and follow the line that announces them."""
    texts = [passage.text for passage in chunks(parse(saved(booklet()), "a.docx"))]
    assert any("After the table:\n\n- first\n1. second" in text for text in texts)


def test_tracked_changes_read_as_accepted():
    """Insertions count, deletions do not."""
    word = docx.Document()
    paragraph = word.add_paragraph("We pay ")
    for tag, text, kind in (("ins", "£75", "t"), ("del", "£500", "delText"), ("moveFrom", "elsewhere", "t")):
        run = f"<w:{tag} {nsdecls('w')} w:id='1' w:author='a'><w:r><w:{kind}>{text}</w:{kind}></w:r></w:{tag}>"
        paragraph._p.append(parse_xml(run))
    assert parse(saved(word), "a.docx").text == "We pay £75"


def test_headings_are_known_in_any_language_of_word():
    """A style is a heading by its outline level, whatever it is called."""
    word = docx.Document()
    style = word.styles.add_style("Überschrift Eins", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    style.element.get_or_add_pPr().append(parse_xml(f"<w:outlineLvl {nsdecls('w')} w:val='0'/>"))
    word.add_paragraph("intro")
    word.add_paragraph("Deckung", style="Überschrift Eins")
    word.add_paragraph("Text.")
    word.add_paragraph("Ausschluss", style="Überschrift Eins")
    word.add_paragraph("Mehr.")
    assert [s.headings for s in parse(saved(word), "a.docx").sections] == [(), ("Deckung",), ("Ausschluss",)]


def test_a_heading_style_without_an_id_makes_no_heading_of_paragraphs_without_a_style():
    word = docx.Document()
    outline = "<w:pPr><w:outlineLvl w:val='0'/></w:pPr>"
    nameless = f"<w:style {nsdecls('w')} w:type='paragraph'><w:name w:val='Loose'/>{outline}</w:style>"
    word.styles.element.append(parse_xml(nameless))
    word.add_paragraph("We pay £75.").paragraph_format.space_after = docx.shared.Pt(6)  # it has properties and no style
    assert [s.headings for s in parse(saved(word), "a.docx").sections] == [()]


def test_a_broken_archive_is_named_as_such():
    """Half a file, and a zip with rubbish in it, are damaged."""
    data = saved(booklet())
    with pytest.raises(SourceError, match="damaged"):
        parse(data[: len(data) // 2], "a.docx")
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for part in old.infolist():
            new.writestr(part, b"<no xml" if part.filename == "word/document.xml" else old.read(part))
    with pytest.raises(SourceError, match="damaged"):
        parse(out.getvalue(), "a.docx")


def test_other_archives_are_told_apart():
    """A spreadsheet or plain zip under the wrong name is not called damaged Word."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(SourceError, match="not a Word document"):
        parse(out.getvalue(), "a.docx")


def test_a_zip_bomb_is_refused_before_it_is_unpacked():
    """A small file that unpacks to far more than the limit is refused by its own directory."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b" " * 3_000_000)
    with pytest.raises(SourceError, match="bomb"):
        parse(out.getvalue(), "a.docx", limit_bytes=1_000_000)


def test_a_locked_or_old_word_file_is_named_as_such():
    """Password-protected files and .doc files share a container, and the message says both."""
    with pytest.raises(SourceError, match=r"password.*of an old kind"):
        parse(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 100, "a.docx")


def marked(words: str, **attributes: str) -> str:
    inside = "".join(f"<w:{name} w:val='{value}'/>" for name, value in attributes.items())
    return f"<w:p {nsdecls('w')}><w:pPr>{inside}</w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"


def with_parts(word, parts: dict[str, str]) -> bytes:
    """The file with parts of its own, as Word keeps notes."""
    kept = {}
    with zipfile.ZipFile(io.BytesIO(saved(word))) as archive:
        kept = {name: archive.read(name).decode("utf-8", "surrogateescape") for name in archive.namelist()}
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml."
    places = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    for number, (name, inside) in enumerate(parts.items()):
        kept[f"word/{name}.xml"] = f"<w:{name} {nsdecls('w')}>{inside}</w:{name}>"
        types, related = "[Content_Types].xml", "word/_rels/document.xml.rels"
        override = f'<Override PartName="/word/{name}.xml" ContentType="{kind}{name}+xml"/></Types>'
        kept[types] = kept[types].replace("</Types>", override)
        relation = f'<Relationship Id="own{number}" Type="{places}{name}" Target="{name}.xml"/></Relationships>'
        kept[related] = kept[related].replace("</Relationships>", relation)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in kept.items():
            archive.writestr(name, text.encode("utf-8", "surrogateescape"))
    return made.getvalue()


def test_a_list_has_the_numbers_that_word_shows():
    """Steps count on, those within a step begin anew, and each list has its own marks."""
    word = docx.Document()
    levels = "".join(
        f"<w:lvl w:ilvl='{depth}'><w:start w:val='{start}'/><w:numFmt w:val='{form}'/><w:lvlText w:val='{shown}'/></w:lvl>"
        for depth, (start, form, shown) in enumerate(
            [(3, "decimal", "%1."), (1, "lowerLetter", "%2)"), (1, "decimal", "%1.%3")]
        )
    )
    numbering = word.part.numbering_part.element
    numbering.insert(0, parse_xml(f"<w:abstractNum {nsdecls('w')} w:abstractNumId='77'>{levels}</w:abstractNum>"))
    numbering.append(parse_xml(f"<w:num {nsdecls('w')} w:numId='77'><w:abstractNumId w:val='77'/></w:num>"))
    for words, depth in (("stop", 0), ("brake", 1), ("wait", 1), ("deep", 2), ("call", 0), ("police", 1)):
        properties = f"<w:numPr><w:ilvl w:val='{depth}'/><w:numId w:val='77'/></w:numPr>"
        word._body._element.append(parse_xml(marked(words).replace("<w:pPr>", f"<w:pPr>{properties}")))
    assert parse(saved(word), "a.docx").text == "3. stop\n  a) brake\n  b) wait\n\n3.1 deep\n\n4. call\n  a) police"


def test_notes_and_boxes_follow_the_paragraph_they_belong_to():
    """A foot note is what a contract says; a box's words are no end of a sentence; a table of contents says nothing."""
    word = docx.Document()
    word.styles.add_style("toc 1", 1)
    word.add_paragraph("Cover 7", style="toc 1")
    paragraph = word.add_paragraph("We pay £75.")
    inside = "<w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p><w:p><w:r><w:t>More.</w:t></w:r></w:p></w:txbxContent>"
    for run in ("<w:footnoteReference w:id='2'/>", inside):
        paragraph._p.append(parse_xml(f"<w:r {nsdecls('w')}>{run}</w:r>"))
    word.add_paragraph("After.")
    note = "<w:footnote w:id='0' w:type='separator'><w:p/></w:footnote><w:footnote w:id='2'>{}</w:footnote>".format(
        "<w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space='preserve'> Not on Sundays.</w:t></w:r></w:p>"
    )
    text = parse(with_parts(word, {"footnotes": note}), "a.docx").text
    assert text == "We pay £75.\n\nNot on Sundays.\n\nIn a box.\n\nMore.\n\nAfter."


@pytest.mark.parametrize(("prose", "fences"), [(4, 2), (1, 0)])
def test_lines_in_a_font_of_one_pitch_are_a_listing(prose, fences):
    """Its lines stand together with their indentation; a letter in such a font is no listing."""
    word = docx.Document()
    for _ in range(prose):
        word.add_paragraph("Words.")
    for line in ("if x:", "", "    y()"):
        word.add_paragraph().add_run(line).font.name = "Mono"
    fonts = next(one.target_part for one in word.part.rels.values() if one.reltype.endswith("/fontTable"))
    pitch = b'<w:font w:name="Mono"><w:pitch w:val="fixed"/></w:font></w:fonts>'
    fonts._blob = fonts.blob.replace(b"</w:fonts>", pitch)
    text = parse(saved(word), "a.docx").text
    assert text.count("```") == fences
    assert ("```\nif x:\n\n    y()\n```" in text) == bool(fences)


WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEVELS = (  # how Word counts, the style each level is made for
    ("decimal", "Part %1", "Heading1"),
    ("decimal", "%1.%2", "Clause"),
    ("lowerLetter", "(%3)", ""),
    ("lowerRoman", "(%4)", ""),
)


def numbered():
    """A file whose numbers stand only in its numbering: two lists of one definition, the second begun anew at (a)."""
    word = docx.Document()
    word.styles.add_style("Clause", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    numbering = word.part.numbering_part.element
    levels = "".join(
        f"<w:lvl w:ilvl='{depth}'><w:start w:val='1'/><w:numFmt w:val='{form}'/>"
        + (f"<w:pStyle w:val='{style}'/>" if style else "")
        + f"<w:lvlText w:val='{text}'/></w:lvl>"
        for depth, (form, text, style) in enumerate(_LEVELS)
    )
    numbering.insert(0, parse_xml(f"<w:abstractNum {nsdecls('w')} w:abstractNumId='90'>{levels}</w:abstractNum>"))
    anew = "<w:lvlOverride w:ilvl='2'><w:startOverride w:val='1'/></w:lvlOverride>"
    for number, override in (("91", ""), ("92", anew)):
        made = f"<w:num {nsdecls('w')} w:numId='{number}'><w:abstractNumId w:val='90'/>{override}</w:num>"
        numbering.append(parse_xml(made))
    for style in ("Heading 1", "Clause"):
        word.styles[style].element.get_or_add_pPr().append(_list(None, "91"))
    return word


def _list(depth, number):
    level = "" if depth is None else f"<w:ilvl w:val='{depth}'/>"
    return parse_xml(f"<w:numPr {nsdecls('w')}>{level}<w:numId w:val='{number}'/></w:numPr>")


def test_numbers_that_stand_only_in_word_s_numbering_are_read():
    """Headings, clauses and items have the numbers that Word prints, by their styles or their own lists."""
    word = numbered()
    told = [
        ("Cover", "Heading 1", None, ""),
        ("We pay for:", "Clause", None, ""),
        ("theft", None, 2, "91"),
        ("fire", None, 2, "91"),
        ("by lightning; and", None, 3, "91"),
        ("by gas", None, 3, "91"),
        ("We pay once.", "Clause", None, ""),
        ("Limits", "Heading 1", None, ""),
        ("We pay at most:", "Clause", None, ""),
        ("£5", None, 2, "92"),
        ("£9", None, 2, "92"),
        ("never more", None, 2, "0"),
    ]
    for text, style, depth, number in told:
        paragraph = word.add_paragraph(text, style=style)
        if number:
            paragraph._p.get_or_add_pPr().append(_list(depth, number))
    document = parse(saved(word), "a.docx")
    assert [section.headings for section in document.sections] == [("Part 1 Cover",), ("Part 2 Limits",)]
    assert document.text == (
        "# Part 1 Cover\n\n1.1 We pay for:\n\n(a) theft\n(b) fire\n  (i) by lightning; and\n  (ii) by gas\n\n"
        "1.2 We pay once.\n\n# Part 2 Limits\n\n2.1 We pay at most:\n\n(a) £5\n(b) £9\n\nnever more"
    )


def test_a_list_begun_anew_in_one_definition_counts_from_its_own_start():
    word = numbered()
    for number in ("91", "91", "92", "92"):
        paragraph = word.add_paragraph("item")
        paragraph._p.get_or_add_pPr().append(_list(2, number))
    assert parse(saved(word), "a.docx").text == "(a) item\n(b) item\n(a) item\n(b) item"


def test_a_list_that_begins_at_a_billion_or_prints_a_page_before_each_item_stays_small():
    """A number in letters grows with it: bb, ccc; what a file says of its lists is bounded."""
    word = numbered()
    level = next(one for one in word.part.numbering_part.element.iter(f"{WORD}lvl") if one.get(f"{WORD}ilvl") == "2")
    level.find(f"{WORD}start").set(f"{WORD}val", "1000000000")
    level.find(f"{WORD}lvlText").set(f"{WORD}val", "(%3" + ")" * 100_000)
    for _ in range(50):
        word.add_paragraph("item")._p.get_or_add_pPr().append(_list(2, "91"))
    text = parse(saved(word), "a.docx").text
    assert text.count("item") == 50
    assert len(text) < 50 * 200
