import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

CAR = "The windscreen excess is £75 for a repair. Racing on any track is not covered."


async def focused(reader):
    """What has the focus: its id, else its accessible name."""
    script = "() => { const n = document.activeElement; return n.id || n.getAttribute('aria-label') || n.textContent.trim(); }"
    return await reader.page.evaluate(script)


async def tab_to(reader, name, *, most=60, back=False):
    """Press Tab until what is named has the focus."""
    for _ in range(most):
        await reader.page.keyboard.press("Shift+Tab" if back else "Tab")
        if (await focused(reader)).startswith(name):
            return
    raise AssertionError(f"{name} is not reached by Tab")


async def test_everything_can_be_done_with_the_keyboard_alone(visit):
    """Paste, ask, open a source, go through it, copy, rate and comment, without ever touching a mouse."""
    reader = await visit()
    press = reader.page.keyboard.press
    await press("Tab")
    assert await focused(reader) == "Skip to the question"
    await press("Enter")
    assert await focused(reader) == "question"
    await press("Tab")
    await press("ArrowRight")
    assert await reader.page.get_by_label("Pasted text").is_checked()
    await tab_to(reader, "Paste a text", back=True)
    await press("Enter")
    assert await focused(reader) == "paste-text"
    await reader.page.keyboard.type(CAR)
    await tab_to(reader, "Add")
    await press("Enter")
    assert await focused(reader) == "question"
    await reader.page.keyboard.type("What is the windscreen excess?")
    await press("Enter")
    await reader.ended()
    assert await focused(reader) == "question"
    await tab_to(reader, "Source 1", back=True)
    await press("Enter")
    assert await focused(reader) == "panel-title"
    assert await reader.marked() in CAR
    await tab_to(reader, "The source's text")
    await tab_to(reader, "Copy these words")
    await press("Escape")
    await expect(reader("#panel")).to_be_hidden()
    assert (await focused(reader)).startswith("Source 1")
    await tab_to(reader, "Supported")
    await press("Enter")
    assert await focused(reader) == "panel-title"
    await press("Escape")
    await tab_to(reader, "Good answer")
    await press("Enter")
    await expect(reader(".comment textarea")).to_be_focused()
    await reader.page.keyboard.type("just so")
    await press("Tab")
    await press("Enter")
    await expect(reader(".comment-box")).to_contain_text("Kept")


async def test_single_keys_work_outside_fields_and_can_be_turned_off(visit):
    """/ writes, n begins anew, t changes the colours, ? lists them; in a field they are letters."""
    reader = await visit()
    press = reader.page.keyboard.press
    await reader("#welcome-title").click()
    await press("/")
    await expect(reader("#question")).to_be_focused()
    await press("t")
    assert await reader("#question").input_value() == "t"
    await reader("#question").fill("")
    await reader("#welcome-title").click()
    await press("t")
    assert await reader.page.evaluate("document.documentElement.dataset.theme") == "light"
    await press("h")
    await expect(reader("#past")).to_be_visible()
    await press("d")
    await expect(reader("#documents")).to_be_visible()
    await press("?")
    await expect(reader("#help")).to_be_visible()
    await reader.page.get_by_label("Single keys do these things").uncheck()
    await press("Escape")
    await expect(reader("#help")).to_be_hidden()
    await reader("#welcome-title").click()
    await press("t")
    assert await reader.page.evaluate("document.documentElement.dataset.theme") == "light"


async def test_the_link_to_the_question_leaves_the_conversation_on_the_screen(visit):
    """The first thing a keyboard reaches moves the focus, and neither the address nor what is read."""
    reader = await visit()
    await reader.paste(("Car", CAR))
    await reader.ask("What is the windscreen excess?")
    shown = reader.page.url
    await reader(".skip").focus()
    await reader.page.keyboard.press("Enter")
    assert await focused(reader) == "question"
    await reader.page.wait_for_timeout(200)
    assert reader.page.url == shown
    await expect(reader(".question")).to_have_text("What is the windscreen excess?")


async def test_shift_enter_is_a_new_line(visit):
    """Enter asks; with Shift it does not, and an empty question says so instead of being sent."""
    reader = await visit()
    await reader("#question").fill("one")
    await reader("#question").press("Shift+Enter")
    assert await reader("#question").input_value() == "one\n"
    await reader("#question").fill("  ")
    await reader("#question").press("Enter")
    await expect(reader("#ask-said")).to_contain_text("Ask something in words")
    assert await reader(".turn").count() == 0


async def test_tabs_follow_the_arrows(visit):
    """The two lists are one stop of Tab; arrows change between them."""
    reader = await visit()
    await reader("#tab-documents").focus()
    await reader.page.keyboard.press("ArrowRight")
    assert await focused(reader) == "tab-past"
    await expect(reader("#past")).to_be_visible()
    await reader.page.keyboard.press("Home")
    await expect(reader("#documents")).to_be_visible()


async def test_on_a_phone_the_source_is_a_sheet_that_holds_the_focus(visit, model):
    """The sheet rises over the answer, takes the rest out of reach, and gives the focus back."""
    model.says("The windscreen excess is £75 for a repair [1].")
    reader = await visit("mark", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    await reader.paste(("Car", CAR))
    await reader.ask("What is the windscreen excess?")
    assert await reader.page.evaluate("document.documentElement.scrollWidth") <= 390
    await reader(".cite").first.tap()
    assert await reader.marked() == (await reader.answer())["citations"][0]["source_quote"]
    box = await reader("#panel").bounding_box()
    assert box["width"] == 390
    assert box["y"] > 80
    assert box["y"] + box["height"] <= 845
    assert await reader("#main").evaluate("(n) => n.inert")
    for _ in range(8):
        await reader.page.keyboard.press("Tab")
        assert await reader.page.evaluate(
            "document.activeElement === document.body || document.querySelector('#panel').contains(document.activeElement)"
        )
    await reader.page.keyboard.press("Escape")
    assert (await focused(reader)).startswith("Source 1")
    await reader("#open-rail").tap()
    await expect(reader("#close-rail")).to_be_focused()
    await reader.page.keyboard.press("Escape")
    await expect(reader("#open-rail")).to_be_focused()
    assert not await reader("#main").evaluate("(n) => n.inert")
