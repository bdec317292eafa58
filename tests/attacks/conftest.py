"""What holds for every answer, whatever was attacked: its format, its pointers, its characters."""

import json
import re

import pytest

from footnoted import GenerationResponse, OutputFormat
from footnoted.types import FinishReason

# C0 but line feed and tab, C1, Unicode's own line ends, overrides, isolates, tags, halves of characters.
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")


def assert_pointers_are_exact(response: GenerationResponse, context) -> None:
    """Each citation stands in the text where it says, is numbered by first use, and quotes its source exactly."""
    seen: list[int] = []
    for citation in response.citations:
        source = context[citation.source_index]
        assert citation.chunk_id == source.chunk_id
        assert citation.source_quote
        assert source.content[citation.source_start : citation.source_end] == citation.source_quote
        assert response.response[citation.start_pos : citation.end_pos] == f"[{citation.number}]"
        seen.append(citation.number)
    assert list(dict.fromkeys(seen)) == list(range(1, len(set(seen)) + 1))


def assert_format(response: GenerationResponse, form: OutputFormat) -> None:
    """The text is what was asked for, and nothing in it acts on whoever shows it."""
    text = response.response
    assert not ACTING.search(text)
    if form is OutputFormat.JSON:
        data = json.loads(text)
        assert list(data) == ["answer", "citations", "finish_reason"]
        assert isinstance(data["answer"], str)
        assert data["finish_reason"] == response.finish_reason
        assert [each["number"] for each in data["citations"]] == [each.number for each in response.citations]
        assert not ACTING.search(data["answer"])
    elif form is OutputFormat.BULLETS:
        assert all(line.startswith("- ") for line in text.splitlines())
    elif form is OutputFormat.PLAIN:
        assert not re.search(r"^(?:#{1,6}\s|> |```)|\*\*", text, re.MULTILINE)


@pytest.fixture
def held():
    """Checks one response against everything that must hold."""

    def check(response, request):
        assert response.finish_reason in (FinishReason.COMPLETE, FinishReason.REFUSED)
        assert_pointers_are_exact(response, request.context)
        assert_format(response, request.config.output_format)

    return check
