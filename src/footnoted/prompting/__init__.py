"""Writes the `Prompt` for a question and its sources."""

from footnoted.prompting.prompt import build_prompt

__all__ = ["build_prompt"]
