"""The words by which sentences that need no support are known, in eleven languages. Data; `kinds` reads it.

Patterns are written for plain words: lower case, straight apostrophes, single spaces, no markers.
"""

from __future__ import annotations

import re


def _any(alternatives: str) -> str:
    """One pattern out of alternatives that stand apart by `` | ``, over several lines."""
    return "(?:" + "|".join(part.strip() for part in re.split(r"\s\|\s", f" {alternatives} ") if part.strip()) + ")"


BARE_REPLIES = frozenset(
    part.strip()
    for part in """
    yes | no | yes, it is | no, it is not | no, it isn't | yes it is | correct | that's correct | that's right
    | that is correct | absolutely | certainly | of course | definitely | sure | it depends | that depends
    | not exactly | not quite | not necessarily | partly | partially | exactly | yep | nope | true | false
    | ja | nein | natürlich | genau | es kommt darauf an | teilweise | oui | non | bien sûr | cela dépend
    | sí | si | claro | por supuesto | depende | ya | tidak | boleh | betul | 是的 | 是 | 不是 | 不 | 可以 | 不可以 | 对
    | 不能 | はい | いいえ | ใช่ | ไม่ใช่ | ใช่ครับ | ใช่ค่ะ | ไม่ใช่ครับ | ไม่ใช่ค่ะ | ได้ครับ | ได้ค่ะ | हाँ | नहीं | जी हाँ | जी नहीं
    | نعم | لا | بالطبع | 네 | 아니요 | 예
    """.split("|")
)

_OPENER = r"(?:(?:oh|ah|wow|well|haha|hm+|and|so|but) )*"
_DEGREE = r"(?:so|very|really|quite|pretty|such|all|rather|truly|just|too|absolutely|certainly|definitely) "
_AGREEING = r"(?:(?:yes|yeah|yea|yep|yup|ok|okay|no|nope|true|right|indeed|sure|actually|however) )"
_AUXILIARY = (
    r"(?:(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|am) ?(?:not|n't)?"
    r"|(?:isn|aren|wasn|weren|doesn|don|didn|hasn|haven|hadn|can|couldn|won|wouldn|shouldn)'t|cannot)"
)

# Words alone, without punctuation. Who only agrees says what somebody else said.
AGREEMENT = re.compile(
    _OPENER
    + f"{_AGREEING}*{_OPENER}"
    + _any(
        rf"""
        yes | yeah | yea | yep | yup | ok | okay | indeed | agreed | exactly | same here | me (?:too|either|neither)
        | i (?:{_DEGREE}|totally |completely |fully |do )?agree(?: with (?:that|this|you))?
        | i (?:know|see|bet|suppose|guess|think|hope|believe|would think|can imagine|imagine)(?: so| that)?
        | i can (?:understand|see) (?:that|this)
        | i did(?:n't| n't| not) (?:know|realise|realize)(?: that| this)? | i(?:'m| m| am) not (?:{_DEGREE})?sure
        | no way | not (?:really|sure) | (?:kind|sort) of | (?:{_DEGREE})*(?:true|right) | so (?:do|am|did|have) i
        | (?:i think )?you(?:'re| re| are) (?:{_DEGREE}|probably )*(?:right|correct)
        | that(?:'s| s| is|(?:'s| s| is) not| is n't| isn't) (?:{_DEGREE})*(?:true|right|correct|accurate)
        | (?:that )?makes sense | of course | certainly | absolutely | definitely
        | (?:yes|yeah|yea|yep|no|nope) (?:i|you|he|she|it|we|they|that|this|there) (?:{_DEGREE})?{_AUXILIARY}(?: be)?
        """
    )
)

# What pleases or surprises the one who speaks. No word of it tells anything about what is spoken of.
_PRAISE = _any(
    """
    impressive | interesting | amazing | awesome | cool | neat | fascinating | wonderful | lovely | beautiful | funny
    | delicious | incredible | surprising | unbelievable | crazy | insane | hilarious | fun | sad | a lot | a shame
    | a pity | a bummer | lucky | scary | exciting | inspiring | heartbreaking | remarkable | nice | great
    | (?:great|good|nice|sad|interesting|wonderful|lovely) (?:to (?:hear|know)|answer|question|guess|idea|thing|story)
    """
)
_CRY = r"(?:(?:so|very|really) )?(?:amazing|awesome|fascinating|impressive|incredible|interesting|unbelievable)"
_THAT_IS = (
    r"(?:that|this)(?:'s| s| is| was| sounds| seems| must be| must have been| will be| would be| would have been) "
)
REMARK = re.compile(
    _OPENER
    + _any(
        rf"""
        wow | haha(?:ha)* | lol | {_CRY} | how {_PRAISE} | what an? (?:{_PRAISE}|shame|pity) | (?:good|great|fair) point
        | {_THAT_IS}(?:{_DEGREE})*(?:an? )?(?:{_DEGREE})*{_PRAISE} | lucky you | i can't wait
        """
    )
)

