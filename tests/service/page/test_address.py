"""A document added by its address: through the service, from hosts it may ask, with its progress and its refusals."""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from playwright.async_api import expect

from footnoted.service import fetching
from tests.service.page.serving import JWT_SECRET, served, token
from tests.service.page.visit import Visit

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Site(BaseHTTPRequestHandler):
    """One page, whatever is asked for."""

    def do_GET(self):
        body = (
            b"<html><title>Car</title><h1>Car policy</h1><p>The windscreen excess is 75 pounds for a repair.</p></html>"
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


async def test_an_address_is_added_and_answers(browser, visit, monkeypatch):
    """Typed in, it is read like any file; a host that is not allowed is said to be none; unset, there is no field."""
    without = await visit()
    await expect(without("#add-files")).to_be_visible()
    await expect(without(".address")).to_be_hidden()
    site = HTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    monkeypatch.setattr(fetching, "is_public", lambda address: address == "127.0.0.1")
    with served(jwt_secret=JWT_SECRET, url_hosts=["127.0.0.1"], url_ports=[site.server_port, 443]) as url:
        reader = await Visit.begin(browser, url)
        field = reader.page.get_by_label("A web address to add")
        await field.fill("https://elsewhere.test/secret")
        await field.press("Enter")
        await expect(reader(".document.failed .problem")).to_contain_text("not among the hosts", timeout=60_000)
        await field.fill(f"http://127.0.0.1:{site.server_port}/car")
        await field.press("Enter")
        await expect(reader("#document-count")).to_have_text("1", timeout=200_000)
        await reader.ask("What is the windscreen excess?")
        await reader(".cite").first.click()
        assert "75 pounds" in await reader.marked()
        assert await reader.troubles() == []
        await reader.end()
    await asyncio.to_thread(site.shutdown)
    site.server_close()


async def test_nothing_is_offered_to_whom_the_policy_does_not_trust(browser):
    """A member of a tenant whose administrators add sees no way to add or delete; an administrator does."""
    with served(jwt_secret=JWT_SECRET, url_hosts=["127.0.0.1"], tenants={"acme": {"uploads": "admins"}}) as url:
        trusted = await Visit.begin(browser, url, key=token("acme", "footnoted-admin"))
        await expect(trusted.page.get_by_label("A web address to add")).to_be_visible()
        await trusted.upload(("car.md", b"# Car policy\n\nThe windscreen excess is 75 pounds for a repair."))
        await expect(trusted("#document-count")).to_have_text("1", timeout=200_000)
        member = await Visit.begin(browser, url, key=token("acme"))
        await expect(member("#document-count")).to_have_text("1")
        for way in ("#add-files", ".address", ".documents [aria-label^=Delete]", "#welcome .solid"):
            await expect(member(way)).to_be_hidden()
        await member.ask("What is the windscreen excess?")
        await expect(member(".cite").first).to_be_visible()
        assert await member.troubles() == []
        await member.end()
        await trusted.end()
