"""Offers the documents and passages of the index as MCP resources.

``footnoted://documents`` lists what there is; ``footnoted://documents/ID`` is a document's text and
``footnoted://passages/ID`` a passage's, in which a citation's ``start`` and ``end`` count.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from footnoted.errors import FootnotedError
from footnoted.integrations._extra import needed
from footnoted.integrations.mcp.told import DOCUMENTS, PASSAGES

with needed("mcp"):
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ResourceError
    from mcp_types import Resource

if TYPE_CHECKING:
    from footnoted.integrations.mcp.library import Library
    from footnoted.types import Source

_LISTED = 500  # documents named one by one in the list of resources; all of them stand in ``footnoted://documents``


class DocumentServer(MCPServer[None]):
    """A server whose list of resources names its documents, as far as they are read."""

    _library: Library | None = None

    def serve(self, library: Library) -> None:
        """Offer what a library holds."""
        self._library = library

        @self.resource(DOCUMENTS.rstrip("/"), title="The documents", mime_type="application/json")
        async def documents() -> str:
            """What this server answers from: each document with its passages."""
            return json.dumps([_described(group) for group in await self._documents()], ensure_ascii=False)

        @self.resource(DOCUMENTS + "{document}", title="A document", mime_type="text/plain")
        async def document(document: str) -> str:
            """A document's text, passage by passage."""
            for group in await self._documents():
                if _id(group[0]) == document:
                    return "\n\n".join(passage.text for passage in group)
            raise ResourceError("no such document")

        @self.resource(PASSAGES + "{passage}", title="A passage", mime_type="text/plain")
        async def passage(passage: str) -> str:
            """A passage's text, to which the offsets of citations refer."""
            found = (await self._index()).source(passage)
            if found is None:
                raise ResourceError("no such passage")
            return str(found.text)

    async def list_resources(self) -> list[Resource]:
        """The list of documents, and each of the first of them."""
        found = await super().list_resources()
        if self._library is None:
            return found
        try:
            groups = await self._documents()
        except ResourceError:
            return found  # nothing can be read now; reading says why
        documents = map(_described, groups[:_LISTED])
        return [
            *found,
            *(Resource(uri=d["uri"], name=d["file"], title=d["title"], mime_type="text/plain") for d in documents),
        ]

    async def _index(self) -> Any:
        async def quietly(_: str) -> None:
            """Reading a resource tells no progress."""

        assert self._library is not None  # noqa: S101 - resources are offered with it
        try:
            return await self._library.index(quietly)
        except FootnotedError as error:
            raise ResourceError(str(error)) from error

    async def _documents(self) -> list[list[Source]]:
        """The passages, document by document, in the order of the documents."""
        groups: dict[str, list[Source]] = {}
        for passage in await asyncio.to_thread((await self._index()).sources):
            groups.setdefault(_id(passage), []).append(passage)
        return list(groups.values())


def _id(passage: Source) -> str:
    return str(passage.metadata.get("document_id", passage.id))


def _described(passages: list[Source]) -> dict[str, Any]:
    first = passages[0]
    file = str(first.metadata.get("file", first.title))
    return {
        "uri": DOCUMENTS + _id(first),
        "file": file,
        "title": first.title.partition(" › ")[0] or file,
        "passages": [{"uri": PASSAGES + passage.id, "title": passage.title} for passage in passages],
    }
