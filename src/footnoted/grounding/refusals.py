"""A sentence of an answer in; whether all it says is that there is no answer, out. Eleven languages.

A sentence that also says something else ("The sources do not mention flood, but storms are covered") is
no refusal: every one of its clauses must be one, or hold nothing but courtesies.
"""

from __future__ import annotations

import re

from footnoted.grounding.phrases import COURTESY_WORDS

_SOURCE = (
    r"(?:(?:the|these|those|any of the|your|my|our|this|any) )?(?:(?:provided|given|available|supplied|retrieved"
    r"|attached|above|current|relevant|two|three|other|policy|cited|numbered|search) )*"
)
# Words that mean the sources whatever is said of them, and words that also name what an answer is about:
# "the policy does not mention flood" speaks of the text, "the policy does not cover flood" of the world.
_TEXTS = (
    r"(?:sources?|context|passages?|excerpts?|materials?|information|snippets?|results|knowledge base|documents?"
    r"|documentation|texts?|data)"
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
    r"(?:can ?not|can't|could not|couldn't|(?: ?am| was| are| were|'m|'re) (?:not able|unable) to|(?:do|did|have) not"
    r"|(?:do|did|have)n't)"
)
_FIND = (
    r"(?:find|found|locate|see|seen|have|answer|determine|confirm|tell|verify|say|provide|know|give|identify|conclude"
    r"|be (?:sure|certain))\b"
)
_FACTS = r"(?:information|details?|mention|answer|data|source|sources|documents?)"

