"""The words by which sentences that need no support are known, in ten languages. Data; `kinds` reads it."""

from __future__ import annotations

import re

BARE_REPLIES = frozenset(
    """yes|no|yes, it is|no, it is not|yes it is|correct|that's correct|that's right|that is correct|absolutely|certainly
    |of course|definitely|sure|it depends|that depends|not exactly|not quite|not necessarily|partly|partially|exactly
    |ja|nein|natürlich|genau|oui|non|bien sûr|sí|si|no exactamente|claro|por supuesto|ya|tidak|boleh|是的|是|不是|不|可以|不可以|对
    |はい|いいえ|ใช่|ไม่ใช่|ใช่ครับ|ใช่ค่ะ|ไม่|ได้|हाँ|नहीं|जी हाँ|نعم|لا|네|아니요""".replace("\n    ", "").split("|")
)

_SOURCE = (
    r"(?:(?:the|these|those|any of the|your|my|our|this|any|these)\s+)?(?:(?:provided|given|available|supplied|retrieved"
    r"|attached|above|current|relevant|two|three|other|policy|cited|numbered|search)\s+)*"
)
_STRONG = (
    r"(?:sources?|context|passages?|excerpts?|materials?|information|snippets?|results|knowledge base|documents?"
    r"|documentation|texts?|data)"
)
_WEAK = (
    r"(?:polic(?:y|ies)|wording|booklet|articles?|sections?|pages?|files?|records?|schedule|contract|guide|manual"
    r"|document|it|they)"
)
_QUALIFIED = r"(?:\s+(?:(?:that |which )?(?:you|i|we)(?:'ve| have)?|provided|given|supplied|gave|shared|available|here|above|i have|in question|themselves|itself))*"
_ADVERB = r"(?:\s+(?:explicitly|specifically|directly|clearly|actually|appear to|seem to|currently|fully|always|also))*"
_NOT = r"(?:do(?:es)?|did)(?:\s+not|n['’]t)"
_SPEAK = r"(?:say|state|mention|specify|indicate|address|discuss|describe|explain|tell|clarify|reference|answer|define|detail|disclose|reveal)\b"
_HOLD = r"(?:contain|include|provide|give|cover|list|have|offer|show|hold|help)\b"
_CANNOT = (
    r"(?:can\s?not|can['’]t|could\s+not|couldn['’]t|(?:am|was|are|were|'m|’m|'re|’re)\s+(?:not\s+able|unable)\s+to|do\s+not|don['’]t"
    r"|did\s+not|didn['’]t|have\s+not|haven['’]t)"
)
_ASK_VERB = r"(?:find|found|locate|see|seen|have|answer|determine|confirm|tell|verify|say|provide|know|give|identify|conclude|be\s+(?:sure|certain))\b"

