"""What needs no support is named as such, and no fact passes for it."""

from __future__ import annotations

import pytest

from footnoted.grounding.kinds import heading_kind, is_bare_reply, is_small_talk, kind_of
from tests.tables import every

NEEDLESS = [
    ("greeting", "Hello!"),
    ("greeting", "Good morning!"),
    ("greeting", "Hi Maria,"),
    ("greeting", "Guten Tag, Frau Müller!"),
    ("greeting", "Thank you for your question."),
    ("greeting", "I hope this helps!"),
    ("greeting", "You're welcome!"),
    ("greeting", "Vielen Dank für Ihre Frage!"),
    ("greeting", "Merci pour votre question."),
    ("greeting", "¡Hola!"),
    ("greeting", "Terima kasih atas soalan anda!"),
    ("greeting", "感谢您的提问。"),
    ("greeting", "ご質問ありがとうございます。"),
    ("greeting", "ขอบคุณสำหรับคำถามครับ"),
    ("greeting", "आपके प्रश्न के लिए धन्यवाद।"),
    ("greeting", "شكرًا على سؤالك."),
    ("courtesy", "Please contact your insurer."),
    ("courtesy", "Let me know if you have any further questions."),
    ("courtesy", "Feel free to ask if you need more details."),
    ("courtesy", "This is not legal advice."),
    ("courtesy", "Bitte wenden Sie sich an Ihren Versicherer."),
    ("courtesy", "Veuillez contacter votre assureur."),
    ("courtesy", "Por favor, contacte con su aseguradora."),
    ("courtesy", "如果您还有其他问题，请随时告诉我。"),
    ("courtesy", "กรุณาติดต่อบริษัทประกันของคุณ"),
    ("courtesy", "However, it is essential to consult a medical professional for personalised advice."),
    ("courtesy", "It's important to check your policy documents for specific details."),
    ("courtesy", "That's impressive!"),
    ("courtesy", "Wow, that sounds really interesting."),
    ("courtesy", "That is a lot!"),
    ("courtesy", "How wonderful!"),
    ("refusal", "The sources do not say whether flood is covered."),
    ("refusal", "I could not find the excess in the documents provided."),
    ("refusal", "I'm sorry, but I don't have enough information to answer that."),
    ("refusal", "The policy does not mention flood damage."),
    ("refusal", "None of the sources mention a waiting period."),
    ("refusal", "It is unclear from the sources when the rule was introduced."),
    ("refusal", "I don't know."),
    ("refusal", "Ich konnte dazu leider keine Informationen finden."),
    ("refusal", "Les sources ne mentionnent pas les inondations."),
    ("refusal", "Los documentos no indican el plazo."),
    ("refusal", "Dokumen yang diberikan tidak menyebut tentang banjir."),
    ("refusal", "资料中没有提到洪水。"),
    ("refusal", "その点については資料に記載されていません。"),
    ("refusal", "เอกสารไม่ได้ระบุเรื่องน้ำท่วม"),
    ("refusal", "दस्तावेज़ों में बाढ़ का उल्लेख नहीं है।"),
    ("refusal", "لا توجد معلومات عن ذلك في المصادر."),
    ("refusal", "문서에서 해당 정보를 찾을 수 없습니다."),
    ("question", "Would you like to know more?"),
    ("question", "What is the excess?"),
    ("question", "Which plan do you have: Basic, Plus or Premium?"),
    ("question", "Möchten Sie mehr erfahren?"),
    ("question", "您想了解更多吗？"),
    ("question", "هل تريد معرفة المزيد؟"),
    ("lead_in", "You need:"),
    ("lead_in", "Here's a summary of your cover:"),
    ("lead_in", "Sie benötigen:"),
    ("lead_in", "您需要准备："),
    ("code", "`npm install`"),
    ("reference", "[1]"),
    ("reference", "¹ ²"),
    ("reference", "[Source 2]"),
    ("layout", "---"),
    ("layout", "{"),
    ("layout", "*"),
]

