"""A conversation of twelve questions, on a desk and on a phone: after each, every part of the page is in its place."""

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

PARTS = ("glass", "doors", "tyres", "mirrors", "seats", "lamps", "locks", "keys", "roof", "engine", "boot", "radio")
POLICY = "# Car policy\n\n" + "\n\n".join(
    f"## The {part}\n\nThe excess for the {part} is £{70 + 5 * n}. A claim on the {part} is made within {n + 3} days."
    for n, part in enumerate(PARTS)
)
# What is out of place: the page scrolled, or could; the field to ask in, the head or the side not where they belong.
BOXES = """() => {
  const wrong = [];
  const page = document.scrollingElement;
  const [wide, high] = [innerWidth, innerHeight];
  if (page.scrollTop || page.scrollLeft || document.body.scrollTop) wrong.push(`the page is scrolled by ${page.scrollTop}, ${document.body.scrollTop}`);
  if (page.scrollHeight > high || page.scrollWidth > wide) wrong.push(`the page is ${page.scrollWidth} × ${page.scrollHeight} in ${wide} × ${high}`);
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const inside = (name, r) => {
    if (r.top < -1 || r.left < -1 || r.bottom > high + 1 || r.right > wide + 1 || r.height < 10) wrong.push(`${name}: ${[r.left, r.top, r.right, r.bottom].map(Math.round)}`);
  };
  inside("main", box("#main"));
  inside("the field", box(".ask-box"));
  inside("the thread", box("#thread"));
  if (Math.abs(box("#ask").bottom - high) > 1) wrong.push(`the field ends at ${box("#ask").bottom} of ${high}`);
  if (document.querySelector(".bar").checkVisibility()) {
    if (Math.abs(box(".bar").top) > 1) wrong.push(`the bar begins at ${box(".bar").top}`);
    if (Math.abs(box("#thread").top - box(".bar").bottom) > 1) wrong.push("the thread does not begin under the bar");
  } else {
    const rail = box("#rail");
    if (Math.abs(rail.top) > 1 || Math.abs(rail.bottom - high) > 1) wrong.push(`the side stands from ${rail.top} to ${rail.bottom}`);
    if (Math.abs(box("#thread").top) > 1) wrong.push(`the thread begins at ${box("#thread").top}`);
  }
  const middle = document.elementFromPoint(...(({ left, top, width, height }) => [left + width / 2, top + height / 2])(box("#question")));
  if (middle?.id !== "question") wrong.push(`over the field lies ${middle?.outerHTML.slice(0, 80)}`);
  const panel = document.getElementById("panel");
  if (!panel.hidden) inside("the source", panel.getBoundingClientRect());
  return wrong;
}"""


async def in_place(reader, when):
    assert await reader.page.evaluate(BOXES) == [], when


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
async def test_twelve_questions_leave_everything_in_its_place(visit, width, height):
    """After each answer, a reload, going away and back, turning and halving the window, and with the keyboard."""
    reader = await visit(viewport={"width": width, "height": height})
    await reader.upload(("car.md", POLICY.encode()))
    for n, part in enumerate(PARTS):
        await reader.ask(f"What is the excess for the {part}?")
        await in_place(reader, f"after question {n + 1}")
        # The question just asked is in sight, whole, and so is the beginning of its answer.
        await expect(reader(".question").last).to_be_in_viewport(ratio=0.9)
        await expect(reader(".prose").last).to_be_in_viewport()
        if n % 4 == 1:
            await reader(".turn").last.locator(".cite").first.click()
            await reader.marked()
            if width > 720:
                await in_place(reader, f"with the source of answer {n + 1} open")
            await reader.page.keyboard.press("Escape")
            await in_place(reader, f"with the source of answer {n + 1} closed")

    await reader.page.reload()
    await expect(reader(".turn")).to_have_count(len(PARTS))
    await in_place(reader, "after a reload")
    await expect(reader(".question").last).to_be_in_viewport()
    await reader.page.goto(reader.url + "/docs")
    await reader.page.go_back()
    await expect(reader(".turn")).to_have_count(len(PARTS))
    await in_place(reader, "after going away and back")

    # A zoom of 200 % is a window half as wide and high; turned, it is as wide as it was high.
    for wide, high in ((height, width), (width // 2, height // 2), (width, height)):
        await reader.page.set_viewport_size({"width": wide, "height": high})
        await in_place(reader, f"at {wide} × {high}")

    await reader("#question").focus()
    for key in ("Shift+Tab",) * 6 + ("Tab",) * 14 + ("End", "PageDown", "PageUp", "Home"):
        await reader.page.keyboard.press(key)
        await in_place(reader, f"after {key}")
    for heard in ("#thread .heard", ".answer"):
        await reader(heard).last.evaluate("(node) => node.scrollIntoView()")
        await in_place(reader, f"with {heard} led into sight")


async def test_both_thumbs_stand_on_one_line(visit):
    """However narrow the window, the two marks of an answer stay together."""
    reader = await visit(viewport={"width": 380, "height": 800})
    await reader.upload(("car.md", POLICY.encode()))
    await reader.ask(f"What is the excess for the {PARTS[0]}?")
    await expect(reader("[data-rating=down]")).to_be_visible()
    for width in (380, 340, 320):
        await reader.page.set_viewport_size({"width": width, "height": 800})
        tops = await reader("[data-rating]").evaluate_all(
            "(found) => found.map((one) => one.getBoundingClientRect().top)"
        )
        assert len(tops) == 2
        assert tops[0] == tops[1], width
