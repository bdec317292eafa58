import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

CAR = "The windscreen excess is £75 for a repair. Racing on any track is not covered."


async def test_conversations_are_on_every_device_until_they_are_deleted(visit):
    """Found by their words, renamed, opened again with their sources; deleted once, gone everywhere."""
    reader = await visit(tenant="two-devices")
    await reader.paste(("Car", CAR))
    await reader.ask("What is the windscreen excess?")
    await reader("#new").click()
    await expect(reader("#welcome")).to_be_visible()
    await reader.ask("Is racing on a track covered?")
    other = await visit(tenant="two-devices")
    await other("#tab-past").click()
    rows = other(".past li")
    await expect(rows).to_have_count(2)
    await other.page.get_by_label("Search conversations").fill("EXCESS")
    await expect(rows).to_have_count(1)
    await rows.get_by_role("button").nth(1).click()
    await other.page.get_by_role("button", name="Rename").click()
    await other.page.get_by_label("The conversation's title").fill("Glass")
    await other.page.keyboard.press("Enter")
    await expect(rows.locator(".name")).to_have_text("Glass")
    await other(".past-open").click()
    await expect(other(".question")).to_have_text("What is the windscreen excess?")
    assert await other.page.title() == "Glass · footnoted"
    await other(".cite").first.click()
    assert "£75" in await other.marked()
    # The pasted text came along: the conversation goes on from it.
    await other.ask("What does a repair cost as windscreen excess?")
    await expect(other(".turn").last.locator(".cite").first).to_be_visible()
    await other.page.reload()
    await expect(other(".turn")).to_have_count(2)
    await other.page.go_back()
    await expect(other("#welcome")).to_be_visible()
    await rows.filter(has_text="Glass").get_by_role("button").nth(1).click()
    await other.page.get_by_role("button", name="Delete", exact=True).click()
    await other.page.get_by_role("button", name="Delete", exact=True).click()
    await expect(rows).to_have_count(1)
    await reader.page.reload()
    await expect(reader(".question")).to_have_text("Is racing on a track covered?")
    await reader("#tab-past").click()
    await expect(reader(".past li")).to_have_count(1)
    await reader("#forget-all").click()
    await reader(".past-foot").get_by_role("button", name="Delete all").click()
    await expect(reader(".past li")).to_have_count(0)
    await expect(reader("#welcome")).to_be_visible()
    words = await reader.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "excess" not in words
    assert "Racing" not in words


@pytest.mark.parametrize("name", ["order:7", "x" * 64])
async def test_a_conversation_that_a_program_named_has_its_address_too(visit, name):
    """Whatever name the service takes: a bookmark of it, a reload and the browser's own back come to it."""
    reader = await visit(tenant=f"named-{len(name)}")
    script = """async (name) => (await fetch("/api/v1/answers", {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${sessionStorage.getItem("footnoted.key")}` },
      body: JSON.stringify({ question: "Is racing covered?", conversation_id: name, sources: [{ id: "car", title: "Car", text: "Racing is not covered." }] }),
    })).status"""
    assert await reader.page.evaluate(script, name) == 200
    other = await visit(tenant=f"named-{len(name)}", path=f"/#{name}")
    await expect(other(".question")).to_have_text("Is racing covered?")
    await other("#new").click()
    await expect(other("#welcome")).to_be_visible()
    await other.page.go_back()
    await expect(other(".question")).to_have_text("Is racing covered?")
    assert other.page.url.endswith(f"#{name}")


