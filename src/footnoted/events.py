"""What a streamed answer says while it happens: small frozen events, closed by `AnswerFinished`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from footnoted.types import Citation, Claim, Verdict

if TYPE_CHECKING:
    from footnoted.contract import CheckedOutput, FieldEvidence, GenerationResponse
    from footnoted.grounding.disagreement import Disagreement


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer as the reader sees it, markers rendered. ``start``: its offset."""

    text: str
    start: int
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class CitationFound:
    """A marker was just written; the citation points at the exact words."""

    citation: Citation
    kind: Literal["citation"] = "citation"


@dataclass(frozen=True, slots=True)
class ClaimChecked:
    """A claim got its verdict. ``shown`` is false when it was held back: its offsets are then the draft's."""

    claim: Claim
    verdict: Verdict
    shown: bool = True
    kind: Literal["claim"] = "claim"


@dataclass(frozen=True, slots=True)
class TextRetracted:
    """The answer's ``[start, end)`` no longer stands; ``reason`` says why."""

    start: int
    end: int
    reason: str
    kind: Literal["retraction"] = "retraction"


@dataclass(frozen=True, slots=True)
class SourcesDisagree:
    """Two sources exclude one another on a point the answer makes; the answer says so too."""

    disagreement: Disagreement
    kind: Literal["disagreement"] = "disagreement"


@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """The last event: the whole response, its finish reason included."""

    response: GenerationResponse
    kind: Literal["finished"] = "finished"


Event = TextDelta | CitationFound | ClaimChecked | TextRetracted | SourcesDisagree | AnswerFinished


@dataclass(frozen=True, slots=True)
class FieldCompleted:
    """A field of a structured answer is whole. ``path`` finds it: ``$.amounts[0].pounds`` (RFC 9535).

    A path told again has a new value, which replaces the one before.
    """

    path: str
    value: str | int | float | bool | None
    kind: Literal["field"] = "field"


@dataclass(frozen=True, slots=True)
class FieldChecked:
    """A field got its verdict. ``shown`` is false when it was held back: no `FieldCompleted` told its value."""

    path: str
    evidence: FieldEvidence
    shown: bool = True
    kind: Literal["field_evidence"] = "field_evidence"


@dataclass(frozen=True, slots=True)
class FieldsReset:
    """Every field told so far no longer counts, and is told anew as far as it stands; ``reason`` says why."""

    reason: str
    kind: Literal["fields_reset"] = "fields_reset"


@dataclass(frozen=True, slots=True)
class OutputFinished:
    """The last event of a structured answer: the object, the evidence for its fields, and what was flagged."""

    output: CheckedOutput[Any]
    kind: Literal["output_finished"] = "output_finished"


FieldEvent = FieldCompleted | FieldChecked | FieldsReset | OutputFinished
