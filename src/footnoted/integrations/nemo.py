"""An output rail for NeMo Guardrails: a bot message is weighed against its relevant chunks before a user sees it.

In a config's folder: ``from footnoted.integrations.nemo import footnoted_grounding`` in ``actions.py``, `FLOWS` in a
``.co`` file (Colang 1.0), and one of its flows under ``rails.output.flows``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from footnoted.integrations._extra import needed

with needed("nemo"):
    from nemoguardrails.actions import action
    from nemoguardrails.actions.rail_outcome import RailOutcome, TransformTarget

from footnoted.answering.generator import shipped_checker
from footnoted.answering.watch import Watch
from footnoted.answering.weighing import Checking
from footnoted.integrations.proxy.weighing import Weighed, Weighing
from footnoted.types import Source

__all__ = ["FLOWS", "footnoted_grounding"]

FLOWS = '''
define bot inform answer not grounded
  "My sources do not carry an answer to that."

define flow footnoted grounding
  """Nothing leaves of a message in which something does not stand."""
  $grounding = execute footnoted_grounding
  if $grounding.is_blocked
    bot inform answer not grounded
    stop

define flow footnoted hold
  """The sentences that stand leave; what could not be decided is marked as unverified."""
  $grounding = execute footnoted_grounding(hold=True)
  if $grounding.is_blocked
    bot inform answer not grounded
    stop
  if $grounding.is_transform
    $bot_message = $grounding.transform_text["bot_message"]
'''
_WAIT = 30.0  # seconds for one verdict: the message is whole already, and no model is open the first time


@action(name="footnoted_grounding")  # type: ignore[untyped-decorator] # untyped where it is not installed
async def footnoted_grounding(context: dict[str, Any] | None = None, hold: bool = False, **_: Any) -> RailOutcome:
    """Allows a message of which all stands, and one that had no chunks to stand on; blocks any other.

    With ``hold`` what stands is let out (a transform), and only a message of which nothing stands is blocked. The
    outcome's ``reason`` says what fell; ``metadata`` has ``score`` (0–1) and ``claims``, as plain data.
    """
    context = context or {}
    sources = _sources(context)
    message = str(context.get("bot_message") or "")
    if not sources or not message.strip():
        return RailOutcome.allow(reason="no relevant chunks to weigh it by")
    watch = Watch(str(context.get("last_user_message") or ""), sources)
    checking = Checking(shipped_checker(), "hold", wait=_WAIT, doubt="mark", watch=watch)
    weighing = Weighing(sources, checking)
    output = [*await weighing.take(message), *await weighing.flush()]
    text = "".join(piece for piece in output if isinstance(piece, str)).strip()
    found = weighing.found
    fallen = [sentence for sentence in found if sentence.verdict.ruling != "supported"]
    reasons = [f"{sentence.verdict.ruling}: {sentence.claim.text.strip()}" for sentence in fallen]
    reason = "; ".join(reasons) or "all of it stands"
    score = 1 - len(fallen) / len(found) if found else 1.0
    metadata = {"score": score, "claims": list(map(_claim, found))}
    if not fallen:
        return RailOutcome.allow(reason=reason, metadata=metadata)
    if hold and any(sentence.shown for sentence in found):
        return RailOutcome.transform([(TransformTarget.BOT_MESSAGE, text)], reason=reason, metadata=metadata)
    return RailOutcome.block(reason=reason, metadata=metadata)


def _sources(context: dict[str, Any]) -> tuple[Source, ...]:
    """The chunks apart where they are, else as the one text that NeMo makes of them."""
    apart, together = context.get("relevant_chunks_sep"), context.get("relevant_chunks")
    chunks = apart or together or ()
    texts: Sequence[Any] = [chunks] if isinstance(chunks, str) else chunks
    return tuple(Source(id=f"s{place}", text=str(text)) for place, text in enumerate(texts) if str(text).strip())


def _claim(sentence: Weighed) -> dict[str, Any]:
    verdict = sentence.verdict
    quote = verdict.evidence[0].quote if verdict.evidence else ""
    return {"text": sentence.claim.text, "verdict": verdict.ruling, "reason": verdict.reason, "evidence": quote}
