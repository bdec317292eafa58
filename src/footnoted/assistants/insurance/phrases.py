"""The sentences the assistant says of its own in each language, and the phrases that sound unsure in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "ms", "zh", "ta"]
LANGUAGES: tuple[Language, ...] = ("en", "ms", "zh", "ta")
NAMES = {"en": "English", "ms": "Malay (Bahasa Melayu)", "zh": "Chinese", "ta": "Tamil"}

STRONG_UNCERTAINTY: tuple[str, ...] = (
    # English
    "don't have enough information",
    "do not have enough information",
    "not enough information",
    "insufficient information",
    "don't have information",
    "do not have information",
    "no information",
    "don't know",
    "do not know",
    "cannot find",
    "can't find",
    "could not find",
    "couldn't find",
    "unable to find",
    "cannot determine",
    "can't determine",
    "unable to determine",
    "cannot answer",
    "can't answer",
    "unable to answer",
    "cannot confirm",
    "can't confirm",
    "unable to confirm",
    "not mentioned",
    "not specified",
    "not stated",
    "does not say",
    "do not say",
    "does not mention",
    "do not mention",
    "i'm not sure",
    "i am not sure",
    "not certain",
    "unclear",
    # Malay
    "tidak mempunyai maklumat yang mencukupi",
    "tiada maklumat",
    "maklumat tidak mencukupi",
    "tidak pasti",
    "tidak tahu",
    "tidak dapat mencari",
    "tidak dapat memastikan",
    "tidak dinyatakan",
    # Chinese
    "没有足够的信息",
    "没有足够的資訊",
    "信息不足",
    "沒有足夠的資訊",
    "無法確定",
    "无法确定",
    "无法回答",
    "找不到",
    "不知道",
    "没有提及",
    "沒有提及",
    "未提及",
    # Tamil
    "போதுமான தகவல் இல்லை",
    "தகவல் இல்லை",
    "தெரியவில்லை",
    "உறுதியாகக் கூற முடியவில்லை",
    "குறிப்பிடப்படவில்லை",
)

MODERATE_UNCERTAINTY: tuple[str, ...] = (
    "might",
    "may be",
    "may not be",
    "may vary",
    "may depend",
    "could be",
    "possibly",
    "perhaps",
    "probably",
    "maybe",
    "likely",
    "appears to",
    "appear to",
    "seems",
    "seem to",
    "it is possible",
    "it's possible",
    "generally",
    "typically",
    "usually",
    "i think",
    "i believe",
    "as far as i know",
    "mungkin",
    "barangkali",
    "kemungkinan",
    "biasanya",
    "可能",
    "也许",
    "也許",
    "大概",
    "似乎",
    "通常",
    "ஒருவேளை",
    "இருக்கலாம்",
    "பொதுவாக",
)


@dataclass(frozen=True, slots=True)
class Phrases:
    """What the assistant says in one language when no policy speaks."""

    ask: str
    not_enough: str
    next_steps: str
    apology: str
    not_ours: str
    unclear: str
    choose: str
    quoted: str
    shortened: str
    too_long: str
    excluded: str
    condition: str
    gap: str
    quotes: str
    undecided: str
    kinds: dict[str, str]
    sources: str = "Sources"
    confidence: str = "Confidence"

    @property
    def no_answer(self) -> str:
        """That the policies do not say, and what to do then."""
        return f"{self.not_enough} {self.next_steps}"


_BY_LANGUAGE: dict[Language, Phrases] = {
    "en": Phrases(
        ask="Please ask me a question about your insurance in your own words, for example: “What is the excess for a "
        "broken windscreen?”",
        not_enough="I don't have enough information in the policy documents to answer this.",
        next_steps="You could name the product and what happened, look at your policy schedule, or call customer "
        "service, who can see your own policy.",
        apology="I'm sorry, I could not put an answer together just now. Please try again in a few minutes. If it is "
        "urgent, call customer service or your claims line; the numbers are in your policy documents.",
        not_ours="I can only help with questions about the insurance in these policy documents.",
        unclear="I want to be sure that I answer the right question.",
        choose="Which of these do you mean: {choices}?",
        quoted="(Quoted from your policy documents, in their own words and language.)",
        shortened="(There is more on this in the sources below.)",
        too_long="That is a long message. Please ask one thing at a time, in a few sentences.",
        excluded="Not covered",
        condition="In the policy's words",
        gap="(Something was left out here: the policy sections do not say it.)",
        quotes="These clauses decide it, as far as I can tell, the likeliest first, in the policy's own words; "
        "I only quote them.",
        undecided="I cannot tell this for certain from the policy alone, so I do not say yes or no. These "
        "clauses come nearest, in its own words:",
        kinds={
            "cover": "Covered",
            "exclusion": "Not covered",
            "exception": "Exception",
            "condition": "Condition",
            "limit": "Limit",
            "definition": "Meaning",
            "procedure": "What to do",
            "other": "The policy says",
        },
    ),
    "ms": Phrases(
        ask="Sila tanya soalan tentang insurans anda dengan kata-kata anda sendiri, contohnya: “Berapakah ekses untuk "
        "cermin depan yang pecah?”",
        not_enough="Saya tidak mempunyai maklumat yang mencukupi dalam dokumen polisi untuk menjawab soalan ini.",
        next_steps="Anda boleh menyatakan nama produk dan apa yang berlaku, menyemak jadual polisi anda, atau "
        "menghubungi khidmat pelanggan yang boleh melihat polisi anda.",
        apology="Maaf, saya tidak dapat menyediakan jawapan buat masa ini. Sila cuba lagi dalam beberapa minit. "
        "Jika perkara ini mendesak, hubungi khidmat pelanggan atau talian tuntutan; nombornya ada dalam dokumen "
        "polisi anda.",
        not_ours="Saya hanya boleh membantu dengan soalan tentang insurans dalam dokumen polisi ini.",
        unclear="Saya ingin pastikan bahawa saya menjawab soalan yang betul.",
        choose="Yang manakah anda maksudkan: {choices}?",
        quoted="(Dipetik daripada dokumen polisi anda, dalam bahasa asalnya.)",
        shortened="(Maklumat lanjut ada dalam sumber di bawah.)",
        too_long="Mesej itu panjang. Sila tanya satu perkara pada satu masa, dalam beberapa ayat.",
        excluded="Tidak dilindungi",
        condition="Menurut kata-kata polisi",
        gap="(Sebahagian jawapan ditinggalkan: ia tidak dinyatakan dalam dokumen polisi.)",
        quotes="Klausa ini menentukannya setakat yang saya tahu, yang paling mungkin dahulu, dalam kata-kata "
        "polisi sendiri; saya hanya memetiknya.",
        undecided="Saya tidak dapat memastikan jawapannya daripada polisi sahaja, jadi saya tidak "
        "mengatakan ya atau tidak. Klausa yang paling hampir, dalam kata-kata polisi sendiri:",
        kinds={
            "cover": "Dilindungi",
            "exclusion": "Tidak dilindungi",
            "exception": "Pengecualian",
            "condition": "Syarat",
            "limit": "Had",
            "definition": "Maksud",
            "procedure": "Apa yang perlu dibuat",
            "other": "Polisi menyatakan",
        },
        sources="Sumber",
        confidence="Keyakinan",
    ),
    "zh": Phrases(
        ask="请用您自己的话提出有关保险的问题，例如：“挡风玻璃破裂的自付额是多少？”",
        not_enough="保单文件中没有足够的信息来回答这个问题。",
        next_steps="您可以说明产品名称和发生的情况，查看您的保单明细表，或致电客户服务，他们可以查看您的保单。",
        apology="很抱歉，我现在无法给出答案。请过几分钟再试。如果情况紧急，请致电客户服务或理赔热线，号码在您的保单文件中。",
        not_ours="我只能回答与这些保单文件中的保险有关的问题。",
        unclear="我想确认自己回答的是正确的问题。",
        choose="您指的是哪一项：{choices}？",
        quoted="（以上引自您的保单文件，保留原文语言。）",
        shortened="（更多内容请见下方来源。）",
        too_long="这条信息很长。请一次只问一件事，用几句话即可。",
        excluded="不承保",
        condition="保单原文",
        gap="（此处有内容被略去：保单条款中没有这样的说法。）",
        quotes="据我判断，起决定作用的是以下保单条款原文，最可能的在前；我只引用，不作判断。",
        undecided="仅凭保单我无法确定答案，因此不说“是”或“否”。以下是最相关的保单条款原文：",
        kinds={
            "cover": "承保",
            "exclusion": "不承保",
            "exception": "例外",
            "condition": "条件",
            "limit": "限额",
            "definition": "定义",
            "procedure": "如何办理",
            "other": "保单规定",
        },
        sources="来源",
        confidence="可信度",
    ),
    "ta": Phrases(
        ask="உங்கள் காப்பீடு பற்றிய கேள்வியை உங்கள் சொந்த வார்த்தைகளில் கேளுங்கள், எடுத்துக்காட்டாக: “உடைந்த முன் கண்ணாடிக்கு "
        "நான் செலுத்த வேண்டிய தொகை என்ன?”",
        not_enough="இதற்குப் பதிலளிக்க பாலிசி ஆவணங்களில் போதுமான தகவல் இல்லை.",
        next_steps="தயாரிப்பின் பெயரையும் நடந்ததையும் குறிப்பிடலாம், உங்கள் பாலிசி அட்டவணையைப் பார்க்கலாம், அல்லது உங்கள் பாலிசியைப் "
        "பார்க்கக்கூடிய வாடிக்கையாளர் சேவையை அழைக்கலாம்.",
        apology="மன்னிக்கவும், இப்போது என்னால் பதில் தர முடியவில்லை. சில நிமிடங்களில் மீண்டும் முயலவும். அவசரமாக இருந்தால், "
        "வாடிக்கையாளர் சேவையை அல்லது கோரிக்கை எண்ணை அழைக்கவும்; எண்கள் உங்கள் பாலிசி ஆவணங்களில் உள்ளன.",
        not_ours="இந்தப் பாலிசி ஆவணங்களில் உள்ள காப்பீடு பற்றிய கேள்விகளுக்கு மட்டுமே என்னால் உதவ முடியும்.",
        unclear="சரியான கேள்விக்குப் பதிலளிக்கிறேன் என்பதை உறுதிசெய்ய விரும்புகிறேன்.",
        choose="இவற்றில் எதைக் குறிப்பிடுகிறீர்கள்: {choices}?",
        quoted="(உங்கள் பாலிசி ஆவணங்களிலிருந்து, அவற்றின் மொழியிலேயே மேற்கோள் காட்டப்பட்டது.)",
        shortened="(மேலும் தகவல் கீழே உள்ள ஆதாரங்களில் உள்ளது.)",
        too_long="அது நீண்ட செய்தி. ஒரு நேரத்தில் ஒன்றை மட்டும் சில வாக்கியங்களில் கேளுங்கள்.",
        excluded="காப்பீடு இல்லை",
        condition="பாலிசியின் வார்த்தைகளில்",
        gap="(இங்கு ஒரு பகுதி நீக்கப்பட்டது: பாலிசிப் பிரிவுகள் அதைச் சொல்லவில்லை.)",
        quotes="இதைத் தீர்மானிக்கும் பிரிவுகள் பாலிசியின் சொந்த வார்த்தைகளில் கீழே உள்ளன; நான் மேற்கோள் மட்டுமே காட்டுகிறேன்.",
        undecided="பாலிசியிலிருந்து மட்டும் இதை உறுதியாகச் சொல்ல முடியாது; ஆகவே ஆம் அல்லது இல்லை என்று "
        "சொல்லவில்லை. மிக நெருக்கமான பிரிவுகள், பாலிசியின் சொந்த வார்த்தைகளில்:",
        kinds={
            "cover": "காப்பீடு உண்டு",
            "exclusion": "காப்பீடு இல்லை",
            "exception": "விதிவிலக்கு",
            "condition": "நிபந்தனை",
            "limit": "வரம்பு",
            "definition": "பொருள்",
            "procedure": "செய்ய வேண்டியது",
            "other": "பாலிசி கூறுவது",
        },
        sources="ஆதாரங்கள்",
        confidence="நம்பகத்தன்மை",
    ),
}

_READ = 4_000  # code points by which a language is told
_HAN = re.compile(r"[\u3400-\u9fff]")
_TAMIL = re.compile(r"[\u0b80-\u0bff]")
_WORD = re.compile(r"[a-z]+")
_MALAY = frozenset(
    """adakah apa apakah bagaimana berapa berapakah bila bilakah boleh bolehkah dalam dan dengan di dilindungi hilang
    ini itu jika kah kalau kepada kereta kerosakan ke kerana ketika kenapa mana mengapa mesti nak pada perlu polisi
    rumah saya sebab sila siapa tak telah tentang terhadap tetapi tidak tuntut tuntutan untuk wang yang perlindungan
    insurans cermin kecurian pecah luar negara hari bayar membuat""".split()
)


def phrases(language: str) -> Phrases:
    """The assistant's own sentences in a language; English where the language is not known."""
    return _BY_LANGUAGE.get(language, _BY_LANGUAGE["en"])  # type: ignore[call-overload, no-any-return]


def language_of(text: str) -> Language:
    """The language of a message, by its script, else by its small words.

    >>> [language_of(t) for t in ("Am I covered?", "Adakah saya dilindungi?", "我有保障吗？", "எனக்கு காப்பீடு உள்ளதா?")]
    ['en', 'ms', 'zh', 'ta']
    """
    text = text[:_READ]
    if _TAMIL.search(text):
        return "ta"
    if _HAN.search(text):
        return "zh"
    found = _WORD.findall(text.casefold())
    return "ms" if found and sum(word in _MALAY for word in found) / len(found) >= 0.3 else "en"
