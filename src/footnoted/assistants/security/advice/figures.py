"""What rows say, in sentences: each a line of the answer and a part of the source it is cited to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import mean, median
from typing import TYPE_CHECKING

from footnoted.assistants.security.names import service_key, service_name
from footnoted.assistants.security.query.draft import several
from footnoted.assistants.security.query.finding_query import GROUPS, LIMIT, Having
from footnoted.assistants.security.query.running import CHANGES, Result, share
from footnoted.assistants.security.query.wording import (
    bound_name,
    group_name,
    groups_name,
    named,
    requirement_id,
    safe,
    side_name,
    value_name,
    words_of,
)
from footnoted.assistants.security.severity import counts_in_words

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.asked import Asked
    from footnoted.assistants.security.advice.context import AnswerContext
    from footnoted.assistants.security.query.finding_query import Where

_IDS = 60
_CHANGED = {
    "new": "new", "unmuted": "no longer muted", "fixed": "fixed", "muted": "muted", "gone": "no longer reported",
}  # fmt: skip
_KINDS = {"fail": "open", "pass": "passing", "muted": "muted", "manual": "manual", "archived": "archived"}


def figures(asked: Asked, context: AnswerContext) -> list[str]:
    """The sentences on what the query gave, the most important first."""
    result = context.result
    if result is None:
        return []
    sentences = list(of_result(asked, context, result))
    if context.by_catalogue is not None and context.by_catalogue.findings:
        name = asked.query.where.framework
        count = context.by_catalogue.findings
        sentences.append(
            f"Counted apart: by our own catalogue's reading of {name}, {count} open {_noun(count)} touch it"
            f" ({counts_in_words(context.by_catalogue.severities)})."
        )
    if result.query.where.framework and (result.findings or result.query.select == "unmet") and result.total:
        name = result.query.where.edition
        if "fail" in result.statuses or result.query.select == "unmet":
            sentences.append(f"So your scans do not show that {name} is met; no scan makes anybody compliant.")
    return sentences


def of_result(asked: Asked, context: AnswerContext, result: Result) -> Iterator[str]:
    """The sentences on one result, its headline first."""
    query = result.query
    if query.select == "compare":
        yield from _sides(asked, result)
    elif query.select == "diff":
        yield from _diff(asked, result)
    elif query.select == "unmet":
        yield from _unmet(context, result)
    elif query.select == "rate":
        yield _rate(result)
    elif query.select in ("group", "trend"):
        if query.measure == "average":
            yield from _average(result)
            return
        if query.measure == "rate":
            yield _rate(result)
        else:
            yield from _shares(asked, result)
            yield _bounded(asked, result) if query.having != Having() else headline(result)
        yield from _groups(asked, result)
    else:
        yield headline(result)
        if query.select == "age" and result.ages:
            days = f"the median {float(median(result.ages)):g} and the mean {float(round(mean(result.ages), 1))} days"
            yield f"The oldest is {result.ages[-1]} days old, {days}."
        if query.select == "list" and query.of == "checks":
            yield from _groups(asked, result)
        elif result.groups:
            yield from _on(asked, result)
    if query.where.resource and (names := _several(asked)):
        yield f"The name is borne by {names}."


def headline(result: Result) -> str:
    """How many findings, on how many resources, by scanner and severity."""
    if not result.findings:
        return f"**0 {_state(result)}findings** match: nothing in your scans fits this query."
    scanners = "; ".join(f"{named('scanner', name)} {n}" for name, n in sorted(result.scanners.items()))
    found = _counted(result)
    resources = f"{result.resources} resource{'s' if result.resources != 1 else ''}"
    if result.query.of == "resources":
        head = f"**{resources}** with {found}"
    elif result.query.of == "checks":
        head = f"**{result.checks} check{'s' if result.checks != 1 else ''}** with {found} on {resources}"
    else:
        head = f"**{found}** on {resources}"
    kinds, graded = "", counts_in_words(result.severities)
    if len(result.statuses) > 1:
        graded = f"open are {counts_in_words(result.failing) or 'none'}"
        kinds = "; " + ", ".join(f"{n} {_KINDS.get(name, name)}" for name, n in sorted(result.statuses.items()))
    return f"{head} ({scanners}{kinds}): {graded}."


def _counted(result: Result) -> str:
    """So many findings and how they are: "19 findings no longer reported", "3 open findings"."""
    state, noun = _state(result).strip(), _noun(result.findings)
    told = (noun, state) if state.startswith("no longer") else (state, noun)
    return " ".join(filter(None, (str(result.findings), *told)))


def _rate(result: Result) -> str:
    passed, failed = result.statuses.get("pass", 0), result.statuses.get("fail", 0)
    neither = "what is muted, manual or a warning is neither"
    return f"**{_passing(passed, failed)}**: {passed} passed and {failed} open; {neither}."


def _passing(passed: int, failed: int) -> str:
    """Which part passes and which fails: "60.2 % pass, 39.8 % fail"."""
    return f"{share(passed, failed)} % pass, {share(failed, passed)} % fail"


def _shares(asked: Asked, result: Result) -> Iterator[str]:
    """How large the part is that was asked for, of all of them."""
    for side, one in zip(result.query.sides, result.sides, strict=True):
        part = safe(side_name(side, asked.vocabulary))
        percent = 100 * one.findings / max(1, result.findings)
        yield f"**{percent:.1f} %**: {one.findings} of {result.findings} {_state(result)}findings ({part})."


def _bounded(asked: Asked, result: Result) -> str:
    """How many groups hold as much as is asked, of how many there are."""
    plain = {"group_by": "", "having": Having(), "measure": "count"}
    such = safe(words_of(result.query.model_copy(update=plain), asked.vocabulary))
    having = result.query.having
    noun = "" if result.query.of != "findings" or having.every or having.at_most == 0 else " findings"
    of = f"**{len(result.groups)} of {result.kinds} {groups_name(result.query.group_by)}** in the scan's records"
    return f"{of} have {bound_name(result.query)}{noun} ({such})."


def _average(result: Result) -> Iterator[str]:
    """How many a group has on average: of all there are, and of those that have any."""
    if not result.groups:
        yield headline(result)
        return
    total, having, name = sum(n for _, _, n in result.groups), len(result.groups), group_name(result.query.group_by)
    by = groups_name(result.query.group_by)
    yield (
        f"**On average {total / max(1, result.kinds):.1f} per {name}**: {total} {_state(result)}{_noun(total)} over the"
        f" {result.kinds} {by} in the scan's records; {total / having:.1f} over the {having} that have any."
    )


def _state(result: Result) -> str:
    where = result.query.where
    if where.change:
        return f"{_CHANGED.get(where.change, where.change)} "
    statuses = [*where.status] or (result.statuses if len(result.statuses) == 1 else ())
    return f"{' or '.join(dict.fromkeys(_KINDS.get(one, one) for one in statuses))} " if statuses else ""


def _noun(count: int) -> str:
    return "finding" if count == 1 else "findings"


def _groups(asked: Asked, result: Result) -> Iterator[str]:
    query = result.query
    by = query.group_by or "check"
    ends = query.offset + (query.limit if query.limit != LIMIT else GROUPS)
    shown = result.groups[query.offset : ends]
    if query.offset:
        yield f"From place {query.offset + 1} on:" if shown else f"There is no place {query.offset + 1}."
    if query.group_by and len(result.groups) > 1:
        yield f"By {group_name(by)}, {len(result.groups)} in all:"
    if result.bare and query.order_by == "fewest" and query.having == Having():
        yield f"None at all: {safe(several([value_name(by, key, asked.vocabulary) for key in result.bare]))}."
    whole = result.findings if query.measure == "share" else 0
    for key, _, n in shown:
        part = f" ({100 * n / whole:.1f} %)" if whole else ""
        if query.measure == "rate":
            passed, failed = result.rates[key]
            told = f"{_passing(passed, failed)} ({passed} passed, {failed} open)"
        else:
            told = f"{n}{part}"
        yield f"{safe(value_name(by, key, asked.vocabulary))}: {told}"
    if rest := result.groups[ends:]:
        counted = f" with {sum(n for _, _, n in rest)} together" if query.measure != "rate" else ""
        yield f"{len(rest)} more, by {group_name(by)},{counted}." if counted else f"{len(rest)} more."
    if asked.reading.place and len(result.groups) >= asked.reading.place:
        key, _, n = result.groups[asked.reading.place - 1]
        yield f"In place {asked.reading.place}: {safe(value_name(by, key, asked.vocabulary))} with {n}."


def _on(asked: Asked, result: Result) -> Iterator[str]:
    """The resources a list is of, by name, with the account where a name is borne twice."""
    places = [key.split("|", 2) for key, _, _ in result.groups]
    names = [asked.vocabulary.resource_name(identity) for _, _, identity in places]
    seen = Counter(names)
    for (_, account, _), name, (_, _, n) in list(zip(places, names, result.groups, strict=True))[:GROUPS]:
        where = f" in {asked.vocabulary.account_name(account)}" if seen[name] > 1 else ""
        yield f"{safe(name + where)}: {n}"
    if len(names) > GROUPS:
        yield f"{len(names) - GROUPS} more resources."


def _sides(asked: Asked, result: Result) -> Iterator[str]:
    rate = result.query.measure == "rate"
    named = []
    for side, one in zip(result.query.sides, result.sides, strict=True):
        name = _side_name(asked, side)
        named.append((one.pass_rate if rate else one.findings, name))
        if rate:
            passed, failed = one.statuses.get("pass", 0), one.statuses.get("fail", 0)
            yield f"{name}: {_passing(passed, failed)} ({passed} passed, {failed} open)."
        else:
            zero = {"critical": 0} if "critical" not in one.severities else {}
            counts = ", ".join(f"{n} {name}" for name, n in {**zero, **one.severities}.items())
            yield f"{name}: {one.findings} {_state(one)}{_noun(one.findings)} ({counts})."
    most, least = max(named), min(named)
    if most[0] == least[0]:
        yield "They are even."
    else:
        yield f"{most[1]} has more: {most[0]} against {least[0]}." if not rate else f"{most[1]} passes more."


def _side_name(asked: Asked, side: Where) -> str:
    """One side by its first name alone, as a sentence has it."""
    field = next((name for name in side.narrowed() if name != "status"), "scan")
    if side.framework or field == "scan":
        return side_name(side, asked.vocabulary)
    value = str(getattr(side, field)[0])
    if field == "service":
        return service_name(service_key(value))
    return value if field == "resource" else value_name(field, value, asked.vocabulary)


def _diff(asked: Asked, result: Result) -> Iterator[str]:
    before, now, *changes = result.sides
    vocabulary = asked.vocabulary
    if vocabulary.previous is None:
        yield f"{_counted(now)} in the newest scan. There is one scan only, so nothing can be compared yet."
        return
    step, is_open = now.findings - before.findings, result.query.where.status == ["fail"]
    by, way = result.query.group_by, {"most": 1, "fewest": -1}.get(result.query.order_by, 0)
    better = "" if not step or way or not is_open else " That is worse." if step > 0 else " That is better."
    yield (
        f"**{_state(result).capitalize()}findings: {before.findings} in the scan of {vocabulary.previous},"
        f" {now.findings} in that of {vocabulary.today}: {_way(step)}.**{better}"
    )
    parts = [f"{one.findings} {_CHANGED[name]}" for name, one in zip(CHANGES, changes, strict=True)]
    if is_open:
        yield f"Since then: {', '.join(parts)}."
    if by:
        counts = {(key, name): n for key, name, n in now.groups}
        steps = [(n, counts.pop((key, name), 0), key, name) for key, name, n in before.groups]
        steps += [(0, n, key, name) for (key, name), n in counts.items()]
        steps.sort(key=lambda step: ((way or 1) * (step[0] - step[1]), step[2]))
        told = [one for one in steps if not way or way * (one[1] - one[0]) > 0]  # those that went the way asked for
        what = "grew" if way >= 0 else "shrank"
        which = f"{len(told)} of {len(steps)} {what}" if way else f"{len(steps)} in all"
        yield f"By {group_name(by)}, {which}, what {what} the most first:"
        for earlier, after, key, _ in told[:GROUPS]:
            yield f"{safe(value_name(by, key, vocabulary))}: {earlier} before and {after} now, {_way(after - earlier)}."
        if len(told) > GROUPS:
            yield f"{len(told) - GROUPS} more."


def _way(step: int) -> str:
    return "no change" if not step else f"{abs(step)} {'more' if step > 0 else 'fewer'}"


def _unmet(context: AnswerContext, result: Result) -> Iterator[str]:
    name = result.query.where.edition
    failing = sorted(one.rpartition(" ")[2] for one, statuses in result.requirements.items() if "fail" in statuses)
    met = sum(set(statuses) == {"pass"} for statuses in result.requirements.values())
    held = max(context.duties.held, len(result.requirements))
    yield f"**{len(failing)} of {held} requirements of {name}** have an open finding."
    if failing:
        yield f"They are: {', '.join(failing[:_IDS])}{' …' if len(failing) > _IDS else ''}"
    other = held - len(failing) - met
    yield f"Of {met} every mapped check passed; of the other {other} that is not known, be it for want of a check."


def _several(asked: Asked) -> str:
    """The resources of one name, where a name is borne by several."""
    for name in asked.query.where.resource:
        ids = asked.vocabulary.resources.get(name, set())
        if len(ids) > 1:
            return f"{len(ids)} resources: {', '.join(sorted(ids)[:6])}"
    return ", ".join(asked.query.where.resource[:8]) if len(asked.query.where.resource) > 1 else ""


def duty_lines(asked: Asked, context: AnswerContext) -> list[str]:
    """What requirements say, and what checks are mapped to, each with where that is written."""
    query, duties = asked.query, context.duties
    if query.select == "requirement":
        return list(_requirement_lines(asked, context))
    if query.select != "mapping":
        return []
    lines = []
    checks = [one for one in duties.rules if one.check in duties.mapped][:1] or list(duties.rules[:1])
    for rule in checks:
        lines.append(f"{rule.check}: {safe(rule.title).rstrip('.')}.")
        mapped = duties.mapped.get(rule.check, {})
        lines += [
            f"Mapped by {named('scanner', rule.scanner)} to {name}: {', '.join(ids)}" for name, ids in mapped.items()
        ]
        if not mapped:
            name = query.where.edition or "any framework"
            lines.append(f"In the scanner's own mapping it is not tied to {name}.")
    return lines


def _requirement_lines(asked: Asked, context: AnswerContext) -> Iterator[str]:
    duties, name = context.duties, asked.query.where.edition
    identity = requirement_id(asked.query.where, asked.vocabulary)
    for one in duties.requirements[:4]:
        of = f" ({named('provider', one.provider)})" if one.provider else ""
        text = safe(one.text)
        title = f"{safe(one.title).rstrip('.')}. " if one.title and not text.startswith(one.title) else ""
        yield f"**{one.name} {one.requirement}**{of}: {title}{text}"
    if not duties.requirements:
        yield (
            f"The wording of {name} {identity} is not imported (footnoted kb import FILE brings it);"
            f" what your scanners check for it is told instead."
        )
    if duties.rules:
        count = len(duties.rules)
        yield f"Mapped to {name} {identity} by the scanner's own file: {count} check{'s' if count > 1 else ''}."
        yield from (f"{one.check}: {safe(one.title).rstrip('.')}." for one in duties.rules[:GROUPS])
    else:
        yield f"No check of your scans is mapped to {name} {identity}."