REFUSAL = re.compile(
    "|".join(
        [
            rf"\b{_SOURCE}{_STRONG}{_QUALIFIED}(?:\s+(?:for|on|about|from)\s+[\w' ]{{1,40}}?)?\s+{_NOT}{_ADVERB}\s+(?:{_SPEAK}|{_HOLD})",
            rf"\b(?:the|your|this|these|my|our)\s+(?:[\w-]+\s+)?{_WEAK}{_QUALIFIED}\s+{_NOT}{_ADVERB}\s+{_SPEAK}",
            rf"^(?:it|they)\s+{_NOT}{_ADVERB}\s+{_SPEAK}",
            rf"\b(?:I|we)(?:\s+(?:also|still|currently|therefore|simply|unfortunately))?\s*{_CANNOT}(?:\s+(?:also|reliably|fully|directly))?\s+{_ASK_VERB}",
            r"\b(?:there\s+(?:is|was|are)|contains?|gives?|provides?|have|has|includes?|with)\s+(?:no|not enough|insufficient|not any|little)"
            r"\s+(?:\w+\s+)?(?:information|mention|details?|data|answer|reference|indication)\b",
            r"^(?:no|not enough|insufficient)\s+(?:\w+\s+)?(?:information|details?|mention|answer|data|source|sources|documents?)(?:\s+(?:is|are|was|were)\b(?!.*\bwithout\b)|\s+(?:about|on|regarding|in|to|found|available)\b|$)",
            r"\b(?:is|are|was|were)(?:\s+not|n['’]t)(?:\s+\w+ly)?\s+(?:mentioned|specified|stated|addressed|discussed|described|indicated|answered|explained)\b"
            r"(?:\s+(?:in|by|anywhere|here)\b|$)",
            rf"\b(?:is|are|was|were)(?:\s+not|n['’]t)(?:\s+\w+ly)?\s+(?:included|available|found|given|provided|covered|contained)?\s*(?:in|by)\s+{_SOURCE}{_STRONG}\b",
            rf"\bnone\s+of\s+the\s+(?:\w+\s+)?{_STRONG}\s+(?:\w+\s+)?(?:say|mention|state|address|answer|contain|discuss|cover|specif)",
            rf"\bnothing\s+(?:in|about)\s+.{{0,60}}(?:in\s+)?{_SOURCE}{_STRONG}\b",
            r"^(?:it\s+is|it['’]s|this\s+is|that\s+is)\s+(?:unclear|not\s+clear|not\s+possible\s+to\s+(?:say|tell|determine|confirm))\b",
            r"\bbeyond\s+(?:the\s+scope|what\s+the\s+\w+\s+(?:say|cover))",
            # German
            r"\b(?:Quellen?|Dokumenten?|Unterlagen|Informationen|Texten?|Kontext|Auszügen?|Angaben)\b.{0,60}\b(?:nicht|keine[rnms]?|kein|nichts)\b"
            r"(?!.{0,30}\b(?:versichert|gedeckt|erstattet)\b)",
            r"\b(?:ich|wir)\s+(?:konnte|kann|habe|konnten|können|haben)\b.{0,80}\b(?:nicht|keine[rnms]?|nichts)\b.{0,60}"
            r"\b(?:finden|gefunden|beantworten|sagen|feststellen|bestätigen|entnehmen)\b",
            r"\b(?:gibt\s+es|liegen(?:\s+mir)?|finden\s+sich)\s+(?:\w+\s+){0,3}keine\s+(?:\w+\s+)?(?:Informationen|Angaben|Hinweise)",
            r"\bdazu\s+(?:steht|sagen|enthalten)\b.{0,60}\bnichts\b",
            # French
            r"\b(?:sources?|documents?|textes?|extraits?|contexte|informations?)\b.{0,50}\bne\s+(?:mentionn|précis|indiqu|contien|dis|dit|fourni|donn|répond|permett|parl)",
            r"\b(?:je|nous)\s+(?:n['’]ai|n['’]avons|ne\s+(?:trouv|peu|dispos|sai|pouv|voi))\S*\s+(?:\w+\s+){0,3}?(?:pas|aucune?|rien)",
            r"\baucune\s+(?:information|mention|donnée|précision)\b",
            # Spanish
            r"\b(?:fuentes?|documentos?|textos?|contexto|información|extractos?)\b.{0,50}\bno\s+(?:mencion|especific|indic|contien|dic|proporcion|incluy|aclar|respond|permit)",
            r"\bno\s+(?:he\s+)?(?:encontr|puedo|pude|hay|tengo|dispongo|se\s+menciona|se\s+especifica|se\s+indica)\S*(?:\s+\w+){0,3}\s+(?:información|respuesta|datos|mención|fuentes|documentos|confirmar|responder|determinar|detalles)",
            # Malay
            r"\b(?:sumber|dokumen|maklumat|teks|konteks)\b.{0,50}\btidak\s+(?:menyebut|menyatakan|mengandungi|memberi|menjelaskan|menyediakan)",
            r"\b(?:saya|kami)\s+tidak\s+(?:dapat|menemui|menjumpai|pasti|mempunyai)\b.{0,60}(?:maklumat|menjawab|mencari|jawapan|pasti|mengesahkan|menentukan)?",
            r"\btiada\s+(?:maklumat|sebutan|butiran)\b",
            # Chinese, Japanese, Korean
            r"(?:资料|来源|文件|文档|上下文|内容|信息|材料|資料|來源|文檔).{0,20}(?:没有|未|并未|無|沒有)(?:明确|具体)?(?:提到|提及|说明|包含|涉及|提供|给出|指出|明确|写明|提)",
            r"(?:我|我们)?(?:无法|不能|没能|未能)(?:从.{0,20})?(?:找到|确定|回答|确认|判断|得知)|没有找到.{0,20}(?:信息|资料|内容)|没有相关(?:信息|资料)",
            r"(?:情報|資料|文書|ソース|出典|文脈|書類|記載).{0,40}(?:ありません|見つかりません|記載されていません|含まれていません|書かれていません|述べられていません|言及されていません|示されていません|不足|見当たりません)",
            r"(?:お答えできません|回答できません|わかりません|分かりません|判断できません|確認できません)",
            r"(?:정보|자료|문서|출처).{0,30}(?:없습니다|않습니다|찾을 수 없)|(?:찾을 수 없|답변할 수 없|알 수 없)",
            # Thai
            r"(?:แหล่งข้อมูล|เอกสาร|ข้อมูล|บริบท|เนื้อหา).{0,40}(?:ไม่ได้ระบุ|ไม่ได้กล่าวถึง|ไม่มีข้อมูล|ไม่ระบุ|ไม่ได้บอก|ไม่เพียงพอ)|ไม่พบข้อมูล|ไม่สามารถ(?:ตอบ|ยืนยัน|ระบุ|หา)|ไม่มีข้อมูล",
            # Hindi
            r"(?:स्रोत|दस्तावेज़|दस्तावेज|जानकारी|संदर्भ|पाठ).{0,50}(?:नहीं\s+(?:बताते|बताया|है|दी|दिया|मिली|मिला|कहते|करते|की)|उल्लेख\s+नहीं)|जानकारी\s+(?:नहीं|उपलब्ध\s+नहीं)",
            # Arabic
            r"(?:لا|لم)\s+(?:تذكر|تحدد|توضح|تحتوي|تشير|يذكر|تقدم|تتضمن|ترد)\s.{0,20}(?:المصادر|الوثائق|المستندات|النصوص|السياق)"
            r"|(?:المصادر|الوثائق|المستندات|النصوص).{0,30}(?:لا|لم)\s+(?:تذكر|تحدد|توضح|تحتوي|تشير|تقدم|تتضمن)"
            r"|لم\s+(?:أجد|أتمكن|أعثر)|لا\s+(?:أستطيع|يمكنني|توجد\s+معلومات|تتوفر)",
        ]
    ),
    re.IGNORECASE,
)

