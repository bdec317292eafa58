"""The fault table, through the proxy: what a wire does wrong upstream ends for the client as typed as without it."""

import asyncio
from contextlib import aclosing

import pytest

from footnoted.errors import BadProviderReply, ProviderUnavailable
from footnoted.providers import build, patient
from footnoted.testing.trials import RETRY, trials, undergo
from footnoted.types import FinishReason, Prompt, Verdict
from tests.integrations.proxy.conftest import proxied
from tests.providers.lateness import Late, in_time

GIVEN = {"checked": "<document>Grün ist das 漢字.</document> What is green?", "relayed": "What is green?"}


class Quick:
    """Weighs nothing, at once: what is on trial here is the wire."""

    async def acheck(self, claim, sources, *, cited=()):
        return Verdict("not_checked", reason="not on trial")


def provider(protocol, url):
    options = {"api_key": "k", "model": "m"}
    if protocol == "anthropic":
        return build("anthropic", base_url=url, **options)
    return build("openai", base_url=f"{url}/v1", api="responses" if protocol == "responses" else "chat", **options)


@pytest.mark.parametrize("protocol", ["openai", "responses", "anthropic"])
@pytest.mark.parametrize("trial", trials(), ids=lambda trial: trial.name)
@in_time
async def test_a_fault_upstream_is_a_typed_ending(trial, protocol):
    """Both roads at once: with sources to weigh by, and without."""

    async def one(road):
        async def tell(kind, upstream, told):
            async with proxied(upstream, checker=Quick()) as url:
                asked = provider(kind, url)
                prompt = Prompt(question="What is green?", ask=GIVEN[road])
                deltas = patient(asked, prompt, deadlines=told.deadlines, retry=RETRY, attempts=told.attempts)
                async with aclosing(asked), aclosing(deltas):
                    async for delta in deltas:
                        told.text += delta.text
                        told.finish = delta.finish_reason
                        told.usage = delta.usage or told.usage

        return await undergo(trial, protocol, tell)

    for outcome in await asyncio.gather(one("checked"), one("relayed")):
        wrong = outcome.wrong
        if trial.finish is FinishReason.TRUNCATED and outcome.told.finish is FinishReason.ERROR:
            wrong = [each for each in wrong if not each.startswith("ended ")]
        if trial.error is BadProviderReply and isinstance(outcome.error, ProviderUnavailable | BadProviderReply):
            wrong = [each for each in wrong if not each.startswith(("raised ", "asked "))]
        if wrong and outcome.slow:
            raise Late(str(wrong))
        assert wrong == []
