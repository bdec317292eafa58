"""A source beside the answer: as what it is, open at the cited words, each letter of it where the service counts it."""

import io

import openpyxl
import pytest
from playwright.async_api import expect

from tests.retrieval.paper import paragraphs, pdf
from tests.service.page.conftest import call
from tests.service.page.test_reading import SELECT

pytestmark = pytest.mark.asyncio(loop_scope="session")

GUIDE = """# Guide <a id="top"></a>

--8<-- "snippets/head.md"

The **windscreen** excess is `£75` for a [repair](https://example.org/repair).

| part | excess | replacement | repair | manufacturer | responsibility |
| --- | --: | --- | --- | --- | --- |
| sunroof | £90 | immediately | occasionally | international | policyholder |
| mirror | £30 | immediately | occasionally | international | policyholder |

```python
# how the windscreen excess is set
EXCESS = {"windscreen": 75}
```

- اللغة العربية هنا ABC 123
- second
"""
OFFSETS = """(() => {
  const root = document.getElementById("root");
  const { text, plain } = x;
  const found = [];
  for (let n = 0; n < text.length; n += 7) {
    const source = new m.Source(text, { start: n, end: Math.min(text.length, n + 5), plain });
    root.replaceChildren(...source.nodes());
    for (const mark of source.marks) {
      const range = document.createRange();
      range.selectNodeContents(mark);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      const at = source.selected(getSelection());
      found.push([n, at.start, at.end, mark.textContent]);
    }
  }
  return found;
})()"""


@pytest.mark.parametrize("plain", [False, True])
async def test_every_letter_knows_its_place(modules, plain):
    """Wherever words are marked and selected, in code, tables, lists or emphasis, their offsets lead to themselves."""
    text = GUIDE.replace("&", "and")
    found = await call(modules, "source.js", OFFSETS, {"text": text, "plain": plain})
    assert len(found) > len(text) / 14
    for begin, start, end, words in found:
        assert begin <= start < end <= begin + 5
        assert text[start:end] == words


async def test_a_long_table_is_drawn_around_the_words_with_its_head(modules):
    """Of ten thousand rows those around the words are there, each stretch under the table's head; more on request."""
    rows = [f"| {n} | value {n} |" for n in range(10_000)]
    text = "\n".join(["| number | value |", "| --- | --- |", *rows])
    start = text.index("value 7000 ")
    shown = """(() => {
      const source = new m.Source(x.text, { start: x.start, end: x.start + 10 });
      document.getElementById("root").replaceChildren(...source.nodes());
      return [source.marks[0].textContent, source.marks[0].closest("table").querySelector("th").textContent];
    })()"""
    assert await call(modules, "source.js", shown, {"text": text, "start": start}) == ["value 7000", "number"]
    count = modules.locator("#root tr")
    before = await count.count()
    assert before < 5_000
    await modules.get_by_role("button", name="Show what follows").click()
    assert await count.count() > before
    await modules.locator("#root").evaluate("(n) => n.replaceChildren()")


async def test_markdown_is_shown_as_what_it_means(visit):
    """Bold, code, links, tables, listings in colours; no anchor, include or backtick is text; what is cited is marked."""
    reader = await visit(viewport={"width": 390, "height": 800})
    await reader.upload(("guide.md", GUIDE.encode()))
    await reader.ask("What is the windscreen excess for a repair?")
    await expect(reader(".note-quote code")).to_have_text("£75")
    await reader(".cite").first.click()
    assert await reader.marked() == "The windscreen excess is £75 for a repair."
    source = reader(".source-text")
    await expect(source.locator("strong")).to_have_text("windscreen")
    await expect(source.locator(".code-comment")).to_have_text("# how the windscreen excess is set")
    text = await source.inner_text()
    assert not any(mark in text for mark in ("`", "**", "<a", "8<", "| ---"))
    await expect(source.locator("li").first).to_have_attribute("dir", "auto")
    box = await source.locator(".table").evaluate(
        "(n) => [n.scrollWidth > n.clientWidth, document.documentElement.scrollWidth]"
    )
    assert box == [True, 390]
    assert await source.evaluate(SELECT, "sunroof")
    await expect(reader(".resting")).to_contain_text("No sentences of the answer")


async def test_a_pdf_page_is_drawn_with_the_cited_words_framed(visit):
    """The page as it looks, a frame where the words stand on it; its text one press away, and the pages around."""
    lines = ["The policy covers private cars.", "The windscreen excess is £75 for a repair.", "Racing is not covered."]
    first = paragraphs(*[f"Line {n} of the first page speaks of something else." for n in range(20)])
    reader = await visit()
    await reader.upload(("policy.pdf", pdf(first, paragraphs(*lines, top=500), paragraphs("The end of it all."))))
    await reader.ask("What is the windscreen excess for a repair?")
    await reader(".cite").first.click()
    frame = reader(".area").first
    await expect(frame).to_be_in_viewport()
    await expect(reader(".place")).to_have_text("page 2")
    # What stands inside the frame is dark on light: words; and it lies where the page has them.
    inked = """(frame) => {
      const canvas = frame.parentElement.querySelector("canvas");
      const share = (name) => parseFloat(frame.style[name]) / 100;
      const [x, y, w, h] = [share("left") * canvas.width, share("top") * canvas.height, share("width") * canvas.width, share("height") * canvas.height];
      const dark = ([x, y, w, h]) => canvas.getContext("2d").getImageData(x, y, w, h).data.filter((value, n) => n % 4 === 0 && value < 128).length;
      return [dark([x, y, w, h]), dark([0, 0, canvas.width, y - 40]), y / canvas.height];
    }"""
    inside, above, top = await frame.evaluate(inked)
    assert inside > 100
    assert above == 0
    assert top == pytest.approx((842 - 500 + 14 - 11) / 842, abs=0.02)
    await reader.page.get_by_role("button", name="Page before").click()
    await expect(reader(".page figcaption")).to_have_text(["Page 1", "Page 2"])
    await reader.page.get_by_role("button", name="Text", exact=True).click()
    assert "£75" in await reader.marked()
    await expect(reader(".page")).to_have_count(0)


async def test_a_cell_is_named_and_marked_in_its_sheet(visit):
    """The sheet and the cell of a spreadsheet stand above it, the cell itself is marked."""
    book = openpyxl.Workbook()
    book.active.title = "Prices"
    for row in (["part", "windscreen excess"], ["repair", "75 pounds"], ["replacement", "115 pounds"]):
        book.active.append(row)
    data = io.BytesIO()
    book.save(data)
    reader = await visit()
    await reader.upload(("prices.xlsx", data.getvalue()))
    await reader.ask("What is the windscreen excess for a replacement?")
    await reader(".cite").first.click()
    assert "115 pounds" in await reader.marked()
    await expect(reader(".place")).to_contain_text("B3")
    assert await reader("mark.words").last.evaluate("(n) => n.closest('td') !== null")
