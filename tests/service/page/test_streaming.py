import pytest
from playwright.async_api import expect

from footnoted.testing import faults

pytestmark = pytest.mark.asyncio(loop_scope="session")

GLASS = "The windscreen excess is £75 for a repair. Racing on any track is not covered. Drivers under 25 pay a further £200."
FIRST = "The windscreen excess is £75 for a repair [1]. "
DRAGONS = "😀 Dragons are insured for £9,000 [1]. "
SAID = "The windscreen excess is £75 for a repair [1]. Racing on any track is not covered [1]. Drivers under 25 pay a further £200 [1]."
LONG = " ".join(f"Clause {n} says that the windscreen excess is £75 for a repair [1]." for n in range(1, 9))
FOLLOWED = """
window.told = [];
const fetched = window.fetch;
window.fetch = async (...given) => {
  const response = await fetched(...given);
  if (!String(response.headers.get("Content-Type")).startsWith("text/event-stream")) return response;
  const [ours, theirs] = response.body.tee();
  (async () => {
    const reader = ours.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      const lines = rest.split("\\n");
      rest = lines.pop();
      for (const line of lines) if (line.startsWith("id: ")) window.told.push(Number(line.slice(4)));
    }
  })().catch(() => {});
  return new Response(theirs, response);
};
"""


def slowly(text):
    """Eight pieces of a sentence that goes on: while they come, what stands before them is checked."""
    return [f"{text} ", *["and on "] * 7]


async def grown(reader, words, within=15_000):
    await expect(reader(".prose").last).to_contain_text(words, timeout=within)


async def test_words_and_citations_appear_while_the_answer_comes(visit, model):
    """Before the end there is text, and a number to press that opens its words; the button stops, and then asks."""
    model.says(SAID, pieces=[FIRST, *slowly("Racing on any")], delay=0.25, fault=faults.silence(after=9))
    reader = await visit("mark")
    await reader.paste(("Car", GLASS))
    await reader.ask("What is covered?", wait=False)
    await grown(reader, "Racing on")
    await reader(".cite").first.click()
    assert await reader.marked() in GLASS
    await expect(reader('.verdict[data-verdict="supported"]')).to_be_visible(timeout=15_000)
    assert await reader(".answer").get_attribute("data-phase") == "streaming"
    assert await reader(".answer").get_attribute("aria-busy") == "true"
    assert await reader("#send").get_attribute("aria-label") == "Stop the answer"
    assert await reader(".actions").count() == 0
    await reader("#send").click()
    await reader.ended("stopped")
    assert await reader(".answer").get_attribute("aria-busy") == "false"
    assert await reader("#send").get_attribute("aria-label") == "Ask"


async def test_a_refresh_in_mid_stream_goes_on_with_the_answer(visit, model):
    """The page comes back, joins the stream that runs, and each event comes once, in order; nothing is asked twice."""
    model.says(LONG, delay=0.04)
    reader = await visit("mark")
    await reader.context.add_init_script(FOLLOWED)
    await reader.paste(("Car", GLASS))
    await reader.ask("What does each clause say?", wait=False)
    await grown(reader, "Clause 2")
    asked = []
    reader.page.on("request", lambda request: asked.append((request.method, request.headers.get("last-event-id"))))
    await reader.page.reload()
    await grown(reader, "Clause 2", within=3000)
    assert await reader(".question").inner_text() == "What does each clause say?"
    await reader.ended()
    assert [method for method, _ in asked if method == "POST"] == []
    told = await reader.page.evaluate("window.told")
    answer = await reader.answer()
    assert told == list(range(1, len(told) + 1))
    assert len(told) > 8
    assert answer["text"].count("Clause") == 8
    for n in range(1, 9):
        assert answer["text"].count(f"Clause {n} says") == 1
    assert answer["response"]["finish_reason"] == "complete"
    assert await reader(".turn").count() == 1


async def test_a_refresh_after_the_end_shows_the_same_answer(visit, model):
    """An answer that ended while nobody looked is there when the reader comes back."""
    model.says(SAID, delay=0.03)
    reader = await visit("mark")
    await reader.paste(("Car", GLASS))
    await reader.ask("What is covered?", wait=False)
    await grown(reader, "windscreen")
    await reader.page.goto("about:blank")
    await reader.page.wait_for_timeout(1500)
    await reader.page.goto(reader.url)
    await reader.ended()
    assert await reader(".cite").count() == 3
    await reader(".cite").nth(1).click()
    assert await reader.marked() == (await reader.answer())["citations"][1]["source_quote"]


async def test_a_lost_connection_is_joined_again(visit, model):
    """A connection that breaks in mid-stream costs nothing: the page asks for what follows, and gets it once."""
    model.says(LONG)
    reader = await visit("mark")
    await reader.paste(("Car", GLASS))

    async def cut(route):
        # Two events come, then the connection is gone: what a change of networks looks like.
        response = await route.fetch()
        text = await response.text()
        await route.fulfill(status=200, content_type="text/event-stream", body=text.split("id: 3\n")[0])

    await reader.page.route("**/api/v1/answers/stream", cut)
    rejoined = []
    reader.page.on("request", lambda request: rejoined.append(request.headers.get("last-event-id")))
    await reader.ask("What does each clause say?")
    assert "2" in rejoined
    answer = await reader.answer()
    assert [answer["text"].count(f"Clause {n} says") for n in range(1, 9)] == [1] * 8


