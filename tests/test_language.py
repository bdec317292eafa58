"""The check weighs what it was measured on: a sentence in another language gets a verdict only where it is quoted whole."""

import pytest

from footnoted.grounding import Checker
from footnoted.text.language import language
from footnoted.types import Source

# The same matter in 15 languages: what the source says, and the same with its negation put in or left out.
SAID = {
    "de": ("Die Police deckt keine Schäden durch Frost.", "Die Police deckt Schäden durch Frost."),
    "fr": ("La police ne couvre pas les dégâts dus au gel.", "La police couvre les dégâts dus au gel."),
    "es": ("La póliza no cubre los daños por heladas.", "La póliza cubre los daños por heladas."),
    "it": ("La polizza non copre i danni causati dal gelo.", "La polizza copre i danni causati dal gelo."),
    "nl": ("De polis dekt geen schade door vorst aan leidingen.", "De polis dekt schade door vorst aan leidingen."),
    "pt": ("A apólice não cobre os danos causados pela geada.", "A apólice cobre os danos causados pela geada."),
    "pl": ("Polisa nie obejmuje szkód spowodowanych mrozem.", "Polisa obejmuje szkody spowodowane mrozem."),
    "tr": ("Poliçe don nedeniyle oluşan hasarları karşılamaz.", "Poliçe don nedeniyle oluşan hasarları karşılar."),
    "ms": ("Polisi ini tidak melindungi kerosakan akibat banjir.", "Polisi ini melindungi kerosakan akibat banjir."),
    "vi": ("Hợp đồng không bồi thường thiệt hại do lũ lụt.", "Hợp đồng bồi thường thiệt hại do lũ lụt."),
    "ru": ("Полис не покрывает ущерб от мороза.", "Полис покрывает ущерб от мороза."),
    "ar": ("لا تغطي الوثيقة الأضرار الناجمة عن الصقيع.", "تغطي الوثيقة الأضرار الناجمة عن الصقيع."),
    "hi": ("पॉलिसी पाले से हुए नुकसान को कवर नहीं करती है।", "पॉलिसी पाले से हुए नुकसान को कवर करती है।"),
    "zh": ("本保单不承保霜冻造成的损失。", "本保单承保霜冻造成的损失。"),
    "th": ("กรมธรรม์ไม่คุ้มครองความเสียหายจากน้ำท่วม", "กรมธรรม์คุ้มครองความเสียหายจากน้ำท่วม"),
}


@pytest.fixture(scope="module")
def checker():
    return Checker()


def test_a_turned_negation_gets_no_tick_in_any_language(checker):
    """Quoted whole it is supported; with the negation left out, or put in, it is open and says why."""
    for code, (source, turned) in SAID.items():
        for text, claim in ((source, turned), (turned, source)):
            passage = [Source("1", f"{text}\n\n{text[:-1]} …")]
            assert checker.check(text, passage).ruling == "supported", code
            verdict = checker.check(claim, passage)
            assert verdict.ruling in ("unsure", "not_checked"), (code, verdict)
            assert verdict.reason.startswith("language: "), code


def test_an_item_is_no_sentence_of_its_own(checker):
    """What a list leaves out does not stand alone: the words that introduce it may say the opposite."""
    source = [Source("1", "Nicht versichert sind:\n\n- Schäden durch Frost an Leitungen.\n- Rennen auf der Straße.")]
    assert checker.check("Schäden durch Frost an Leitungen.", source).ruling in ("unsure", "not_checked")


def test_a_claim_in_english_over_other_sources_is_never_ticked(checker):
    """And the other way round: nobody measured what the check says across languages."""
    german = [Source("1", "Die Selbstbeteiligung beträgt 75 Euro für jede Reparatur der Windschutzscheibe.")]
    verdict = checker.check("The excess for each repair of the windscreen is 75 Euro.", german)
    assert verdict.ruling in ("unsure", "not_checked")
    assert "'de'" in verdict.reason
    english = [Source("1", "The excess for each repair of the windscreen is 75 euros.")]
    verdict = checker.check("Die Selbstbeteiligung beträgt 75 Euro für jede Reparatur der Windschutzscheibe.", english)
    assert verdict.ruling in ("unsure", "not_checked")


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Die Selbstbeteiligung beträgt 7,5 Euro je Reparatur.", "Die Selbstbeteiligung beträgt 75 Euro je Reparatur."),
        ("Versichert bleibt der Keller bis -5 Grad Celsius.", "Versichert bleibt der Keller bis 5 Grad Celsius."),
        ("¿El seguro cubre las inundaciones del sótano? No, nunca.", "El seguro cubre las inundaciones del sótano."),
        ("保单承保霜冻造成的损失吗？不承保。", "保单承保霜冻造成的损失吗。"),
        ("De schade is verzekerd tenzij er opzet is.", "De schade is verzekerd."),
    ],
)
def test_what_is_nearly_quoted_is_not(checker, source, claim):
    """A comma in a number, a sign, a question's mark, what follows: they make another sentence."""
    assert checker.check(claim, [Source("1", source)]).ruling != "supported"


def test_names_of_places_make_no_evidence_foreign(checker):
    """An English sentence is held against rows of names as before: what they exclude stays excluded."""
    source = [Source("1", "Paris 75, Lyon 80, Marseille 90. Nice 95, Toulouse 70, Bordeaux 85.")]
    assert checker.check("Marseille costs 75 and Lyon costs 95 for each of the guests.", source).ruling != "supported"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The excess is £75 for a repair.", "en"),
        ("ATF4: antibody D9G8, catalog number 3398.", ""),
        ("OK.", ""),
        ("Use `response.headers['X-Process-Time']`.", ""),
        ("Zwischen der ersten und der zweiten Erweiterung der Tyne and Wear Metro lagen acht Jahre.", "de"),
        ("Полис не покрывает ущерб от мороза.", "ru"),
    ],
)
def test_what_language_a_sentence_is_in(text, code):
    """Names, code and a word or two are in none; English names make no German sentence English."""
    assert language(text) == code