GREETING = re.compile(
    r"(?:hello|hi|hey|good\s+(?:morning|afternoon|evening|day)|dear|thanks|thank\s+you|many thanks|you['’]re\s+(?:very |most )?welcome"
    r"|you\s+are\s+(?:very |most )?welcome|welcome|sorry|i['’]?m\s+(?:so |very |really )?sorry|i\s+am\s+(?:so |very )?sorry|i\s+apologi[sz]e|apologies"
    r"|(?:i\s+)?hope\s+(?:this|that|it|these|you)|(?:that['’]s\s+a\s+|that\s+is\s+a\s+|what\s+a\s+)?(?:great|good|excellent|interesting)\s+question|no\s+problem|no\s+worries"
    r"|my\s+pleasure|(?:i['’]m\s+)?glad|happy\s+to\s+help|i['’]m\s+happy\s+to\s+help|(?:best|kind|warm)\s+regards|sincerely|yours\s+\w+|cheers|goodbye|bye|take\s+care"
    r"|have\s+a\s+(?:\w+\s+)?(?:day|evening|weekend|trip|time)|congratulations|good\s+luck|all\s+the\s+best|understood|got\s+it"
    r"|okay|ok|alright|i\s+understand|wonderful|perfect|great|nice|safe\s+travels"
    r"|hallo|guten\s+(?:tag|morgen|abend)|danke|vielen\s+dank|gern(?:e)?(?:\s+geschehen)?|ich\s+hoffe|mit\s+freundlichen|entschuldigung|bitte\s+schön|viel\s+erfolg|sehr\s+geehrte"
    r"|bonjour|bonsoir|merci|de\s+rien|je\s+vous\s+en\s+prie|j['’]espère|cordialement|désolée?|bien\s+à\s+vous|bonne\s+journée"
    r"|¡?hola|¡?buen[oa]s\s+(?:días|tardes|noches)|¡?gracias|muchas\s+gracias|de\s+nada|espero|saludos|lo\s+siento|un\s+saludo"
    r"|selamat|terima\s+kasih|sama-sama|semoga|maaf|salam"
    r"|您好|你好|谢谢|感谢|不客气|希望.{0,8}(?:帮助|有用)|很抱歉|抱歉|再见|祝您"
    r"|こんにちは|ありがとう|どういたしまして|お役に立て|ご質問ありがとう|申し訳|はじめまして|お問い合わせ(?:いただき)?(?:、)?ありがとう|よろしくお願い"
    r"|안녕|감사|도움이 되|천만에요"
    r"|สวัสดี|ขอบคุณ|ยินดี|หวังว่า|ขออภัย|ขอโทษ"
    r"|नमस्ते|नमस्कार|धन्यवाद|आशा\s+है|क्षमा|आपका\s+स्वागत"
    r"|مرحبا|مرحبًا|أهلا|أهلاً|شكرا|شكرًا|عفوا|عفوًا|آمل|أتمنى|السلام\s+عليكم|عذرًا)",
    re.IGNORECASE,
)

