"""A model that writes well, over loopback: it decides as a thread's label says and writes from the passages it is shown.

It is what the community benchmark's ``--model`` asks. What it writes are the sentences of the sources that say what must
be said, behind the label's own words where these say it. ``false`` changes one detail of a draft; the judge is honest, or
agrees to everything with words that do stand in a source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from footnoted.assistants.community.labelled import _flat
from footnoted.testing import Reply
from footnoted.text import sentences

if TYPE_CHECKING:
    from footnoted.assistants.community.labelled import Labelled
    from footnoted.testing.script import Request

_SOURCE = re.compile(r"(?ms)^== (\w+) (\d+): [^\n]*\n(.*?)(?=^== \1 )")
_STATEMENT = re.compile(r"(?ms)^== (\w+) statement (\d+)\n(.*?)(?=^== \1 )")
_NAME = re.compile(r"\b\w+_\w+\b|\b[A-Z][a-z]+[A-Z]\w+\b|![a-z]+\b")
_FIGURE = re.compile(r"(?<![\w.])\d+(?![\w.])")
_IS = re.compile(r"\b(is|are|can|will|does|do|should|has|have)\b(?! not)")
ANSWERED = frozenset({"near-miss"})  # kinds to stay out of that a good gate cannot tell from a question


@dataclass
class Writer:
    """The model's part in one thread. ``nearest``: the id it takes where no page is right."""

    thread: Labelled
    ids: list[str]
    nearest: str
    false: bool = False
    agrees: bool = False
    truths: dict[str, str] = field(default_factory=dict)
    changed: str = ""

    def says(self, request: Request) -> Reply:
        """The reply at whichever node asks."""
        kind = ((request.json.get("response_format") or {}).get("json_schema") or {}).get("name")
        one = self.thread
        if kind == "Gate":
            ours = one.should_reply or one.record["kind"] in ANSWERED
            decided: dict[str, Any] = {"is_question": ours, "is_answerable": ours, "addressee": "everybody"}
            return Reply(json={**decided, "rewrite_query": None, "kind": "question" if ours else "other"})
        if kind == "Selection":
            right = [id_ for page in one.pages for id_ in self.ids if id_ == page or id_.endswith(f"/{page}")]
            return Reply(json={"selected_source_ids": right or [self.nearest]})
        if kind == "Verification":
            return Reply(json={"is_good_enough": True, "issues": [], "suggested_fix": None})
        return Reply(self._draft(request.prompt_text))

    def judges(self, request: Request) -> Reply:
        """A verdict for each statement, with the words of a source that decide."""
        told = []
        for _, number, statement in _STATEMENT.findall(request.prompt_text):
            quote = next((one for true, one in self.truths.items() if _flat(true) in _flat(statement)), "")
            quote = quote or (next(iter(self.truths.values()), "") if self.agrees else "")
            ruling = "supported" if quote else "unsupported"
            told.append({"statement": int(number), "quote": quote, "verdict": ruling, "reason": ""})
        return Reply(json={"verdicts": told})

    def _draft(self, prompt: str) -> str:
        sources = [(int(number), text) for _, number, text in _SOURCE.findall(prompt)]
        lines: dict[str, int] = {}
        for must in self.thread.must_say:
            if any(_flat(option) in _flat(" ".join(lines)) for option in must.split("|")):
                continue
            for number, line in _telling(must, sources):
                lines[line] = number
                break
        if not lines:
            return "NO_ANSWER the sources do not say it"
        first, number = next(iter(lines.items()))
        why = str(self.thread.record.get("why") or "")
        self.truths = {line: line.strip("`") for line in lines}
        opening = ""
        if not self.false and any(_flat(option) in _flat(why) for option in self.thread.must_say):
            opening = f"{why[:1].upper()}{why[1:].rstrip('.')}. [{number}]\n"
            self.truths[why] = first.strip("`")
        if self.false:
            self.changed = falsified(first, " ".join(text for n, text in sources if n == number))
            lines = {self.changed or line: n for line, n in list(lines.items())[:1]}
            del self.truths[first]
            self.truths["\0"] = first.strip("`")
        return opening + "\n".join(f"{line} [{number}]" for line, number in lines.items())


def falsified(line: str, source: str) -> str:
    """The line with one detail changed for another that stands in its source, or turned round; "" where none can be."""
    figures = [one for one in _FIGURE.findall(source) if one not in line]
    names = [one for one in _NAME.findall(source) if one not in line]
    if (found := _FIGURE.search(line)) and figures:
        return line[: found.start()] + figures[0] + line[found.end() :]
    if (found := _NAME.search(line)) and names and len(line) % 2:
        return line[: found.start()] + names[0] + line[found.end() :]
    if " not " in line:
        return line.replace(" not ", " ", 1)
    if found := _IS.search(line):
        return f"{line[: found.end()]} not{line[found.end() :]}"
    if (found := _NAME.search(line)) and names:
        return line[: found.start()] + names[0] + line[found.end() :]
    return ""


def _telling(must: str, sources: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The sentences and lines of code that say one of what ``|`` parts, shortest first."""
    found = []
    for number, text in sources:
        for span in sentences(text):
            for line in text[span.start : span.end].split("\n"):
                said = line.strip().lstrip("-*># ").strip()
                if said and any(_flat(option) in _flat(said) for option in must.split("|")):
                    code = text.count("```", 0, span.start) % 2
                    found.append((number, f"`{said}`" if code else said))
    return sorted(found, key=lambda one: (one[1][:1] == "`", abs(len(one[1]) - 120)))
