"""What each node may decide: the shapes an LLM's reply must fit, and a rule's answer takes too."""

from __future__ import annotations

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


class Selection(_Decision):
    """The ids of the sources to read, most useful first."""

    source_ids: list[str] = Field(
        max_length=100,
        validation_alias=AliasChoices("source_ids", "ids", "selected_sources", "sources"),
        description="ids from the index, most useful first; empty when none helps",
    )


class Verification(_Decision):
    """Whether a draft may be posted."""

    is_good_enough: bool = Field(description="whether the draft answers the question, rightly and from the sources")
    issues: list[str] = Field(default_factory=list, max_length=50, description="what is wrong with it, each in words")
    suggested_fix: str | None = Field(default=None, max_length=4000, description="how to mend it, or null")
