import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

RUN = "window.pwned=1;alert(1)"
CORPUS = [
    f"<script>{RUN}</script>",
    f"<img src=x onerror='{RUN}'>",
    f"<svg onload='{RUN}'><animate onbegin='{RUN}' attributeName=x dur=1s>",
    f'<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>',
    f'<iframe src="javascript:parent.{RUN}"></iframe>',
    f'<a href="javascript:{RUN}">press</a>',
    f"[press](javascript:{RUN})",
    f"[press](JAVASCRIPT:{RUN})",
    f"[press](java&#x0A;script:{RUN})",
    f"[press]( \x01javascript:{RUN})",
    "[press](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    f"![press](javascript:{RUN})",
    f'![x](https://example.org/x.png"onerror="{RUN})',
    f"[x]: javascript:{RUN}\n\n[x]",
    f"<javascript:{RUN}>",
    f"<details open ontoggle='{RUN}'><summary>x</summary></details>",
    f'<math><mtext></table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror={RUN}&gt;">',
    f"<form action=\"javascript:{RUN}\"><button>x</button></form><input autofocus onfocus='{RUN}'>",
    f"<style>@import 'javascript:{RUN}';</style><link rel=stylesheet href='javascript:{RUN}'>",
    f"<body onload='{RUN}'><video><source onerror='{RUN}'></video>",
    f"<base href='//evil.example/'><meta http-equiv=refresh content='0;url=javascript:{RUN}'>",
    f'<object data="javascript:{RUN}"></object><embed src="javascript:{RUN}">',
    f'```"><script>{RUN}</script>\n</code><script>{RUN}</script>\n```',
    f"`<script>{RUN}</script>` **<img src=x onerror={RUN}>**",
    f"| <img src=x onerror={RUN}> | b |\n|---|---|\n| [p](javascript:{RUN}) | <script>{RUN}</script> |",
    f"{{{{constructor.constructor('{RUN}')()}}}} ${{{RUN}}}",
    f'"><svg/onload={RUN}>\'"--></title></textarea></script><script>{RUN}</script>',
    "&lt;script&gt;window.pwned=1&lt;/script&gt;",
    "__proto__ constructor toString hasOwnProperty",
    "\u202etxet esrever\u202c \u0000 \ufeff \u2028 <b>",
]
# What must not be on the page, whoever wrote it: live elements with any power, or handlers on any.
POWER = """() => {
  const found = [...document.querySelectorAll("script:not([src]), iframe, object, embed, base, style, svg script, form[action]")].map((n) => n.outerHTML);
  for (const node of document.querySelectorAll("*")) {
    for (const { name, value } of node.attributes) {
      if (name.startsWith("on") || name === "style" && !["question"].includes(node.id) || name === "srcdoc") found.push(`${node.tagName} ${name}`);
      if (["href", "src", "action", "formaction", "xlink:href"].includes(name) && /^[\\s\\x00-\\x20]*(javascript|data|vbscript|blob):/i.test(value)) found.push(value);
    }
    if (node.tagName === "IMG" || node.tagName === "LINK" && node.rel !== "icon" && !node.href.startsWith(location.origin)) found.push(node.outerHTML);
  }
  if (window.pwned) found.push("it ran");
  return found;
}"""


async def assert_nothing_ran(reader):
    for link in await reader("#turns a, #panel a").all():
        assert (await link.get_attribute("href")).startswith(("http://", "https://", "mailto:"))
    assert await reader.page.evaluate(POWER) == []
    assert await reader.troubles() == []


async def test_the_corpus_is_large():
    """Thirty ways in, each different."""
    assert len(set(CORPUS)) == len(CORPUS) >= 30


async def test_a_hostile_model_runs_nothing(visit, model):
    """Whatever the model writes is shown as text; its links, if any, open pages only."""
    # Answers without checking: all of it reaches the page, in small pieces.
    model.says("\n\n".join(CORPUS) + "\n\nThe excess is £75 [1].")
    reader = await visit("off")
    await reader.paste(("Car", "The windscreen excess is £75."))
    await reader.ask("What is the excess?")
    assert "<script>" in await reader(".prose").inner_text()
    for link in await reader(".prose a").all():
        await link.evaluate("(n) => n.addEventListener('click', (e) => e.preventDefault()) || n.click()")
    await assert_nothing_ran(reader)


