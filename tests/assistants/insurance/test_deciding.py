"""Which clauses are quoted, none a part of another, with a chance; and articles whose paragraphs are numbered (1)."""

import math
from dataclasses import replace

import pytest

from footnoted.assistants.insurance import RetrievalAgent, read_policy
from footnoted.assistants.insurance.deciding import MOST, Candidate, candidates, chance_of, quoted
from footnoted.assistants.insurance.desk import InsuranceDesk
from footnoted.assistants.insurance.passages import Clauses, passages_of
from footnoted.assistants.insurance.quoting import is_wording
from footnoted.retrieval import Index

KITE = """# Marram Kite Policy

## CHAPTER ONE – WHAT IS COVERED

### Article 1 Repairs

(1) We pay for repairs to the Kite after an accident: (a) up to S$800 for the frame; and (b) up to S$200 for the lines.

(2) We pay a further S$50 for a courier.

### Article 2 Lessons

(1) We pay up to S$90 for one lesson after a repair.

## CHAPTER TWO – WHAT IS EXCLUDED

### Article 3 Exclusions

(1) We do not pay for: (a) kites flown within 5 km of an airport; (b) lines that were worn out; or (c) theft from a beach.
"""


@pytest.fixture
def kite(tmp_path):
    (tmp_path / "kite.md").write_text(KITE, "utf-8")
    return tmp_path / "kite.md"


def test_the_paragraphs_of_an_article_are_clauses_and_their_items_theirs(kite):
    read = {one.number: one for one in read_policy(Index.open(kite, cache="off").sources())}
    assert {"Article 1(1)", "Article 1(1)(a)", "Article 1(2)", "Article 2(1)", "Article 3(1)(c)"} <= read.keys()
    assert read["Article 3(1)(c)"].cited == "Article 3(1)(c) We do not pay for: theft from a beach."
    assert read["Article 3(1)(c)"].kind == "exclusion"


async def test_what_is_retrieved_of_such_a_wording_is_read_as_a_wording(kite):
    desk = InsuranceDesk(RetrievalAgent([kite], cache="off"))
    turned = await desk.answer("somebody stole my kite from the beach, do you pay?")
    assert is_wording(turned.request.context_chunks)
    assert "theft from a beach" in turned.result.answer
    assert "Article 3(1)" in turned.result.answer


def test_no_clause_is_quoted_beside_a_part_of_itself(kite):
    shelf = Clauses(passages_of(read_policy(Index.open(kite, cache="off").sources())))
    found = candidates("how much for a broken frame?", shelf, [0.0] * len(shelf.passages))
    assert {"Article 1(1)", "Article 1(1)(a)"} <= {one.clause.number for one in found}
    near = [replace(one, score=-place / 10) for place, one in enumerate(found)]
    numbers = [one.clause.number for one in quoted(near)]
    assert len(numbers) == MOST
    assert not any(a != b and b.startswith(f"{a}(") for a in numbers for b in numbers)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert 0 < chance_of(found) < 1
    assert chance_of([]) == 0


def test_a_question_about_something_else_has_less_of_a_chance(kite):
    shelf = Clauses(passages_of(read_policy(Index.open(kite, cache="off").sources())))

    def chance(question):
        return chance_of(candidates(question, shelf, [0.0] * len(shelf.passages)))

    assert chance("What do you pay for repairs to the frame after an accident?") > chance("Is my garden fence insured?")


def test_without_the_networks_words_alone_order_clauses(kite, monkeypatch):
    from footnoted.models import Embedder, ModelUnavailable, Reader

    def gone(*_):
        raise ModelUnavailable("no weights")

    monkeypatch.setattr(Embedder, "load", gone)
    monkeypatch.setattr(Reader, "load", gone)
    shelf = Clauses(passages_of(read_policy(Index.open(kite, cache="off").sources())))
    found = candidates("theft from a beach", shelf, [0.0] * len(shelf.passages))
    assert any(one.clause.number == "Article 3(1)(c)" for one in found[:2])
    assert all(math.isfinite(one.score) for one in found)


def test_only_what_comes_near_the_first_is_quoted_beside_it(kite):
    """A clause that seems much less likely would only confuse."""
    shelf = Clauses(passages_of(read_policy(Index.open(kite, cache="off").sources())))
    found = candidates("lesson after a repair", shelf, [0.0] * len(shelf.passages))
    first, *rest = (replace(one, score=float(-place)) for place, one in enumerate(found))
    assert len(quoted([first, *rest])) > 1
    assert [one.clause for one in quoted([first, *(replace(one, score=one.score - 9) for one in rest)])] == [
        first.clause
    ]


def test_the_items_of_one_definition_stand_in_no_other(tmp_path):
    """Definitions without numbers all go by their section's."""
    words = "Kite means the frame and its:\n\n(a) lines; and\n\n(b) bar.\n\nBeach means sand above the tide.\n"
    (tmp_path / "kite.md").write_text(f"# Marram Kite Policy\n\n## Part 2 Words\n\n{words}", "utf-8")
    read = read_policy(Index.open(tmp_path / "kite.md", cache="off").sources())
    beach = next(one for one in read if one.defines == ("Beach",))
    lines = next(one for one in read if one.text == "lines; and")
    assert lines.number.startswith(f"{beach.number}(")
    found = [Candidate(0, beach, {}), Candidate(0, lines, {}, -0.1)]
    assert [one.clause for one in quoted(found)] == [beach, lines]