SOCIAL_WORDS = frozenset(
    """
    hello hi hey good morning afternoon evening day dear thanks thank you you're welcome sorry i'm i am
    apologize apologise apologies hope this that it these helps help helped helpful hear your the a an
    for of to about with and great excellent interesting question questions no problem worries my
    pleasure glad happy best kind warm regards sincerely yours faithfully truly cheers goodbye bye take
    care have nice lovely weekend trip congratulations luck all understood got okay ok alright
    understand wonderful perfect asking contacting reaching out very much so really many most is are was
    were that's what there sir madam team everyone customer message patience waiting time in on here be
    can could assist assistance find found useful clear clears things up answers answer information well
    enjoy rest let me know we us our if any further more else anything need today accident illness loss
    damage problem problems news difficulty difficulties inconvenience confusion trouble experience loss
    as at any how safe travels getting touch getting back choosing interest loss situation this by new
    see through

    hallo guten tag morgen abend danke vielen dank gern gerne geschehen ich hoffe das hilft ihnen dir
    weiter mit freundlichen grüßen entschuldigung bitte schön viel erfolg sehr geehrte geehrter damen
    herren ihre frage für und die der es konnte helfen anfrage haben sie diese auskunft informationen
    information zu ihrer bonjour bonsoir merci de rien je vous en prie j'espère que cela aide aidera
    cordialement désolé désolée bien à bonne journée votre pour question beaucoup ceci ces informations
    madame monsieur utile a été vous aidé été hola buenos buenas días tardes noches gracias muchas nada
    espero esto le te ayude sea útil saludos lo siento un saludo por su pregunta consulta haya ayudado
    que esta información selamat pagi petang malam sejahtera datang terima kasih sama semoga membantu
    maaf salam atas soalan anda pertanyaan ini jawapan maklumat tengah hari kerana bertanya menghubungi
    kami dapat bermanfaat
    """.split()
)