GREETING = re.compile(
    _any(
        """
        hello | hi | hey | good (?:morning|afternoon|evening|day) | dear | thanks | thank you | many thanks
        | you(?:'re| are) (?:very |most )?welcome | welcome | sorry | apologies | my apologies
        | i apologi[sz]e
        | (?:i'm|i am|we're|we are) (?:so |very |really |truly )?sorry | (?:i |we )?hope (?:this|that|it|these|you)
        | (?:that's |that is |what )?(?:an? )?(?:great|good|excellent|interesting) question | no (?:problem|worries)
        | my pleasure | (?:i'm )?glad | (?:i'm )?happy to help | (?:best|kind|warm) (?:regards|wishes)
        | sincerely | yours
        | cheers | goodbye | bye | take care | have an? | congratulations | good luck | all the best | understood
        | got it | okay | ok | alright | i understand | wonderful | perfect | great | nice | safe travels | enjoy
        | hallo | guten (?:tag|morgen|abend) | danke | vielen dank | gern | ich hoffe | mit freundlichen
        | entschuldigung
        | bitte schön | viel (?:erfolg|glück) | sehr geehrte | es tut mir leid | schönen tag | liebe grüße | gute frage
        | bonjour | bonsoir | merci | de rien | je vous en prie | j'espère | cordialement | désolée? | bien à vous
        | bonne (?:journée|question|chance) | je suis désolée? | avec plaisir | excellente question
        | ¡?hola | ¡?buen[oa]s (?:días|tardes|noches) | ¡?gracias | ¡?muchas gracias | de nada | espero | saludos
        | lo siento | un saludo | ¡?buena pregunta | con gusto | ¡?que tenga
        | selamat | terima kasih | sama-sama | semoga | maaf | salam | soalan yang bagus | hai
        | 您好 | 你好 | 谢谢 | 感谢 | 不客气 | 希望.{0,8}(?:帮助|有用|帮到) | 很抱歉 | 抱歉 | 再见 | 祝您
        | 好问题 | 很高兴
        | こんにちは | ありがとう | どういたしまして | お役に立て | ご質問.{0,8}ありがとう | 申し訳 | はじめまして
        | よろしくお願い | お問い合わせ.{0,8}ありがとう | 参考になれば
        | 안녕 | 감사 | 도움이 되 | 천만에요 | 반갑습니다 | (?:문의|질문)해 주셔서
        | สวัสดี | ขอบคุณ | ยินดี | หวังว่า | ขออภัย | ขอโทษ | ขอให้
        | नमस्ते | नमस्कार | धन्यवाद | (?:मुझे )?आशा है | क्षमा | आपका स्वागत | आपके (?:प्रश्न|सवाल).{0,12}धन्यवाद | उम्मीद है
        | مرحب | أهلا | أهلًا | شكر | عفو | آمل | أتمنى | السلام عليكم | عذر | نأمل
        """
    )
)

