"""Opens the page in a real browser as a reader wishes, and tells what it shows."""

from uuid import uuid4

from playwright.async_api import expect

from tests.service.page.serving import token

WATCH = """
window.broken = [];
addEventListener("securitypolicyviolation", (event) => window.broken.push(`${event.violatedDirective}: ${event.blockedURI}`));
"""
KEY = """
if (location.protocol.startsWith("http") && !sessionStorage.getItem("given")) {
  sessionStorage.setItem("given", "yes");
  sessionStorage.setItem("footnoted.key", %r);
}
"""

AS_USUAL = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}


class Visit:
    """One reader in a profile of their own, looking at one service."""

    def __init__(self, context, page, url):
        self.context, self.page, self.url = context, page, url
        self.dialogs, self.errors = [], []

    @classmethod
    async def begin(cls, browser, url, *, key=True, tenant=None, path="/", go=True, **how):
        """Open the page: with a key of a new tenant, and what a browser's context may be told."""
        context = await browser.new_context(**{**AS_USUAL, **how})
        context.set_default_timeout(15_000)
        await context.add_init_script(WATCH)
        if key:
            mine = key if isinstance(key, str) else token(tenant or f"t-{uuid4().hex[:12]}")
            await context.add_init_script(KEY % mine)
        visit = cls(context, await context.new_page(), url)
        visit.page.on("dialog", visit._saw_dialog)
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        if go:
            await visit.page.goto(url + path)
        return visit

    async def _saw_dialog(self, dialog):
        self.dialogs.append(dialog.message)
        await dialog.dismiss()

    async def troubles(self):
        """Dialogs, uncaught errors and breaches of the page's policy."""
        return [*self.dialogs, *self.errors, *await self.page.evaluate("window.broken")]

    async def end(self):
        await self.context.close()

    def __call__(self, selector, **how):
        return self.page.locator(selector, **how)

    async def paste(self, *texts):
        """Choose pasted text and add each ``(title, words)``."""
        await self.page.get_by_label("Pasted text").check()
        for title, words in texts:
            await self(".add-text").click()
            await self.page.get_by_label("Its name").fill(title)
            await self.page.get_by_label("Its words").fill(words)
            await self.page.get_by_role("button", name="Add", exact=True).click()

    async def upload(self, *files):
        """Add ``(name, bytes)`` and wait until they are listed."""
        before = int(await self("#document-count").inner_text() or 0)
        payloads = [{"name": name, "mimeType": "application/octet-stream", "buffer": data} for name, data in files]
        await self("#files").set_input_files(payloads)
        await expect(self("#document-count")).to_have_text(str(before + len(files)), timeout=200_000)

    async def ask(self, question, *, wait=True):
        """Ask, and wait until the answer has ended."""
        count = await self(".turn").count()
        await self("#question").fill(question)
        await self("#question").press("Enter")
        await expect(self(".turn")).to_have_count(count + 1)
        if wait:
            await self.ended()

    async def ended(self, phase="done"):
        """Wait until the newest answer has ended so."""
        await expect(self(".turn .answer").last).to_have_attribute("data-phase", phase, timeout=60_000)

    async def marked(self):
        """The words marked in the open source, once a reader sees the first of them."""
        marks = self("mark.words")
        await expect(marks.first).to_be_in_viewport()
        return "".join(await marks.all_text_contents())

    async def answer(self):
        """The last answer as the page makes it of what the service keeps."""
        script = """async () => {
          const [{ turnOf }, wire] = await Promise.all([import("/turns.js"), import("/wire.js")]);
          const { turns } = await wire.conversation(location.hash.slice(1));
          return turnOf(turns.at(-1)).answer;
        }"""
        return await self.page.evaluate(script)
