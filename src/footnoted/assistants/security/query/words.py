"""The closed-class words of questions on findings: how one counts, orders, compares, negates, and dates.

These are the words of the grammar, not of any tenant: what a finding is about (an account, a check, a framework) is
looked up in the tenant's own vocabulary. A word's role stands before its value: ``severity:high``.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from typing import get_args

from footnoted.assistants.security.query.finding_query import Group
from footnoted.assistants.security.query.vocabulary import compact

_ROLES = """
severity:critical = critical criticals crit crits
severity:high = high highs
severity:medium = medium mediums moderate
severity:low = low lows
severity:informational = informational informationals info
status:fail = open failing failed fail fails failure failures active outstanding broken remain remaining
status:pass = passed passing passes pass
status:muted = muted suppressed silenced mute
status:manual = manual
status:warning = warning warnings
status:archived = archived
change:new = new newly
change:unmuted = unmuted unsuppressed
change:fixed = fixed resolved closed remediated solved repaired mended cleared
change:gone = gone vanished disappeared
noun:findings = finding findings issue issues problem problems misconfiguration misconfigurations violation
noun:findings = violations alert alerts vulnerability vulnerabilities weakness weaknesses fails ones stuff thing
noun:findings = things
noun:resources = resource resources asset assets
noun:checks = check checks rule rules
noun:account = account accounts subscription subscriptions project projects cluster clusters tenancy tenancies
noun:region = region regions namespace namespaces location locations
noun:service = service services
noun:provider = cloud clouds provider providers
noun:severity = severity severities
noun:status = status statuses
noun:scanner = scanner scanners tool tools
noun:resource_type = type types
noun:category = category categories
noun:framework = framework frameworks standard standards regulation regulations benchmark
noun:requirement = requirement requirements control controls item items section sections article clause criterion
noun:requirement = criteria chapter chapters
noun:month = month months monthly
noun:week = week weeks weekly
noun:day = day days daily
noun:year = year years yearly
noun:hour = hour hours hourly minute minutes
noun:tag = tag tags tagged label labels labelled
noun:scan = scan scans
noun:text = sentence sentences paragraph paragraphs bullet bullets
document = document documents file files uploaded pdf attachment attachments
seen = seen firstseen firsttime lastseen detected discovered wasnt werent
arose = appeared showedup showup turnedup cameup popped surfaced emerged arose firstdetected firstreported firstfound
turned = turnedon switchedon
polite = please pls plz thanks thank ok okay hi hello hey cheers lol
select:count = howmany many numberof count total totals amount howmuch number numbers
select:list = list show which what whats give name names display see
select:age = howold howlong average avg averages onaverage median meanage age ages
select:rate = rate percentage percent share ratio proportion fraction
select:compare = compare vs versus compared comparison
select:diff = change changes changed progress difference delta trend trending netchange better worse improving fewer
select:diff = improved evolution rise rising risen rose fall falling fallen fell grow growing grew grown shrink
select:diff = shrinking drop dropping dropped increase increasing increased decrease decreasing decreased
select:diff = goingup goingdown goneup gonedown wentup wentdown upordown
went:up = worse rise rising risen rose grow growing grew grown increase increasing increased goingup goneup wentup
went:down = better improving improved fewer fall falling fallen fell shrink shrinking drop dropping dropped
went:down = decrease decreasing decreased goingdown gonedown wentdown
select:group = by groupby per each breakdown breakdownof split grouped broken-down distribution
select:group = spread divide divided distributed sorted arranged
select:explain = why explain gowrong risk risks dangerous danger dangers impact threat threats
noun:findings = risk risks threats dangers
select:remediation = howdo howcan fix fixing remediate remediation terraform cli gcloud console command commands
select:remediation = hcl steps snippet script mitigate
select:mapping = map maps mapped mapping mappings belong belongs
select:wording = say says ask asks require requires wording text quote demand demands
order:most = most worst top biggest largest greatest highest main
order:fewest = fewest least smallest lowest bottom
order:oldest = oldest longest earliest
order:newest = newest youngest latest recent recently lately
order:since = sincewhen
negate = not never no without except excluding excluded exclude minus nor neither non but-not outside
negate = other-than apart-from besides aside-from aside leaving-out left-out leave-out not-counting not-including
negate = everything-but anything-but all-but exception-of save-for omitting ignoring ignore skipping skip barring
widen = including include includes incl plus
modal = can could should would must may might ought
only = only just
than:more = morethan olderthan longerthan over above exceeding
than:less = lessthan fewerthan newerthan youngerthan under below
than:least = atleast nolessthan minimumof minimum
than:most = atmost nomorethan upto maximum within
period:last = last past previous
period:this = this
period:since = since after laterthan newerthan youngerthan
period:before = before priorto earlierthan olderthan
period:until = until till upto nolaterthan
period:in = in during
period:between = between
aged = old older ago long longer ormore orlonger orolder
scan:latest = now rightnow atthemoment currently current today present thelatest latestscan atpresent
scan:previous = previousscan lastscan scanbefore earlierscan thescanbefore weekoverweek sincelastscan lasttime
or:worse = orworse orhigher orabove andabove andworse andhigher orgreater upwards orup andup
or:lower = orlower orbelow andbelow andlower
untagged = untagged unlabelled
comply = compliant comply compliance complies conform conforms meet meets satisfy satisfies
comply = fulfil fulfils adhere adheres break breaks violate violates breach breaches
ended = nolonger
more = next more further
first = first
ordinal:2 = second 2nd
ordinal:3 = third 3rd
again = same and those these them they their theirs that it its there instead then also
any = any anything anyone every everything all overall altogether
any = anybody everybody everyone somebody someone anywhere everywhere
both = both simultaneously atthesametime atonce
distinct = distinct different unique separate individual
"""
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
MONTHS = "january february march april may june july august september october november december".split()


def _table() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _ROLES.strip().splitlines():
        role, _, words = line.partition(" = ")
        for word in words.split():
            found[compact(word)] = (*found.get(compact(word), ()), role)
    for name in get_args(Group):  # the grammar's own fields of two words
        if "_" in name and not name.startswith("first_seen"):
            found |= {compact(form): (f"noun:{name}",) for form in (name, f"{name}s")}
    return found


ROLES = _table()
NUMBERS = {word: number for number, word in enumerate(_NUMBERS)}
MONTH_OF = {form: number for number, name in enumerate(MONTHS, 1) for form in (name, name[:3])} | {"sept": 9}
_LONGEST = 1200  # months or years that are counted by the calendar
UNITS = {"hour": 0, "hours": 0, "minute": 0, "minutes": 0}  # shorter than what a scan dates by
UNITS |= {"day": 1, "days": 1, "week": 7, "weeks": 7, "month": 30, "months": 30, "year": 365, "years": 365}


def span(number: int, unit: str, today: date) -> int:
    """The days that so many units before today take: months and years as the calendar has them.

    >>> span(2, "months", date(2026, 11, 16))
    61
    """
    days = UNITS[unit]
    if days not in (UNITS["month"], UNITS["year"]) or number > _LONGEST:
        return number * days
    months = today.year * 12 + today.month - 1 - number * (1 if days == UNITS["month"] else 12)
    year, month = months // 12, months % 12 + 1
    return (today - date(year, month, min(today.day, monthrange(year, month)[1]))).days


# The words that join others and say nothing of findings. The class is closed: no tenant and no time adds to it.
FUNCTION_WORDS = frozenset(
    """a an the this that these those some such
    of in on at for from to with into onto about against among across through via as within upon off out up down
    and or but if so that than then there here
    i me my we us our ours you your he him his she her it its they them their theirs
    ie eg etc
    am is are was were be been being do does did doing done have has had having get gets got getting gotten
    sit sits lie lies
    what which how when where who whom whose why am very too just also well please yet still already ever""".split()
)
BEFORE_NAMES = ("in", "of", "for", "from", "by", "at", "on", "with")
NOTHING_AT_ALL = ("nothing", "none", "free")  # what has it has no finding
WHETHER = {"do", "does", "did", "have", "has", "are", "is", "can"}  # first words of what is answered with yes or no
# What may be put behind the beginning two words share without making them others: "write", "writable".
ENDINGS = frozenset(
    "e ed er es ing ion ation abl able al ally ly ment ure ur ance ence ant ent ity iti ive iv s".split()
)
# Words that ask for what no scan holds: who did something, and what will be.
NOT_IN_SCANS = {
    "who": "who did something", "whom": "who did something", "whose": "who something belongs to",
    "will": "what will be", "when will": "what will be", "shall": "what will be",
}  # fmt: skip
