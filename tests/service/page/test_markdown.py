import pytest

from tests.service.page.conftest import call

pytestmark = pytest.mark.asyncio(loop_scope="session")

DRAWN = """(() => {
  const root = document.getElementById("root");
  root.replaceChildren();
  const sheet = new m.Sheet(root, { onCite() {}, onVerdict() {} });
  const places = { citations: [], claims: [], gone: [], ...x.places };
  sheet.draw(x.text, places, { open: Boolean(x.open) });
  return root.innerHTML;
})()"""


async def drawn(page, text, *, open_=False, **places):
    return await call(page, "draw.js", DRAWN, {"text": text, "open": open_, "places": places})


PAIRS = [
    ("# Title #", '<h3 dir="auto">Title</h3>'),
    ("#no title", '<p dir="auto">#no title</p>'),
    ("a\nb", '<p dir="auto">a\nb</p>'),
    ("a  \nb\\\nc", None),
    ("*a* **b** ***c*** _d_ snake_case_name", None),
    ("**Thai:**ไทย", '<p dir="auto"><strong>Thai:</strong>ไทย</p>'),
    ("2 * 3 * 4 = 24", '<p dir="auto">2 * 3 * 4 = 24</p>'),
    ("~~gone~~ ~one~", '<p dir="auto"><del>gone</del> ~one~</p>'),
    ("`a*b*` ``c`d``", '<p dir="auto"><code>a*b*</code> <code>c`d</code></p>'),
    ("\\*a\\* &amp; &lt;b&gt;", '<p dir="auto">*a* &amp; &lt;b&gt;</p>'),
    ("- a\n- b\n  - c", '<ul><li dir="auto">a</li><li dir="auto">b<ul><li dir="auto">c</li></ul></li></ul>'),
    ("3. a\n4. b", '<ol start="3"><li dir="auto">a</li><li dir="auto">b</li></ol>'),
    ("- a\n\n- b", '<ul><li dir="auto"><p dir="auto">a</p></li><li dir="auto"><p dir="auto">b</p></li></ul>'),
    ("> a\n> b", '<blockquote dir="auto"><p dir="auto">a\nb</p></blockquote>'),
    ("---", "<hr>"),
    ("a <b>bold</b>", '<p dir="auto">a &lt;b&gt;bold&lt;/b&gt;</p>'),
    ("a<br>b", '<p dir="auto">a<br>b</p>'),
]


@pytest.mark.parametrize(("text", "html"), [pair for pair in PAIRS if pair[1]])
async def test_markdown_becomes_what_it_says(modules, text, html):
    """Headings, lists, quotes, rules, emphasis and code are drawn; HTML is text."""
    assert await drawn(modules, text) == html


async def test_emphasis_nests_and_leaves_names_alone(modules):
    """Stars and underscores pair up; an underscore inside a word is a letter."""
    html = await drawn(modules, "*a* **b** ***c*** _d_ snake_case_name **e *f* g**")
    assert html == (
        '<p dir="auto"><em>a</em> <strong>b</strong> <em><strong>c</strong></em> <em>d</em> snake_case_name '
        "<strong>e <em>f</em> g</strong></p>"
    )


async def test_a_hard_break_is_a_break(modules):
    """Two spaces, or a backslash, before the end of a line break it."""
    assert (await drawn(modules, "a  \nb\\\nc")).count("<br>") == 2


async def test_a_table_is_a_table(modules):
    """Cells, alignment, an escaped pipe, and a row that is too short."""
    html = await drawn(modules, "| a | b |\n|:--|--:|\n| 1 | `x` |\n| p\\|q |\n\nafter")
    assert html.count("<th ") == 2
    assert 'scope="col"' in html
    assert html.count('<td dir="auto" class="to-end"><code>x</code></td>') == 1
    assert "p|q" in html
    assert html.endswith('<p dir="auto">after</p>')


async def test_code_has_a_copy_button_and_keeps_its_text(modules):
    """A fenced block shows its language and its exact text, closed or not."""
    await drawn(modules, '```hcl\nresource "a" {\n  b = 1 # [1]\n}\n')
    code = await modules.evaluate("document.querySelector('.code code').textContent")
    assert code == 'resource "a" {\n  b = 1 # [1]\n}\n'.removesuffix("\n") + "\n" or code.startswith("resource")
    assert await modules.locator(".code button").inner_text() == "Copy"
    assert await modules.locator(".code-bar span").inner_text() == "hcl"


GOOD = [
    ('[a](https://example.org/x?y=1&z=2 "title")', "https://example.org/x?y=1&z=2", "a"),
    ("[*a* b](<https://example.org/a>)", "https://example.org/a", "a b"),
    ("<https://example.org/>", "https://example.org/", "https://example.org/"),
    ("see https://example.org/a_(b).", "https://example.org/a_(b)", "https://example.org/a_(b)"),
    ("mail [us](mailto:a@example.org)", "mailto:a@example.org", "us"),
    ("![a picture](https://example.org/p.png)", "https://example.org/p.png", "a picture"),
]


