"""HTML: what a reader reads, in order, and nothing else."""

import pytest

from footnoted.errors import SourceError
from footnoted.retrieval.load import chunks, parse


def page(body: str, head: str = "<title>A title</title>"):
    return parse(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode(), "a.html")


def test_scripts_styles_and_navigation_are_dropped():
    """Nothing the reader does not read reaches a passage."""
    text = page(
        "<nav>Home</nav><script>var x</script><style>p{}</style><p>Words <!-- hm --> here.</p>"
        "<p hidden>secret</p><p style='display: none'>veiled</p><button>Buy</button><footer>imprint</footer>"
    ).text
    assert text == "Words here."


def test_unseen_parts_inside_unseen_parts_are_dropped_once():
    """Thousands of nested hidden elements leave the words around them, and the process, whole."""
    nested = "<nav hidden><div aria-hidden=true><button>a<svg></svg></button></div></nav>" * 3000
    assert page(f"<p>before</p>{nested}<p>after</p>").text == "before\n\nafter"


def test_headings_and_title():
    """The one top heading names the page, the others its sections; markup inside them goes."""
    document = page("<h1>Key <b>facts</b></h1><p>a</p><h2>Limits</h2><p>b</p><h3>Cash</h3><p>c</p>")
    assert document.title == "Key facts"
    assert [s.headings for s in document.sections] == [(), ("Limits",), ("Limits", "Cash")]


def test_the_title_element_names_a_page_without_a_top_heading():
    """Without an h1 the page is called what its tab is called."""
    assert page("<p>words</p>").title == "A title"


def test_running_text_is_joined_and_broken_as_it_shows():
    """Inline markup joins, a break breaks, blocks part; source line ends are spaces."""
    assert page("<p>Call\n us <a href=x>now</a>.<br>Or <em>w</em>rite.</p><div>loose<p>para</p>tail</div>").text == (
        "Call us now.\nOr write.\n\nloose\n\npara\n\ntail"
    )


def test_lists_keep_numbers_and_nesting():
    """Items show as they would in text."""
    text = page("<p>You must:</p><ol><li>stop<ul><li>at once</li></ul></li><li>call</li></ol>").text
    assert text == "You must:\n\n1. stop\n  - at once\n2. call"


def test_tables_are_readable_rows():
    """Cells stand under their heads; spanned cells are said again; entities are characters."""
    text = page(
        "<table><tr><th>Product</th><th>Limit</th><th>Excess</th></tr>"
        "<tr><td rowspan=2>Car</td><td>&pound;300</td><td>a|b</td></tr>"
        "<tr><td colspan='2'>None</td></tr></table>"
    ).text
    assert text == ("| Product | Limit | Excess |\n| --- | --- | --- |\n| Car | £300 | a\\|b |\n| Car | None | None |")


def test_a_layout_table_is_read_as_text():
    """A table that only places headings and paragraphs is not a table to a reader."""
    document = page("<table><tr><td><h2>Left</h2><p>One.</p></td><td><p>Two.</p></td></tr></table>")
    assert "|" not in document.text
    assert [s.headings for s in document.sections] == [("Left",)]
    assert document.text == "## Left\n\nOne.\n\nTwo."


def test_preformatted_text_keeps_its_lines():
    """Listings keep their indentation and are known as code."""
    passages = chunks(page("<pre>if x:\n    y()</pre>"))
    assert passages[0].text == "```\nif x:\n    y()\n```"
    assert passages[0].metadata["kind"] == "code"


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252", "tis-620", "gb18030"])
def test_the_page_may_say_its_encoding(encoding):
    """A charset in the page's head is believed when it fits the bytes."""
    words = {"tis-620": "บริษัทประกัน", "gb18030": "保险公司"}.get(encoding, "Excess £75")
    data = f"<html><head><meta charset='{encoding}'></head><body><p>{words}</p></body></html>".encode(encoding)
    assert parse(data, "a.html").text == words


@pytest.mark.parametrize("charset", ["ascii", "idna", "base64", "no-such-thing"])
def test_a_wrong_charset_is_not_believed(charset):
    """A page that claims an encoding its bytes contradict, or one that is none, is read by its bytes."""
    assert parse(f"<meta charset={charset}><p>£75</p>".encode(), "a.html").text == "£75"


@pytest.mark.parametrize(
    "body", ["<div>" * 20_000 + "deep", "<span><b>x" * 20_000, "<div>" * 20_000 + "x" + "</div>" * 20_000]
)
def test_a_page_that_never_closes_is_refused_quickly(body):
    """Thousands of unclosed elements would cost minutes; they are refused instead."""
    with pytest.raises(SourceError, match="never closed"):
        page(body)


def test_deep_but_closed_nesting_is_read():
    """A page nested hundreds deep gives its words."""
    assert "core" in page("<div>" * 900 + "core" + "</div>" * 900).text
    assert "leaf" in page("<ul><li>" * 400 + "leaf" + "</li></ul>" * 400).text


def test_elements_that_need_no_closing_are_read():
    """Thousands of paragraphs and items without their closing tags are how much of the web is written."""
    assert page("<p>one " * 6_000 + "<ul>" + "<li>two " * 6_000 + "</ul>").text.count("two") == 6_000


