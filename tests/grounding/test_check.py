"""The check as a whole: evidence is exact, sources are read to their end, and nothing ever fails open."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from footnoted.grounding import Checker
from footnoted.grounding.evidence import passage, window
from footnoted.grounding.reading import read
from footnoted.models import Reader
from footnoted.models.files import ENGLISH
from footnoted.types import Source

PAIRS = [json.loads(line) for line in Path(__file__).with_name("pairs.jsonl").read_text("utf-8").splitlines()]
FILLER = (
    "The harbour museum opens its doors at nine and shows model ships from four centuries. Visitors may walk "
    "through the rope store and see how sails were sewn. A small café by the pier serves soup and bread. In June "
    "the town holds a festival with music on the quay. "
)


@pytest.fixture(scope="module")
def checker():
    return Checker()


def source(text: str, name: str = "s") -> Source:
    return Source(id=name, text=text)


def test_the_authored_corpus(checker):
    """Of the authored false claims at most one in ten gets a tick, and no true one is called contradicted."""
    ruled = [(p["ruling"] == "supported", checker.check(p["claim"], [source(p["source"])]).ruling) for p in PAIRS]
    false = [ruling for true, ruling in ruled if not true]
    assert false.count("supported") <= 0.1 * len(false)
    assert [ruling for true, ruling in ruled if true].count("contradicted") == 0


def test_evidence_is_the_exact_words_of_its_source(checker):
    """Every span of every verdict cuts its quote out of the source it names."""
    sources = [source(p["source"], str(n)) for n, p in enumerate(PAIRS[::7])]
    for pair in PAIRS[::7]:
        verdict = checker.check(pair["claim"], sources)
        for evidence in verdict.evidence:
            assert sources[evidence.source].text[evidence.start : evidence.end] == evidence.quote
        assert all(0 <= span.start < span.end <= len(pair["claim"]) for span in verdict.flagged)


def test_evidence_at_the_very_end_of_a_long_source_is_found(checker):
    """200,000 characters with the evidence in the last sentence: supported, and contradicted when it differs."""
    text = FILLER * (200_000 // len(FILLER)) + "The excess for windscreen repair is £75."
    assert len(text) >= 199_000
    right = checker.check("The excess for windscreen repair is £75.", [source(text)])
    assert right.ruling == "supported"
    assert right.evidence[0].end == len(text)
    assert checker.check("The excess for windscreen repair is £175.", [source(text)]).ruling == "contradicted"


def test_irrelevant_passages_turn_no_verdict(checker):
    """Twenty passages about something else before and after the evidence leave the verdicts as they were."""
    noise = [source(f"{FILLER} Room {n} shows lamps.", f"n{n}") for n in range(20)]
    turned = 0
    for pair in PAIRS[::3]:
        alone = checker.check(pair["claim"], [source(pair["source"])])
        among = checker.check(pair["claim"], [*noise, source(pair["source"]), *noise])
        turned += alone.ruling != among.ruling
        if among.ruling == "supported":
            assert among.evidence[0].source == 20
    assert turned == 0


def test_cited_sources_are_asked_first_then_the_others(checker):
    """The evidence names the cited source when it carries the claim, and the right one when the marker is wrong."""
    sources = [source(FILLER, "a"), source("Refunds are paid within ten days.", "b")]
    sources.append(source("Refunds are paid within ten days. Always.", "c"))
    claim = "Refunds are paid within ten days [1]."
    assert checker.check(claim, sources, cited=[2]).evidence[0].source == 2
    wrong = checker.check(claim, sources, cited=[0])
    assert wrong.ruling == "supported"
    assert wrong.evidence[0].source == 1
    assert checker.check(claim, sources, cited=[7, -1]).ruling == "supported"


def test_markers_and_markdown_do_not_count_as_words(checker):
    """Citation markers, bold and list marks change neither the ruling nor where flags point."""
    sources = [source("You must report a claim within 14 days.")]
    assert checker.check("You **must** report a claim within 14 days [1].", sources).ruling == "supported"
    claim = "You must report a claim within 40 days [1][2]."
    verdict = checker.check(claim, sources)
    assert verdict.ruling == "contradicted"
    assert claim[verdict.flagged[0].start : verdict.flagged[0].end] == "40"


def test_a_claim_of_several_sentences_is_as_good_as_its_worst(checker):
    """One false sentence among true ones makes the whole contradicted, with the flag in it; each has its own verdict."""
    sources = [source("The excess is £75. Claims are paid within 10 days. Cover starts on Monday.")]
    claim = "The excess is £75. Claims are paid within 30 days. Cover starts on Monday."
    verdict = checker.check(claim, sources)
    assert verdict.ruling == "contradicted"
    assert claim[verdict.flagged[0].start : verdict.flagged[0].end] == "30"
    told = [(claim[part.start : part.end], part.ruling) for part in verdict.parts]
    assert told == [
        ("The excess is £75.", "supported"),
        ("Claims are paid within 30 days.", "contradicted"),
        ("Cover starts on Monday.", "supported"),
    ]


@pytest.mark.parametrize("sources", [[], [source("")], [source("  \n ")]])
def test_without_sources_nothing_is_supported(checker, sources):
    """No source, or none with words, is unsupported, and says so."""
    verdict = checker.check("The excess is £75.", sources)
    assert verdict.ruling == "unsupported"
    assert verdict.reason


@pytest.mark.parametrize("claim", ["", "   ", "[1]", "!!!", "Thank you!"])
def test_a_claim_that_says_nothing_is_not_checked(checker, claim):
    """What has no word of its own is never supported."""
    assert checker.check(claim, [source("The excess is £75.")]).ruling == "not_checked"


@pytest.mark.parametrize("damage", ["missing", "corrupt"])
def test_without_its_model_the_check_never_fails_open(tmp_path, damage):
    """With the model gone or damaged only the exact tier speaks; what it leaves open is not checked."""
    folder = tmp_path / "weights"
    shutil.copytree(ENGLISH, folder)
    if damage == "missing":
        (folder / "reader.onnx").unlink()
    else:
        (folder / "reader.onnx").write_bytes(b"not a model")
    broken = Checker(weights=folder)
    sources = [source("You must report a claim within 14 days of the loss.")]
    assert broken.check("You must report a claim within 14 days of the loss.", sources).ruling == "supported"
    assert broken.check("You must report a claim within 40 days of the loss.", sources).ruling == "contradicted"
    open_ = broken.check("You should report a claim and the loss to us in writing.", sources)
    assert open_.ruling == "not_checked"
    assert "reader.onnx" in open_.reason
    for pair in PAIRS:
        verdict = broken.check(pair["claim"], [source(pair["source"])])
        assert verdict.ruling != "supported" or pair["ruling"] == "supported"


async def test_concurrent_answers_get_the_verdicts_they_would_get_alone(checker):
    """Many claims at once over the same threads give what one by one gives, and the loop stays free."""
    sources = [source(p["source"], str(n)) for n, p in enumerate(PAIRS[:40:8])]
    claims = [p["claim"] for p in PAIRS[:40:2]]
    alone = [checker.check(claim, sources) for claim in claims]
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    ticking = asyncio.create_task(tick())
    await Checker().aprepare(sources)
    together = await asyncio.gather(*(Checker().acheck(claim, sources) for claim in claims))
    ticking.cancel()
    assert together == alone
    assert ticks > 1


def test_preparing_ahead_changes_no_verdict(checker):
    """Sources read ahead give the same verdict as sources read on demand."""
    sources = [source(p["source"], str(n)) for n, p in enumerate(PAIRS[::9])]
    ahead = Checker()
    ahead.prepare(sources)
    for pair in PAIRS[::9]:
        assert ahead.check(pair["claim"], sources) == Checker().check(pair["claim"], sources)


def test_scores_are_probabilities(checker):
    """Scores stay within 0 and 1; what is supported scores above what is contradicted."""
    by_ruling: dict[str, list[float]] = {}
    for pair in PAIRS[::4]:
        verdict = checker.check(pair["claim"], [source(pair["source"])])
        if verdict.score is not None:
            assert 0 <= verdict.score <= 1
            by_ruling.setdefault(verdict.ruling, []).append(verdict.score)
    assert min(by_ruling["supported"]) > max(by_ruling.get("contradicted", [0.0]))


def test_the_reader_is_shared():
    """Two checkers use the one reader of the process."""
    Checker().prepare([source("One sentence.")])
    assert Reader.load() is Reader.load()


def test_what_shares_no_word_and_no_meaning_is_never_supported():
    """A lone word against a lone word: nothing aligns, so no probability of the model's can make it a pass."""
    verdict = Checker().check("PWNED.", [Source("a", "Fine.")])
    assert verdict.ruling == "unsupported"
    assert verdict.evidence == ()


