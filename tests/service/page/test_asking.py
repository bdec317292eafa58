import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

CAR = """# Car policy

## Windscreen

The windscreen excess is £75 for a repair. A replacement costs you £115.

## Exclusions

Racing on any track is not covered.
"""
TONGUES = {
    "Thai": "ค่าเสียหายส่วนแรกของกระจกหน้ารถคือ 2,500 บาท",
    "emoji": "The 🚗 windscreen excess is £75 👍🏽 for a 𝒳 repair.",
    "Arabic": "مبلغ التحمل للزجاج الأمامي هو 75 دينارا.",
}


async def test_a_citation_opens_the_exact_words(visit):
    """Upload, ask, press the number: the document stands open beside the answer, marked at the words it cites."""
    reader = await visit()
    filler = "\n\n".join(f"Paragraph {n} says nothing of the kind." for n in range(200)).encode()
    await reader.upload(("car.md", CAR.encode() + filler), ("long.md", b"# Notes\n\n" + filler))
    await reader.ask("What is the windscreen excess?")
    cite = reader(".cite").first
    await cite.click()
    answer = await reader.answer()
    citation = answer["citations"][0]
    assert await reader.marked() == citation["source_quote"]
    assert "£75" in citation["source_quote"]
    # The document is open, not the passage alone, rendered; and the words stand where the service says.
    before = await reader("mark.words").evaluate(
        "(n) => { const r = document.createRange(); r.setStart(n.closest('.source-text'), 0); r.setEndBefore(n); return r.toString(); }"
    )
    source = answer["sources"][citation["source_index"]]
    at = source["document_start"] + citation["source_start"] - source["lead"]
    assert "".join(before.split()) == "".join(CAR[:at].replace("#", "").split())
    assert await reader(".source-text h3").first.inner_text() == "Car policy"
    assert await reader("#panel-title").inner_text() == "Car policy"
    await expect(cite).to_have_class("cite lit")


@pytest.mark.parametrize("tongue", TONGUES)
async def test_every_script_is_marked_exactly(visit, model, tongue):
    """Offsets are code points: emoji outside the basic plane, Thai and Arabic before the words move nothing."""
    sentence = TONGUES[tongue]
    model.says(f"👩‍🚀 {sentence} [1]")
    reader = await visit("mark")
    await reader.paste((tongue, f"👩‍🚀🎉 𝒳𝒴 ไทย عربي\n\n{sentence} 🎉 Racing is not covered."))
    await reader.ask("What is the windscreen excess?")
    answer = await reader.answer()
    assert sentence.strip(".") in answer["citations"][0]["source_quote"]
    await reader(".cite").first.click()
    assert await reader.marked() == answer["citations"][0]["source_quote"]
    assert "[1]" not in await reader(".prose").inner_text()


async def test_every_citation_of_an_answer_opens_its_own_words(visit, model):
    """One after the other, by the panel's own buttons too, the words marked are those of each citation."""
    model.says("The windscreen excess is £75 for a repair [1]. Racing on any track is not covered [2].")
    reader = await visit("mark")
    await reader.paste(
        ("Glass 😀", "😀 The windscreen excess is £75 for a repair."),
        ("Track", "😀 Racing on any track is not covered."),
    )
    await reader.ask("What is the excess, and is racing covered?")
    quotes = [each["source_quote"] for each in (await reader.answer())["citations"]]
    assert len(quotes) == 2
    for n, quote in enumerate(quotes):
        await reader(".cite").nth(n).click()
        assert await reader.marked() == quote
    await reader("#panel").get_by_role("button", name="Previous words").click()
    await expect(reader("mark.words")).to_have_text(quotes[0])
    await reader("#panel-title").focus()
    await reader.page.keyboard.press("j")
    await expect(reader("mark.words")).to_have_text(quotes[1])


async def test_a_refusal_is_kind_and_shows_what_was_found(visit):
    """What the documents do not say is said so, with the passages that came nearest, each of which opens."""
    reader = await visit()
    await reader.upload(("car.md", CAR.encode()))
    await reader.ask("How tall is the tallest car racing on the moon?")
    card = reader(".refusal")
    await expect(card).to_contain_text("do not say")
    found = (await reader.answer())["response"]["refusal"]["found"]
    if found:
        await card.get_by_role("button").first.click()
        assert await reader.marked() == found[0]["source_quote"]
    assert await reader(".refusal .cite").count() == 0


