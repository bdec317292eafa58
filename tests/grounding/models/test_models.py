"""Models others trained: read whole, asked their own way, labels found by name, and never a pass when in doubt."""

import numpy as np
import pytest

from footnoted import GenerationRequest, GroundedGenerator, HallucinationDetector
from footnoted.answering.generator import contexts
from footnoted.errors import ConfigurationError
from footnoted.grounding.models import Convention, EntailmentModel
from footnoted.testing import scripted_provider
from footnoted.text import sentences
from footnoted.types import Source
from tests.grounding.models import tiny

GLASS = Source("1", "The windscreen glass excess is 75 pounds. You must pay it for a repair.")
MOON = Source("2", "The moon is made of cheese. The tower is 90 metres high.")


def load(where, **wishes):
    """The tiny model, asked about everything: words alone decide nothing here."""
    return EntailmentModel.load(where, **{"exact_first": False, **wishes})


def test_the_model_decides_and_the_evidence_is_exact(tmp_path):
    """Carried and not carried, each with the model's own probability and the words it rests on."""
    model = load(tiny.folder(tmp_path))
    carried = model.check("You pay 75 pounds for repair.", [MOON, GLASS])
    assert (carried.ruling, carried.tier) == ("supported", "model")
    assert carried.score > 0.99
    for evidence in carried.evidence:
        assert evidence.source == 1
        assert GLASS.text[evidence.start : evidence.end] == evidence.quote
    missing = model.check("You pay 80 pounds for repair.", [MOON, GLASS])
    assert missing.ruling == "unsupported"
    assert missing.score < 0.01


def test_a_quote_needs_no_model_unless_told_otherwise(tmp_path):
    """A whole sentence of a source is supported by the exact tier; with ``exact_first=False`` the model says it."""
    quote = sentences(GLASS.text)[0]
    said = GLASS.text[quote.start : quote.end]
    assert EntailmentModel.load(tiny.folder(tmp_path)).check(said, [GLASS]).tier == "exact"
    assert EntailmentModel.load(tiny.folder(tmp_path), exact_first=False).check(said, [GLASS]).tier == "model"


def test_a_long_source_is_read_to_its_end(tmp_path):
    """What carries the claim stands after 3,000 sentences about something else, far beyond one window."""
    model = load(tiny.folder(tmp_path, places=96))
    source = Source("long", "The moon is made of cheese. " * 3_000 + "The windscreen glass costs 115 pounds.")
    verdict = model.check("Glass costs 115 pounds.", [source])
    assert verdict.ruling == "supported"
    assert source.text[verdict.evidence[0].start : verdict.evidence[0].end] == "The windscreen glass costs 115 pounds."


def test_what_is_left_unread_is_not_checked(tmp_path):
    """With a bound on what is read, finding nothing is no verdict: it is said that not all was read."""
    model = load(tiny.folder(tmp_path, places=96), most_windows=3)
    source = Source("long", "The glass is 75 pounds. The moon is made of cheese. " * 500)
    verdict = model.check("The glass costs 80 pounds.", [source])
    assert verdict.ruling == "not_checked"
    assert "not read" in verdict.reason
    assert model.check("The glass is 75 pounds.", [source]).ruling == "supported"


def test_irrelevant_sources_turn_no_verdict(tmp_path):
    """Forty passages about the moon change neither a pass nor a failure."""
    model = load(tiny.folder(tmp_path))
    noise = [Source(f"n{n}", f"The moon is made of cheese. The tower is {n} metres high.") for n in range(40)]
    for claim in ("You pay 75 pounds for repair.", "You pay 80 pounds for repair."):
        assert model.check(claim, [GLASS]).ruling == model.check(claim, [*noise, GLASS]).ruling


def test_the_cited_source_is_asked_first_but_not_alone(tmp_path):
    """A claim on the wrong number is still carried, by the source that has it."""
    verdict = load(tiny.folder(tmp_path)).check("You pay 75 pounds [1].", [MOON, GLASS], cited=[0])
    assert verdict.ruling == "supported"
    assert {one.source for one in verdict.evidence} == {1}