# A greeting holds no other words than these.
SOCIAL_WORDS = frozenset(
    """
    a about accident afternoon all alright am an and answer answers any anything apologies apologise
    apologize are as asking assist assistance at back be best by bye can care cheers choosing clear
    clears confusion congratulations contacting could customer damage day dear difficulties difficulty
    else enjoy evening everyone excellent experience faithfully find for found further getting glad good
    goodbye got great happy have hear hello help helped helpful helps here hey hi hope how i i'm if
    illness in inconvenience information interest interesting is it kind know let loss lovely luck madam
    many me message more morning most much my need new news nice no of ok okay on our out patience
    perfect pleasure problem problems question questions reaching really regards rest safe see sincerely
    sir situation so sorry take team thank thanks that that's the there these things this through time
    to today touch travels trip trouble truly understand understood up us useful very waiting warm was
    we weekend welcome well were what with wonderful worries you you're your yours

    a abend aide aidera aidé an anda anfrage are atas auskunft avec ayudado ayude bagus beaucoup
    bermanfaat bertanya bien bitte bonjour bonne bonsoir buen buena buenas buenos ceci cela ces chance
    con consulta cordialement damen dank danke dapat das datang de deine deinen der die diese dir désolé
    désolée día días en entschuldigung erfolg es espero esta esto excellente frage freundlichen für
    geehrte geehrter gern gerne geschehen glück gracias grüßen gusto gute guten haben hai hallo hari
    haya helfen herren hilft hoffe hola i'm ich ihnen ihre ihrer información information informationen
    informations ini j'espère jawapan je journée kami kasih kerana konnte le leid liebe lo maaf madame
    maklumat malam membantu menghubungi merci mir mit monsieur morgen muchas nada noches pagi pertanyaan
    petang plaisir por pour pregunta prie que question rien salam saludo saludos sama schön schönen sea
    sehr sejahtera selamat semoga sie siento soalan su suis tag tardes te tenga tengah terima truly tut
    un und utile viel vielen votre vous we we're weekends weiter wish wishes yang you've zu à été útil
    """.split()
)

COURTESY = re.compile(
    r"(?:(?:however|additionally|also|therefore|so|but|and|in any case|as always|for this reason),? )?"
    + _any(
        """
        please | do | just | simply | if | should | i'd | i would | i can | we can | i'm | i am | let me know
        | for (?:more|further|any|additional|specific|personal|full|complete|help|legal|medical|financial)
        | feel free | don't hesitate
        | you (?:can|may|should|might|could)
        | it(?:'s| is) (?:always|best|worth|essential|important|crucial|recommended|advisable)
        | (?:i|we) (?:recommend|suggest|advise)
        | (?:always )?(?:check|contact|consult|speak|ask|reach) | happy to | as an ai | unfortunately
        | this (?:is not|isn't|information is|answer is|is general) | to (?:be sure|find out|confirm|learn)
        | bitte | bei (?:weiteren )?fragen | wenden sie | lassen sie | zögern | ich (?:helfe|empfehle) | wenn sie
        | falls sie | sie können | für weitere
        | n'hésitez | veuillez | si vous | pour (?:plus|toute|en savoir)
        | je (?:reste|vous (?:invite|recommande|conseille))
        | por favor | no dude | si (?:tiene|necesita|desea) | para (?:más|cualquier) | póngase | le recomiendo
        | puede (?:contactar|consultar) | sila | jangan | jika anda | untuk (?:maklumat|sebarang) | anda boleh
        | 请(?:您)?(?:联系|咨询|告诉|告知|随时|与|参阅|查阅) | 如(?:果|有).{0,12}(?:问题|疑问|需要|帮助) | 欢迎
        | 建议(?:您)?(?:联系|咨询) | ご不明 | お気軽に | 詳しくは | 詳細は | 何か.{0,12}(?:ご質問|ありましたら)
        | .{0,24}(?:お問い合わせ|ご相談)ください\\Z | 궁금한 | 문의 | 더 궁금 | 추가 질문
        | กรุณา(?:ติดต่อ|สอบถาม|แจ้ง) | โปรดติดต่อ | หาก(?:คุณ|ท่าน)?มี(?:คำถาม|ข้อสงสัย) | สามารถสอบถาม
        | แนะนำให้ติดต่อ | หากต้องการข้อมูลเพิ่มเติม | कृपया | (?:यदि|अगर) आपके | अधिक जानकारी
        | يرجى | إذا كان لديك | لا تتردد | لمزيد من | من فضلك
        """
    )
)