async def test_a_hostile_reader_source_and_title_run_nothing(visit, model):
    """Question, title and text of a source, a comment, and the history, all at once; and again after a refresh."""
    model.says("The windscreen excess is £75 [1].")
    reader = await visit("off")
    hostile = "\n".join(CORPUS)
    await reader.paste((CORPUS[1] + CORPUS[0], f"{hostile}\n\nThe windscreen excess is £75.\n\n{hostile}"))
    await reader.ask(hostile)
    await reader(".cite").first.click()
    assert "excess is £75" in await reader.marked()
    await assert_nothing_ran(reader)
    await reader("#tab-past").click()
    await reader.page.get_by_role("button", name="Bad answer").click()
    await reader.page.get_by_label("Your comment").fill(hostile)
    await reader.page.get_by_role("button", name="Send").click()
    await expect(reader(".comment-box")).to_contain_text("Kept")
    await reader.page.reload()
    await reader.ended()
    await reader(".cite").first.click()
    assert "excess is £75" in await reader.marked()
    await assert_nothing_ran(reader)


async def test_hostile_files_run_nothing(visit):
    """File names, titles inside documents, section headings and refusals are text, wherever they are shown."""
    reader = await visit()
    html = f"<html><head><title>{CORPUS[1]}</title></head><body><h1>{CORPUS[0]}</h1><p>The windscreen excess is £75.</p></body></html>"
    files = [
        (
            f"<img src=x onerror={RUN}>.md",
            f"# {CORPUS[1]}\n\n## {CORPUS[6]}\n\nThe windscreen excess is £75 for a repair.".encode(),
        ),
        ("page.html", html.encode()),
        (f"<svg onload={RUN}>.txt", "\n\n".join(CORPUS).replace("\0", "").encode()),
    ]
    await reader.upload(*files)
    await reader("#files").set_input_files(
        [{"name": f"<img src=x onerror={RUN}>.pdf", "mimeType": "", "buffer": b"%PDF-"}]
    )
    await expect(reader(".document.failed")).to_have_count(1, timeout=200_000)
    await reader.ask("What is the windscreen excess?")
    await reader(".cite").first.click()
    assert "excess is £75" in await reader.marked()
    await assert_nothing_ran(reader)
    await reader.ask("What does <script> say about horses?")
    await assert_nothing_ran(reader)


async def test_what_the_service_keeps_runs_nothing(visit):
    """Questions, titles and texts that come back with a conversation are data, in the list, the page, a shared link."""
    reader = await visit()
    hostile = "\n\n".join(CORPUS).replace("\0", "")
    await reader.paste((CORPUS[1], f"The windscreen excess is £75. {hostile}"))
    await reader.ask(f"What is the windscreen excess? {hostile[:2000]}")
    await reader("#tab-past").click()
    await reader(".past li").get_by_role("button").nth(1).click()
    await reader.page.get_by_role("button", name="Rename").click()
    await reader.page.get_by_label("The conversation's title").fill(CORPUS[0][:150])
    await reader.page.keyboard.press("Enter")
    await expect(reader(".past .name")).to_contain_text(CORPUS[0][:20])
    await reader.page.reload()
    await expect(reader(".question")).to_contain_text("windscreen")
    await assert_nothing_ran(reader)
    await reader(".past li").get_by_role("button").nth(1).click()
    await reader.page.get_by_role("button", name="Share by a link").click()
    await reader.page.goto(await reader.page.get_by_label("The link").input_value())
    await expect(reader("article h2")).to_contain_text("windscreen")
    assert await reader("script, img, svg, iframe").count() == 0


async def test_the_policy_is_strict(visit):
    """Nothing inline, nothing from elsewhere, and no string becomes markup: the browser itself refuses."""
    reader = await visit(go=False)
    response = await reader.page.goto(reader.url)
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    refused = await reader.page.evaluate(
        """() => { try { document.body.innerHTML = "<b>x</b>"; return ""; } catch (e) { return e.name; } }"""
    )
    assert refused == "TypeError"
    await reader.page.evaluate("window.broken = []")  # that refusal was ours
