"""The site's own pages come from docs/; those that belong to the repository are read from where they stand.

Links between the two are turned into the site's; what points at the repository's other files is shown as its path, for
there is no address to send a reader to.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from drawing import BLOCK, fingerprint
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent.parent
ICON = "src/footnoted/service/web/icon.svg"  # the page's own
RESEARCH = sorted(ROOT.glob("research/*.md"))
OF_THE_REPOSITORY = ("ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md", *(f"research/{page.name}" for page in RESEARCH))
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]\n]+)\]\((?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")
_NOTE = re.compile(r"^<!-- (?:not run|status|in the background|a model is played): .*? -->\n", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The repository's pages stand beside those of docs/."""
    for name in OF_THE_REPOSITORY:
        files.append(File.generated(config, name, content=(ROOT / name).read_text(encoding="utf-8")))
    for picture in ROOT.glob("research/images/*.svg"):
        name = picture.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, content=picture.read_text(encoding="utf-8")))
    files.append(File.generated(config, "images/icon.svg", content=(ROOT / ICON).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Links lead where the site has the page; notes for the tests are left out; a graph is shown as drawn."""
    source = page.file.src_uri
    folder = posixpath.join("" if source in OF_THE_REPOSITORY else "docs", posixpath.dirname(source))

    def led(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link["target"]))
        here = target if target in OF_THE_REPOSITORY else target.removeprefix("docs/")
        if target.startswith("docs/") or target in OF_THE_REPOSITORY:
            way = posixpath.relpath(here, posixpath.dirname(source) or ".")
            return f"[{link['text']}]({way}{link['anchor'] or ''})"
        text = link["text"].strip("`")
        return f"`{text}`" if posixpath.basename(text) == posixpath.basename(target) else f"{link['text']} (`{target}`)"

    return BLOCK.sub(lambda block: _drawn(block[1], source), _LINK.sub(led, _NOTE.sub("", markdown)))


def _drawn(block: str, source: str) -> str:
    """The drawing of a mermaid block beside its page; an old one is an error."""
    drawing = (ROOT / "docs" / source).with_name(f"{Path(source).stem}-graph.svg")
    if not drawing.is_file() or fingerprint(block) not in drawing.read_text(encoding="utf-8"):
        raise PluginError(f"{drawing.name} is not the drawing of the graph in {source}; run docs/_site/drawing.py")
    return f"![The graph]({drawing.name})"
