"""Markdown as sites write it: what their builders read is taken out, what their readers read stays, listings are whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.errors import SourceError
from footnoted.retrieval.load import chunks, parse
from tests.laws import tried

# What a file says → what is left of it, blank lines aside.
MARKDOWN = {
    "attributes": ("## Body { #body .wide }\n\nWords {: .note } here.{ data-x=1 }", ["## Body", "Words here."]),
    "braces that are words": ("Give {item_id} or { a } to it.", ["Give {item_id} or { a } to it."]),
    "includes": ('See:\n\n{* ../../src/app.py hl[1,4] *}\n\n{! other.md !}\n\n--8<-- "a.md"\n\nEnd.', ["See:", "End."]),
    "contents": ("[TOC]\n\n[[toc]]\n\nEnd.", ["End."]),
    "slashes": ("/// tip | Good to know\n    open: True\n\nLock it.\n\n///\n\nAfter.", ["**Good to know**", "Lock it.", "After."]),
    "slashes in slashes": ("//// tab | One\n\n/// note\n\nIn.\n\n///\n\nOut.\n\n////\n\nEnd.", ["**One**", "In.", "Out.", "End."]),
    "slashes in an item": ("1. First.\n\n    /// note\n\n    In.\n\n    ///\n\n    More.", ["1. First.", "    In.", "    More."]),
    "colons": (":::note Mind the gap\nIt is wide.\n:::\nAfter.", ["**Mind the gap**", "It is wide.", "After."]),
    "colons, bracketed": (":::tip[Try this]\nDo.\n:::", ["**Try this**", "Do."]),
    "colons, classed": ('::: {.callout title="Look"}\nDo.\n:::', ["**Look**", "Do."]),
    "colons that take no lines": ("::: package.module.Class\n    options:\n        members: true\n\nText.", ["Text."]),
    "bangs": ('!!! warning "Hot"\n    Do not touch.\n\n    Ever.\n\nAfter.', ["**Hot**", "Do not touch.", "Ever.", "After."]),
    "tabs": ('=== "Linux"\n\n    Run it.\n\n=== "Mac"\n\n    Open it.', ["**Linux**", "Run it.", "**Mac**", "Open it."]),
    "alerts": ("> [!NOTE]\n> First line\n> goes on.\n\nAfter.", ["First line", "goes on.", "After."]),
    "quotes": ("> said\n> and done\n>> twice\n\nAfter.", ["said", "and done", "twice", "After."]),
    "fenced directives": ("```{warning} Hot\nDo not touch.\n```\n", ["**Hot**", "Do not touch."]),
    "comments": ("One <!-- two --> three.\n\n<!-- four\n\nfive -->\n\nSix.", ["One  three.", "Six."]),
    "badges": ("[![build](https://x.io/b.svg)](https://x.io)\n![logo](a.png){ width=9 }\n\nText ![i](i.png) end.", ["Text  end."]),
    "links inside": ("See [the guide](guide.md#x){ target=_blank } now.", ["See the guide now."]),
    "links outside": ("See [them](https://x.io/a_(b)) or <https://y.io>.", ["See [them](https://x.io/a_(b)) or https://y.io."]),
    "references": ("See [one][a], [b] and [c].\n\n[a]: https://x.io 'X'\n[b]: b.md", ["See [one](https://x.io), b and [c]."]),
    "footnotes": ("It is so.[^1]\n\n[^1]: Says who.", ["It is so.", " Says who."]),
    "tags": ('<div class="x">\n\nA <abbr title="y">B</abbr><br>C <kbd>D</kbd>.\n\n</div>', ["A B C D."]),
    "placeholders": ("Give <your-name> to <API_KEY>.", ["Give <your-name> to <API_KEY>."]),
    "summaries": ("<details>\n<summary>More</summary>\n\nText.\n\n</details>", ["**More**", "Text."]),
    "raw tables": ("<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>", ["| A | B |", "| --- | --- |", "| 1 | 2 |"]),
    "raw headings": ('<h2 align="center">Prices</h2>\n\nHigh.', ["## Prices", "High."]),
    "scripts": ("<script>\nlet a = 1\n</script>\n\nText.\n\n<style>p { }</style>", ["Text."]),
    "scripts in a line": ("A <script>let a = 1</script>B <STYLE type='x'>p { }</style >C <video>D <br/>E", ["A B C D  E"]),
    "templates": ("{% for a in b %}\nA {{ a }} B\n{% endfor %}\n\n{{< note >}}\nText.\n{{< /note >}}", ["A  B", "Text."]),
    "entities": ("A&nbsp;B &amp; C &lt;D&gt;.", ["A B & C &lt;D&gt;."]),
    "roles": ("Call {ref}`the guide <guide>` or :func:`run`.", ["Call `the guide` or `run`."]),
    "icons": ("A :material-check: B.", ["A  B."]),
    "code spans": ("Write `{ #x }`, `<div>` and ``a ` <b>``.", ["Write `{ #x }`, `<div>` and ``a ` <b>``."]),
    "a fence": ("```python hl_lines='1'\n# {* a *} <b> { #x }\n/// note\n```", ["```python", "# {* a *} <b> { #x }", "/// note", "```"]),
    "a longer fence": ("````md\n```\n:::note\n```\n````", ["````md", "```", ":::note", "```", "````"]),
    "indented code": ("Text:\n\n    <div>{ #x }</div>\n\nAfter.", ["Text:", "    <div>{ #x }</div>", "After."]),
    "a coloured terminal": ('```console\n$ <font color="#4E">pip</font> install <name>\n```', ["```console", "$ pip install <name>", "```"]),
    "an unclosed one": ("/// tip\n\nText.\n\n:::note\nMore.", ["Text.", "More."]),
}  # fmt: skip
MDX = {
    "imports": ('import { A } from "/a.mdx"\nexport const b = {\n  c: 1,\n}\n\nText.', ["Text."]),
    "words that import": ("Import taxes rise.\nimport duties too.", ["Import taxes rise.", "import duties too."]),
    "components": ('<Note>\n    Mind it.\n</Note>\n\n<Badge text="5" />\n\nText <Icon/> end.', ["Mind it.", "Text  end."]),
    "cards": ('<Card\n  title="Set up"\n  href="/x"\n>\n  Begin here.\n</Card>', ["**Set up**", "Begin here."]),
    "steps": (
        '<Steps>\n  <Step title="Open">\n    Turn it.\n\n    ```sh\n      go\n    ```\n  </Step>\n  <Step title="Close">\n    Turn back.\n  </Step>\n</Steps>',
        ["1. Open", "   Turn it.", "   ```sh", "     go", "   ```", "2. Close", "   Turn back."],
    ),
    "expressions": ('{/* a remark\n over lines */}\nA{" "}B {props.name}C.', ["A B C."]),
    "one line": ('<Tab title="Mac">Open it.</Tab>\n\nAfter.', ["**Mac**", "Open it.", "After."]),
}  # fmt: skip
CASES = [
    pytest.param(f"a.{end}", *case, id=name)
    for end, cases in (("md", MARKDOWN), ("mdx", MDX))
    for name, case in cases.items()
]


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(("path", "written", "left"), CASES)
def test_what_a_builder_reads_is_gone_and_what_a_reader_reads_stays(path, written, left):
    """Each construct of each dialect, with words before and after, leaves its words alone."""
    document = parse(f"Before.\n\n{written}\n\nBehind.\n".encode(), path)
    assert lines(document.text) == ["Before.", *left, "Behind."]


def test_a_title_is_clean():
    """Neither a heading's anchor nor its links and images are in a title."""
    document = parse(
        b"# The [API](api.md) ![x](y.png) { #the-api }\n\n## `Body` <a id='b'></a>{ #b }\n\nWords.\n", "a.md"
    )
    assert [passage.title for passage in chunks(document)] == ["The API › Body"]


