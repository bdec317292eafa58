"""Whatever form an answer gives to a statement, under ``hold`` it leaves with its verdict, or visibly unverified.

Sixty forms of one statement that no source has ("zebra", or the word named), weighed by a check that is never sure: each
line, or block of code, in which it is rendered has the sign. Exempt is the closed list of courtesies alone.
"""

from __future__ import annotations

import re

import pytest

from footnoted import GroundedGenerator
from footnoted.types import Verdict

from .test_generator import speaks

SIGN = "(unverified)"
FORMS: dict[str, tuple[str, str]] = {
    "sentence": ("A zebra costs £900.", "zebra"),
    "no full stop": ("A zebra costs £900", "zebra"),
    "exclamation": ("A zebra is free!", "zebra"),
    "ellipsis": ("A zebra is free…", "zebra"),
    "question": ("Did you know that a zebra is free?", "zebra"),
    "question mark alone": ("A zebra is free, isn't it?", "zebra"),
    "wide question": ("斑马是免费的，对吗？", "斑马"),
    "bold": ("**A zebra is free.**", "zebra"),
    "italic": ("*A zebra is free.*", "zebra"),
    "bold italic": ("***A zebra is free.***", "zebra"),
    "struck out": ("~~A zebra is free.~~", "zebra"),
    "backticks": ("`A zebra is free.`", "zebra"),
    "double backticks": ("``A zebra is free.``", "zebra"),
    "backticks in a sentence": ("The price is `zebra = 0`.", "zebra"),
    "fence": ("```\nzebra = 0\n```", "zebra"),
    "fence with language": ("```python\nzebra = 0\n```", "zebra"),
    "tilde fence": ("~~~\nzebra = 0\n~~~", "zebra"),
    "fence that never closes": ("```\nA zebra is free.", "zebra"),
    "tilde fence that never closes": ("~~~\nA zebra is free.", "zebra"),
    "indented code": ("Look:\n\n    zebra = 0\n", "zebra"),
    "heading": ("# A zebra is free\n\nThe excess is £75.", "zebra"),
    "deep heading": ("###### Zebra cover\n\nThe excess is £75.", "Zebra"),
    "underlined heading": ("Zebra cover\n===========\n\nThe excess is £75.", "Zebra"),
    "heading of nothing": ("## A zebra is free", "zebra"),
    "bold heading": ("**Zebra cover**\n\nThe excess is £75.", "Zebra"),
    "bullet": ("- A zebra is free", "zebra"),
    "star bullet": ("* A zebra is free", "zebra"),
    "numbered": ("1. A zebra is free", "zebra"),
    "lettered": ("a) A zebra is free", "zebra"),
    "task": ("- [x] A zebra is free", "zebra"),
    "nested bullet": ("- The excess\n  - A zebra is free", "zebra"),
    "bullet with bold label": ("- **Zebra**: free", "Zebra"),
    "lead-in of a list": ("A zebra is free for:\n- members", "zebra"),
    "lead-in of code": ("A zebra is free:\n\n```\npass\n```", "zebra"),
    "lead-in of a table": ("A zebra is free:\n\n| Plan | Cost |\n|---|---|\n| Gold | 5 |", "zebra"),
    "lead-in of a paragraph": ("A zebra is free:\n\nThe excess is £75.", "zebra"),
    "lead-in of nothing": ("A zebra is free:", "zebra"),
    "table header": ("| Zebra | free |\n|---|---|\n| Gold | 5 |", "Zebra"),
    "table row": ("| Animal | Cost |\n|---|---|\n| Zebra | £0 |", "Zebra"),
    "table without bars at its ends": ("Animal | Cost\n--- | ---\nzebra | £0", "zebra"),
    "blockquote": ("> A zebra is free.", "zebra"),
    "nested blockquote": ("> > A zebra is free.", "zebra"),
    "inline maths": ("The price is $zebra = 0$.", "zebra"),
    "display maths": ("$$\nzebra = 0\n$$", "zebra"),
    "LaTeX": ("\\[ \\text{zebra} = \\frac{0}{1} \\]", "zebra"),
    "LaTeX inline": ("\\( \\text{zebra} = 0 \\)", "zebra"),
    "LaTeX environment": ("\\begin{align}\nzebra &= 0\n\\end{align}", "zebra"),
    "HTML bold": ("<b>A zebra is free.</b>", "zebra"),
    "HTML paragraph": ("<p>A zebra is free.</p>", "zebra"),
    "HTML comment": ("<!-- a zebra is free -->", "zebra"),
    "HTML details": ("<details><summary>Zebra</summary>It is free.</details>", "Zebra"),
    "image": ("![a zebra is free](https://x.example/a.png)", "zebra"),
    "link": ("[A zebra is free](https://x.example/a).", "zebra"),
    "reference definition": ("[zebra]: https://x.example/a", "zebra"),
    "footnote of the model": ("The excess is £75.[^a]\n\n[^a]: A zebra is free.", "zebra"),
    "emoji": ("🦓 A zebra is free ✅", "zebra"),
    "emoji bullet": ("✅ A zebra is free", "zebra"),
    "courtesy with a statement": ("Thank you, a zebra is free.", "zebra"),
    "courtesy before a statement": ("Hello! A zebra is free.", "zebra"),
    "yes before a statement": ("Yes. A zebra is free.", "zebra"),
    "courtesy of a statement's words": ("You should not insure your zebra.", "zebra"),
    "advice": ("Please call us about your zebra.", "zebra"),
    "sign-off": ("Kind regards,\nThe Zebra Team", "Zebra"),
    "refusal with a statement": ("The sources do not say so, but a zebra is free.", "zebra"),
    "refusal of a statement": ("The sources do not mention that a zebra is free.", "zebra"),
    "denied knowledge": ("I do not know whether the zebra that costs £900 is covered.", "zebra"),
    "parenthesis": ("The excess is £75 (a zebra is free).", "zebra"),
    "quotation": ('"A zebra is free," says the policy.', "zebra"),
    "definition list": ("Zebra\n: free of charge", "Zebra"),
    "JSON": ('{"zebra": "free"}', "zebra"),
    "CSV": ("zebra,free,0", "zebra"),
    "arrow": ("zebra → free", "zebra"),
    "rule around": ("---\nA zebra is free.\n---", "zebra"),
    "upper case": ("A ZEBRA IS FREE", "ZEBRA"),
    "one word": ("Zebra.", "Zebra"),
    "Chinese after a greeting": ("你好！斑马是免费的。", "斑马"),
    "Chinese thanks": ("感谢您的提问，斑马是免费的。", "斑马"),
    "Japanese after a greeting": ("こんにちは。シマウマは無料です。", "シマウマ"),
    "Korean after a greeting": ("안녕하세요! 얼룩말은 무료입니다.", "얼룩말"),
    "Thai after a greeting": ("สวัสดีครับ ม้าลายฟรี", "ม้าลาย"),
    "Arabic after a greeting": ("مرحبا! الحمار الوحشي مجاني.", "الوحشي"),
    "Hindi after a greeting": ("नमस्ते! ज़ेबरा मुफ़्त है।", "ज़ेबरा"),
    "Hebrew": ("שלום! הזברה חינם.", "הזברה"),
    "Russian": ("Здравствуйте! Зебра бесплатна.", "Зебра"),
    "German": ("Guten Tag! Das Zebra ist kostenlos.", "Zebra"),
}


