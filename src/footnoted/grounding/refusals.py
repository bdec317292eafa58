"""Decides whether all a sentence says is that there is no answer. Eleven languages.

A sentence that also says something else ("The sources do not mention flood, but storms are covered") is
no refusal: every one of its clauses must be one, or hold nothing but courtesies.
"""

from __future__ import annotations

import re

from footnoted.grounding.exempt import is_exempt
from footnoted.text.scripts import is_han, is_hangul

_SOURCE = (
    r"(?:(?:the|these|those|any of the|your|my|our|this|any) )?(?:(?:provided|given|available|supplied|retrieved"
    r"|attached|above|current|relevant|two|three|other|policy|cited|numbered|search) )*"
)
# Words that mean the sources whatever is said of them, and words that also name what an answer is about:
# "the policy does not mention flood" speaks of the text, "the policy does not cover flood" of the world.
_TEXTS = (
    r"(?:sources?|context|passages?|excerpts?|materials?|information|snippets?|results|knowledge base|documents?"
    r"|documentation|docs|texts?|data)"
)
_WORKS = (
    r"(?:polic(?:y|ies)|wording|booklet|articles?|sections?|pages?|files?|records?|schedule|contract|guide|manual"
    r"|document|it|they)"
)
_GIVEN = (
    r"(?: (?:(?:that |which )?(?:you|i|we)(?:'ve| have)?|provided|given|supplied|gave|shared|available|here|above"
    r"|in question|themselves|itself))*"
)
_ADVERB = r"(?: (?:explicitly|specifically|directly|clearly|actually|appear to|seem to|currently|fully|always|also))*"
_NOT = r"(?:do(?:es)?|did)(?: not|n't)"
_SPEAK = (
    r"(?:say|state|mention|specify|indicate|address|discuss|describe|explain|tell|clarify|reference|answer|define"
    r"|detail|disclose|reveal)\b"
)
_HOLD = r"(?:contain|include|provide|give|cover|list|have|offer|show|hold|help)\b"
_CANNOT = (
    r"(?:can ?not|can't|could not|couldn't|(?: ?am| ?was| ?are| ?were|'m|'re)(?: not able|n't able| unable) to"
    r"|(?:do|did|have) not|(?:do|did|have)n't)"
)
_FIND = (
    r"(?:(?:find|found|locate|answer|determine|tell|know|identify|conclude|be (?:sure|certain)|say|verify|confirm)\b"
    r"|(?:have|see|seen|provide|give)(?: you)?(?: with)?(?: (?:an?|any|enough|sufficient|the|that|this|more|further"
    r"|exact|specific|detailed|reliable|relevant|definitive))* (?:information|details?|data|answer|mention|reference"
    r"|access|knowledge|figure|context|evidence|that in)\b)"
)
_FACTS = r"(?:information|details?|mention|answer|data|source|sources|documents?)"