def test_what_stands_in_an_admonition_is_known():
    """A block knows the innermost admonition it stands in; the ones around it stand in none."""
    text = "A.\n\n/// tip\n\nB.\n\n> [!WARNING]\n> C.\n\nD.\n\n///\n\nE.\n"
    document = parse(text.encode(), "a.md")
    said = {document.text[block.start : block.end]: block.said for block in document.sections[0].blocks}
    assert said == {"A.": "", "B.": "tip", "C.": "warning", "D.": "tip", "E.": ""}


def test_a_passage_knows_its_line_in_the_file():
    """However much was taken out above it."""
    text = "---\ntitle: T\n---\nimport A from 'a'\n\n<Note>\nOne.\n</Note>\n\n![x](y)\n\n## H { #h }\n\nTwo.\n"
    found = {passage.text: passage.metadata["line"] for passage in chunks(parse(text.encode(), "a.mdx"))}
    assert found == {"One.": 7, "Two.": 14}


def test_a_listing_in_pieces_stays_a_listing():
    """Each later piece of a long listing opens its fence again."""
    code = "\n".join(f"value_{n} = compute({n}, '<div>', width={n})" for n in range(200))
    found = chunks(parse(f"# T\n\nText.\n\n```python\n{code}\n```\n".encode(), "a.md"))
    assert len(found) > 3
    assert all("```python\n" in passage.text for passage in found)
    assert all(line in "\n".join(passage.text for passage in found) for line in code.splitlines())


def test_a_file_of_settings_alone_is_told():
    """A page that is nothing but a redirect or an import holds no words."""
    with pytest.raises(SourceError, match="holds no words"):
        parse(b'---\ntitle: "Go"\nurl: https://x.io\n---\nimport A from "a"\n\n<A />\n', "a.mdx")


PIECES = st.lists(
    st.sampled_from(
        ["/// tip | A\n", "///\n", ":::note\n", ":::\n", "!!! x\n", "    in\n", "> q\n", "> [!TIP]\n", "```\n", "~~~~\n", "<Note>\n", "</Note>\n", "<Step title='s'>\n", "<div>\n", "</div>\n", "<!--", "-->\n", "{#x}", "{*", "*}\n", "[a](b)", "![", "]", "`", "``", "- item\n", "1. one\n", "word\n", "\n", "# H\n", "| a | b |\n|-|-|\n| c | d |\n", "<table>", "</table>", "{%", "%}", "<", "&amp;"]
    ),
    max_size=25,
)  # fmt: skip


@tried(300)
@given(PIECES, st.sampled_from(["a.md", "a.mdx"]))
def test_any_mixture_is_read_and_every_passage_is_a_stretch_of_the_text(pieces, path):
    """Nothing that is opened, closed or left open in any order breaks the reading, or loses the words around it."""
    document = parse(f"first\n\n{''.join(pieces)}\n".encode(), path)
    found = chunks(document)
    assert "first" in document.text
    for passage in found:
        start, end = passage.metadata["start"], passage.metadata["end"]
        assert passage.text.endswith(document.text[start:end])


@pytest.mark.parametrize(
    "piece", ["/// tip\n", "> ", "<Note>\n", "[", "![a](", "<!--", "{%", "<a ", "!!! a\n    ", "`" * 3, "{#"]
)
def test_endless_repetition_ends(piece):
    """A hundred kilobytes of openers are read to their end."""
    assert "words" in parse(b"words\n\n" + piece.encode() * (100_000 // len(piece)), "a.mdx").text