POLICY = source(
    "We pay for theft of the car.\n\nWe do not pay for:\n\n- rust and wear;\n- theft when the keys were left in the car.\n\n"
    "You are covered for:\n\n1. fire;\n2. storm damage up to £5,000.\n"
)


@pytest.mark.parametrize(
    ("item", "lead"),
    [("rust and wear", "We do not pay for:"), ("storm damage up to £5,000", "You are covered for:")],
)
def test_a_list_item_is_read_with_its_lead_and_never_stands_alone(checker, item, lead):
    """What the reader reads of an item has its lead before it; the item's bare words are no sentence of the source."""
    found = window(read(f"We pay for {item}."), [passage(POLICY)])
    assert found is not None
    assert all(text.index(lead) < text.index(item) for text in found.texts)
    assert all(POLICY.text[e.start : e.end] == e.quote for e in found.evidence)
    assert checker.check(item, [POLICY]).tier != "exact"


@pytest.mark.parametrize(
    ("claim", "source_text"),
    [
        ("The excess is £95.", "The excess is £75."),
        ("The windscreen excess is £95 for a repair.", "The windscreen excess is £75 for a repair."),
        ("Damage by pets is not covered.", "Damage by pets is covered."),
        ("It covers frost damage to pipes.", "It does not cover frost damage to pipes."),
        ("You can claim twice in a year.", "You can't claim twice in a year."),
        ("The excess is £95 for a repair.", "The excess is £75 for a repair and £115 for a replacement."),
    ],
)
def test_one_figure_or_negation_that_differs_contradicts(checker, claim, source_text):
    """Sentences that agree in every other word contradict one another, whatever the reader makes of them."""
    verdict = checker.check(claim, [source(source_text)])
    assert (verdict.ruling, verdict.tier) == ("contradicted", "exact")
    assert verdict.evidence[0].quote == source_text


