"""A word in; the root it shares with its other forms (``lent``, ``lends`` → ``lend``) out."""

from __future__ import annotations

from functools import cache, lru_cache

from footnoted.text import stem

_FORMS = """arise arose arisen; awake awoke; bear bore; beat beaten; become became; begin began begun; bend bent; bet;
bind bound; bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build
built; burn burnt; buy bought; catch caught; choose chose chosen; come came; creep crept; deal dealt; dig dug;
draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed
fed; fight fought; flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive
forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang
hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lay laid; lead led;
learn learnt; lend lent; lie lain; light lit; lose lost; make made; mean meant; meet met; mistake mistook; pay
paid; prove proven; ride rode ridden; ring rang rung; rise risen; run ran; say said; see saw seen; seek
sought; sell sold; send sent; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk;
sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; spend spent; spin spun;
spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike struck; strive strove;
swear swore sworn; sweep swept; swim swam swum; swing swung; take took taken; teach taught; tear tore torn;
tell told; think thought; throw threw thrown; tread trod; understand understood; undertake undertook undertaken; wake
woke woken; wear wore worn; weave wove woven; weep wept; win won; withdraw withdrew withdrawn; write wrote
written; man men; woman women; child children; foot feet; tooth teeth; mouse mice; goose geese; person people;
wife wives; death dead die died dying; birth born; lengthen long length; height high; width wide; depth deep;
strength strong; proof prove; belief believe believed; thief theft thieves; advice advise; choice
choose; loss lose; sale sell; growth grow; speech speak; flight fly; song sing; gift give; marriage marry
married; origin originate originated originally; located location; invent invention inventor;"""


@cache
def _table() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in _FORMS.split(";"):
        forms = [stem(word) for word in line.split()]
        if len(forms) > 1:
            first = next((table[form] for form in forms if form in table), forms[0])
            for form in forms:
                table.setdefault(form, first)
    return table


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """The stem of a word, irregular forms brought together.

    >>> root("lent"), root("Policies"), root("died")
    ('lend', 'polici', 'death')
    """
    one = stem(word)
    return _table().get(one, one)
