"""axe-core (vendored beside this file, with its licence) looks at every state of the page and finds nothing serious."""

from pathlib import Path

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
CAR = (
    "# Car policy\n\n## Windscreen\n\nThe windscreen excess is £75 for a repair. A replacement costs you £115.\n\n"
    "## Exclusions\n\nRacing on any track is not covered by this policy at all.\n"
)
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}"""


async def nothing_serious(reader, when):
    await reader.page.evaluate(AXE)
    assert await reader.page.evaluate(RUN) == [], when


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
async def test_axe_finds_nothing_serious(visit, model, scheme, width):
    """Empty, with documents, an answer, its source, a conversation's menu, edited and compared, dialogs."""
    model.says(
        "The windscreen excess is £75 for a repair [1]. Racing is covered [1].\n\n| a | b |\n|---|---|\n| c | d |"
    )
    reader = await visit("mark", viewport={"width": width, "height": 860}, color_scheme=scheme)
    await nothing_serious(reader, "empty")
    await reader.upload(("car.md", CAR.encode()))
    await expect(reader(".suggestion").first).to_be_attached()
    await nothing_serious(reader, "with documents")
    await reader.ask("What is the windscreen excess?")
    await nothing_serious(reader, "answered")
    await reader(".cite").first.click()
    await reader.marked()
    await nothing_serious(reader, "with its source")
    await reader.page.keyboard.press("Escape")
    await reader('[data-action="edit"]').click()
    await reader.page.get_by_label("The question in other words").fill("How much is the excess?")
    await reader.page.keyboard.press("Enter")
    await expect(reader(".again-bar .step")).to_have_text("Answer 2 of 2")
    await reader.ended()
    await reader('[data-action="compare"]').click()
    await nothing_serious(reader, "compared")
    await reader.page.evaluate("document.activeElement.blur()")
    await reader.page.keyboard.press("h")
    await reader(".past li").get_by_role("button").nth(1).click()
    await nothing_serious(reader, "with a conversation's menu")
    await reader.page.keyboard.press("Escape")
    await reader.page.keyboard.press("Escape")
    await reader.page.evaluate("document.activeElement.blur()")
    await reader.page.keyboard.press("?")
    await nothing_serious(reader, "with the keys")
