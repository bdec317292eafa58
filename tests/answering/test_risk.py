"""Refusal at a chosen risk: read off the curve that ships."""

import pytest

from footnoted import GroundedGenerator, Risk
from footnoted.errors import ConfigurationError
from footnoted.types import FinishReason

from .test_generator import speaks
from .test_weighing import TRUE, Knows


def test_less_risk_asks_for_more_and_shows_less():
    """Thresholds rise and coverage falls as the risk one accepts shrinks."""
    risks = [Risk(share) for share in (0.5, 0.3, 0.2, 0.1, 0.05)]
    assert [risk.least for risk in risks] == sorted(risk.least for risk in risks)
    assert [risk.coverage for risk in risks] == sorted((risk.coverage for risk in risks), reverse=True)
    assert risks[0].least < risks[-1].least


@pytest.mark.parametrize("share", [0, 1, -0.1, 5])
def test_a_share_that_is_none_is_refused(share):
    """5 is not five per cent, and the error shows how to write it."""
    with pytest.raises(ConfigurationError, match=r"Risk\(0\.05\)"):
        Risk(share)


async def test_a_sentence_that_is_not_sure_enough_is_withheld(asked):
    """Supported at 0.9 is shown to who accepts much, not to who accepts next to nothing."""

    class Surer(Knows):
        async def acheck(self, claim, sources, *, cited=()):
            verdict = await super().acheck(claim, sources, cited=cited)
            return type(verdict)("supported", score=0.5, tier="model", evidence=verdict.evidence)

    said = speaks(f"{TRUE} [1].")
    bold = await GroundedGenerator(said, checker=Surer(), refusal=Risk(0.6)).generate(asked())
    careful = await GroundedGenerator(said, checker=Surer(), refusal=Risk(0.01)).generate(asked())
    assert bold.finish_reason is FinishReason.COMPLETE
    assert careful.finish_reason is FinishReason.REFUSED