_ENGLISH = [
    rf"\b{_SOURCE}{_TEXTS}{_GIVEN}(?: (?:for|on|about|from) [\w' ]{{1,40}}?)? {_NOT}{_ADVERB} (?:{_SPEAK}|{_HOLD})",
    rf"\b(?:the|your|this|these|my|our) (?:[\w-]+ )?{_WORKS}{_GIVEN} {_NOT}{_ADVERB} {_SPEAK}",
    rf"^(?:it|they) {_NOT}{_ADVERB} {_SPEAK}",
    (
        rf"\b(?:i|we)(?: (?:also|still|currently|therefore|simply|unfortunately))? ?{_CANNOT}"
        rf"(?: (?:also|reliably|fully|directly))? {_FIND}"
    ),
    (
        r"\b(?:there (?:is|was|are)|contains?|gives?|provides?|have|has|includes?|with) (?:no|not enough|insufficient"
        r"|not any|little) (?:\w+ )?(?:information|mention|details?|data|answer|reference|indication)\b"
    ),
    (
        rf"^(?:no|not enough|insufficient) (?:\w+ )?{_FACTS}"
        r"(?: (?:is|are|was|were)\b(?!.*\bwithout\b)| (?:about|on|regarding|in|to|found|available)\b|$)"
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
    rf"\bnothing (?:in|about) .{{0,60}}(?:in )?{_SOURCE}{_TEXTS}\b",
    r"^(?:it is|it's|this is|that is) (?:unclear|not clear|not possible to (?:say|tell|determine|confirm))\b",
    r"\bbeyond (?:the scope|what the \w+ (?:say|cover))",
]
_EUROPEAN = [
    # German
    (
        r"\b(?:quellen?|dokumenten?|unterlagen|informationen|texten?|kontext|auszügen?|angaben)\b.{0,60}"
        r"\b(?:nicht|keine[rnms]?|kein|nichts)\b(?!.{0,30}\b(?:versichert|gedeckt|erstattet)\b)"
    ),
    (
        r"\b(?:ich|wir) (?:konnte|kann|habe|konnten|können|haben)\b.{0,80}\b(?:nicht|keine[rnms]?|nichts)\b.{0,60}"
        r"\b(?:finden|gefunden|beantworten|sagen|feststellen|bestätigen|entnehmen)\b"
    ),
    r"\b(?:gibt es|liegen(?: mir)?|finden sich) (?:\w+ ){0,3}keine (?:\w+ )?(?:informationen|angaben|hinweise)",
    r"\bdazu (?:steht|sagen|enthalten)\b.{0,60}\bnichts\b",
    # French
    (
        r"\b(?:sources?|documents?|textes?|extraits?|contexte|informations?)\b.{0,50}\bne (?:mentionn|précis|indiqu"
        r"|contien|dis|dit|fourni|donn|répond|permett|parl)"
    ),
    r"\b(?:je|nous) (?:n'ai|n'avons|ne (?:trouv|peu|dispos|sai|pouv|voi))\S* (?:\w+ ){0,3}?(?:pas|aucune?|rien)",
    r"\baucune (?:information|mention|donnée|précision)\b",
    # Spanish
    (
        r"\b(?:fuentes?|documentos?|textos?|contexto|información|extractos?)\b.{0,50}\bno (?:mencion|especific|indic"
        r"|contien|dic|proporcion|incluy|aclar|respond|permit)"
    ),
    (
        r"\bno (?:he )?(?:encontr|puedo|pude|hay|tengo|dispongo|se menciona|se especifica|se indica)\S*(?: \w+){0,3} "
        r"(?:información|respuesta|datos|mención|fuentes|documentos|confirmar|responder|determinar|detalles)"
    ),
    # Malay
    (
        r"\b(?:sumber|dokumen|maklumat|teks|konteks)\b.{0,50}\btidak (?:menyebut|menyatakan|mengandungi|memberi"
        r"|menjelaskan|menyediakan)"
    ),
    r"\b(?:saya|kami) tidak (?:dapat|menemui|menjumpai|pasti|mempunyai)\b.{0,60}",
    r"\btiada (?:maklumat|sebutan|butiran)\b",
]
_ELSEWHERE = [
    # Chinese
    (
        r"(?:资料|来源|文件|文档|上下文|内容|信息|材料|資料|來源|文檔).{0,20}(?:没有|未|并未|無|沒有)(?:明确|具体)?"
        r"(?:提到|提及|说明|包含|涉及|提供|给出|指出|明确|写明|提)"
    ),
    r"(?:我|我们)?(?:无法|不能|没能|未能)(?:从.{0,20})?(?:找到|确定|回答|确认|判断|得知)",
    r"没有找到.{0,20}(?:信息|资料|内容)|没有相关(?:信息|资料)",
    # Japanese
    (
        r"(?:情報|資料|文書|ソース|出典|文脈|書類|記載).{0,40}(?:ありません|見つかりません|記載されていません|含まれていません"
        r"|書かれていません|述べられていません|言及されていません|示されていません|不足|見当たりません)"
    ),
    r"(?:お答え|回答|判断|確認)できません|(?:わか|分か)りません",
    # Korean
    r"(?:정보|자료|문서|출처).{0,30}(?:없습니다|않습니다|찾을 수 없)|(?:찾을 수 없|답변할 수 없|알 수 없)",
    # Thai
    r"(?:แหล่งข้อมูล|เอกสาร|ข้อมูล|บริบท|เนื้อหา).{0,40}(?:ไม่ได้ระบุ|ไม่ได้กล่าวถึง|ไม่มีข้อมูล|ไม่ระบุ|ไม่ได้บอก|ไม่เพียงพอ)",
    r"ไม่พบข้อมูล|ไม่สามารถ(?:ตอบ|ยืนยัน|ระบุ|หา)|ไม่มีข้อมูล",
    # Hindi
    r"(?:स्रोत|दस्तावेज़|दस्तावेज|जानकारी|संदर्भ|पाठ).{0,50}(?:नहीं (?:बताते|बताया|है|दी|दिया|मिली|मिला|कहते|करते|की)|उल्लेख नहीं)",
    r"जानकारी (?:नहीं|उपलब्ध नहीं)",
    # Arabic
    r"(?:لا|لم) (?:تذكر|تحدد|توضح|تحتوي|تشير|يذكر|تقدم|تتضمن|ترد) .{0,20}(?:المصادر|الوثائق|المستندات|النصوص|السياق)",
    r"(?:المصادر|الوثائق|المستندات|النصوص).{0,30}(?:لا|لم) (?:تذكر|تحدد|توضح|تحتوي|تشير|تقدم|تتضمن)",
    r"لم (?:أجد|أتمكن|أعثر)|لا (?:أستطيع|يمكنني|توجد معلومات|تتوفر)",
]

_LATIN = re.compile("|".join(_ENGLISH + _EUROPEAN))
_OTHER = re.compile("|".join(_ELSEWHERE))
_NEGATIONS = (
    *("not", "n't", "no ", "none", "nothing", "unable", "unclear", "insufficient", "little", "beyond"),
    *("nicht", "kein", "nichts", " ne ", "n'", "aucun", "tidak", "tiada"),
)
_UNLATIN = re.compile("[\u0590-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OTHER_CLAUSE = re.compile(
    r"[,;] (?:and|or|as|which|und|et|y) |[;；—–:]|[,，،]? ?\b(?:but|however|so|therefore|thus|hence|because|since"
    r"|although|though|while|whereas|yet|except|aber|sondern|weil|denn|jedoch|deshalb|daher|mais|cependant|donc|car"
    r"|pero|porque|aunque|tetapi|namun|kerana)\b|但是?|不过|因此|所以|แต่|เพราะ|ดังนั้น|लेकिन|क्योंकि|इसलिए|لكن|لأن|ولكن"
)
_WORDS = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")


def refuses(plain: str) -> bool:
    """Whether every clause of a sentence (in plain words, lower case) only says that there is no answer."""
    pattern = _OTHER if _UNLATIN.search(plain) else _LATIN
    if pattern is _LATIN and not any(negation in plain for negation in _NEGATIONS):
        return False
    if not pattern.search(plain):
        return False
    clauses = [clause.strip(" ,，،") for clause in _OTHER_CLAUSE.split(plain)]
    return all(pattern.search(clause) or set(_WORDS.findall(clause)) <= COURTESY_WORDS for clause in clauses)
