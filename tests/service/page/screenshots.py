"""Takes the pictures under docs/images of the page with the example policies: ``python tests/service/page/screenshots.py``."""

import asyncio
import base64
import re
import struct
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import numpy as np  # noqa: E402
from playwright.async_api import expect  # noqa: E402

from footnoted.testing import ScriptedLLM  # noqa: E402
from tests.service.page.conftest import chromium  # noqa: E402
from tests.service.page.serving import served  # noqa: E402
from tests.service.page.visit import Visit  # noqa: E402

IMAGES = ROOT / "docs" / "images"
POLICIES = sorted(path for path in (ROOT / "examples" / "policies").rglob("*") if path.is_file())
DESK = {"width": 1280, "height": 760}
PHONE = {"width": 390, "height": 844}
HEAVIEST = 200_000
QUESTION = "What is the windscreen excess, and does a claim cost me my no claims discount?"
WRITTEN = (
    "With the comprehensive policy the windscreen excess is £75 when the glass is replaced by our approved repairer {excess}. "
    "When the glass is repaired and not replaced, the windscreen excess is £25 {excess}. "
    "If you use a repairer we have not approved, there is no excess at all {excess}.\n\n"
    "- A claim under this section alone does not reduce your no claims discount {cover}.\n"
    "- Cameras behind the windscreen are recalibrated at no extra cost if our approved repairer does the work {excess}."
)
PIXELS = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const { data } = pen.getImageData(0, 0, image.width, image.height);
  let text = "";
  for (let at = 0; at < data.length; at += 32768) text += String.fromCharCode(...data.subarray(at, at + 32768));
  return [image.width, image.height, btoa(text)];
}"""


def written(request):
    """A model's answer that cites the sections of the comprehensive policy under the numbers this prompt gave them."""
    numbers = {
        title: number for number, title in re.findall(r"^== \w+ (\d+): (.*)$", request.prompt_text, re.MULTILINE)
    }

    def marker(section):
        return next((f"[{n}]" for title, n in numbers.items() if "Comprehensive" in title and section in title), "[1]")

    return WRITTEN.format(excess=marker("3.2 Windscreen excess"), cover=marker("3.1 Windscreen cover"))


async def small_png(browser, png):
    """The same picture in 256 colours: the most frequent ones, the others as the nearest of them."""
    page = await browser.new_page()
    width, height, data = await page.evaluate(PIXELS, base64.b64encode(png).decode())
    await page.close()
    pixels = np.frombuffer(base64.b64decode(data), np.uint8).reshape(-1, 4)[:, :3].astype(np.uint32)
    codes = (pixels[:, 0] << 16) | (pixels[:, 1] << 8) | pixels[:, 2]
    colours, places, counts = np.unique(codes, return_inverse=True, return_counts=True)
    shades = np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255], axis=1).astype(np.int32)
    # One colour of every hue that is there, then the most frequent: few pixels may be the ones that say something.
    often = np.argsort(-counts)
    _, first = np.unique((shades[often] >> 4) @ [256, 16, 1], return_index=True)
    chosen = list(dict.fromkeys([*often[np.sort(first)][:200], *often]))[:256]
    palette = shades[chosen]
    nearest = np.array([((palette - shade) ** 2).sum(axis=1).argmin() for shade in shades], np.uint8)
    rows = nearest[places].reshape(height, width)
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1).tobytes()

    def part(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        part(b"IHDR", head),
        part(b"PLTE", palette.astype(np.uint8).tobytes()),
        part(b"IDAT", zlib.compress(lines, 9)),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + part(b"IEND", b"")


async def at_home(browser, url, **how):
    reader = await Visit.begin(browser, url, key=False, device_scale_factor=1, **{"viewport": DESK, **how})
    await expect(reader(".mode").first).to_be_visible()
    return reader


async def shoot(reader, name):
    await reader.page.mouse.move(1, 1)
    await reader.page.evaluate("document.getElementById('toast').classList.remove('seen')")
    await reader.page.wait_for_timeout(500)
    path = IMAGES / f"{name}.png"
    path.write_bytes(await small_png(reader.context.browser, await reader.page.screenshot()))
    size = path.stat().st_size
    if size > HEAVIEST:
        raise RuntimeError(f"{path.name} has {size} bytes; at most {HEAVIEST} are kept")
    sys.stdout.write(f"{path.relative_to(ROOT)} {size // 1000} kB\n")


async def documents_alone(browser, url):
    """What a reader without any model sees: a refusal, and the welcome."""
    reader = await at_home(browser, url, color_scheme="light")
    await shoot(reader, "page-welcome")
    await reader("#files").set_input_files(POLICIES)
    await expect(reader("#document-count")).to_have_text(str(len(POLICIES)), timeout=60_000)
    await reader.ask("Can I bring my dog on holiday?")
    await shoot(reader, "page-refusal")
    await reader.end()


async def advised(browser, url):
    """An expert's answer on a scanner's findings, with what it rests on."""
    reader = await at_home(browser, url, color_scheme="light")
    await reader("#files").set_input_files(ROOT / "examples" / "findings" / "prowler.ocsf.json")
    await expect(reader('.document[data-document="findings"]')).to_contain_text("open findings", timeout=30_000)
    await reader.page.get_by_label("Cloud security").check()
    await reader.ask("Which S3 findings should I fix first for HIPAA?")
    await reader("#thread").evaluate("(n) => n.scrollTo(0, 0)")
    await shoot(reader, "page-advice")
    await reader.end()


async def asked(reader):
    """Ask until every sentence is checked: on a busy machine the first checks, which load the model, come too late."""
    for _ in range(6):
        await reader.ask(QUESTION)
        if not await reader('.verdict[data-verdict="not_checked"]').count():
            return
        await reader.page.evaluate("document.getElementById('new').click()")
    raise RuntimeError("the machine is too busy: a check takes longer than its limit, time after time")


async def with_a_model(browser, url):
    """A model's answer, checked sentence by sentence, with its source open: light, dark, and on a phone."""
    for scheme, name in (("light", "page"), ("dark", "page-dark")):
        reader = await at_home(browser, url, color_scheme=scheme)
        if scheme == "light":
            await reader("#files").set_input_files(POLICIES)
            await expect(reader("#document-count")).to_have_text(str(len(POLICIES)), timeout=60_000)
        await asked(reader)
        await reader(".cite").first.click()
        await expect(reader("mark.words")).to_be_visible()
        await shoot(reader, name)
        if scheme == "light":
            await reader('.verdict:not([data-verdict="supported"])').first.click()
            await expect(reader(".verdict-card")).to_be_visible()
            await shoot(reader, "page-verdict")
        await reader.end()
    reader = await at_home(browser, url, viewport=PHONE, color_scheme="light", is_mobile=True, has_touch=True)
    await asked(reader)
    await reader("#thread").evaluate("(n) => n.scrollTo(0, 0)")
    await shoot(reader, "page-phone")
    await reader(".cite").first.tap()
    await expect(reader("mark.words")).to_be_visible()
    await shoot(reader, "page-phone-source")
    await reader.end()


async def main():
    IMAGES.mkdir(parents=True, exist_ok=True)
    async with chromium() as browser, ScriptedLLM(written) as llm:
        told = {
            "provider": "openai",
            "base_url": llm.url("openai"),
            "api_key": "any",
            "model": "any",
            "checking": "mark",
        }
        with served() as url:
            await documents_alone(browser, url)
            await advised(browser, url)
        with served(**told) as url:
            await with_a_model(browser, url)


if __name__ == "__main__":
    asyncio.run(main())
