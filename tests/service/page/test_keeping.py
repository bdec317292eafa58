import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

CAR = "The windscreen excess is £75 for a repair. Racing on any track is not covered."


async def test_the_history_of_this_browser_goes_back_and_is_deleted(visit):
    """Earlier conversations open again with their citations; one, or all, are deleted for good."""
    reader = await visit()
    await reader.paste(("Car", CAR))
    await reader.ask("What is the windscreen excess?")
    await reader("#new").click()
    await expect(reader("#welcome")).to_be_visible()
    await reader.ask("Is racing on a track covered?")
    await reader("#tab-past").click()
    rows = reader(".past li")
    await expect(rows).to_have_count(2)
    await rows.filter(has_text="windscreen").locator(".past-open").click()
    await expect(reader(".question")).to_have_text("What is the windscreen excess?")
    await reader(".cite").first.click()
    assert "£75" in await reader.marked()
    await reader.page.reload()
    await expect(reader(".question")).to_have_text("What is the windscreen excess?")
    await rows.filter(has_text="windscreen").get_by_role("button").nth(1).click()
    await expect(rows).to_have_count(1)
    await expect(reader("#welcome")).to_be_visible()
    await reader("#forget-all").click()
    await reader(".past-foot").get_by_role("button", name="Delete all").click()
    await expect(rows).to_have_count(0)
    left = await reader.page.evaluate("Object.keys(localStorage).filter((name) => name.includes('conversation.'))")
    assert left == []


async def test_an_answer_under_way_is_found_again_in_the_history(visit, model):
    """Starting another conversation stops nothing: the first answer goes on, and is whole when one returns."""
    model.says(" ".join(f"Clause {n} says that racing is not covered [1]." for n in range(1, 7)), delay=0.03)
    reader = await visit("mark")
    await reader.paste(("Car", CAR))
    await reader.ask("What do the clauses say?", wait=False)
    await expect(reader(".prose")).to_contain_text("Clause 1")
    await reader("#new").click()
    assert await reader("#send").get_attribute("aria-label") == "Ask"
    await reader("#tab-past").click()
    await reader(".past-open").click()
    await reader.ended()
    text = (await reader.answer())["text"]
    assert [text.count(f"Clause {n} says") for n in range(1, 7)] == [1] * 6


async def test_a_rating_and_its_comment_are_kept_by_the_service(visit):
    """A thumb is sent at once, a comment with it when there is one, and the thumb stays pressed after a refresh."""
    reader = await visit()
    await reader.paste(("Car", CAR))
    await reader.ask("What is the windscreen excess?")
    await reader.page.get_by_role("button", name="Bad answer").click()
    await reader.page.get_by_label("Your comment").fill("the wrong clause 😀")
    await reader.page.get_by_role("button", name="Send").click()
    await expect(reader(".comment-box")).to_contain_text("Kept")
    kept = await reader.page.evaluate(
        """async () => {
          const key = sessionStorage.getItem("footnoted.key");
          return (await fetch("/api/v1/feedback", { headers: { Authorization: `Bearer ${key}` } })).json();
        }"""
    )
    answer = await reader.answer()
    assert [(each["answer_id"], each["rating"], each["comment"]) for each in kept["feedback"]] == [
        (answer["answerId"], "down", "the wrong clause 😀")
    ]
    await reader.page.reload()
    await expect(reader.page.get_by_role("button", name="Bad answer")).to_have_attribute("aria-pressed", "true")


async def test_a_service_that_wants_a_key_is_given_one(visit):
    """Without a key the page asks for it, says when it does not hold, and goes on when it does."""
    from tests.service.page.serving import token

    reader = await visit(key=False)
    await expect(reader("#gate")).to_be_visible()
    await expect(reader("#gate")).to_contain_text("wants a key")
    await reader.page.get_by_label("Key", exact=True).fill("wrong")
    await reader.page.get_by_role("button", name="Use it").click()
    await expect(reader("#gate")).to_contain_text("does not take this key")
    await reader.page.get_by_label("Key", exact=True).fill(token("a-new-one"))
    await reader.page.get_by_role("button", name="Use it").click()
    await expect(reader("#gate")).to_be_hidden()
    await reader.upload(("car.md", CAR.encode()))
    assert await reader.page.evaluate("localStorage.getItem('footnoted.key')") is None


async def test_two_tenants_do_not_see_each_other(visit):
    """Another key in the same browser shows other documents, and an open citation of the first tenant says so."""
    from tests.service.page.serving import token

    reader = await visit()
    await reader.upload(("car.md", CAR.encode()))
    await reader.ask("What is the windscreen excess?")
    await reader("#show-key").click()
    await reader.page.get_by_label("Key", exact=True).fill(token("somebody-else"))
    await reader.page.get_by_role("button", name="Use it").click()
    await expect(reader(".documents .none")).to_be_visible()
    await reader(".cite").first.click()
    await expect(reader("#panel .notice")).to_be_visible()
    await expect(reader(".source-text")).to_have_text((await reader.answer())["citations"][0]["source_quote"])


async def test_the_colours_follow_the_system_until_the_reader_chooses(visit):
    """Light or dark as the system; a choice is kept, and is there before anything is painted."""
    reader = await visit(color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = await reader.page.evaluate(background)
    await reader("#theme").click()
    light = await reader.page.evaluate(background)
    assert dark != light
    await reader.page.reload()
    assert await reader.page.evaluate(background) == light
    await reader("#theme").click()
    await reader("#theme").click()
    assert await reader.page.evaluate(background) == dark
