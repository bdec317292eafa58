"""Question and sources in, `Prompt` out."""

from footnoted.prompting.prompt import build_prompt

__all__ = ["build_prompt"]
