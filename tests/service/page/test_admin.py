"""The administrators' page in a real browser: keys made and ended, tenants with their counters, feedback; by keyboard."""

import asyncio
import contextlib

import aiohttp
import pytest
import pytest_asyncio
from playwright.async_api import expect

from footnoted.testing import Reply, ScriptedLLM
from tests.service.page.serving import JWT_SECRET, served, token
from tests.service.page.test_access import CONTRAST, SMALL
from tests.service.page.test_axe import nothing_serious
from tests.service.page.visit import Visit

pytestmark = pytest.mark.asyncio(loop_scope="session")

SOURCES = [{"title": "Car policy", "text": "The windscreen excess is £75 for a repair. Glass is covered."}]
HOSTILE = "<img src=x onerror=alert(1)> and a very-long-word-" + "x" * 200
IN_PLACE = """() => {
  const wide = [...document.querySelectorAll("body *")].filter((node) => node.checkVisibility() && !node.closest(".heard, .toast, dialog:not([open]), .skip, thead") && node.getBoundingClientRect().right > innerWidth + 1);
  return { over: document.documentElement.scrollWidth - innerWidth, wide: wide.map((node) => node.outerHTML.slice(0, 120)) };
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def office():
    """A service where two tenants asked and one of them said what it thought; its URL."""
    tenants = {"acme": {"tokens_per_day": 3000, "money_per_month": 1}, "bakery": {"models": ["scripted"]}}
    told = {"provider": "openai", "api_key": "any", "model": "scripted", "checking": "off", "tenants": tenants}
    told |= {"prices": {"scripted": {"input": 2, "output": 10}}, "jwt_secret": JWT_SECRET}
    with contextlib.ExitStack() as stack:
        async with ScriptedLLM(lambda _: Reply("The windscreen excess is £75 for a repair [1].")) as llm:
            url = await asyncio.to_thread(stack.enter_context, served(base_url=llm.url("openai"), **told))
            for tenant, rating, comment in (("acme", "down", HOSTILE), ("acme", "up", None), ("zoo", "up", "Good.")):
                headers = {"Authorization": f"Bearer {token(tenant)}"}
                async with aiohttp.ClientSession(url, headers=headers) as session:
                    asked = {"question": f"What is the windscreen excess for {tenant}?", "sources": SOURCES}
                    async with session.post("/api/v1/answers", json=asked) as response:
                        answer_id = (await response.json())["answer_id"]
                    rated = {"answer_id": answer_id, "rating": rating, "comment": comment}
                    async with session.post("/api/v1/feedback", json=rated) as response:
                        assert response.status == 201
            yield url
            await asyncio.to_thread(stack.close)


@pytest_asyncio.fixture(loop_scope="session")
async def enter(browser, office):
    """Opens the page as an administrator (or with another key), and fails the test when anything on it went wrong."""
    opened = []

    async def open_page(place="", key=None, **how):
        key = token("ops", "footnoted-admin") if key is None else key
        visit = await Visit.begin(browser, office, key=key, path=f"/admin{place}", **how)
        opened.append(visit)
        return visit

    try:
        yield open_page
        for each in opened:
            assert await each.troubles() == []
    finally:
        for each in opened:
            await each.end()


PLACES = {"#tenants": "Tenants", "#tenants/acme": "acme", "#keys": "Keys", "#feedback": "Feedback"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
async def test_every_place_stands_and_can_be_read(enter, width, scheme):
    """Nothing is wider than the screen, nothing too faint or too small, axe finds nothing serious."""
    visit = await enter("#keys", viewport={"width": width, "height": 860}, color_scheme=scheme)
    await visit.page.get_by_label("Tenant", exact=True).fill("acme")
    await visit.page.get_by_label("Label (to know it by)").fill(f"A long label {'y' * 60}")
    await visit.page.get_by_role("button", name="Make a key").click()
    await expect(visit(".once")).to_be_visible()
    for place, title in PLACES.items():
        await visit.page.evaluate("(place) => { location.hash = place; }", place)
        await expect(visit.page.get_by_role("heading", name=title, level=2)).to_be_visible()
        if place == "#feedback":
            await visit("details summary").last.click()
        placed = await visit.page.evaluate(IN_PLACE)
        assert placed["over"] <= 0, (place, placed)
        assert placed["wide"] == [], place
        read = await visit.page.evaluate(CONTRAST)
        assert read["bad"] == [], place
        assert read["told"] > 3
        assert await visit.page.evaluate(SMALL) == [], place
        await nothing_serious(visit, f"{place} at {width}")


async def test_keys_are_made_shown_once_and_revoked_by_keyboard(enter, office):
    """From the address bar to a key that works, and to one that works no more, without a mouse."""
    visit = await enter("#keys")
    page, keys = visit.page, visit.page.keyboard
    await expect(page.get_by_role("heading", name="Keys", level=2)).to_be_visible()
    await page.get_by_label("Tenant", exact=True).focus()
    await keys.type("bakery")
    await keys.press("Tab")
    await keys.type("the till")
    await keys.press("Tab")
    await expect(page.get_by_label("Role")).to_be_focused()
    await keys.press("Tab")
    await keys.press("Enter")
    await expect(page.get_by_role("button", name="Copy")).to_be_focused()
    secret = await visit(".secret").inner_text()
    assert secret.startswith("fn_")
    headers = {"Authorization": f"Bearer {secret}"}
    async with aiohttp.ClientSession(office, headers=headers) as session:
        async with session.get("/api/v1/session") as response:
            assert (await response.json())["tenant"] == "bakery"
        await keys.press("Tab")
        await keys.press("Enter")
        await expect(visit(".secret")).to_have_count(0)
        row = page.get_by_role("row").filter(has_text="the till")
        await expect(row).to_contain_text("Member")
        revoke = page.get_by_role("button", name="Revoke the key the till of bakery")
        await revoke.focus()
        await keys.press("Enter")
        await expect(page.get_by_role("button", name="Cancel")).to_be_focused()
        await keys.press("Escape")
        await expect(revoke).to_be_focused()
        await keys.press("Enter")
        await expect(page.get_by_role("button", name="Cancel")).to_be_focused()
        await keys.press("Tab")
        await keys.press("Enter")
        await expect(row).to_contain_text("Revoked")
        await expect(page.get_by_role("heading", name="Keys", level=2)).to_be_focused()
        async with session.get("/api/v1/session") as response:
            assert response.status == 401
    await page.reload()
    await expect(row).to_contain_text("Revoked")
    assert secret not in await page.content()


async def test_a_key_is_found_among_many(enter):
    """By tenant, label or id; what is like none is said."""
    visit = await enter("#keys")
    for tenant in ("north", "south"):
        await visit.page.get_by_label("Tenant", exact=True).fill(tenant)
        await visit.page.get_by_role("button", name="Make a key").click()
        await expect(visit(".once")).to_contain_text(f"The key of {tenant}")
    await visit.page.get_by_label("Find a key").fill("NORTH")
    await expect(visit("tbody tr")).to_have_count(1)
    await visit.page.get_by_label("Find a key").fill("nobody at all")
    await expect(visit("#key-list")).to_have_text("No key is like that.")


async def test_tenants_show_what_they_took_and_may_take(enter):
    """The list, one of them by its link, its counters and days and policy, and back again."""
    visit = await enter()
    row = visit.page.get_by_role("row").filter(has_text="acme")
    await expect(row).to_contain_text("of 3,000")
    await expect(row.get_by_role("meter").first).to_have_attribute("aria-valuemax", "3000")
    assert float(await row.get_by_role("meter").first.get_attribute("aria-valuenow")) > 0
    await expect(visit.page.get_by_role("row").filter(has_text="bakery")).to_be_visible()  # of the file alone
    await row.get_by_role("link").focus()
    await visit.page.keyboard.press("Enter")
    await expect(visit.page.get_by_role("heading", name="acme")).to_be_visible()
    await expect(visit("#main")).to_be_focused()
    await expect(visit.page.get_by_role("region", name="Today")).to_contain_text("of 3,000")
    await expect(visit.page.get_by_role("region", name="This month")).to_contain_text("of $1.00")
    await expect(visit.page.get_by_role("table", name="Days of acme").get_by_role("row")).to_have_count(2)
    await expect(visit(".policy")).to_contain_text("tokens_per_day")
    await visit.page.go_back()
    await expect(visit.page.get_by_role("heading", name="Tenants", level=2)).to_be_visible()


async def test_feedback_is_told_as_text_and_filtered(enter):
    """Markup in a comment stays words; by rating and tenant; the answer opens."""
    visit = await enter("#feedback")
    await expect(visit(".thought")).to_have_count(3)
    await expect(visit(".thought blockquote").last).to_have_text(HOSTILE)
    assert await visit("img").count() == 0
    await visit.page.get_by_label("Rating").select_option("down")
    await visit.page.get_by_role("button", name="Show", exact=True).click()
    await expect(visit(".thought")).to_have_count(1)
    await visit("summary").click()
    await expect(visit(".said")).to_contain_text("£75")
    await visit.page.get_by_label("Tenant").fill("zoo")
    await visit.page.get_by_role("button", name="Show", exact=True).click()
    await expect(visit(".thoughts")).to_have_text("Nobody has said anything here.")


async def test_whoever_is_no_administrator_sees_nothing(enter, office):
    """A member is told why; a wrong key asks for another, and an administrator's opens the page, and only there a link."""
    member = await enter(key=token("acme"))
    await expect(member.page.get_by_role("heading", name="Not with this key")).to_be_visible()
    await expect(member("nav")).to_be_hidden()
    await member.page.goto(f"{office}/")
    await expect(member("#show-key")).to_be_visible()
    await expect(member("#show-admin")).to_be_hidden()
    wrong = await enter(key="fn_0123456789ab_" + "x" * 43)
    await expect(wrong.page.get_by_role("dialog")).to_contain_text("does not take this key")
    await wrong.page.get_by_label("Key", exact=True).fill(token("ops", "footnoted-admin"))
    await wrong.page.keyboard.press("Enter")
    await expect(wrong.page.get_by_role("heading", name="Tenants", level=2)).to_be_visible()
    await wrong.page.goto(f"{office}/")
    await wrong("#show-admin").click()
    await expect(wrong.page.get_by_role("heading", name="Tenants", level=2)).to_be_visible()


async def test_where_no_key_was_ever_made_it_says_how(browser):
    """On one's own machine, without any key: the command that makes the first administrator's."""
    with contextlib.ExitStack() as stack:
        url = await asyncio.to_thread(stack.enter_context, served())
        visit = await Visit.begin(browser, url, key=False, path="/admin#keys")
        await expect(visit(".command")).to_have_text("footnoted keys add NAME --role admin")
        assert await visit.troubles() == []
        await visit.end()
        await asyncio.to_thread(stack.close)
