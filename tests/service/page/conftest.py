"""The system's Chromium and the real service, once for all tests of the page; a fresh profile and tenant for each."""

import asyncio
import contextlib
import json
import mimetypes
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright, expect

import footnoted.service
from footnoted.testing import Reply, ScriptedLLM
from tests.service.page.serving import JWT_SECRET, served
from tests.service.page.visit import Visit
from tests.services import chromium_program

WEB = Path(footnoted.service.__file__).parent / "web"
expect.set_options(timeout=20_000)  # a page that is right is seen at once, on a busy machine a little later
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextlib.asynccontextmanager
async def chromium():
    """A headless Chromium of this machine."""
    path = chromium_program()
    if path is None:
        pytest.fail("the page is tested in a real browser: `make check` installs one or says how")
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=path, args=QUIET)
        try:
            yield browser
        finally:
            await browser.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser():
    async with chromium() as opened:
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def modules(browser):
    """A page of the same origin as the page's own modules, with nothing of it run; no service behind it.

    The modules tried on it keep nothing, so one page does for all.
    """
    context = await browser.new_context()

    async def serve(route):
        path = WEB / route.request.url.rsplit("/", 1)[1]
        if path.is_file():
            kind = mimetypes.guess_type(path.name)[0]
            await route.fulfill(body=path.read_bytes(), content_type=kind)
        else:
            await route.fulfill(
                body="<!doctype html><div id=root></div><div id=announcer></div>", content_type="text/html"
            )

    await context.route("**/*", serve)
    page = await context.new_page()
    await page.goto("http://modules.test/")
    try:
        yield page
    finally:
        await context.close()


class Services:
    """One service a way of answering, started when a test first needs it."""

    def __init__(self, stack, llm):
        self._stack, self._llm = stack, llm
        self._urls = {}

    async def url(self, checking=None):
        """Where answers come from: the sources' own sentences, or (with ``checking``) the scripted model."""
        if checking not in self._urls:
            told = {"jwt_secret": JWT_SECRET}
            if checking:
                told |= {
                    "provider": "openai",
                    "base_url": self._llm.url("openai"),
                    "api_key": "any",
                    "model": "scripted",
                }
                told["checking"] = checking
            self._urls[checking] = await asyncio.to_thread(self._stack.enter_context, served(**told))
        return self._urls[checking]


class Model:
    """The scripted model: ``says`` sets what it answers from now on."""

    def __init__(self):
        self.reply = Reply("Nothing was scripted.")

    def says(self, text, *, delay=0.0, **more):
        self.reply = Reply(text, delay=delay, **more)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def model():
    return Model()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def services(model):
    with contextlib.ExitStack() as stack:
        async with ScriptedLLM(lambda _: model.reply) as llm:
            yield Services(stack, llm)
            await asyncio.to_thread(stack.close)


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser, services):
    """Opens the page as a new reader of a new tenant, and fails the test when anything on it went wrong."""
    opened = []

    async def open_page(checking=None, **how):
        visit = await Visit.begin(browser, await services.url(checking), **how)
        opened.append(visit)
        return visit

    try:
        yield open_page
        for each in opened:
            assert await each.troubles() == []
    finally:
        for each in opened:
            await each.end()


async def call(page, module, expression, given=None):
    """What ``expression`` gives, with the module's exports as ``m`` and ``given`` as ``x``."""
    script = f"async (x) => {{ const m = await import('/{module}'); return ({expression}); }}"
    return await page.evaluate(script, given)


def said(event, number=None, **data):
    """One event of a stream as it travels."""
    head = f"id: {number}\n" if number else ""
    return f"{head}event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