async def test_a_conversation_is_exported_and_shared(visit):
    """A file with its sources; a link that opens for whoever has it, until it is withdrawn."""
    reader = await visit()
    await reader.paste(("Car", CAR))
    await reader.ask("What is the windscreen excess?")
    await reader("#tab-past").click()
    more = reader(".past li").get_by_role("button").nth(1)
    await more.click()
    async with reader.page.expect_download() as download:
        await reader.page.get_by_role("button", name="Markdown").click()
    path = await (await download.value).path()
    assert "£75" in path.read_text()
    await reader.page.get_by_role("button", name="Share by a link").click()
    link = await reader.page.get_by_label("The link").input_value()
    anybody = await visit(key=False, go=False)
    await anybody.page.goto(link)
    await expect(anybody("article")).to_contain_text("£75")
    assert await anybody.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await reader.page.reload()
    await more.click()
    await reader.page.get_by_role("button", name="Withdraw the link").click()
    await expect(reader("#toast")).to_contain_text("withdrawn")
    await anybody.page.reload()
    await expect(anybody("main")).to_contain_text("opens nothing")


async def test_a_question_is_edited_and_its_answers_are_compared(visit):
    """Asked again in other words it stays in its place; the answers are a step apart, or side by side, also later."""
    reader = await visit()
    await reader.upload(("car.md", CAR.encode()))
    await reader.ask("What is the windscreen excess?")
    await reader.ask("Is racing on a track covered?")
    first = reader(".again").first
    await first.locator('[data-action="edit"]').click()
    await reader.page.get_by_label("The question in other words").fill(
        "How much is the excess for a windscreen repair?"
    )
    await reader.page.keyboard.press("Enter")
    await expect(first.locator(".turn:visible .question")).to_have_text(
        "How much is the excess for a windscreen repair?"
    )
    await expect(first.locator(".turn:visible .answer")).to_have_attribute("data-phase", "done")
    await expect(reader(".again")).to_have_count(2)
    for _ in range(2):
        await expect(first.locator(".step")).to_have_text("Answer 2 of 2")
        await first.get_by_role("button", name="The answer before").click()
        await expect(first.locator(".turn:visible .question")).to_have_text("What is the windscreen excess?")
        await first.get_by_role("button", name="Compare").click()
        await expect(first.locator(".turn:visible")).to_have_count(2)
        boxes = [await each.bounding_box() for each in await first.locator(".turn").all()]
        assert boxes[0]["y"] == boxes[1]["y"]
        assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
        await reader.page.reload()
        await expect(reader(".again")).to_have_count(2)


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
    """Another key in the same browser shows other documents and conversations, and nothing of the first tenant's."""
    from tests.service.page.serving import token

    reader = await visit()
    await reader.upload(("car.md", CAR.encode()))
    await reader.ask("What is the windscreen excess?")
    await reader("#show-key").click()
    await reader.page.get_by_label("Key", exact=True).fill(token("somebody-else"))
    await reader.page.get_by_role("button", name="Use it").click()
    await expect(reader(".documents .none")).to_be_visible()
    await expect(reader("#welcome")).to_be_visible()
    await expect(reader(".turn")).to_have_count(0)
    await reader("#tab-past").click()
    await expect(reader(".past li")).to_have_count(0)


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


async def test_a_citation_followed_from_another_program_opens_the_words(visit):
    """A link of an OpenAI client's annotation shows that answer, and its source open at the marker's words."""
    asked = {"model": "footnoted", "messages": [{"role": "user", "content": "What is the windscreen excess?"}]}
    asked["footnoted"] = {"sources": [{"title": "Car", "text": CAR}]}
    reader = await visit()
    asking = """async (body) => {
      const { key } = await import("/wire.js");
      const headers = { "Content-Type": "application/json", Authorization: `Bearer ${key.get()}` };
      const response = await fetch("/v1/chat/completions", { method: "POST", headers, body: JSON.stringify(body) });
      return (await response.json()).choices[0].message.annotations[0].url_citation.url;
    }"""
    link = await reader.page.evaluate(asking, asked)
    await reader.page.goto(link)
    await expect(reader(".question")).to_have_text("What is the windscreen excess?")
    await expect(reader("#panel")).to_be_visible()
    await expect(reader("#panel")).to_contain_text("£75")
    assert await reader.troubles() == []
