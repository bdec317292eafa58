"""footnoted: prompt, deadlines, retries, citations decoded and pointed, the response at the end.

Variants are ``PROTOCOL-CHECKING``: ``openai-off`` does the work its peers do and the citations besides; ``openai-hold``
is the default, in which every sentence is weighed before it leaves.
"""

from __future__ import annotations

import itertools
from contextlib import AsyncExitStack, aclosing
from typing import Any
from uuid import UUID

from _texts import QUESTION, SOURCES, of_another

from _peers.asked import MODEL, Read, Seen

LIMITS = "deadlines={first_token: 5, between_tokens: 5, total: 30}, retry={attempts: 3}"
_LIMITS = {"deadlines": {"first_token": 5, "between_tokens": 5, "total": 30}, "retry": {"attempts": 3}}
_asked = itertools.count()


def request(*, new: bool = False) -> Any:
    """The five sources and the question; with ``new``, of a policy that no request was about before."""
    from footnoted import GenerationRequest, SourceContext

    number = next(_asked)
    sources, question = (
        (of_another(number)[0], f"{QUESTION} It is policy no. {number}.") if new else (SOURCES, QUESTION)
    )
    chunks = [
        SourceContext(chunk_id=UUID(int=n), document_id=UUID(int=100 + n), content=text, metadata={"title": title})
        for n, (title, text) in enumerate(sources, 1)
    ]
    return GenerationRequest(query=question, context=chunks)


async def opened(stack: AsyncExitStack, base_url: str, *, limits: bool = False, variant: str = "openai-off") -> Read:
    """One generator for all streams."""
    from footnoted import GroundedGenerator
    from footnoted.events import TextDelta

    protocol, checking = variant.split("-")
    options = {**(_LIMITS if limits else {}), "checking": checking}
    generator = GroundedGenerator(protocol, api_key="none", base_url=base_url, model=MODEL, **options)
    await stack.enter_async_context(generator)
    new = checking != "off"

    async def read(seen: Seen) -> str | None:
        event: Any = None
        async with aclosing(generator.stream(request(new=new))) as events:
            async for event in events:
                if isinstance(event, TextDelta) and seen(event.text):
                    return None
        return str(event.response.finish_reason)

    return read


async def cited(base_url: str, variant: str) -> dict[str, Any]:
    """The response: its citations, and the claims it calls anything but supported while it shows them.

    A verdict may take a minute: a starved machine must not be taken for a judgement.
    """
    from footnoted import GroundedGenerator

    protocol, checking = variant.split("-")
    async with GroundedGenerator(
        protocol, api_key="none", base_url=base_url, model=MODEL, checking=checking, verdict_wait=60
    ) as generator:
        response = await generator.generate(request())
    return {
        "text": response.response,
        "cites": [{"at": one.start_pos, "source": one.source_index + 1} for one in response.citations],
        "flags": [claim.text for claim in response.claims if claim.verdict != "supported"],
    }
