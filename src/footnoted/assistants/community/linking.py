"""Where readers open a source: the page and heading on the documents' own site, by a rule of the config."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from footnoted.text.markdown import as_read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footnoted.assistants.community.artifact import Entry
    from footnoted.assistants.community.config import Site


def anchor_of(heading: str) -> str:
    """Where a heading stands on its page: the anchor that site generators make of its words.

    >>> anchor_of("Are there any *fees*?")
    'are-there-any-fees'
    """
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", as_read(heading)).strip().lower())


def link_of(entry: Entry, metadata: Mapping[str, Any], sites: Sequence[Site]) -> str:
    """The address of a passage's page, at its heading where it has one; "" where there is none.

    A link of the entry's own comes first, then the first site of the config that holds the source, then the address it
    was fetched from.
    """
    page = entry.link or next((site.page(entry.id) for site in sites if site.holds(entry.id)), "")
    page = page or (entry.location if entry.remote else "")
    headings = metadata.get("section_hierarchy") or ()
    anchor = anchor_of(str(headings[-1])) if headings else ""
    if not page or "#" in page or not anchor or page.endswith(".pdf"):
        return page
    return f"{page}#{quote(anchor)}"
