"""What a tenant may ask for in its requests: which models, how long an answer, which template, checking or not."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from footnoted.prompting.templates import PromptTemplates
from footnoted.service.asking import Asked
from footnoted.service.faults import Fault
from footnoted.service.settings import Settings

_LOOKED_AT = 1_000  # code points of a question


async def understood(asked: Asked, settings: Settings) -> None:
    """Raise `Fault` 403 for a question that is surely in another language than those that are allowed."""
    allowed = settings.policy_of(asked.tenant).languages
    if not allowed:
        return
    from footnoted.text.language import language

    found = await asyncio.to_thread(language, asked.request.query[:_LOOKED_AT])
    if found and found not in allowed:
        raise Fault(403, "not_allowed", f"questions are answered here in {', '.join(allowed)}; ask in one of these")


def permitted(asked: Asked, settings: Settings) -> Asked:
    """The question as it may be asked. Raises `Fault` 403 or 422 that says what is not allowed, and what is."""
    config, policy = asked.request.config, settings.policy_of(asked.tenant)
    if config.template is not None:
        known = PromptTemplates(settings.templates).names
        if config.template not in known:
            raise Fault(422, "invalid_request", f"config.template: there is none of that name; {', '.join(known)}")
    if config.model is not None and policy.models and config.model not in (settings.model, *policy.models):
        raise Fault(403, "not_allowed", f"config.model: you may name {', '.join(policy.models)}")
    if policy.checking_locked and not config.require_grounding:
        raise Fault(403, "not_allowed", "config.require_grounding: checking cannot be turned off here")
    capped: dict[str, int | bool] = {"require_grounding": True} if policy.checking_locked else {}
    for name, most in (("max_tokens", policy.answer_tokens), ("context_tokens", policy.context_tokens)):
        if getattr(config, name) > most:
            if name in config.model_fields_set:
                raise Fault(422, "invalid_request", f"config.{name}: {most} at most here")
            capped[name] = most
    if capped:
        request = asked.request.model_copy(update={"config": config.model_copy(update=capped)})
        return replace(asked, request=request)
    return asked
