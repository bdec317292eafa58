"""Decides whether a sentence ends before a space in a Thai text. Thai has no full stop.

A space ends a sentence after a citation marker, after a polite particle, or after a clause's worth of text;
not before a word that carries a clause on, nor after a first condition ("หาก… ").
"""

from __future__ import annotations

from footnoted.text.marks import LATER, NEVER, skip_space
from footnoted.text.scripts import is_thai

_RUNS_ON = tuple(
    """
    และ หรือ แต่ ซึ่ง ที่ โดย เพื่อ เช่น ได้แก่ คือ ว่า จึง ก็ รวมถึง รวมทั้ง ตลอดจน กับ ของ ใน จาก ไม่ เป็น จะ ต้อง
    ภายใน ตาม หลังจาก ก่อน เพราะ เนื่องจาก
    """.split()
)
_BEGINS = tuple(
    """
    นอกจากนี้ นอกจากนั้น อย่างไรก็ตาม ทั้งนี้ ดังนั้น หาก ถ้า กรุณา โปรด สำหรับ ในกรณี คุณ ท่าน กรมธรรม์ บริษัท ขอบคุณ
    """.split()
)
_CONDITION = ("หาก", "ถ้า", "เมื่อ", "ในกรณี", "กรณี", "สำหรับ", "ขอบคุณ")
_PARTICLES = ("ครับ", "ค่ะ", "คะ", "จ้ะ", "ขอบคุณ")
_CLAUSE = 40  # code points that make a clause
_SHORT_CLAUSE = 15  # before a word that begins sentences
_AHEAD = 12  # code points that tell which word follows


def space_ends(text: str, begin: int, space: tuple[int, int], stop: int, *, more: bool) -> int:
    """Where the sentence that began at ``begin`` ends before this space; `NEVER`, or `LATER` if unknown yet."""
    start, end = space
    before = text[start - 1] if start > begin else ""
    marked = before != "" and before in "]⁰¹²³⁴⁵⁶⁷⁸⁹】" and any(map(is_thai, text[begin:start]))
    if not (marked or is_thai(before)):
        return NEVER
    ahead = text[end : min(stop, end + _AHEAD)]
    if more and len(ahead) < _AHEAD and " " not in ahead:
        return LATER
    if not is_thai(ahead[:1]) and not (marked and ahead[:1].isupper()):
        return NEVER
    if ahead.startswith(_RUNS_ON) and not (marked and ahead.startswith("แต่")):
        return NEVER
    if marked or text.endswith(_PARTICLES, begin, start):
        return start
    begin = skip_space(text, begin, start)
    if text.startswith(_CONDITION, begin) and text.find(" ", begin, start) < 0:
        return NEVER
    return start if start - begin >= (_SHORT_CLAUSE if ahead.startswith(_BEGINS) else _CLAUSE) else NEVER
