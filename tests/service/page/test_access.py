from itertools import pairwise

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

CAR = "The windscreen excess is £75 for a repair. Racing on any track is not covered."
SAID = """# What is covered

The windscreen excess is £75 for a repair [1]. Racing on any track is covered [1]. Dragons are insured for £9,000 [1].

| Part | Excess |
|---|---|
| Glass | £75 [1] |

```sh
footnoted ask
```

See [the guide](https://example.org) and `code`. > no quote
"""
# The contrast (WCAG 2.2, 1.4.3 and 1.4.11) of every visible text, and of every icon that says something.
CONTRAST = r"""() => {
  const parse = (text) => {
    const n = (text.match(/[\d.]+(?:e-?\d+)?/g) || []).map(Number);
    const scale = text.startsWith("color(") ? 255 : 1;
    return { rgb: n.slice(0, 3).map((x) => x * scale), a: n.length > 3 ? n[3] : 1 };
  };
  const over = (top, under) => top.rgb.map((x, i) => x * top.a + under[i] * (1 - top.a));
  const ground = (node) => {
    const chain = [];
    for (let n = node; n; n = n.parentElement) chain.push(parse(getComputedStyle(n).backgroundColor));
    return chain.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const seen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !node.closest(".heard, [inert]") && node.getBoundingClientRect().width > 2;
  const bad = [], told = new Set();
  const tell = (node, style, need) => {
    const under = ground(node);
    const found = ratio(over(parse(style), under), under);
    told.add(node.className?.baseVal ?? node.className);
    if (found < need) bad.push(`${node.tagName}.${node.className?.baseVal ?? node.className} ${found.toFixed(2)} < ${need}: ${node.textContent.trim().slice(0, 30)}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !seen(node) || node.closest("svg, noscript")) continue;
    const style = getComputedStyle(node);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
    tell(node, style.color, size >= 24 || (bold && size >= 18.66) ? 3 : 4.5);
  }
  for (const node of document.querySelectorAll(".icon")) if (seen(node)) tell(node, getComputedStyle(node).color, 3);
  for (const node of document.querySelectorAll("textarea, input[type=text], input[type=password]")) {
    const box = node.closest(".ask-box") ?? node;
    if (seen(node)) tell(box, getComputedStyle(box).borderTopColor, 3);
    if (seen(node) && node.placeholder) tell(node, getComputedStyle(node, "::placeholder").color, 4.5);
  }
  return { bad: [...new Set(bad)], told: told.size };
}"""
SMALL = """() => [...document.querySelectorAll("button, a[href], input, summary")]
  .filter((node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest(".heard, [inert], .prose p a") && !node.matches(".heard, .skip"))
  .filter((node) => { const box = node.getBoundingClientRect(); return box.width && (box.width < 24 || box.height < 24) && !node.matches(".cite, [type=checkbox]"); })
  .map((node) => `${node.tagName}.${node.className} ${node.textContent}`)"""


async def named(page):
    """Every control the browser tells assistive software about: ``(role, name)``."""
    session = await page.context.new_cdp_session(page)
    nodes = (await session.send("Accessibility.getFullAXTree"))["nodes"]
    await session.detach()
    return [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node.get("ignored") and "role" in node
    ]


async def full(visit, model, **how):
    """A page with everything on it: an answer with every sign, a source, documents, an error."""
    model.says(SAID)
    reader = await visit("mark", **how)
    await reader.upload(("car.md", f"# Car policy\n\n{CAR}".encode()))
    await reader("#files").set_input_files([{"name": "empty.md", "mimeType": "", "buffer": b""}])
    await reader.paste(("Car", CAR))
    await reader.ask("What is covered?")
    await reader(".verdict").nth(1).click()
    await expect(reader(".verdict-card")).to_be_visible()
    return reader


async def test_everything_can_be_read_in_both_themes(visit, model):
    """Text has a contrast of 4.5 (large text 3), icons and the edges of fields 3, wherever they stand."""
    reader = await full(visit, model)
    for prepare in (None, '[aria-label="Bad answer"]', "#tab-past", "#show-help"):
        if prepare:
            await reader(prepare).first.click()
        for scheme in ("light", "dark"):
            await reader.page.emulate_media(color_scheme=scheme)
            found = await reader.page.evaluate(CONTRAST)
            assert found["bad"] == [], (scheme, prepare)
            assert found["told"] > 10


async def test_every_control_has_a_name_and_a_size(visit, model):
    """Assistive software is told what each button, field and link is, headings go down by one; a finger hits each."""
    reader = await full(visit, model)
    told = await named(reader.page)
    controls = {
        "button",
        "textbox",
        "radio",
        "tab",
        "link",
        "checkbox",
        "article",
        "region",
        "navigation",
        "form",
        "group",
        "tablist",
        "tabpanel",
        "complementary",
        "dialog",
        "progressbar",
    }
    assert [role for role, name in told if role in controls and not name.strip()] == []
    roles = {role for role, _ in told}
    assert {
        "main",
        "navigation",
        "form",
        "complementary",
        "article",
        "tablist",
        "heading",
        "table",
        "columnheader",
    } <= roles
    assert await reader.page.evaluate(SMALL) == []
    ids = await reader.page.evaluate("[...document.querySelectorAll('[id]')].map((n) => n.id)")
    assert len(ids) == len(set(ids))
    assert await reader("html").get_attribute("lang") == "en"
    assert await reader.page.title() == "What is covered? · footnoted"
    # One title; under it each question, and the source; an answer's own headings below its question.
    levels = await reader.page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].filter((n) => n.checkVisibility()).map((n) => Number(n.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels)), levels


async def test_the_answer_is_read_aloud_by_the_sentence_each_once(visit, model):
    """The live region says every sentence once, without marks, and in the end how the check went."""
    sentences = [f"Clause {n} says that the windscreen excess is £75." for n in range(1, 6)]
    model.says(" ".join(each[:-1] + " **now** [1]." for each in sentences), delay=0.02)
    reader = await visit("mark")
    await reader.paste(("Car", CAR))
    await reader.page.evaluate(
        """() => {
          window.heard = [];
          new MutationObserver((changes) => {
            for (const change of changes) for (const node of change.addedNodes) window.heard.push(node.textContent);
          }).observe(document.getElementById("announcer"), { childList: true });
        }"""
    )
    await reader.ask("What do the clauses say?")
    await expect(reader("#announcer")).to_contain_text("complete")
    heard = await reader.page.evaluate("window.heard")
    said = " ".join(heard)
    for n in range(1, 6):
        assert said.count(f"Clause {n} says") == 1
    assert len(heard) >= 3
    assert "[1]" not in said
    assert "*" not in said
    assert heard[-1].startswith("The answer is complete.")
    assert await reader("#announcer").get_attribute("aria-live") == "polite"


async def test_it_fits_on_the_narrowest_screen(visit, model):
    """At 320 pixels, or 400 % zoom, nothing is cut off and nothing scrolls sideways but tables and code."""
    reader = await full(visit, model, viewport={"width": 320, "height": 640})
    await reader.page.keyboard.press("Escape")
    assert await reader.page.evaluate("document.documentElement.scrollWidth") <= 320
    over = await reader.page.evaluate(
        """() => [...document.querySelectorAll("#thread *, .ask *")].filter((n) => n.checkVisibility() && !n.closest(".table, pre, .heard, svg") && n.getBoundingClientRect().right > 321).map((n) => n.className || n.tagName)"""
    )
    assert over == []