@pytest.mark.parametrize(
    ("claim", "source_text"),
    [
        ("Never click a link in a mail.", "Never, never click a link in a mail."),
        ("The service is up 99.9 % of the time.", "The service is up 99,9 % of the time."),
        ("Report it five days before.", "Report it no later than five days prior."),
        ("She lived in Turin from 1935 to 1982.", "She lived in Turin (October 1, 1935 – April 1, 1982)."),
    ],
)
def test_words_that_only_look_unlike_contradict_nothing(checker, claim, source_text):
    """Another way to say it is not called a contradiction."""
    assert checker.check(claim, [source(source_text)]).ruling != "contradicted"


def test_another_subject_is_no_contradiction_by_words_alone(checker):
    """What is said of another plan gets no tick, and the exact rules call it nothing; the reader may."""
    verdict = checker.check("The Gold plan has an excess of £50.", [source("The Silver plan has an excess of £75.")])
    assert verdict.ruling != "supported"
    assert verdict.tier != "exact"


@pytest.mark.parametrize(
    ("source_text", "tier"),
    [
        ("The excess is £75 for a repair and £115 for a replacement.", "exact"),
        ("The excess is £75 for a repair; a replacement costs more.", "exact"),
        ("The excess is £75 for a repair and £115 for a replacement if you use our partner.", "model"),
        ("It is not true that the excess is £75 for a repair.", "model"),
    ],
)
def test_a_first_clause_is_a_quote_unless_the_sentence_sets_a_condition(checker, source_text, tier):
    """What stands before "and" is told in full; what a later "if" may bind is the reader's to weigh."""
    verdict = checker.check("The excess is £75 for a repair.", [source(source_text)])
    assert verdict.tier == tier
    assert tier == "model" or verdict.ruling == "supported"


def test_a_figure_that_no_source_writes_gets_no_tick(checker):
    """However sure the reader is, a new figure is at best unsure."""
    sources = [source("The excess is £75 for a repair and £100 for a new screen.")]
    assert checker.check("The excess is £175 in all.", sources).ruling != "supported"


def test_what_stands_word_for_word_waits_for_no_model():
    """A quote of the cited source is supported before the reader is opened; anything else opens it."""

    class Unopened(Checker):
        def _network(self, *, elsewhere=False):
            raise LookupError("the model was opened")

    source = Source(id="a", text="The windscreen excess is £75 for a repair. Racing is not covered.")
    assert Unopened().check("The windscreen excess is £75 for a repair.", [source], cited=[0]).ruling == "supported"
    with pytest.raises(LookupError):
        Unopened().check("Repairing the screen costs the customer £75.", [source], cited=[0])


def test_a_claim_met_again_is_not_weighed_again_unless_its_sources_or_citations_differ():
    checker, sources = Checker(), [source("The excess is £75."), source("Trees are green in June.")]
    first = checker.check("The excess comes to £75.", sources)
    assert checker.check("The excess comes to £75.", sources) is first
    moved = checker.check("The excess comes to £75.", sources[::-1])
    assert moved.evidence[0].source == 1
    assert moved.evidence[0].quote == first.evidence[0].quote == "The excess is £75."