# Facts in the clothes of something that needs no support, or beside it.
DISGUISED = """
It is important to report the loss.
However, it is recommended to contact the police within a day.
It is essential to ask for a replacement before the warranty ends.
Thanks for asking, your policy covers theft.
Hello, the excess is waived for repairs.
I'm sorry, but flood damage is excluded.
Sorry, your claim was rejected.
Good question, and yes, you may drive in France.
I hope this helps, since the policy expires tomorrow.
Hope that your cover of theft helps.
Great, you are insured in all countries.
You're welcome to drive abroad for ninety days.
Welcome bonuses are paid in cash.
Dear customers receive a discount.
Okay, the bucket is public.
Happy customers get their money back.
Have a licence and you are covered.
Please cancel within two weeks.
Please note that theft is covered.
Please pay the excess before the repair.
Please contact us within two weeks of the loss.
You can contact the insurer only in writing.
You should contact your doctor, because the drug is dangerous.
You can get the policy from your bank.
If you need help, the helpline is free of charge.
Feel free to drive without insurance.
If you have questions, cover has ended.
I recommend Plan B over Plan A.
I can confirm that you are covered.
For more information, the hotline never closes.
This is not taxable income.
This information is confidential under the Act.
Ask your broker about the free upgrade.
The sources do not mention flood, but storms are covered.
The sources don't say so; the limit is unlimited.
I could not find a limit, so there is none.
I cannot say that it is covered because it is excluded.
The policy does not cover flood.
The documents do not need a stamp.
The contract does not allow subletting.
The data do not leave the country.
The sources do not agree on the date.
There is no excess for repairs.
There is no evidence of fraud.
No documents are needed to claim.
No document gives permission to sublet.
No information may be shared without consent.
Not enough drivers were insured in May.
It is not clear water that is covered.
We do not have shops in Spain.
I don't see flood cover in the exclusions, therefore it is covered.
Nothing in the policy prevents subletting.
The fee is not included in the price.
Flood is not covered by the policy.
The manager could not find the record of payment and rejected the claim.
Did you know that theft is covered?
Theft is covered, isn't it?
You are covered, right?
He asked: "Is theft covered?"
Here is the truth: theft is covered.
In summary, theft is covered.
The following is excluded from cover, namely flood.
In short, you are not covered.
What matters is the date of loss.
How it happened is irrelevant.
Why you were late does not matter.
Can openers are banned on board.
Will Smith won the award.
Excess: waived
**You are covered for theft**
**Excess: £75**
`rm -rf /` deletes all files.
Yes, theft is covered.
Bitte zahlen Sie innerhalb von zwei Wochen.
Vielen Dank, Ihr Schaden ist gedeckt.
Die Unterlagen müssen nicht eingereicht werden.
Wenn Sie umziehen, endet der Vertrag.
Die Quelle der Donau liegt nicht in Österreich.
Bonjour, votre contrat couvre le vol.
Si vous déménagez, le contrat prend fin.
Hola, su póliza cubre el robo.
Si tiene un accidente, llame a la policía.
No hay franquicia para las reparaciones.
Jika anda berpindah, polisi tamat.
Sila bayar dalam tempoh dua minggu.
保单不承保洪水。
如果您搬家，保单将失效。
文件没有必要提交。
洪水は補償の対象ではありません。
資料を提出する必要はありません。
引っ越した場合はご連絡ください、さもないと契約は終了します。
น้ำท่วมไม่ได้รับความคุ้มครอง
บริษัทไม่สามารถปฏิเสธการจ่ายได้
बाढ़ कवर नहीं है।
दस्तावेज़ जमा करना ज़रूरी नहीं है।
لا تغطي الوثيقة الفيضانات.
لا يمكنني القول إن السرقة مغطاة لأن العقد يستثنيها.
홍수는 보장되지 않습니다.
We cannot provide cover for racing.
We cannot give refunds after departure.
We don't have a branch in Leeds.
I do not see a doctor without a referral.
警方无法确定火灾原因。
ตำรวจไม่สามารถระบุสาเหตุของไฟไหม้
警察は火災の原因を確認できません。
화재의 원인은 알 수 없습니다.
No hay fuentes de agua en el parque.
Aucune information ne peut être partagée sans accord.
Kami tidak dapat membayar tuntutan itu.
Nous ne pouvons pas rembourser la franchise.
No podemos confirmar reservas por teléfono.
Wir können ohne Belege nicht zahlen.
لا يمكنني القيادة بدون رخصة.
Die Dokumente dürfen nicht kopiert werden.
""".strip().splitlines()


@every(("kind", "text"), NEEDLESS)
def test_what_needs_no_support_is_named(kind, text):
    """Greetings, offers, questions, refusals, lead-ins, code and layout, in eleven languages."""
    assert kind_of(text) == kind


@every("text", DISGUISED)
def test_a_fact_is_a_claim_whatever_it_is_dressed_as(text):
    """A sentence that carries anything to check is checked: naming never fails open."""
    assert kind_of(text) == "claim"


@pytest.mark.parametrize("text", ["Coverage", "What is not covered?", "When you must tell us", "Changes in 2024"])
def test_a_title_is_a_heading(text):
    """Titles name what follows, and assert nothing."""
    assert heading_kind(text) == "heading"


@pytest.mark.parametrize("text", ["The excess is £75", "Annual premium: £320 a year", "You are covered for theft"])
def test_a_heading_that_states_something_is_a_claim(text):
    """An amount or a sentence does not pass unchecked because it is set large."""
    assert heading_kind(text) == "claim"


def test_a_colon_in_mid_line_does_not_introduce_what_comes_next():
    """Only a colon that ends its line makes a lead-in."""
    assert kind_of("You need:", ends_line=False) == "claim"


def test_a_lead_in_that_states_a_figure_or_cites_is_a_claim():
    """A figure: "You must tell us within 14 days if:" is checked; "Here are 3 things:" counts what follows."""
    assert kind_of("You must tell us within 14 days if:") == "claim"
    assert kind_of("The plan has three tiers [1]:") == "claim"
    assert kind_of("Here are 3 things to remember:") == "lead_in"


def test_a_bare_reply_is_known():
    """A "Yes." stands or falls with the sentence that says why."""
    assert is_bare_reply("Yes.")
    assert is_bare_reply("**No!**")
    assert is_bare_reply("はい。")
    assert is_bare_reply("Yes , I agree with that .")
    assert is_bare_reply("I know!")
    assert is_bare_reply("Yeah, it really is.")
    assert not is_bare_reply("Yes, theft is covered.")
    assert not is_bare_reply("I know the excess is £75.")


@pytest.mark.parametrize("text", ["Yeah.", "No way!", "Yes, that will be interesting.", "That s impressive .", "Haha!"])
def test_small_talk_tells_nothing(text):
    assert is_small_talk(text)


@every(
    "text",
    [
        "A lot.",
        "Cool.",
        "That is free.",
        "That's fine.",
        "This is covered.",
        "Yes, that is safe.",
        "That's a lot of damage.",
        "I agree to pay the excess.",
        "You are right that flood is covered.",
        "It is great.",
        "That is great news for tenants.",
        "Yes, it covers theft.",
    ],
)
def test_what_might_answer_is_no_small_talk(text):
    """Of the matter itself nothing passes for chatter, however short and friendly."""
    assert not is_small_talk(text)
    assert kind_of(text) == "claim"


def test_whatever_is_very_long_is_a_claim():
    """No pattern is tried on a page of text."""
    assert kind_of("Hello " * 1000) == "claim"
