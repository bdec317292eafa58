"""What passes from node to node: decisions, ids and the draft, never a source's text.

The decisions are the shapes a model's reply must fit; what is decided without a model takes the same shapes.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from pydantic import AliasChoices, BaseModel, ConfigDict, Field


class _Decision(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Gate(_Decision):
    """Whether a message is a question this community's documents may answer. ``reason`` is for logs only."""

    is_question: bool = Field(description="whether the latest message asks something that wants an answer")
    is_answerable: bool = Field(description="whether the community's documents may answer it, within the scope")
    rewrite_query: str | None = Field(
        default=None, max_length=2000, description="the question on its own, if the message needs its context; or null"
    )
    reason: str = Field(default="", max_length=2000, description="why, in a few words, for the log")
    kind: str = Field(
        default="",
        max_length=100,
        description="question, follow-up, error, thanks, chatter, announcement, attack, other",
    )
    addressee: Literal["everybody", "bot", "member"] = Field(
        default="everybody", description="whom the latest message is for: anybody who knows, the bot, or one member"
    )
    is_solved: bool = Field(default=False, description="whether it was answered in the thread, or is no longer needed")

    @property
    def is_ours(self) -> bool:
        """Whether to go on: an open question that the documents may answer, and that is not one member's."""
        return self.is_question and self.is_answerable and self.addressee != "member" and not self.is_solved

    @property
    def may_be_redirected(self) -> bool:
        """Whether it is an open question to the bot or everybody that the documents do not answer."""
        open_to_us = self.addressee != "member" and not self.is_solved
        return self.is_question and not self.is_answerable and open_to_us


class Selection(_Decision):
    """The ids of the sources to read, most useful first."""

    selected_source_ids: list[str] = Field(
        max_length=100,
        validation_alias=AliasChoices("selected_source_ids", "source_ids", "ids", "selected_sources", "sources"),
        description="ids from the index, most useful first; empty when none helps",
    )


class Verification(_Decision):
    """Whether a draft may be posted."""

    is_good_enough: bool = Field(description="whether the draft answers the question, rightly and from the sources")
    issues: list[str] = Field(default_factory=list, max_length=50, description="what is wrong with it, each in words")
    suggested_fix: str | None = Field(default=None, max_length=4000, description="how to mend it, or null")


class Draft(TypedDict):
    """A reply that is not verified yet: its text, and the ids of the sources it cites."""

    text: str
    cited: list[str]


class ReplyState(TypedDict, total=False):
    """The state of one reply. ``stopped`` says, in a word, where and why nothing will be said."""

    message_id: str
    gate: Gate
    selected: list[str]
    loaded: list[str]
    draft: Draft
    verification: Verification
    stopped: str
