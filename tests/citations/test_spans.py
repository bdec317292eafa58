from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.citations import SourceSpans, locate
from footnoted.citations.spans import MAX_SENTENCE, overlap
from footnoted.text import sentences
from tests.laws import tried
from tests.tables import every

POLICY = """# Motor policy

The windscreen excess is £100 for each claim. It does not apply to repairs. Theft must be reported to the police
within 24 hours, and to us within 14 days of the loss.

## Payments

We pay up to £1,500 for personal belongings. We pay up to £2,500 for a stolen caravan. The "insured person" is
anyone named in the schedule. Cash is never covered – see Section 4. The café's café-bar is listed as “Café Zoë”.
"""


@every(
    ("claim", "quote"),
    [
        ("The windscreen excess is £100 for each claim", "The windscreen excess is £100 for each claim."),
        ("the WINDSCREEN excess  is £100 for each claim.", "The windscreen excess is £100 for each claim."),
        ("Theft must be reported to the police within 24 hours", "Theft must be reported to the police\nwithin 24 hours, and to us within 14 days of the loss."),
        ("**Theft** must be reported to the `police` within 24 hours", "Theft must be reported to the police\nwithin 24 hours, and to us within 14 days of the loss."),
        ("The policy says “to the police within 24 hours”", "to the police\nwithin 24 hours"),
        ('"to us within 14 days of the loss"', "to us within 14 days of the loss"),
        ("It says “Theft must be reported … within 14 days of the loss”", "Theft must be reported to the police\nwithin 24 hours, and to us within 14 days of the loss"),
        ("It says “Theft must be reported to the police within 24 hours [...] of the loss”", "Theft must be reported to the police\nwithin 24 hours, and to us within 14 days of the loss"),
        ("The “insured person” is anyone named in the schedule", 'The "insured person" is\nanyone named in the schedule.'),
        ("Cash is never covered - see section 4", "Cash is never covered – see Section 4."),
        ('It is listed as "Cafe\u0301 Zoe\u0308"', "The café's café-bar is listed as “Café Zoë”."),
        ("Up to £2,500 is paid when a caravan is stolen", "We pay up to £2,500 for a stolen caravan."),
        ("Belongings are insured for 1,500 pounds", "We pay up to £1,500 for personal belongings."),
        ("Someone who reports a theft late, after more than 24 hours, may lose cover", "Theft must be reported to the police\nwithin 24 hours, and to us within 14 days of the loss."),
        ("Repairs have no excess", "It does not apply to repairs."),
        ("The £100 windscreen excess applies to each claim but not to repairs", "The windscreen excess is £100 for each claim. It does not apply to repairs."),
    ],
)  # fmt: skip
def test_a_claim_finds_the_words_that_carry_it(claim: str, quote: str):
    """Quotations give the words quoted, copies and paraphrases the sentence, however spaced, cased or punctuated."""
    found = locate(claim, POLICY)
    assert found.quote == quote
    assert POLICY[found.start : found.end] == quote
    assert 0 < found.support <= 1


def test_two_sentences_are_quoted_where_both_are_needed():
    """A claim made of neighbouring sentences points at all of them."""
    found = locate("Belongings are paid up to £1,500 and a stolen caravan up to £2,500", POLICY)
    assert found.quote == "We pay up to £1,500 for personal belongings. We pay up to £2,500 for a stolen caravan."
    assert found.support > 0.7


def test_support_tells_how_much_is_carried():
    """A copy is carried whole, a paraphrase in part, something else hardly, nothing at all."""
    spans = SourceSpans(POLICY)
    copied = spans.locate("We pay up to £2,500 for a stolen caravan.").support
    told = spans.locate("A caravan that is stolen is replaced at a value of £2,500").support
    strayed = spans.locate("A caravan may be parked in Portugal for nine weeks of winter").support
    assert copied == 1
    assert copied > told > strayed > spans.locate("Zebras graze quietly").support == 0


def test_a_number_decides_between_like_sentences():
    """Of two sentences with the same words the one with the claim's number is quoted."""
    text = "Plan A pays £100 a day. Plan A pays £200 a day. Plan A pays £300 a day."
    assert locate("£200 is paid by the plan", text).quote == "Plan A pays £200 a day."


def test_the_setting_decides_between_equals():
    """Words around the claim choose between sentences that carry it equally."""
    spans = SourceSpans("Repairs: the excess is £25. Theft: the excess is £25.")
    assert spans.locate("an excess of £25", setting="When theft happens there is an excess of £25").quote.startswith(
        "Theft"
    )
    assert spans.locate("an excess of £25", setting="For repairs there is an excess of £25").quote.startswith("Repairs")


def test_a_quotation_is_not_found_inside_other_words():
    """Not "ship covers" in "membership covers", nor £10 in £100 or £10.50."""
    assert locate("Ship covers are free of charge", "Membership covers are free of charge.").support < 1
    assert locate("The excess is £10", "The excess is £100. An excess is paid.").support < 1
    assert locate("The excess is £10", "The excess is £10.50 only.").support < 1
    assert locate("0 days of notice", "We give 10 days of notice.").support < 1


def test_a_quotation_found_twice_is_taken_where_it_fits():
    """Of two places with the quoted words, the one whose sentence fits the claim is pointed at."""
    text = "For cars we pay within five working days. For boats we pay within five working days."
    found = locate("For boats the policy says “we pay within five working days”", text)
    assert found.start > text.index("boats")


