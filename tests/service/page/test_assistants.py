import asyncio
from pathlib import Path

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


async def test_the_advisor_answers_from_a_scanners_file(visit):
    """A scanner's file becomes findings; the answer shows them with their severity, and code that can be copied."""
    reader = await visit(permissions=["clipboard-read", "clipboard-write"])
    await reader("#files").set_input_files(EXAMPLES / "findings" / "prowler.ocsf.json")
    row = reader('.document[data-document="findings"]')
    await expect(row).to_contain_text("open finding", timeout=200_000)
    await reader.page.get_by_label("Cloud security").check()
    await reader.ask("Which S3 findings should I fix first for HIPAA?")
    card = reader(".beside")
    await expect(card.locator('.severity[data-severity="critical"]').first).to_be_visible()
    await expect(card).to_contain_text("HIPAA")
    assert await reader(".cite").count() > 0
    await reader(".copy-code").first.click()
    copied = await reader.page.evaluate("navigator.clipboard.readText()")
    assert copied == await reader(".code code").first.evaluate("(n) => n.textContent")
    citations = (await reader.answer())["citations"]
    for number, citation in enumerate(citations):
        await reader(".cite").nth(number).click()
        for _ in range(400):  # until its source has taken the place of the one before
            if await reader.marked() == citation["source_quote"]:
                break
            await asyncio.sleep(0.05)
        assert await reader.marked() == citation["source_quote"]
        body = await reader(".source-body").evaluate("(node) => node.textContent")
        assert "only the words" not in body
        assert len(body) > len(citation["source_quote"])
    assert {"finding", "control"} <= {one["kind"] for one in (await reader.answer())["extras"]["citations"]}
    await row.get_by_role("button").click()
    await row.get_by_role("button", name="Delete").click()
    await expect(row).to_have_count(0)


async def test_a_customer_asks_about_policies(visit):
    """The insurance assistant answers from the uploaded policies, and its citations open them."""
    reader = await visit()
    policy = EXAMPLES / "policies" / "car" / "comprehensive.md"
    await reader.upload((policy.name, policy.read_bytes()))
    await reader.page.get_by_label("Insurance").check()
    await reader.ask("What is the windscreen excess?")
    await reader(".cite").first.click()
    quote = await reader.marked()
    assert quote == (await reader.answer())["citations"][0]["source_quote"]
    assert quote in policy.read_text()
