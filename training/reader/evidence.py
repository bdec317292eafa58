"""Picks the few sentences of the sources that matter to a claim, in their order, with their neighbours.

While training, evidence is found by rare words shared, within a budget that varies, so that the reader meets narrow and
wide windows, gaps and neighbours as the product makes them.
"""

from __future__ import annotations

import math
import re
from collections import Counter

_ENDS = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\W\d_a-zа-яα-ω])|\n+|(?<=[。！？।])")
_WORD = re.compile(r"[^\W_]+")
_RUN_ON = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")


def sentences(text: str) -> list[str]:
    return [s.strip() for s in _ENDS.split(text) if s and s.strip()]


def words(text: str) -> set[str]:
    """Beginnings of words; pairs of characters where a script does not part its words."""
    found = set()
    for word in _WORD.findall(text.casefold()):
        if _RUN_ON.search(word):
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            found.add(word if word.isdigit() else word[:6])
    return found


class Evidence:
    """The sentences of some sources, ready to be asked for what matters to a claim."""

    def __init__(self, sources: list[str]) -> None:
        self.sentences = [(n, s) for n, source in enumerate(sources) for s in sentences(source)]
        self.words = [words(s) for _, s in self.sentences]
        counts = Counter(w for own in self.words for w in own)
        self.worth = {w: math.log(1 + len(self.sentences) / n) for w, n in counts.items()}
        self.length = sum(len(s.split()) for _, s in self.sentences)

    def best(self, claim: str, *, budget: int, most: int = 4) -> str:
        """At most about ``budget`` words; "…" stands where sentences were left out."""
        if self.length <= budget or not self.sentences:
            return self._text(range(len(self.sentences)))
        asked, covered, chosen, left = words(claim), set(), [], budget
        for _ in range(most):
            best, at = 0.0, -1
            for i, own in enumerate(self.words):
                if i not in chosen:
                    gain = sum(self.worth[w] * (0.2 if w in covered else 1.0) for w in asked & own)
                    gain /= 1 + 0.02 * len(own)
                    if gain > best:
                        best, at = gain, i
            if at < 0 or (chosen and len(self.sentences[at][1].split()) > left):
                break
            chosen.append(at)
            covered |= asked & self.words[at]
            left -= len(self.sentences[at][1].split())
        for at in list(chosen):
            for near in (at - 1, at + 1):
                if (
                    0 <= near < len(self.sentences)
                    and near not in chosen
                    and self.sentences[near][0] == self.sentences[at][0]
                ):
                    n = len(self.sentences[near][1].split())
                    if n <= left:
                        chosen.append(near)
                        left -= n
        return self._text(sorted(chosen) or [0])

    def holding(self, words: str) -> int | None:
        """Which sentence holds these words, or the beginning of them; None if none does."""
        for said in (words, words[: len(words) // 2].strip()):
            for at, (_, sentence) in enumerate(self.sentences):
                if said and (said in sentence or (len(sentence) > 20 and sentence in words)):
                    return at
        return None

    def around(self, at: int, budget: int, dice) -> tuple[int, int]:
        """From which sentence on to before which: the one at ``at`` and neighbours of its source, within a budget of words."""
        first, last, left = at, at + 1, budget - len(self.sentences[at][1].split())
        sides = [-1, 1]
        while sides:
            side = dice.choice(sides)
            near = first - 1 if side < 0 else last
            fits = 0 <= near < len(self.sentences) and self.sentences[near][0] == self.sentences[at][0]
            size = len(self.sentences[near][1].split()) if fits else 0
            if not fits or size > left:
                sides.remove(side)
                continue
            first, last, left = (near, last, left - size) if side < 0 else (first, near + 1, left - size)
        return first, last

    def _text(self, chosen) -> str:
        out, last = [], None
        for at in chosen:
            if last is not None and at != last + 1:
                out.append("…")
            elif last is not None and self.sentences[at][0] != self.sentences[last][0]:
                out.append("\n")
            out.append(self.sentences[at][1])
            last = at
        return " ".join(out).replace(" \n ", "\n")
