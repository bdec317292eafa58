"""What one does with an answer: verdicts at a glance, words selected on both sides, what to ask first and next."""

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

CAR = (
    "# Car policy\n\nThis policy is for private cars in Great Britain.\n\n"
    "## Windscreen\n\nThe windscreen excess is £75 for a repair. A replacement costs you £115.\n\n"
    "## What about Europe?\n\nThe policy covers you for ninety days a year in the European Union.\n\n"
    "## Exclusions\n\nRacing on any track is not covered by this policy at all.\n"
)
HOME = "# Home policy\n\nWe insure the building and what is in it.\n\n## Storm\n\nStorm damage to fences is not covered by us.\n"
SELECT = """(node, words) => {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf(words);
    if (at < 0) continue;
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + words.length);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    walker.currentNode.parentElement.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
    return true;
  }
  return false;
}"""


async def test_the_first_screen_says_what_is_there_and_what_to_ask(visit):
    """Titles, sizes, how each document begins at its very words; questions from headings, and after an answer others."""
    reader = await visit()
    await reader.upload(("car.md", CAR.encode()), ("home.md", HOME.encode()))
    overview = reader("#overview")
    await expect(overview).to_contain_text("2 documents, ")
    opening = overview.locator(".quote-button", has_text="Car policy")
    await expect(opening).to_contain_text("This policy is for private cars in Great Britain.")
    await opening.click()
    assert await reader.marked() == "This policy is for private cars in Great Britain."
    await reader.page.keyboard.press("Escape")
    questions = overview.locator(".suggestion")
    await expect(questions).to_have_count(3)
    assert len({await each.inner_text() for each in await questions.all()}) == 3
    await questions.filter(has_text="Storm").click()
    await reader.ended()
    sources = (await reader.answer())["sources"]
    assert sources
    assert all("Home policy" in source["title"] for source in sources)
    await reader.ask("What is the windscreen excess?")
    following = reader(".turn").last.locator(".follow-ups .suggestion")
    texts = await following.all_inner_texts()
    assert any("Exclusions" in text for text in texts)
    assert "What about Europe?" in texts
    assert not any("Windscreen" in text for text in texts)
    await following.filter(has_text="Europe").click()
    await reader.ended()
    await expect(reader(".question").last).to_have_text("What about Europe?")


async def test_verdicts_are_told_apart_and_the_summary_is_true(visit, model):
    """A tick is for what is supported alone; the line below counts what is there, and claims no more."""
    model.says(
        "The windscreen excess is £75 for a repair [1]. Racing on any track is covered [1]. Dragons cost £9,000 [1]."
    )
    reader = await visit("mark")
    await reader.paste(("Car", CAR))
    await reader.ask("What is covered?")
    claims = [each for each in (await reader.answer())["claims"] if each["kind"] == "claim"]
    tick = await reader('.verdict[data-verdict="supported"] path').first.get_attribute("d")
    for verdict in await reader(".verdict").all():
        is_tick = await verdict.locator("path").first.get_attribute("d") == tick
        assert is_tick is (await verdict.get_attribute("data-verdict") == "supported")
    supported = sum(each["verdict"] == "supported" for each in claims)
    assert supported < len(claims)
    await expect(reader(".tally")).to_contain_text(f"Of {len(claims)} statements: {supported} supported")


async def test_words_of_the_answer_lead_to_their_evidence_and_back(visit, model):
    """Selected words open what stands behind them; words selected in the source list the sentences that rest on them."""
    model.says("😀 The windscreen excess is £75 for a repair [1]. Storm damage to fences is not covered [2].")
    reader = await visit("mark")
    await reader.paste(("😀 Car", f"😀😀 {CAR}"), ("Home", HOME))
    await reader.ask("What is covered, and what is the excess?")
    assert await reader(".prose").evaluate(SELECT, "fences")
    await reader.page.get_by_role("button", name="What do these words stand on?").click()
    assert "Storm damage to fences" in await reader.marked()
    await reader.page.keyboard.press("Escape")
    await reader(".cite").first.click()
    await reader.marked()
    assert await reader(".source-text").evaluate(SELECT, "£75")
    resting = reader(".resting")
    await expect(resting).to_contain_text("1 sentence of the answer rests on these words")
    await resting.get_by_role("button").click()
    await expect(reader(".claim.lit").first).to_contain_text("windscreen excess")
    assert await reader(".source-text").evaluate(SELECT, "Exclusions")
    await expect(resting).to_contain_text("No sentences of the answer rest on these words")


async def test_what_was_left_out_is_told_with_its_reason(visit, model):
    """Opened, the line of what was withheld shows each sentence, its verdict and why."""
    model.says("The windscreen excess is £75 for a repair [1]. Dragons are insured for £9,000 [1].")
    reader = await visit("hold")
    await reader.paste(("Car", CAR))
    await reader.ask("What is the windscreen excess?")
    held = reader(".held")
    await expect(held.locator("summary")).to_have_text("1 sentence was left out. Why?")
    await held.locator("summary").click()
    withheld = (await reader.answer())["response"]["withheld"]
    await expect(held).to_contain_text(withheld[0]["text"])
    await expect(held).to_contain_text(withheld[0]["reason"] or "source")


async def test_a_question_is_asked_of_the_documents_that_were_chosen(visit):
    """Found by a word, ticked, asked alone; until all are asked again. What is asked again keeps its scope."""
    reader = await visit()
    await reader.upload(("car.md", CAR.encode()), ("home.md", HOME.encode()))
    await reader.page.get_by_label("Find a document").fill("HOME")
    rows = reader(".document:visible")
    await expect(rows).to_have_count(1)
    await rows.get_by_role("checkbox").check()
    await expect(reader(".scope")).to_contain_text("Questions are asked of 1 of 2.")
    await reader.ask("What is not covered?")
    home = (await reader.answer())["sources"]
    assert home
    assert {source["title"].split(" › ")[0] for source in home} == {"Home policy"}
    await reader.page.get_by_role("button", name="Ask all").click()
    await reader('[data-action="again"]').click()
    await expect(reader(".again-bar .step")).to_have_text("Answer 2 of 2")
    await reader.ended()
    assert {source["title"].split(" › ")[0] for source in (await reader.answer())["sources"]} == {"Home policy"}
    await reader.ask("What is not covered?")
    assert "Car policy" in {source["title"].split(" › ")[0] for source in (await reader.answer())["sources"]}