class NeverSure:
    """A check that reads everything and is never sure."""

    async def acheck(self, claim, sources, *, cited=()):
        return Verdict("unsure", score=0.5, tier="model", reason="not clear")


def unmarked(text, word):
    """The paragraphs, items and rows with the word and without the sign; what introduces them is read with them."""
    text = re.sub(r":\n+(?=[-\w])", ": ", text)
    blocks = re.split(
        r"\n\s*\n|\n(?=\s*(?:[-*|>#]|\d+\.)\s?)", re.sub(r"(?ms)^(```|~~~).*?(?:^\1[^\n]*\n?|\Z)", _flat, text)
    )
    return [block for block in blocks if word in block and SIGN not in block]


def _flat(match):
    return match.group().replace("\n", " ⏎ ")


def test_sixty_forms():
    """No fewer."""
    assert len(FORMS) >= 60


@pytest.mark.parametrize("form", FORMS)
async def test_no_form_renders_a_statement_without_a_verdict(form, asked):
    """What is rendered of it carries the sign; each claim's verdict is told too."""
    said, word = FORMS[form]
    generator = GroundedGenerator(speaks(said), checker=NeverSure(), checking="hold", doubt="mark", judge=None)
    response = await generator.generate(asked())
    assert unmarked(response.response, word) == []
    assert "supported" not in [claim.verdict for claim in response.claims if word in claim.text]


@pytest.mark.parametrize("form", FORMS)
async def test_nothing_doubtful_is_rendered_where_doubt_is_withheld(form, asked):
    """The same forms under ``doubt="withhold"``: the statement does not appear at all."""
    said, word = FORMS[form]
    generator = GroundedGenerator(speaks(said), checker=NeverSure(), checking="hold", doubt="withhold", judge=None)
    assert word not in (await generator.generate(asked())).response


@pytest.mark.parametrize(
    "said",
    [
        "The sources do not mention a windscreen excess.",
        "I'm sorry, but I don't have enough information to answer that.",
        "I could not find the windscreen excess in the documents provided.",
        "Unfortunately, the exact excess is not specified in the sources.",
        "Ich konnte dazu keine Informationen finden.",
    ],
)
async def test_that_there_is_no_answer_to_what_was_asked_needs_no_sign(said, asked):
    """It says nothing but that, so there is nothing to verify."""
    generator = GroundedGenerator(speaks(said), checker=NeverSure(), checking="hold", doubt="mark", judge=None)
    response = await generator.generate(asked("What is the windscreen excess?"))
    assert SIGN not in response.response
