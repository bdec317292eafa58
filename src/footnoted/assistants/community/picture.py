"""Draws the compiled graph as Mermaid.

``python -m footnoted.assistants.community.picture docs/community.md`` redraws it between the two marks of a page;
without a page, it is printed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_BEGIN, _END = "<!-- the graph, drawn from the compiled one -->", "<!-- end of the graph -->"
_NAMES = {"__start__": "message([a message])", "__end__": "over([a verified reply, or silence])"}


def picture() -> str:
    """The graph's nodes and edges, those that depend on a decision dotted."""
    from footnoted.assistants.community.graph import reply_graph

    drawn = reply_graph().get_graph()
    lines = ["```mermaid", "flowchart LR"]
    for edge in drawn.edges:
        source, target = (_NAMES.get(end, end) for end in (edge.source, edge.target))
        lines.append(f"    {source} {'-.->' if edge.conditional else '-->'} {target}")
    return "\n".join([*lines, "```"])


def redraw(page: str) -> str:
    """A page with the picture between its marks."""
    between = re.compile(f"{re.escape(_BEGIN)}.*?{re.escape(_END)}", re.DOTALL)
    return between.sub(lambda _: f"{_BEGIN}\n{picture()}\n{_END}", page)


def main(pages: list[str]) -> None:
    """Print the picture, or redraw it in pages."""
    if not pages:
        sys.stdout.write(picture() + "\n")
    for page in map(Path, pages):
        page.write_text(redraw(page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
