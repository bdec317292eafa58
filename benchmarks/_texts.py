"""The question, the five sources of 200 words each and the answer that the streaming and prompt figures share."""

from __future__ import annotations

import re

QUESTION = "What is the windscreen excess, and when is it waived?"

_OPENINGS = {
    "Glass cover": (
        "The windscreen excess is £75 for a replacement and £10 for a repair. A repair at an approved centre is free "
        "when the chip is smaller than 20 millimetres. The excess is waived where the damage is part of a larger "
        "accident claim, because the accident excess of £250 is taken instead. Sunroofs and panoramic roofs are "
        "covered up to £400 for each claim. Headlamps and mirrors are not glass in the sense of this section."
    ),
    "Excesses": (
        "An excess is the part of a claim that you pay yourself. The compulsory excess of £250 applies to every "
        "accident, fire and theft claim. Drivers under 25 pay a further £200, and drivers who have held a full "
        "licence for less than twelve months pay a further £150. You can choose a voluntary excess of up to £500 to "
        "lower the premium. No excess is taken where another driver is found to be wholly at fault."
    ),
    "No-claims discount": (
        "A windscreen claim does not reduce your no-claims discount. Any other claim reduces it by two years, unless "
        "the discount is protected. Protection allows two claims in three years without any loss. The discount "
        "reaches its highest step of 65 per cent after five years without a claim. It can be moved to another car "
        "in your own name, and it lapses when it has not been used for two years."
    ),
    "Making a claim": (
        "Call the glass line on the number in your schedule before any work begins. Work done by a garage that is "
        "not approved is covered up to £150, and you pay the rest. Keep the invoice and two photographs of the "
        "damage. Claims must reach us within 30 days of the damage. We answer a complete claim within five working "
        "days, and the approved centre sends its bill to us directly."
    ),
    "Driving abroad": (
        "Glass cover applies in every country of the European Economic Area for trips of up to 90 days. Abroad you "
        "pay the garage first and send us the invoice, which we repay in pounds at the rate of the day. The excess "
        "is the same as at home. Hire cars abroad are not covered by this section. Recovery from abroad is covered "
        "up to £1,000 where the car cannot be driven safely."
    ),
}
_TERMS = (
    "Words printed in italics have the meaning given in the definitions. This section is part of your contract "
    "together with the schedule, the certificate and any endorsement that we have sent you. It applies only while "
    "the premium is paid and the vehicle is kept at the address you gave us. Tell us within 14 days when the "
    "vehicle, its use, its keeper or its usual place changes, because the price and the terms may then change. "
    "Damage that was there before the cover began is not insured, nor is wear, rust, frost or a fault of "
    "manufacture. We may ask for a report of an engineer, and we pay for it. If a claim is false or exaggerated we "
    "pay nothing and may end the contract. Complaints are answered within eight weeks, after which the ombudsman "
    "may decide, free of charge for you, and we follow what the ombudsman decides in every case without delay."
)


def _words(text: str, count: int) -> str:
    return " ".join(text.split()[:count])


SOURCES = tuple((title, _words(f"{opening} {_TERMS}", 200)) for title, opening in _OPENINGS.items())

ANSWER = (
    "The windscreen excess is £75 when the glass is replaced and £10 when it is repaired, whichever garage does the "
    "work [1]. A repair at an approved centre is free as long as the chip is smaller than 20 millimetres, so it is "
    "usually worth asking for a repair before a replacement [1]. The excess is waived where the damage is part of a "
    "larger accident claim, because the compulsory excess of £250 applies to the whole claim instead [1][2].\n\n"
    "**Before you claim**\n\n"
    "- Call the glass line before any work begins; a garage that is not approved is covered only up to £150 [4].\n"
    "- A windscreen claim does not reduce your no-claims discount, unlike any other claim in the same year [3].\n"
    "- Abroad the excess is the same as at home, but you pay the garage first and send the invoice [5].\n\n"
    "Claims must reach the insurer within 30 days of the damage, together with the invoice and two photographs [4]."
)

_NAMES = "Alder Beacon Cedar Dunlin Ember Fulmar Gannet Harrier Islay Juniper Kestrel Linnet Merlin Nightjar".split()
_SENTENCE = re.compile(r"(?:(?<=[.;] )|(?<=- )|(?<=\n\n)|^)([A-Z])(?=[a-z]* )")


def of_another(number: int) -> tuple[tuple[tuple[str, str], ...], str]:
    """The same sources and answer about another policy, whose name stands in every sentence: no text is met twice."""
    policy = f"{_NAMES[number % len(_NAMES)]} {number // len(_NAMES) + 1}"

    def about(text: str) -> str:
        return _SENTENCE.sub(lambda match: f"Under {policy}, {match[1].lower()}", text)

    return tuple((title, about(text)) for title, text in SOURCES), about(ANSWER)
