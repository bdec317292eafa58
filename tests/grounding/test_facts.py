"""A long claim splits into the facts it states, and stays whole in doubt."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from footnoted.grounding.facts import facts, parts
from tests.laws import tried
from tests.tables import every

CASES = json.loads((Path(__file__).parent / "segmentation_cases.json").read_text(encoding="utf-8"))

# Where a claim splits is marked by " | ".
SPLIT = """
The excess is £75 for repair | and £115 for replacement.
Waiting periods are 28 days for illness, | 14 days for injury | and 7 days for accidents.
The fee is $5 per month | and $50 per year.
The policy covers theft [1], | and it excludes flood [2].
The policy covers theft [1], | fire [2] and flood [3].
The plan covers theft | and excludes flood.
Fire is covered; | theft is not [1].
The company was founded in 1998, | which made it the oldest in the region.
She was born in Paris | and moved to London in 1990, | where she wrote her first novel.
Tom Hanks starred in the film, | and Steven Spielberg directed it.
The bridge opened in 1932 | and the tunnel was completed in 1992.
The drug lowers blood pressure | but it may cause dizziness in older patients.
He did not sign the contract | and did not pay the deposit.
It supports Linux and macOS, | while Windows is not supported.
Mercury is the smallest planet and the closest to the Sun, | and it orbits the Sun in 88 days.
The limit is £500 a year, | but the insurer paid £700 in this case.
The basic plan has no limit, | whereas the premium plan is capped at £5,000.
The bucket is public | and it violates CIS 2.1.5 [1].
The server runs on port 8080 by default, | but you can change it in the settings.
Der Diebstahl ist versichert, | aber der Verlust ist ausgeschlossen.
Le vol est couvert, | mais la perte ne l'est pas.
El robo está cubierto, | pero la pérdida no lo está.
盗窃在保障范围内， | 但遗失不在保障范围内[1]。
火灾在保障范围内； | 盗窃不在[1]。
""".strip().splitlines()

WHOLE = """
The plan covers theft and fire.
It costs £75 [1].
If you are late, you pay £75 and you lose cover.
You are covered if you report it and you keep the receipt.
You need three things: a completed form; proof of purchase; and photos.
The policy, which started in 2020, covers theft.
The policy covers legal fees and costs of repair.
The policy covers items you own and items you have bought on credit.
The premium is between £75 and £115 for most drivers.
The booklet says "fire is covered and theft is not covered" on page 4.
Research and development costs rose by 5% in 2020.
The tests that were run in May and June were repeated.
The study found cats and dogs are affected.
Employees who work nights and weekends are paid double.
The Department of Health and Human Services is responsible for it.
Romeo and Juliet was written by Shakespeare.
Both drivers and passengers are insured.
Children who were born in 2010 and adults are eligible.
The excess applies only when the car is parked and the owner is away.
You must pay the excess unless the other driver is at fault and has admitted it.
Wenn Sie den Schaden melden, aber keine Belege haben, zahlen wir nicht.
如果您逾期报案，但有正当理由，我们仍会赔付。
The limit (which was £400 and is now £500) applies per claim.
""".strip().splitlines()


@every("marked", SPLIT + WHOLE)
def test_a_claim_splits_into_its_facts_and_only_there(marked):
    """Clauses with their own verb and amounts with their own purpose stand alone; conditions keep theirs."""
    claim = marked.replace(" | ", " ") if marked.isascii() or " | " not in marked else unmark(marked)
    assert " | ".join(claim[span.start : span.end] for span in facts(claim)) == marked


def unmark(marked):
    return marked.replace("， | ", "，").replace("； | ", "；").replace(" | ", " ")


def covers(claim):
    spans = facts(claim)
    assert spans
    last = 0
    for span in spans:
        assert claim[last : span.start].strip() == ""
        assert span.start <= span.end
        last = span.end
    assert claim[last:].strip() == ""


def test_the_facts_of_every_claim_of_the_corpus_cover_it_in_order():
    """No word is weighed twice, none is left out."""
    for case in CASES:
        for text, _ in case["claims"]:
            covers(text)


@tried(200)
@given(
    st.lists(
        st.sampled_from(
            [*' ,;()"[', " and ", " but ", ", which is ", "£75 for cars", "it is", "theft", "[1]", "，但", "if "]
        ),
        max_size=20,
    ).map("".join)
)
def test_the_facts_of_any_text_cover_it_in_order(text):
    """The same for texts nobody wrote, the empty one included."""
    covers(text)


def test_parts_of_a_list_told_in_one_sentence_keep_their_lead():
    """Each item is a thing said of its own, with the words that introduce it; other claims give their facts."""
    assert parts("We do not pay for: rust; racing.") == ["We do not pay for: rust", "We do not pay for: racing."]
    assert parts("The sky is blue.") == ["The sky is blue."]