COURTESY = re.compile(
    r"(?:(?:please|do|just|simply|if|should|i['’]?d|i\s+would|i\s+can|we\s+can|i['’]m|i\s+am|for\s+(?:more|further|any|additional|specific|personal|full|complete|help)|let\s+me\s+know|feel\s+free"
    r"|don['’]t\s+hesitate|you\s+(?:can|may|should|might|could)|it['’]s\s+(?:best|worth|always)|we\s+recommend|i\s+recommend|i\s+suggest|(?:always\s+)?(?:check|contact|consult|speak|ask|reach)\b"
    r"|happy\s+to|this\s+(?:is\s+not|isn['’]t|information\s+is|answer\s+is|is\s+general)|as\s+an\s+ai|unfortunately|to\s+(?:be\s+sure|find\s+out|confirm|learn))"
    r"|bitte|bei\s+(?:weiteren\s+)?fragen|wenden\s+sie|lassen\s+sie|zögern|ich\s+(?:helfe|empfehle)|wenn\s+sie|falls\s+sie|sie\s+können|für\s+weitere"
    r"|n['’]hésitez|veuillez|si\s+vous|pour\s+(?:plus|toute|en\s+savoir)|je\s+(?:reste|vous\s+(?:invite|recommande|conseille))"
    r"|por\s+favor|no\s+dude|si\s+(?:tiene|necesita|desea)|para\s+(?:más|cualquier)|póngase|le\s+recomiendo|puede\s+(?:contactar|consultar)"
    r"|sila|jangan|jika\s+anda|untuk\s+(?:maklumat|sebarang)|anda\s+boleh"
    r"|请(?:您)?(?:联系|咨询|告诉|告知|随时|与|参阅|查阅)|如(?:果|有).{0,12}(?:问题|疑问|需要|帮助)|建议(?:您)?(?:联系|咨询)|欢迎"
    r"|ご不明|お気軽に|詳しくは.{0,15}(?:お問い合わせ|ご確認|ご相談)|何か.{0,12}(?:ご質問|ありましたら)|お問い合わせください|.{0,20}(?:お問い合わせ|ご連絡|ご相談)ください"
    r"|궁금한|문의|더 궁금|추가 질문"
    r"|กรุณา(?:ติดต่อ|สอบถาม|แจ้ง)|โปรดติดต่อ|หากมี(?:คำถาม|ข้อสงสัย)|หากคุณมี(?:คำถาม|ข้อสงสัย)|สามารถสอบถาม|แนะนำให้ติดต่อ|หากต้องการข้อมูลเพิ่มเติม"
    r"|कृपया|यदि\s+आपके|अगर\s+आपके|अधिक\s+जानकारी"
    r"|يرجى|إذا\s+كان\s+لديك|لا\s+تتردد|لمزيد\s+من|من\s+فضلك)",
    re.IGNORECASE,
)