async def test_stop_ends_the_answer_and_keeps_what_was_told(visit, model):
    """The text stays, the service writes no more, and one can ask again."""
    model.says(LONG, fault=faults.silence(after=30))
    reader = await visit("mark")
    await reader.paste(("Car", GLASS))
    await reader.ask("What does each clause say?", wait=False)
    await grown(reader, "Clause 2")
    await reader("#send").click()
    await reader.ended("stopped")
    text = await reader(".prose").inner_text()
    assert "Clause 1" in text
    assert "Clause 8" not in text
    await expect(reader(".notice")).to_contain_text("You stopped this answer")
    status = await reader.page.evaluate(
        """async (id) => {
          const key = sessionStorage.getItem("footnoted.key");
          const response = await fetch(`/api/v1/chat/stream/${id}/status`, { headers: { Authorization: `Bearer ${key}` } });
          return (await response.json()).state;
        }""",
        (await reader.answer())["streamId"],
    )
    assert status == "error"
    model.says("The windscreen excess is £75 for a repair [1].")
    await reader.page.get_by_role("button", name="Ask again").click()
    await expect(reader(".turn")).to_have_count(2)
    await reader.ended()


async def test_each_verdict_has_a_word_a_sign_and_a_reason(visit, model):
    """Supported and unsupported sentences differ by icon, line and words; the panel says why."""
    model.says(
        "The windscreen excess is £75 for a repair [1]. Racing on any track is covered [1]. Dragons are insured for £9,000 [1]."
    )
    reader = await visit("mark")
    await reader.paste(("Car", GLASS))
    await reader.ask("What is covered?")
    verdicts = reader(".verdict")
    words = [text.strip() for text in await verdicts.all_text_contents()]
    assert words[0] == "Supported. Why?"
    assert len(words) == 3
    assert not any(word.startswith("Supported") for word in words[1:])
    lines = [
        await each.evaluate("(n) => getComputedStyle(n).textDecorationStyle + getComputedStyle(n).textDecorationLine")
        for each in await reader(".claim").all()
    ]
    assert len(set(lines)) >= 2
    icons = {await each.locator("path").first.get_attribute("d") for each in await verdicts.all()}
    assert len(icons) >= 2
    await verdicts.nth(1).click()
    card = reader(".verdict-card")
    claims = [each for each in (await reader.answer())["claims"] if each["kind"] == "claim"]
    await expect(card).to_contain_text("Racing on any track is covered")
    if claims[1]["reason"]:
        await expect(card).to_contain_text(claims[1]["reason"])


async def test_what_is_withheld_is_said(visit, model):
    """Under hold an unsupported sentence never shows in the answer; that it was left out does."""
    model.says("The windscreen excess is £75 for a repair [1]. Dragons are insured for £9,000 [1].")
    reader = await visit("hold")
    await reader.paste(("Car", GLASS))
    await reader.ask("What is the windscreen excess?")
    assert "Dragons" not in await reader(".prose").inner_text()
    held = reader(".held")
    await expect(held.locator("summary")).to_contain_text("1 sentence was left out")
    await held.locator("summary").click()
    await expect(held).to_contain_text("Dragons")


async def test_what_is_taken_back_is_struck_out_and_then_gone(visit, model):
    """Under amend a sentence that fails is struck out while the answer comes; offsets after it still hold."""
    said = DRAGONS + SAID
    model.says(said, pieces=[DRAGONS, *slowly("Racing on any")], delay=0.25, fault=faults.silence(after=9))
    reader = await visit("amend")
    await reader.paste(("Car", GLASS))
    await reader.ask("What is covered?", wait=False)
    await expect(reader("del.gone").first).to_contain_text("Dragons", timeout=15_000)
    await reader("#send").click()
    await reader.ended("stopped")
    model.says(said)
    await reader.ask("What is covered?")
    assert "Dragons" not in await reader(".prose").last.inner_text()
    answer = await reader.answer()
    cites = reader(".turn").last.locator(".cite")
    assert len(answer["citations"]) == await cites.count() == 3
    await expect(reader(".held summary")).to_contain_text("left out")
    await cites.nth(2).click()
    assert await reader.marked() == answer["citations"][2]["source_quote"]


async def test_a_model_that_breaks_off_is_said_to_have(visit, model):
    """A cut stream keeps its text and says that there was more."""
    model.says(SAID, fault=faults.disconnect(after=12))
    reader = await visit("mark")
    await reader.paste(("Car", GLASS))
    await reader.ask("What is covered?", wait=False)
    await expect(reader(".notice.bad")).to_be_visible()
    await expect(reader(".answer")).to_have_attribute("aria-busy", "false")
    model.says("No.", status=401)
    await reader.ask("And now?", wait=False)
    await reader.ended("error")
    await expect(reader(".turn").last.get_by_role("alert")).to_be_visible()