_ENGLISH = [
    (
        rf"\b{_SOURCE}{_TEXTS}{_GIVEN}(?: (?:for|on|about|from) [\w' ]{{1,40}}?)?(?: only [\w' ]{{1,50}}? and)?"
        rf" {_NOT}{_ADVERB} (?:{_SPEAK}|{_HOLD})"
    ),
    rf"\b(?:the|your|this|these|my|our) (?:[\w-]+ )?{_WORKS}{_GIVEN} {_NOT}{_ADVERB} {_SPEAK}",
    rf"^(?:it|they) {_NOT}{_ADVERB} {_SPEAK}",
    (
        rf"\bi(?: (?:also|still|currently|therefore|simply|unfortunately))? ?{_CANNOT}"
        rf"(?: (?:also|reliably|fully|directly))? {_FIND}"
    ),
    (
        r"\bthere (?:is|are|was|were)(?:n't| not) (?:any|enough|sufficient|much) (?:\w+ )?"
        r"(?:information|mention|details?|data)\b"
    ),
    rf"\b(?:cannot|can't|could not|couldn't) be (?:answered|determined|found|confirmed)\b.{{0,30}}\b{_TEXTS}\b",
    rf"\bwe ?{_CANNOT} (?:find|found|locate|answer|determine)\b",
    (
        r"\b(?:there (?:is|was|are)|contains?|gives?|provides?|have|has|includes?|with) (?:no|not enough|insufficient"
        r"|not any|little) (?:\w+ )?(?:information|mention|details?|data|answer|reference|indication)\b"
    ),
    (
        rf"^(?:no|not enough|insufficient) (?:\w+ )?{_FACTS}"
        r"(?: (?:is|are|was|were) (?:available|found|given|provided|included|mentioned)"
        r"| (?:about|on|regarding|in|found|available|to answer)\b|$)"
    ),
    (
        r"\b(?:is|are|was|were)(?: not|n't)(?: \w+ly)? (?:mentioned|specified|stated|addressed|discussed|described"
        r"|indicated|answered|explained)\b(?: (?:in|by|anywhere|here)\b|$)"
    ),
    (
        r"\b(?:is|are|was|were)(?: not|n't)(?: \w+ly)? "
        r"(?:(?:included|available|found|given|provided|covered|contained) )?"
        rf"(?:in|by) {_SOURCE}{_TEXTS}\b"
    ),
    rf"\bnone of the (?:\w+ )?{_TEXTS} (?:\w+ )?(?:say|mention|state|address|answer|contain|discuss|cover|specif)",
    (
        rf"^(?:neither|no|none of the) (?:of the )?(?:\w+ )?{_TEXTS}{_GIVEN} (?:\w+ly )?"
        r"(?:say|state|mention|specif|address|discuss|describe|explain)\w*"
    ),
    rf"\bnothing (?:in|about) .{{0,60}}(?:in )?{_SOURCE}{_TEXTS}\b",
    (
        r"^(?:it is|it's|this is|that is) (?:(?:unclear|not clear)"
        r"(?: (?:from|whether|if|what|when|how|why|who|which)\b|$)|not possible to (?:say|tell|determine|confirm)\b)"
    ),
    r"\bbeyond (?:the scope|what the \w+ (?:say|cover))",
]
_EUROPEAN = [
    # German
    (
        r"^(?=.*\b(?:quellen?|dokument\w*|unterlagen|text\w*|kontext|auszüge\w*|materialien|informationen|angaben)\b)"
        r"(?=.*\b(?:nicht|kein\w*|nichts)\b)(?=.*\b(?:erwähn|nenn|genannt|angegeben|enthalt|enthält|entnehm|beantwort"
        r"|angaben|informationen|hinweise|sag|steht|stehen|aufgeführt|ersichtlich|hervor|finden))"
    ),
    (
        r"\bich (?:konnte|kann|habe)\b.{0,80}\b(?:nicht|kein\w*|nichts)\b.{0,60}"
        r"\b(?:finden|gefunden|beantworten|sagen|feststellen|bestätigen|entnehmen)\b"
    ),
    r"\b(?:gibt es|liegen(?: mir)?|finden sich) (?:\w+ ){0,3}keine (?:\w+ )?(?:informationen|angaben|hinweise)",
    # French
    (
        r"\b(?:sources?|documents?|textes?|extraits?|contexte|informations?)\b.{0,50}\bne (?:mentionn|précis|indiqu"
        r"|contien|dis|dit|fourni|donn|répond|permett|parl)"
    ),
    r"\bje n'ai (?:\w+ ){0,2}(?:pas|rien|aucune?) (?:\w+ ){0,3}(?:trouvé|information|réponse)",
    r"\bje ne trouve (?:pas|aucun)",
    r"\bje ne (?:peux|sais|suis)\b.{0,30}\b(?:pas|mesure)\b.{0,30}\b(?:répondre|déterminer|confirmer|dire|si|quel)",
    r"\baucune (?:information|mention|donnée|précision)\b(?! ne (?:peut|doit))",
    # Spanish
    (
        r"\b(?:fuentes?|documentos?|textos?|contexto|información|extractos?)\b.{0,50}\bno (?:mencion|especific|indic"
        r"|contien|dic|proporcion|incluy|aclar|respond|permit)"
    ),
    r"\bno (?:he )?encontr\w+(?: \w+){0,3} (?:información|respuesta|datos|mención|detalles)",
    r"\bno (?:hay|tengo|dispongo de)(?: \w+){0,2} (?:información|datos|mención|detalles)",
    r"\bno (?:puedo|pude) (?:responder|determinar|confirmar|encontrar|saber)",
    # Malay
    (
        r"\b(?:sumber|dokumen|maklumat|teks|konteks)\b.{0,50}\btidak (?:menyebut|menyatakan|mengandungi|memberi"
        r"|menjelaskan|menyediakan)"
    ),
    r"\b(?:saya|kami) tidak (?:menemui|menjumpai|mempunyai) (?:\w+ )?(?:maklumat|jawapan|butiran)",
    r"\bsaya tidak (?:pasti|dapat (?:mencari|menjawab|menentukan|mengesahkan|menemui))",
    r"\btiada (?:maklumat|sebutan|butiran)\b",
]
_ELSEWHERE = [
    # Chinese
    (
        r"(?:资料|来源|文件|文档|上下文|内容|信息|材料|資料|來源|文檔).{0,20}(?:没有|未|并未|無|沒有)(?:明确|具体)?"
        r"(?:提到|提及|说明|包含|涉及|提供|给出|指出|明确|写明|提)"
    ),
    (
        r"^(?:很抱歉|抱歉|对不起)?[，,]?(?:根据.{1,16}[，,])?(?:我|我们)?(?:无法|不能|没能|未能)(?:从.{1,20})?"
        r"(?:找到|确定|回答|确认|判断|得知)"
    ),
    r"没有找到.{0,20}(?:信息|资料|内容)|没有相关(?:信息|资料)",
    # Japanese
    r"(?:情報|記載|記述|言及|説明|回答)(?:が|は|も)(?:あり|見つかり|含まれてい|見当たり)ません",
    r"(?:資料|文書|ソース|出典|文脈|書類|情報).{0,40}(?:記載されて|書かれて|述べられて|言及されて|示されて|含まれて|説明されて)いません",
    r"(?:情報|資料|文書|ソース|文脈|記載|この点|その点).{0,30}(?:お答え|回答|判断|確認)できません|^(?:わか|分か)りません",
    # Korean
    r"(?:정보|자료|문서|출처|내용).{0,30}(?:없습니다|언급하지 않|나와 있지 않|찾을 수 없|답변할 수 없|알 수 없)",
    # Thai
    (
        r"(?:แหล่งข้อมูล|เอกสาร|ข้อมูล|บริบท|เนื้อหา).{0,40}"
        r"(?:ไม่ได้ระบุ|ไม่ได้กล่าวถึง|ไม่มีข้อมูล|ไม่ระบุ|ไม่ได้บอก|ไม่เพียงพอ)"
    ),
    r"ไม่พบข้อมูล|^(?:ขออภัย ?)?(?:ครับ|ค่ะ)? ?(?:ฉัน|ผม|ดิฉัน|เรา)?ไม่สามารถ(?:ตอบ|ยืนยัน|ระบุ|หา)",
    r"ไม่มีข้อมูล",
    # Hindi
    r"(?:जानकारी|उल्लेख|विवरण|उत्तर).{0,16}(?:नहीं|उपलब्ध नहीं)|(?:स्रोत|दस्तावेज).{0,50}नहीं (?:बताते|बताया|कहते)",
    # Arabic
    r"(?:لا|لم) (?:تذكر|تحدد|توضح|تحتوي|تشير|يذكر|تقدم|تتضمن|ترد) .{0,20}(?:المصادر|الوثائق|المستندات|النصوص|السياق)",
    r"(?:المصادر|الوثائق|المستندات|النصوص).{0,30}(?:لا|لم) (?:تذكر|تحدد|توضح|تحتوي|تشير|تقدم|تتضمن)",
    r"لم (?:أجد|أتمكن|أعثر)|لا (?:أستطيع|يمكنني) (?:الإجابة|تحديد|تأكيد|العثور|إيجاد|معرفة)",
    r"لا (?:توجد|تتوفر) (?:أي )?معلومات",
]