MANUAL = """<title>Stash</title><body><div class=sphinxsidebar>Contents</div><div role=main>
<h1>Stash<a class=headerlink href="#stash">¶</a></h1>
<table><tr><td><a accesskey=p href=a.html>Prev</a></td><td><a accesskey=n href=b.html>Next</a></td></tr></table>
<dl><dt><code>-k</code></dt><dt><code>--keep-index</code></dt><dd><p>Keeps.</p><p>For example:</p>
<pre><code class="language-sh">git stash -k\n\ngit add</code></pre><p>It goes on.</p>
<div class=note><h3>Note</h3><p>Mind it.</p></div></dd><dt>Alone</dt></dl>
<ol start=3><li><p>Stash.</p><pre>git stash</pre></li><li>Pop.<ul><li>At once</li></ul></li></ol>
<div class="admonition warning"><h3>Mind the gap</h3><p>It is deep.</p></div>
<table><caption>Modes</caption><tr><th>Mode</th><th>Does</th></tr><tr><td>a</td><td><p>One.</p><p>Two.</p></td></tr></table>
<table><tr><td><pre>1\n2</pre></td><td><pre>x = 1\ny = 2</pre></td></tr></table>
<p>After.</p></div><div class=footer>Made with care</div>"""
READ_MANUAL = """# Stash

- `-k`, `--keep-index`: Keeps. For example:
  ```sh
  git stash -k

  git add
  ```
  It goes on. Mind it.
- Alone

3. Stash.
  ```
  git stash
  ```
4. Pop.
  - At once

**Mind the gap**

It is deep.

Modes

| Mode | Does |
| --- | --- |
| a | One. Two. |

```
x = 1
y = 2
```

After."""


def test_a_manual_is_read_with_its_terms_listings_and_warnings_in_their_places():
    """Only the page's main part; what keys and permalinks lead to is gone; a warning's title heads no section."""
    document = parse(MANUAL.encode(), "a.html")
    assert document.text == READ_MANUAL
    assert document.title == "Stash"
    assert [section.headings for section in document.sections] == [()]


def test_a_term_with_much_to_it_heads_it():
    """The line with the term stays with what follows, also where that is cut."""
    meaning = "".join(f"<p>{'It dumps. ' * 40}</p>" for _ in range(6))
    passages = chunks(page(f"<h1>json</h1><dl><dt>json.dump(obj)</dt><dd>{meaning}</dd></dl>"))
    assert len(passages) > 1
    assert passages[0].text.startswith("**json.dump(obj)**\n\nIt dumps.")
    assert not any(passage.text.endswith("**") for passage in passages)


def test_contents_are_told_apart_and_calls_of_notes_go():
    """A chapter without parts is no other name of the next; a raised number that leads to a note says nothing."""
    text = page(
        "<dl><dt>1. Start</dt><dt>2. Use</dt><dd><dl><dt>2.1. Read</dt></dl></dd></dl>"
        "<p>It grows<a href='#n1'><sup>[1]</sup></a> by 10<sup>3</sup>, as in <a href='#t'>3</a>.</p>"
    ).text
    assert text == "- 1. Start\n- 2. Use:\n  - 2.1. Read\n\nIt grows by 103, as in 3."


def test_a_page_that_is_one_preformatted_text_is_text():
    """A letter of an archive is no listing; code on a page of its own is."""
    letter = "It was a dark night.\n" * 100
    assert "```" not in page(f"<pre>{letter}</pre>").text
    assert page(f"<pre><code>{letter}</code></pre>").text.startswith("```\n")


def test_a_heading_that_says_the_title_again_names_no_section():
    """The title stands before each section's name already."""
    document = page("<h2>A title</h2><p>a</p><h3>More</h3><p>b</p><h2>Other</h2><p>c</p>")
    assert [section.headings for section in document.sections] == [(), ("More",), ("Other",)]


def test_lists_are_counted_as_the_page_says():
    """By letters or roman numbers, from another start, and what stands behind an inner list stays behind it."""
    text = page(
        "<ol start=3><li>Tell us within 31 days of:<ol type=a><li>a birth;</li><li>a move.</li></ol>Later is late.</li>"
        "<li>Pay.<ol style='list-style-type: lower-roman'><li>cash</li><li value=4>card</li></ol></li></ol>"
    ).text
    assert text == (
        "3. Tell us within 31 days of:\n  (a) a birth;\n  (b) a move.\n  Later is late.\n4. Pay.\n  (i) cash\n  (iv) card"
    )


def test_a_term_stands_with_what_is_said_of_it():
    """A list of definitions, in a list of its own too."""
    text = page(
        "<dl><dt>Home</dt><dd>The <b>house</b>.</dd><dt>Child</dt><dt>Ward</dt><dd><ol type=a><li>yours; or</li>"
        "<li>your partner's.</li></ol></dd></dl>"
    ).text
    assert text == "- Home: The house.\n- Child, Ward:\n  (a) yours; or\n  (b) your partner's."


def test_a_table_s_caption_stands_over_it():
    text = page("<table><caption>Table 2 – Limits</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr>")
    assert text.text == "Table 2 – Limits\n\n| A | B |\n| --- | --- |\n| 1 | 2 |"


def test_lists_side_by_side_are_read_each_under_the_name_of_its_column():
    """What is covered is no list with what is not."""
    body = (
        "<table><tr><th>What is covered</th><th>What is not covered</th></tr>"
        "<tr><td><ul><li>theft</li><li>fire</li></ul></td><td><ul><li>rust</li></ul></td></tr></table>"
    )
    assert page(body).text == "What is covered:\n\n- theft\n- fire\n\nWhat is not covered:\n\n- rust"
    named = body.replace("<tr><th>What is c", "<tr><th></th><th>What is c").replace("<tr><td>", "<tr><td>Bike</td><td>")
    assert page(named).text.startswith(
        "Bike – What is covered:\n\n- theft\n- fire\n\nBike – What is not covered:\n\n- r"
    )