# A courtesy holds no other words than these and the social ones, and one of the verbs below.
COURTESY_WORDS = SOCIAL_WORDS | frozenset(
    """
    a able about accountant accurate additional additionally administrator administrators advice adviser advisor
    advisable again agent agents ai always an and answer answers any anything appropriate as ask asking assist
    assistance assistant at authorities authority available bank be because best booklet broker but by
    call can case check checking circumstances clarification clarify colleague company complete
    conditions confirm considered constitute constitutes consult consulting contact contacting could
    customer date department desk detail details different directly do doctor document documentation
    documents does doesn't don't else exact expert experts feel financial find for free from full
    further general get give glad had happy has have help helpdesk helping here hesitate however human i
    i'd i'm if in information insurer insurers intended is isn't it it's just know language latest
    lawyer learn legal let like line lines local look looking manager may me mean meant medical member
    might model more nature need needed needs not of office official on one only or other our out person
    personal please policies policy professional provide provider purposes qualified question questions
    reach read reading recommend recommends refer referring relevant rephrase rephrasing replace review
    rewording same schedule see service services share should simply situation so solicitor source
    sources speak speaking specialist specific staff substitute suggest support sure tax tell terms that
    the their them there therefore they this to topic touch try unfortunately up us version visit want
    we website which will wish with wording worth would you your
    crucial essential guidance healthcare important personalised personalized recommended depth tailored

    al an anwalt arzt aseguradora asesor assureur atención aufnehmen auprès autre autres avez ayuda bei
    benötigen berater besoin bitte brauchen client cliente con conseiller consultar consulte consulter
    contactar contacte contacter contacto cualquier d'aide d'autres d'informations das de den der des
    desea die directamente direkt disposition du duda dude einen el empfehle en es et experten falls
    favor fragen für gerne haben helfe hilfe ich ihnen ihre ihrem ihren ihrer información informationen
    invite je kontakt kontaktieren kundendienst kundenservice können la las lassen le les los me melden
    mich más n'hésitez necesita nicht no noch nosotros nous oder otra ou para pas plus por pour
    preguntas póngase question questions recomiendo recommande reste saber service servicio si sich sie
    stehe stehen su support tiene toute un una und une uns verfügung versicherer versicherung veuillez
    votre vous vérifier weitere weiteren wenden wenn wir wissen zu zum zur zögern à

    anda atau bantuan bertanya boleh confirmation contactarme contactarnos dan dengan ejen hubungi i'll
    insurans jangan jika kami khidmat lain lanjut maklumat memerlukan mempunyai pelanggan pihak
    preguntarme ragu rujuk sebarang sila soalan syarikat untuk we'll you'd you'll
    """.split()
)
TURNS_TO = frozenset(
    """
    contact contacting consult consulting check ask asking speak reach refer review help assist hesitate know advice
    rephrase clarify substitute free wenden kontaktieren helfe hilfe wissen zögern stehe melden verfügung contacter
    contacte contactar contactarnos contactarme preguntarme
    consultar consulte consulter n'hésitez aide aider aider invite reste póngase dude ayudarle ayuda
    hubungi tanya bertanya ragu rujuk
    """.split()
)

INTRODUCING = re.compile(
    r"(?:(?:sure|certainly|of course|okay|great|yes|absolutely|thanks[\w ]*)[,!.]? )?"
    r"(?:(?:based on|according to|from|in) [^,:]{1,60}, )?"
    + _any(
        """
        here(?:'s| is| are)\\b | (?:the )?following\\b | below (?:is|are)\\b | in (?:summary|short|brief)\\b
        | to summari[sz]e\\b | let me (?:explain|summari[sz]e|break|walk)\\b | these are\\b
        | hier (?:ist|sind|finden) | voici\\b | aquí (?:está|tiene) | a continuación | berikut\\b
        | 以下是 | 下面是 | 以下は | ต่อไปนี้ | นี่คือ | यहाँ | إليك | فيما يلي
        """
    )
)

ASKING = re.compile(
    r"(?:\d+[.)]\s*)?(?:what|when|where|who|whom|whose|why|how|which|whether|is|are|do|does|did|can|could|will|would"
    r"|should|may|must|has|have|was|wer|wie|wo|wann|warum|welche\w*|que|qui|quand|comment|pourquoi|où|quel\w*|qué"
    r"|quién|cuándo|cómo|cuál\w*|dónde)\b"
)
QUESTION_STARTS = re.compile(
    r"(?:^|[,;:：—–-]\s*|\b(?:and|or|but|so|also) )(?:what|when|where|who|whom|whose|why|how|which|is|are|am|was|were"
    r"|do|does|did|can|could|will|would|should|shall|may|might|must|has|have|had|isn't|aren't|don't|doesn't|can't)\b"
)
RHETORICAL = re.compile(
    r"^(?:did you know|wussten sie|saviez-vous|¿?sabía)|, (?:right|correct|isn't it|aren't they|doesn't it|don't you"
    r"|is it not|nicht wahr|oder|n'est-ce pas|¿?verdad) ?\?"
)