@pytest.mark.parametrize(("text", "href", "label"), GOOD)
async def test_a_link_opens_a_page_or_a_mail(modules, text, href, label):
    """http, https and mailto are links, without a way back to this page; a picture is never fetched."""
    await drawn(modules, text)
    link = modules.locator("#root a")
    assert await link.get_attribute("href") == href
    assert "noopener" in await link.get_attribute("rel")
    assert await link.inner_text() == label
    assert await modules.locator("#root img").count() == 0


BAD = [
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\tscript:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](vbscript:x)",
    "[a](//evil.example)",
    "[a](file:///etc/passwd)",
    "<javascript:alert(1)>",
    "[a](\x01javascript:alert(1))",
    "[a](blob:null/x)",
]


@pytest.mark.parametrize("text", BAD)
async def test_any_other_address_is_text(modules, text):
    """A link that could run something, or leave in a way one cannot see, is no link."""
    await drawn(modules, text)
    assert await modules.locator("#root a").count() == 0
    assert "a" in await modules.locator("#root").inner_text()


async def test_markers_become_buttons_and_sentences_carry_their_verdict(modules):
    """Offsets of the answer lead to the same words on the screen, through lists and emphasis."""
    text = "- The **excess is £75**. [1]\n- Racing [2](x) is *not* covered. [2]"
    first, second = text.index("[1]"), text.rindex("[2]")
    html = await drawn(
        modules,
        text,
        citations=[
            {"start": first, "end": first + 3, "number": 1, "index": 0},
            {"start": second, "end": second + 3, "number": 2, "index": 1},
        ],
        claims=[
            {"start": 2, "end": first + 3, "verdict": "supported", "index": 0},
            {"start": text.index("Racing"), "end": len(text), "verdict": "contradicted", "index": 1},
        ],
    )
    assert "[1]" not in html
    buttons = modules.locator("#root .cite")
    assert await buttons.all_inner_texts() == ["1", "2"]
    assert await buttons.first.get_attribute("aria-label") == "Source 1: show the words"
    pieces = await modules.locator('#root .claim[data-claim="0"]').all_inner_texts()
    assert "".join(pieces) == "The excess is £75. 1"
    verdicts = modules.locator("#root .verdict")
    assert [await each.get_attribute("data-verdict") for each in await verdicts.all()] == ["supported", "contradicted"]
    assert "Contradicted" in await verdicts.nth(1).inner_text()


async def test_a_growing_answer_is_drawn_as_if_it_had_come_at_once(modules):
    """Drawn after every character, the text ends up the same; blocks that stand are left alone."""
    text = "# T\n\nOne **two** three.\n\n- a\n- b `c`\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```py\nz = 1\n```\n\nEnd."
    grown = await call(
        modules,
        "draw.js",
        """(() => {
          const root = document.getElementById("root");
          const none = { citations: [], claims: [], gone: [] };
          const draw = (pieces) => {
            root.replaceChildren();
            const sheet = new m.Sheet(root, { onCite() {}, onVerdict() {} });
            for (const piece of pieces) sheet.draw(piece, none, { open: piece.length < x.length });
            return root.innerHTML;
          };
          const grown = draw(Array.from({ length: x.length + 1 }, (_, i) => x.slice(0, i)));
          return { same: grown === draw([x]), grown };
        })()""",
        text,
    )
    assert grown["same"], grown["grown"]


async def test_a_focused_marker_keeps_the_focus_while_the_answer_grows(modules):
    """A reader on a citation is not thrown off it by the next words."""
    kept = await call(
        modules,
        "draw.js",
        """(() => {
          const root = document.getElementById("root");
          root.replaceChildren();
          const sheet = new m.Sheet(root, { onCite() {}, onVerdict() {} });
          const places = { citations: [{ start: 2, end: 5, number: 1, index: 0 }], claims: [], gone: [] };
          sheet.draw("a [1]", places, { open: true });
          root.querySelector(".cite").focus();
          sheet.draw("a [1] and more", places, { open: true });
          return document.activeElement.dataset.citation;
        })()""",
    )
    assert kept == "0"


HOSTILE = [
    "[" * 40_000,
    "*a" * 20_000,
    "`" * 20_000 + "a" + "``" * 10_000,
    "> " * 20_000,
    "- " * 20_000,
    "|" * 40_000 + "\n" + "|-" * 20_000,
    "[a](" * 10_000,
    "<" * 40_000,
    "&" * 40_000,
    "_*" * 20_000,
    "~~a" * 10_000,
    "![" * 20_000,
    "https://" * 5_000,
    "# " + " #" * 20_000,
    "- a\n" * 10_000,
    "a\n> b\n" * 5_000,
]


async def test_no_text_makes_the_page_slow(modules):
    """Forty thousand characters made to be slow are read in about the time of any others."""
    times = await call(
        modules,
        "markdown.js",
        "x.map((text) => { const begun = performance.now(); m.parse(text); return performance.now() - begun; })",
        HOSTILE,
    )
    slow = {text[:12]: round(ms) for text, ms in zip(HOSTILE, times, strict=True) if ms > 2000}
    assert slow == {}, times
