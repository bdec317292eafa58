"""A page's mermaid block in; a drawing of it beside the page, that the site shows instead, out.

    python docs/_site/drawing.py docs/community.md docs/community-graph.svg mermaid.min.js

`mermaid.min.js` is the file of that name in npm's package `mermaid` (`npm pack mermaid`), opened in Chromium: the site
loads no script from elsewhere, and carries none of three megabytes for one drawing.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OF = "drawn from "


def fingerprint(block: str) -> str:
    """What tells whether a drawing is that of this block."""
    return _OF + hashlib.sha256(block.encode()).hexdigest()[:16]


def draw(block: str, script: Path) -> str:
    """The drawing as SVG, its letters as text."""
    from playwright.sync_api import sync_playwright

    settings = "{startOnLoad: false, theme: 'neutral', htmlLabels: false, flowchart: {htmlLabels: false}}"
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.add_script_tag(path=script)
        page.evaluate(f"mermaid.initialize({settings})")
        drawn: str = page.evaluate("async block => (await mermaid.render('graph', block)).svg", block)
        browser.close()
    drawn = re.sub(r' data-[\w-]+="[^"]*"', "", drawn)  # what mermaid keeps for itself, most of the bytes
    drawn = re.sub(r"\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}", drawn)
    return drawn.replace(">", f"><desc>{fingerprint(block)}</desc>", 1) + "\n"


def main() -> None:
    """Draw the one block of a page."""
    page, drawing, script = map(Path, sys.argv[1:4])
    (block,) = BLOCK.findall(page.read_text(encoding="utf-8"))
    drawing.write_text(draw(block, script), encoding="utf-8")


if __name__ == "__main__":
    main()