def test_what_could_not_be_checked_is_asked_again(tmp_path):
    checker = Checker(weights=tmp_path)
    claim = "You should report a claim and the loss to us in writing."
    sources = [source("You must report a claim within 14 days of the loss.")]
    assert checker.check(claim, sources).ruling == "not_checked"
    checker._weights = None
    assert checker.check(claim, sources).ruling != "not_checked"


@pytest.mark.parametrize("talk", ["Yes.", "Thank you!", "I hope this helps."])
def test_a_courtesy_is_no_claim(checker, talk):
    """Beside a fact the fact alone decides, and points at its own words."""
    sources = [source(f"Clare: {talk}"), source("The excess is £75.")]
    assert checker.check(talk, sources).ruling == "not_checked"
    verdict = checker.check(f"{talk} The excess is £75.", sources)
    assert verdict.ruling == "supported"
    assert {one.quote for one in verdict.evidence} == {"The excess is £75."}


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "Die Selbstbeteiligung bei Glasschäden liegt bei 75 Euro.",
            "Die Selbstbeteiligung bei Glasschäden beträgt 75 Euro.",
        ),
        ("The glass excess is 75 euros (Selbstbeteiligung).", "Die Selbstbeteiligung bei Glasschäden beträgt 75 Euro."),
    ],
)
def test_what_is_not_in_english_is_scored_and_never_ticked(checker, claim, text):
    """The sentence, or what comes near it: its verdict says the language, and how near it is."""
    verdict = checker.check(claim, [source(text)])
    assert verdict.ruling == "unsure"
    assert "'de'" in verdict.reason
    assert verdict.score is not None
    assert 0 < verdict.score < 1
    assert verdict.evidence[0].quote == text


def test_in_another_language_a_true_sentence_scores_above_a_false_one(checker):
    """The network for every language reads claim and evidence together, not the words they share."""
    text = [source("Die Versicherung zahlt den Abschleppwagen, aber nicht das Hotel für die Nacht.")]
    true = checker.check("Das Hotel für die Nacht zahlt die Versicherung nicht.", text)
    false = checker.check("Das Hotel für die Nacht zahlt die Versicherung.", text)
    assert true.ruling == false.ruling == "unsure"
    assert true.score > false.score


MUSEUM = (
    "The museum opens at nine. Students pay four euros for a ticket. Children under six enter free of charge. "
    "The cafe on the second floor closes an hour before the museum."
)
MUSEUM_ZH = "博物馆九点开门。学生票价为四欧元。六岁以下儿童免费入场。二楼的咖啡馆在博物馆关门前一小时关闭。"


@pytest.mark.parametrize(
    ("text", "true", "unsaid", "quote"),
    [
        (
            MUSEUM,
            "Kinder unter sechs Jahren zahlen keinen Eintritt.",
            "Die Garderobe nimmt keine nassen Schirme an.",
            "Children under six enter free of charge.",
        ),
        (MUSEUM, "六岁以下的儿童免费入场。", "寄存处不收湿雨伞。", "Children under six enter free of charge."),
        (
            MUSEUM_ZH,
            "Children under six enter free.",
            "The cloakroom takes no wet umbrellas.",
            "六岁以下儿童免费入场。",
        ),
    ],
)
def test_evidence_in_another_language_is_found_by_meaning(checker, text, true, unsaid, quote):
    """It shares no word with the claim; the passage about something else is not what is pointed at."""
    sources = [source("Buses leave from the main square every twenty minutes."), source(text)]
    carried, nowhere = checker.check(true, sources), checker.check(unsaid, sources)
    assert carried.ruling == nowhere.ruling == "unsure"
    assert carried.evidence[0].quote == quote
    assert carried.score > nowhere.score


def test_a_name_is_not_missed_in_sources_that_write_it_otherwise(checker):
    """In English ones it is: nothing has it."""
    claim = "The director, Anna Meier, works in Berlin."
    written = checker.check(claim, [source(MUSEUM_ZH + "安娜·迈尔是馆长，她在柏林工作。")])
    assert written.ruling == "unsure"
    assert "Meier" not in written.reason
    assert checker.check(claim, [source(MUSEUM)]).reason == 'no source has "Meier"'


def test_what_sources_in_another_language_do_not_speak_of_scores_low(checker):
    verdict = checker.check(
        "Der Mond ist aus Käse gemacht worden, sagt man.", [source("La franchise est de 75 euros par sinistre.")]
    )
    assert verdict.ruling == "unsure"
    assert verdict.score < 0.3
