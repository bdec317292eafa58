"""The documentation as a site: it builds without a warning, holds every page, and asks no other host for anything."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
import yaml

from tests.docs.pages import ROOT

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "link": "href"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; a broken link, an unknown name or an old drawing ends the build."""
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", place],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return place


def test_every_page_can_be_reached(site):
    """Each page of docs/ is in the menu, and so are those of the repository and the notes of research/."""
    settings = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - strings
    menu = set(_pages(settings["nav"]))
    assert menu == {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")} | {
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "SECURITY.md",
        *(f"research/{page.name}" for page in (ROOT / "research").glob("*.md")),
    }
    for page in menu:
        assert (site / page).with_suffix(".html").is_file()


def _pages(menu):
    for entry in menu:
        for one in entry.values() if isinstance(entry, dict) else [entry]:
            yield from _pages(one) if isinstance(one, list) else [one]


def test_no_page_asks_another_host(site):
    """Scripts, styles, pictures and fonts come from the site itself."""
    found = []

    class Reading(HTMLParser):
        def handle_starttag(self, tag, attrs):
            told = dict(attrs).get(LOADED.get(tag, ""))
            if told and re.match(r"(https?:)?//", told) and dict(attrs).get("rel") != "canonical":
                found.append((page.name, tag, told))

    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        Reading().feed(page.read_text(encoding="utf-8"))
    for sheet in site.rglob("*.css"):
        found += [
            (sheet.name, url) for url in re.findall(r"url\(\s*['\"]?((?:https?:)?//[^)]*)", sheet.read_text("utf-8"))
        ]
    assert not found
    assert not [page for page in pages if 'class="mermaid"' in page.read_text("utf-8")]  # it would fetch its script


def test_what_is_public_is_in_the_reference_and_found_by_searching(site):
    """Each name of the package's face has its place, and the notes for the tests have none."""
    import footnoted

    reference = (site / "reference/footnoted.html").read_text(encoding="utf-8")
    for name in footnoted.__all__:
        assert f'id="footnoted.{name}"' in reference, name
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    texts = " ".join(entry["text"] for entry in index["docs"])
    assert "windscreen" in texts
    assert "a model is played" not in texts