COURTESY_WORDS = frozenset(
    """
    please do just simply if should i'd would like can may might could let me know feel free don't
    hesitate not or contact contacting consult consulting check checking speak speaking ask asking reach
    out call get in touch refer referring see review read reading visit look looking insurer insurers
    provider agent agents broker administrator administrators support service services customer helpdesk
    desk our their directly further more additional other any questions question anything else details
    detail information policy policies document documents documentation wording schedule booklet terms
    conditions source sources website manager line lines company bank doctor lawyer solicitor accountant
    adviser advisor professional expert experts specialist qualified legal medical financial tax advice
    general purposes only need needs needed help assistance assist helping happy glad provide share tell
    give me you your us we i i'm it's best always worth recommend recommends suggest that this is isn't
    there available here to from for of about on with by the a an and at as be have has had want wish
    will ai assistant language model unfortunately specific personal situation circumstances case full
    complete exact accurate answer answers clarify clarification confirm sure find out directly official
    appropriate relevant version them they it local authority authorities person human colleague member
    staff department office able same date latest up because so but therefore however learn try again
    rephrase rephrasing rewording different topic which one mean meant intended substitute replace
    constitute constitutes legal considered doesn't does nature

    bitte wenden sie sich an ihren ihre ihrer ihrem versicherer versicherung kundenservice kundendienst
    den die der das uns mich bei weiteren fragen zu zur zum lassen mich wissen zögern nicht ich helfe
    empfehle gerne wenn falls haben noch weitere stehe stehen wir ihnen verfügung für informationen
    direkt kontaktieren können kontakt aufnehmen support oder und einen experten berater anwalt arzt
    melden hilfe benötigen brauchen es n'hésitez pas à me nous contacter veuillez votre assureur si vous
    avez d'autres questions pour plus toute question d'informations je reste disposition le la les
    service client conseiller du de consulter besoin d'aide vérifier auprès un une ou et invite
    recommande avez des autre autres por favor no dude en contactar consultar contacte consulte póngase
    contacto con su aseguradora si tiene más preguntas para información cualquier otra duda necesita
    ayuda el la los las servicio al cliente atención nosotros asesor un una recomiendo directamente
    desea saber

    sila hubungi kami jangan ragu untuk bertanya jika anda mempunyai sebarang soalan lain maklumat
    lanjut syarikat insurans pihak khidmat pelanggan boleh rujuk dengan dan atau ejen memerlukan bantuan
    """.split()
)

INTRODUCING = re.compile(
    r"(?:(?:sure|certainly|of course|okay|great|yes|absolutely|thanks[\w ]*)[,!.]?\s+)?(?:(?:based\s+on|according\s+to|from|in)\s+[^,:]{1,60},\s+)?"
    r"(?:here(?:['’]s|\s+is|\s+are)\b|(?:the\s+)?following\b|below\s+(?:is|are)\b|in\s+(?:summary|short|brief)\b|to\s+summari[sz]e\b|let\s+me\s+(?:explain|summari[sz]e|break|walk)"
    r"|these\s+are\b|hier\s+(?:ist|sind|finden)|voici\b|aquí\s+(?:está|tiene)|a\s+continuación|berikut\b|以下是|下面是|以下は|ต่อไปนี้|นี่คือ|यहाँ|إليك|فيما\s+يلي)",
    re.IGNORECASE,
)

ASKING = re.compile(
    r"(?:\d+[.)]\s*)?(?:what|when|where|who|whom|whose|why|how|which|whether|is|are|do|does|did|can|could|will|would|should|may|must|has|have"
    r"|was|wer|wie|wo|wann|warum|welche\w*|que|qui|quand|comment|pourquoi|où|quel\w*|qué|quién|cuándo|cómo|cuál\w*|dónde)\b",
    re.IGNORECASE,
)
QUESTION_STARTS = re.compile(
    r"(?:^|[,;—–-]\s*|\b(?:and|or|but|so|also)\s+|[：:]\s*)(?:what|when|where|who|whom|whose|why|how|which|is|are|am|was|were|do|does|did|can|could"
    r"|will|would|should|shall|may|might|must|has|have|had|isn['’]t|aren['’]t|don['’]t|doesn['’]t|can['’]t)\b",
    re.IGNORECASE,
)
RHETORICAL = re.compile(
    r"^(?:did\s+you\s+know|wussten\s+sie|saviez-vous|¿?sabía)|,\s*(?:right|correct|isn['’]t\s+it|aren['’]t\s+they|doesn['’]t\s+it|don['’]t\s+you|nicht\s+wahr|oder|n['’]est-ce\s+pas|¿?verdad)\s*\?",
    re.IGNORECASE,
)
