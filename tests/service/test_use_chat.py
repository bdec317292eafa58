"""`useChat` in Chromium: a page as anybody writes one with the AI SDK and React, its address ours and nothing else."""

import json
from pathlib import Path

from playwright.async_api import expect

from tests.node import UNHURRIED, node
from tests.service.page.conftest import chromium
from tests.service.replicas import SOURCES

PAGE = Path(__file__).parent.parent / "node" / "use_chat_page.js"


@UNHURRIED
async def test_an_answer_its_source_and_its_citation_are_drawn(one):
    """Two questions: text as it comes, a source part and a link that opens the exact words, on a page of our origin."""
    built = await node("bundle.mjs", {"contents": PAGE.read_text(encoding="utf-8")})
    own = json.dumps({"sources": SOURCES})
    html = f"<!doctype html><div id=root></div><script>window.own = {own}</script><script src=/chat.js></script>"
    async with chromium() as browser:
        context = await browser.new_context()
        await context.route("**/chat", lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"))
        await context.route(
            "**/chat.js", lambda route: route.fulfill(body=built["script"], content_type="text/javascript")
        )
        page = await context.new_page()
        failed = []
        page.on("pageerror", lambda error: failed.append(str(error)))
        await page.goto(f"{one.url}/chat")
        for count in (1, 2):
            await page.fill("input", "What is the windscreen excess?")
            await page.click("button")
            await expect(page.locator("main")).to_have_attribute("data-status", "ready")
            await expect(page.locator(".assistant .text")).to_have_count(count)
            await expect(page.locator(".assistant .text").last).to_contain_text("£75")
            await expect(page.locator(".assistant cite").last).to_have_text("Car policy")
        link = await page.locator(".assistant a").last.get_attribute("href")
        assert link.startswith(f"{one.url}/#answer=")
        assert failed == []
        assert await page.locator("strong").count() == 0