async def test_sources_that_disagree_are_both_shown(visit):
    """Two sources that exclude one another stand side by side, with their words."""
    reader = await visit()
    await reader.paste(
        ("Policy 2024", "Updated 1 March 2024. The windscreen excess is £75 for a repair."),
        ("Policy 2025", "Updated 1 March 2025. The windscreen excess is £95 for a repair."),
    )
    await reader.ask("What is the windscreen excess?")
    card = reader(".disagreement")
    await expect(card).to_contain_text("The sources disagree")
    await expect(card).to_contain_text("£75")
    await expect(card).to_contain_text("£95")
    await card.get_by_role("button").nth(1).click()
    disagreement = (await reader.answer())["disagreements"][0]
    assert await reader.marked() == disagreement["second"]["source_quote"]


async def test_a_file_that_cannot_be_read_says_why(visit):
    """An error of one file is readable, stays with its row, and leaves the others alone."""
    reader = await visit()
    files = [("good.md", CAR.encode()), ("broken.pdf", b"%PDF-1.4 nothing"), ("empty.txt", b""), ("tool.exe", b"MZ")]
    await reader("#files").set_input_files([{"name": n, "mimeType": "", "buffer": b} for n, b in files])
    await expect(reader("#document-count")).to_have_text("1", timeout=200_000)
    failed = reader(".document.failed")
    await expect(failed).to_have_count(3, timeout=200_000)
    said = " ".join(await failed.locator(".problem").all_inner_texts())
    assert "broken.pdf" in said or "PDF" in said
    assert "empty" in said
    kinds = said.partition(".exe cannot be read")[2].split()
    assert {".md", ".csv", ".json"} <= set(kinds)
    assert kinds.count(".csv") == 1
    await failed.first.get_by_role("button").click()
    await expect(failed).to_have_count(2)


async def test_files_are_dropped_anywhere(visit):
    """A file dropped on the page is uploaded."""
    reader = await visit()
    await expect(reader(".documents .none")).to_be_visible()
    await reader.page.evaluate(
        """(words) => {
          const data = new DataTransfer();
          data.items.add(new File([words], "dropped.md"));
          const tell = (name) => document.body.dispatchEvent(new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true }));
          tell("dragenter"); tell("dragover"); tell("drop");
        }""",
        CAR,
    )
    await expect(reader(".document .name")).to_have_text("Car policy")
    await expect(reader("#drop")).to_be_hidden()


async def test_a_deleted_document_answers_no_more(visit):
    """Deleting asks once, removes the document, and its open citation says that only the quote is left."""
    reader = await visit()
    await reader.upload(("car.md", CAR.encode()))
    await reader.ask("What is the windscreen excess?")
    quote = (await reader.answer())["citations"][0]["source_quote"]
    await reader.page.get_by_role("button", name="Delete Car policy").click()
    await reader.page.get_by_role("button", name="Keep").click()
    await expect(reader(".document")).to_have_count(1)
    await reader.page.get_by_role("button", name="Delete Car policy").click()
    await reader.page.get_by_role("button", name="Delete", exact=True).click()
    await expect(reader(".documents .none")).to_be_visible()
    await reader(".cite").first.click()
    await expect(reader("#panel .notice")).to_contain_text("has been deleted")
    await expect(reader("mark.words")).to_have_text(quote)


async def test_the_sample_answers_without_any_document(visit):
    """A first visitor sees a cited answer in two presses."""
    reader = await visit()
    await reader("#sample").click()
    await reader("#send").click()
    await reader.ended()
    await expect(reader(".cite").first).to_be_visible()


async def test_an_answer_is_copied_with_its_sources(visit):
    """The clipboard holds the answer, and under it each source with its words."""
    reader = await visit(permissions=["clipboard-read", "clipboard-write"])
    await reader.paste(("Car policy", CAR))
    await reader.ask("What is the windscreen excess?")
    await reader('[data-action="copy"]').click()
    await expect(reader('[data-action="copy"]')).to_have_text("Copied")
    text = await reader.page.evaluate("navigator.clipboard.readText()")
    answer = await reader.answer()
    assert text.startswith(answer["text"].strip())
    assert f"[1] Car policy: “{answer['citations'][0]['quoted_text']}”" in text
