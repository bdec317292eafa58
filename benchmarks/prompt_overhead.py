"""Characters that instructions and framing add around five sources and a question, next to LlamaIndex's.

    python benchmarks/prompt_overhead.py --peers-python PATH

Counted over all messages of the request that leaves the library, less the texts of the sources, the titles
shown and the question. The peer is its real CitationQueryEngine, asked over a model that writes down its messages.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from _table import goals, heading, table, versions
from _texts import QUESTION, SOURCES


def overhead(messages: list[str], *, titled: bool) -> int:
    """Characters that are neither source, shown title nor question. Each must be there once, whole."""
    said = "\n".join(messages)
    given = [QUESTION, *(text for _, text in SOURCES), *(title for title, _ in SOURCES if titled)]
    for part in given:
        assert part in said, f"the prompt does not hold {part[:60]!r}"
    return sum(map(len, messages)) - sum(map(len, given))


def ours() -> dict[str, int]:
    """Overhead of the request footnoted sends, by output format, grounded mode."""
    from uuid import UUID

    from footnoted.contract import GenerationConfig, GenerationRequest, OutputFormat, SourceContext
    from footnoted.prompting import build_prompt
    from footnoted.providers.openai import messages

    context = [
        SourceContext(chunk_id=UUID(int=n), document_id=UUID(int=n), content=text, metadata={"title": title})
        for n, (title, text) in enumerate(SOURCES, 1)
    ]
    found = {}
    for form in OutputFormat:
        request = GenerationRequest(query=QUESTION, context=context, config=GenerationConfig(output_format=form))
        prompt, _ = build_prompt(request, [chunk.as_source() for chunk in context])
        found[form.value] = overhead([message["content"] for message in messages(prompt)], titled=True)
    return found


def theirs() -> dict[str, object]:
    """Overhead of the request LlamaIndex's CitationQueryEngine sends: as it comes, and showing titles too."""
    from typing import Any

    from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
    from llama_index.core.llms import CustomLLM
    from llama_index.core.query_engine import CitationQueryEngine
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

    heard: list[str] = []

    class Listening(CustomLLM):
        """A chat model that writes down what it is told."""

        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(context_window=128_000, num_output=1000, is_chat_model=True)

        def chat(self, messages: Any, **_: Any) -> ChatResponse:
            heard.extend(message.content for message in messages)
            return ChatResponse(message=ChatMessage(role="assistant", content="£75 [1]."))

        def complete(self, prompt: str, **_: Any) -> CompletionResponse:
            heard.append(prompt)
            return CompletionResponse(text="£75 [1].")

        def stream_complete(self, prompt: str, **_: Any) -> Any:
            raise NotImplementedError

    class Given(BaseRetriever):
        """Finds the five sources, whatever is asked."""

        def _retrieve(self, _: Any) -> list[NodeWithScore]:
            return [
                NodeWithScore(node=TextNode(text=text, metadata={"title": title}), score=1) for title, text in SOURCES
            ]

    def ask(metadata_mode: MetadataMode) -> int:
        heard.clear()
        CitationQueryEngine(Given(), llm=Listening(), metadata_mode=metadata_mode).query(QUESTION)
        return overhead(list(heard), titled=metadata_mode is not MetadataMode.NONE)

    return {
        "default": ask(MetadataMode.NONE),
        "with titles": ask(MetadataMode.LLM),
        "versions": versions("llama-index-core"),
    }


def main() -> int:
    """Count both and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers-python", help="the Python of the peers' environment; see benchmarks/README.md")
    parser.add_argument("--report", action="store_true", help="exit 0 even when a goal is missed")
    parser.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer:
        print(json.dumps(theirs()))
        return 0
    if not args.peers_python:
        parser.error("--peers-python is needed: benchmarks/README.md says how to make that environment")
    command = [args.peers_python, str(Path(__file__)), "--peer"]
    peer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    mine = ours()
    heading("Prompt overhead: 5 sources of 200 words, one question", versions("footnoted") | peer["versions"])
    rows = [(f"footnoted, grounded, {form}, titles shown", f"{added:,}") for form, added in mine.items()]
    rows += [("LlamaIndex CitationQueryEngine, its default, no titles", f"{peer['default']:,}")]
    rows += [("LlamaIndex CitationQueryEngine, titles shown", f"{peer['with titles']:,}")]
    table(("what", "characters added"), rows)
    least = min(peer["default"], peer["with titles"])
    reached = [
        (f"grounded, {form}: fewer than {least:,}", f"{added:,}", added < least)
        for form, added in mine.items()
        if form == "markdown"
    ]
    return goals(reached, report=args.report)


if __name__ == "__main__":
    sys.exit(main())