_LATIN = re.compile("|".join(_ENGLISH + _EUROPEAN))
_OTHER = re.compile("|".join(_ELSEWHERE))
_NEGATIONS = (
    *("not", "n't", "no ", "neither", "none", "nothing", "unable", "unclear", "insufficient", "little", "beyond"),
    *("nicht", "kein", "nichts", " ne ", "n'", "aucun", "tidak", "tiada"),
)
_OTHER_CLAUSE = re.compile(
    r"[,;] (?:and|or|as|which|und|et|y|car) |[;；—–:]|[,，،]? ?\b(?:but|however|so|therefore|thus|hence|because|since"
    r"|although|though|while|whereas|yet|except|aber|sondern|weil|denn|jedoch|deshalb|daher|mais|cependant|donc"
    r"|pero|porque|aunque|tetapi|namun|kerana)\b|但是?|不过|因此|所以|แต่|เพราะ|ดังนั้น|लेकिन|क्योंकि|इसलिए|لكن|لأن|ولكن"
)


def refuses(plain: str) -> bool:
    """Whether every clause of a sentence (in plain words, lower case) only says that there is no answer."""
    pattern = _LATIN if plain.isascii() or not any(map(_is_elsewhere, plain)) else _OTHER
    if pattern is _LATIN and not any(negation in plain for negation in _NEGATIONS):
        return False
    if not pattern.search(plain):
        return False
    clauses = [clause.strip(" ,，،") for clause in _OTHER_CLAUSE.split(plain)]
    return all(pattern.search(clause) or is_exempt(clause) or not any(map(str.isalnum, clause)) for clause in clauses)


def _is_elsewhere(char: str) -> bool:
    """Whether a character is of a script without capitals: Hebrew to Burmese, or of East Asia."""
    return "\u0590" <= char <= "\u109f" or is_han(char) or is_hangul(char)


def beyond(text: str) -> str:
    """What a refusal speaks of, in lower case: the sentence without the words that say there is no answer.

    >>> beyond("The sources do not mention a waiting period.")
    ' a waiting period.'
    """
    plain = text.lower().replace("’", "'")
    return _SAYING.sub(" ", plain).replace("  ", " ")


_SAYING = re.compile(  # up to the end of a word; a pattern that only looks ahead takes no words away
    rf"(?:{'|'.join(one for one in (*_ENGLISH, *_EUROPEAN, *_ELSEWHERE) if not one.startswith('^(?='))})\w*"
)
