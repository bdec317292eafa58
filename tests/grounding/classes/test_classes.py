"""Natural pairs by class: a true and a false sentence over one document, as assistants write them; see `documents`.

The false one is never ticked; the true one is ticked or unsure, never held back.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnoted.grounding import Checker
from footnoted.types import Source

HERE = Path(__file__).parent
CLASSES = sorted(file.stem for file in HERE.glob("*.jsonl"))
DOCUMENTS = {
    file.stem: Source(id=file.stem, text=file.read_text(encoding="utf-8")) for file in (HERE / "documents").glob("*.md")
}


@pytest.fixture(scope="module")
def checker():
    return Checker()


def pairs(name):
    return [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_class_is_there():
    """Thirteen classes of at least twenty pairs."""
    assert len(CLASSES) >= 13
    assert min(len(pairs(name)) for name in CLASSES) >= 20


@pytest.mark.parametrize("name", CLASSES)
def test_a_false_sentence_gets_no_tick_and_a_true_one_is_not_held_back(checker, name):
    """None of the false ones is supported; of all sentences at least 95 % are ticked rightly or unsure."""
    held_back = []
    for pair in pairs(name):
        sources = [DOCUMENTS[pair["document"]]]
        assert checker.check(pair["false"], sources).ruling != "supported", pair["false"]
        true = checker.check(pair["true"], sources)
        if true.ruling not in ("supported", "unsure"):
            held_back.append((pair["true"], true.reason))
    assert len(held_back) <= 0.05 * len(pairs(name)), held_back


def test_ticks_are_given_at_all(checker):
    """A check that never ticks would pass the rest: of the true sentences more than one in ten gets a tick."""
    chosen = [pair for name in ("pairs", "negation", "conditions", "modality") for pair in pairs(name)]
    ticked = [checker.check(p["true"], [DOCUMENTS[p["document"]]]).ruling == "supported" for p in chosen]
    assert sum(ticked) > 0.2 * len(ticked)


def test_a_table_contradicts_a_figure_of_another_cell(checker):
    """The row and column that a sentence names have another figure: contradicted, in nine of ten cases rightly."""
    ruled = []
    for pair in pairs("tables"):
        sources = [DOCUMENTS[pair["document"]]]
        ruled += [
            (checker.check(pair[key], sources).ruling == "contradicted", key == "false") for key in ("true", "false")
        ]
    said = [right for contradicted, right in ruled if contradicted]
    assert len(said) >= 12
    assert sum(said) >= 0.9 * len(said)