@pytest.mark.parametrize(
    ("claim", "text", "quote"),
    [
        ("盗窃必须在24小时内报警", "免赔额为100元。盗窃必须在24小时内向警方报案。洪水除外。", "盗窃必须在24小时内向警方报案。"),
        ("「洪水造成的损失除外」", "免赔额为100元。洪水造成的损失除外，火灾不除外。", "洪水造成的损失除外"),
        ("ต้องแจ้งความภายใน 24 ชั่วโมง", "ค่าเสียหายส่วนแรกคือ 1,000 บาท\n\nการโจรกรรมต้องแจ้งความภายใน 24 ชั่วโมง\n\nไม่คุ้มครองน้ำท่วม", "การโจรกรรมต้องแจ้งความภายใน 24 ชั่วโมง"),
        ("يجب الإبلاغ عن السرقة", "مبلغ التحمل ١٠٠ دينار. يجب الإبلاغ عن السرقة خلال يوم.", "يجب الإبلاغ عن السرقة خلال يوم."),
        ("Party on 🎉 and dance", "We sleep 😴 early. Party on 🎉 and dance!", "Party on 🎉 and dance!"),
        ("The ﬁne is five euros", "Pay soon.\r\nThe fine is\r\nfive euros.\r\nThen go.", "The fine is\r\nfive euros."),
        ("the ＡＢＣ１２３ clause holds", "One.\n\nThe ABC123 clause holds.", "The ABC123 clause holds."),
        ("He paid “the ﬁfty ½ coins”", "Then he paid the fifty ½ coins at once.", "the fifty ½ coins"),
    ],
)  # fmt: skip
def test_every_script_is_quoted_exactly(claim: str, text: str, quote: str):
    """Chinese, Thai, Arabic, emoji, CRLF and compatibility forms: the quote is the source's own code points."""
    found = locate(claim, text)
    assert found.quote == quote
    assert text[found.start : found.end] == quote


def test_a_quote_does_not_cut_a_letter_from_its_accents():
    """A match that ends on a letter takes the combining marks that follow it."""
    text = "Order the creme bru\u0302le\u0301e de la maison today"
    found = locate("They say “the creme bru\u0302le\u0301e de la maison”", text)
    assert found.quote == "the creme bru\u0302le\u0301e de la maison"
    long = "e\u0301\u0302" * 2_000
    assert all(
        not one.quote.startswith(("\u0301", "\u0302")) for one in [locate("x", long), locate("e\u0301", "a " + long)]
    )


@tried(200)
@given(st.text(max_size=120), st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=400))
def test_the_quote_is_always_the_source_s_own(claim: str, text: str):
    """Any claim against any source: exact bounds, a quote unless the source is empty, support in 0–1."""
    found = locate(claim, text)
    assert 0 <= found.start <= found.end <= len(text)
    assert text[found.start : found.end] == found.quote
    assert bool(found.quote) == bool(text)
    assert 0 <= found.support <= 1


@tried(60)
@given(st.integers(0, 200), st.integers(12, 80))
def test_any_stretch_of_a_source_is_found_again(start: int, length: int):
    """Words copied from anywhere in a source are found with full support, in the sentences they are from."""
    stretch = " ".join(POLICY[start : start + length].split(" ")[1:-1]).strip()
    if len(stretch.strip(" .,;:!?\"'“”#\n")) < 8 or "#" in stretch or "“" in stretch or '"' in stretch:
        return
    found = locate(stretch, POLICY)
    assert found.support == 1
    assert " ".join(stretch.strip(" .,\n").split()) in " ".join(found.quote.split())


@pytest.mark.no_cover  # the same lines thousands of times
@pytest.mark.parametrize(
    "text",
    [
        "x. " * 60_000,
        "A. " * 60_000,
        "etc. " * 40_000,
        "a? b! " * 30_000,
        "word " * 40_000,
        "e\u0301" * 100_000,
        "].* " * 50_000,
        "\n" * 200_000,
        "保险条款" * 50_000,
        "“a” " * 50_000,
    ],
)
def test_odd_texts_are_indexed_in_linear_time(text: str):
    """200,000 code points without a proper sentence take seconds, not the minutes of a second look at each mark."""
    before = time.process_time()
    found = locate("The word a “b c d e f” etc. 保险条款", text)
    assert time.process_time() - before < 15
    assert 0 < len(found.quote) <= 3 * MAX_SENTENCE + 10


@pytest.mark.no_cover  # the same lines thousands of times
def test_a_megabyte_is_indexed_once():
    """A claim against a long source costs its reading once; the next claims cost next to nothing."""
    text = "".join(f"Clause {number} pays £{number * 7} for item {number % 97}. " for number in range(25_000))
    spans = SourceSpans(text)
    before = time.process_time()
    spans.locate("item")
    first = time.process_time() - before
    found = [
        spans.locate(f"The sum of £{number * 7} is paid under clause {number}") for number in range(20_000, 20_010)
    ]
    rest = time.process_time() - before - first
    assert [one.quote.split(" pays")[0] for one in found] == [f"Clause {number}" for number in range(20_000, 20_010)]
    assert first < 30
    assert rest < first


def test_a_long_claim_is_bounded():
    """A claim of a megabyte is looked up by its end."""
    before = time.process_time()
    assert locate("nothing like it " * 60_000 + "a stolen caravan gets £2,500", POLICY).quote.endswith(
        "stolen caravan."
    )
    assert time.process_time() - before < 15


def test_overlap_counts_numbers_double():
    """A quote without the claim's number carries less than one without a word of it."""
    assert overlap("the excess is £100", "An excess of £100 applies.") == 1
    assert overlap("excess of £100", "It is £100.") > overlap("excess of £100", "The excess.")
    assert overlap("", "words") == 0


def test_every_sentence_of_a_source_finds_itself():
    """Each sentence, copied, points back at itself."""
    spans = SourceSpans(POLICY)
    for one in sentences(POLICY):
        text = POLICY[one.start : one.end]
        if text.startswith("#"):
            continue
        found = spans.locate(text)
        assert (found.quote, found.support) == (text, 1)
