"""Two words in; whether one turns the other round (``before``/``after``, ``active``/``inactive``) out."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from footnoted.text import stem

if TYPE_CHECKING:
    from collections.abc import Collection

_PAIRS = """before/after first/last first/second early/late earliest/latest earlier/later beginning/end start/end
start/finish start/stop begin/cease open/close increase/decrease increase/reduce rise/fall rise/decline grow/shrink
more/less more/fewer most/least most/fewest largest/smallest larger/smaller large/small big/small high/low
highest/lowest higher/lower long/short longest/shortest old/new oldest/youngest oldest/newest young/old strong/weak
strongest/weakest stronger/weaker rich/poor good/bad best/worst better/worse major/minor majority/minority
maximum/minimum north/south east/west northern/southern eastern/western northeast/southwest left/right upper/lower
inside/outside internal/external indoor/outdoor above/below over/under front/back top/bottom success/failure
succeed/fail win/lose won/lost winner/loser victory/defeat support/oppose agree/disagree accept/reject
approve/reject allow/prohibit allow/forbid permit/ban include/exclude including/excluding add/remove build/destroy
create/destroy attack/defend enter/leave arrive/depart join/leave gain/lose buy/sell import/export borrow/lend
public/private legal/illegal male/female man/woman men/women father/mother son/daughter husband/wife brother/sister
king/queen positive/negative active/passive hot/cold warm/cool wet/dry light/dark day/night summer/winter spring/autumn
always/never often/rarely usually/rarely common/rare easy/difficult simple/complex safe/dangerous alive/dead birth/death
born/died ally/enemy friend/enemy peace/war rural/urban domestic/foreign general/specific natural/artificial
ancestor/descendant teacher/student employer/employee buyer/seller credit/debit profit/loss single/double
single/multiple all/none everyone/nobody with/without protestant/catholic liberal/conservative democrat/republican"""
_TURNING = ("un", "in", "im", "ir", "il", "non", "dis")


@cache
def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for pair in _PAIRS.split():
        one, other = (stem(word) for word in pair.split("/"))
        table.setdefault(one, set()).add(other)
        table.setdefault(other, set()).add(one)
    return {key: frozenset(values) for key, values in table.items()}


def has_opposite(one: str, stems: Collection[str]) -> bool:
    """Whether the stems hold a word that turns this stem round."""
    if any(other in stems for other in _table().get(one, ())):
        return True
    return any(_turns(one, other) or _turns(other, one) for other in stems)


def _turns(one: str, other: str) -> bool:
    """``activ``, ``inact``: what follows the prefix begins the other stem, and all but its last letters."""
    for prefix in _TURNING:
        if other.startswith(prefix):
            rest = other[len(prefix) :]
            return len(rest) >= 3 and one.startswith(rest) and len(one) - len(rest) <= 2
    return False
