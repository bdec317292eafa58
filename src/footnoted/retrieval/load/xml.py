"""XML from outside, read without following anything it names: no entities, no network, no endless depth."""

from __future__ import annotations

from typing import Any

from footnoted.errors import SourceError


def tree_of(data: bytes, what: str) -> Any:
    """The root of a tree of lxml. Raises `SourceError` when ``what`` it should be is no whole XML."""
    from lxml import etree

    # Without `huge_tree`, lxml itself refuses trees deeper than 256 and entities that grow.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SourceError(f"is damaged: {what} is no whole XML ({type(error).__name__})") from None
    if root is None:
        raise SourceError(f"is damaged: {what} is empty")
    return root