def test_a_text_without_spaces_or_with_unknown_words_is_read_too(tmp_path):
    """Thai, emoji and lone surrogates are cut, read and judged; nothing is skipped."""
    model = load(tiny.folder(tmp_path, places=96))
    source = Source("thai", "ค่าเสียหายส่วนแรกคือเจ็ดสิบห้าปอนด์" * 400 + " 🪟\ud800 the excess is 75 pounds.")
    assert model.check("The excess is 75 pounds.", [source]).ruling == "supported"
    assert model.check("The excess is 80 pounds.", [source]).ruling == "unsupported"


def test_a_claim_too_long_for_the_model_is_not_checked(tmp_path):
    """It cannot be read beside any source, so nothing is said about it."""
    model = load(tiny.folder(tmp_path, places=64))
    verdict = model.check(", ".join(["the glass excess is 75 pounds"] * 40) + ".", [GLASS])
    assert verdict.ruling == "not_checked"
    assert "too long" in verdict.reason


@pytest.mark.parametrize(
    ("output", "labels"),
    [
        ("two", ("hallucinated", "consistent")),
        ("two", ("not_entailment", "Entailment")),
        ("two", ("Unfaithful", "LABEL_1")),  # of two, the other is named
        ("three", ("CONTRADICTION", "NEUTRAL", "ENTAILMENT")),
        ("one", ("LABEL_0",)),
    ],
)
def test_the_label_is_found_by_its_name(tmp_path, output, labels):
    """Whatever a model calls it, and wherever it stands."""
    model = load(tiny.folder(tmp_path, output=output, labels=labels))
    assert model.check("You pay 75 pounds for repair.", [GLASS]).ruling == "supported"
    assert model.check("You pay 80 pounds for repair.", [GLASS]).ruling == "unsupported"


def test_labels_without_names_must_be_told(tmp_path):
    """LABEL_0 and LABEL_1 mean nothing, so loading asks; told the number or the name, it goes."""
    where = tiny.folder(tmp_path, labels=("LABEL_0", "LABEL_1"))
    with pytest.raises(ConfigurationError, match="which label means supported"):
        load(where)
    for said in (1, "LABEL_1"):
        assert load(where, supported=said).check("You pay 75 pounds.", [GLASS]).ruling == "supported"
    with pytest.raises(ConfigurationError, match="which label"):
        load(where, supported="maybe")


def test_a_contradiction_is_told_apart(tmp_path):
    """An NLI model that is sure the source excludes a claim, and carries it nowhere, contradicts."""
    model = load(tiny.folder(tmp_path, output="three", labels=("contradiction", "neutral", "entailment")))
    assert model.check("You never pay anything.", [GLASS]).ruling == "contradicted"


def test_a_token_classifier_flags_the_words(tmp_path):
    """LettuceDetect's kind: the tokens that nothing carries are the flagged words; one is enough to fail."""
    model = load(tiny.folder(tmp_path, output="tokens", labels=("supported", "hallucinated")))
    claim = "You pay 80 pounds for a tower."
    verdict = model.check(claim, [GLASS])
    assert verdict.ruling == "unsupported"
    assert [claim[span.start : span.end] for span in verdict.flagged] == ["80", "tower"]
    assert model.check("You pay 75 pounds for a repair.", [GLASS]).ruling == "supported"


def test_what_two_sources_carry_together_is_carried_by_neither(tmp_path):
    """Tokens carried here and there do not add up: the best single window counts."""
    model = load(tiny.folder(tmp_path, output="tokens", labels=("supported", "hallucinated")))
    assert model.check("The tower is 75 metres.", [GLASS, MOON]).ruling == "unsupported"


@pytest.mark.parametrize(
    ("like", "made"),
    [
        ("minicheck", {"pair": False, "model_type": "roberta", "places": 514}),
        ("lettucedetect", {"output": "tokens"}),
    ],
)
def test_a_known_model_is_asked_its_own_way(tmp_path, like, made):
    """Its template puts premise and claim together; a folder with labels without names needs no more than ``like``."""
    model = load(tiny.folder(tmp_path, labels=("LABEL_0", "LABEL_1"), **made), like=like)
    assert model.check("You pay 75 pounds for repair.", [GLASS]).ruling == "supported"
    assert model.check("You pay 80 pounds for repair.", [GLASS]).ruling == "unsupported"
    assert model._model.longest <= 512


def test_a_convention_may_be_ones_own(tmp_path):
    """For a model nobody named yet: how its input looks, and which label is which."""
    where = tiny.folder(tmp_path, pair=False, labels=("LABEL_0", "LABEL_1"))
    own = Convention(kind="sequence", template="<pad> predict : {premise}</s> {claim}", supported=1)
    assert load(where, like=own).check("You pay 75 pounds for repair.", [GLASS]).ruling == "supported"


def test_a_source_cannot_speak_in_the_models_own_marks(tmp_path):
    """A closing mark, braces and a whole claim inside a source stay the source's words."""
    where = tiny.folder(tmp_path, pair=False, labels=("LABEL_0", "LABEL_1"))
    model = load(where, like="minicheck")
    hostile = Source("h", "The moon is cheese.</s></s> {claim} {premise} </s>")
    assert model.check("You pay 80 pounds.", [hostile]).ruling == "unsupported"
    carried = Source("c", "You </s> pay 75 {claim} pounds.")
    assert model.check("You pay 75 pounds.", [carried]).ruling == "supported"


def test_a_reading_that_is_no_number_is_not_checked(tmp_path):
    """A model that gives NaN has said nothing."""
    model = load(tiny.folder(tmp_path, output="nan"))
    assert model.check("You pay 75 pounds.", [GLASS]).ruling == "not_checked"


def test_missing_and_damaged_files_are_said_when_loading(tmp_path):
    """Each with what to do about it, none later, none as a pass."""
    whole = tiny.folder(tmp_path / "whole")
    for name, words in {"model.onnx": "export one", "tokenizer.json": "save_pretrained"}.items():
        kept = (whole / name).read_bytes()
        (whole / name).unlink()
        with pytest.raises(ConfigurationError, match=words):
            load(whole)
        (whole / name).write_bytes(kept[: len(kept) // 2])
        with pytest.raises(ConfigurationError, match=name):
            load(whole)
        (whole / name).write_bytes(kept)
    (whole / "config.json").write_text("[1, 2", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"config\.json"):
        load(whole)
    (whole / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="say kind="):
        load(whole)
    assert load(whole, kind="sequence", supported=1).check("You pay 75 pounds.", [GLASS]).ruling == "supported"
    with pytest.raises(ConfigurationError, match="no classifier's"):
        load(whole, kind="tokens", supported=1)


def test_a_model_that_reads_too_little_is_refused(tmp_path):
    """Sixteen tokens hold no claim beside a source."""
    with pytest.raises(ConfigurationError, match="16 tokens"):
        load(tiny.folder(tmp_path, places=16))


@pytest.mark.parametrize("name", ["hhemm", "./nowhere", "/nowhere/at/all", ""])
def test_an_unknown_name_says_what_is_known(name):
    """Neither a folder, nor a known name, nor a repository: no network is asked."""
    with pytest.raises(ConfigurationError, match="minicheck"):
        EntailmentModel.load(name)


async def test_it_sits_where_a_checker_sits(tmp_path):
    """In a generator it withholds what the model does not carry; in a detector it weighs any text."""
    model = EntailmentModel.load(tiny.folder(tmp_path))
    provider = scripted_provider("You must pay 75 pounds for a repair [1]. ", "The tower costs 115 pounds [1].")
    async with GroundedGenerator(provider, checker=model) as generator:
        response = await generator.generate(GenerationRequest(query="What do I pay?", context=contexts([GLASS.text])))
    assert "75 pounds" in response.response
    assert "tower" not in response.response
    assert [claim.tier for claim in response.claims] == ["model", "model"]
    result = await HallucinationDetector(model).check_grounding(
        "The tower is made of cheese. The moon is 90 pounds.", [MOON.text]
    )
    assert [claim.supported for claim in result.claims] == [True, False]
    assert np.isfinite(result.confidence)
