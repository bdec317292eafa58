"""Refusal at a chosen risk: read off the curve that ships."""

import re

import pytest

from footnoted import GroundedGenerator, Risk
from footnoted.errors import ConfigurationError
from footnoted.types import FinishReason

from .test_generator import speaks
from .test_weighing import TRUE, Knows


def kept():
    """The least share that can be kept, as the error for a lesser one tells it."""
    with pytest.raises(ConfigurationError) as caught:
        Risk(0.0001)
    return float(re.findall(r"Risk\(([\d.]+)\)", str(caught.value))[-1])


def test_less_risk_asks_for_more_and_shows_less():
    """Thresholds rise and coverage falls as the risk one accepts shrinks."""
    risks = [Risk(share) for share in (0.5, (0.5 + kept()) / 2, kept())]
    assert [risk.least for risk in risks] == sorted(risk.least for risk in risks)
    assert [risk.coverage for risk in risks] == sorted((risk.coverage for risk in risks), reverse=True)
    assert risks[0].least < risks[-1].least


@pytest.mark.parametrize("share", [0, 1, -0.1, 5])
def test_a_share_that_is_none_is_refused(share):
    """20 is not twenty per cent, and the error shows how to write it."""
    with pytest.raises(ConfigurationError, match=r"Risk\(0\.2\)"):
        Risk(share)


def test_a_share_that_cannot_be_kept_is_refused_with_the_least_that_can():
    """No threshold is passed off as one that keeps to it; what the error names is accepted."""
    assert 0 < kept() < 1
    assert Risk(kept()).least > Risk(0.5).least
    with pytest.raises(ConfigurationError, match="cannot be kept"):
        Risk(kept() * 0.99)


async def test_a_sentence_that_is_not_sure_enough_is_withheld(asked):
    """Supported at 0.9 is shown to who accepts much, not to who accepts the least there is."""

    class Surer(Knows):
        async def acheck(self, claim, sources, *, cited=()):
            verdict = await super().acheck(claim, sources, cited=cited)
            return type(verdict)("supported", score=0.5, tier="model", evidence=verdict.evidence)

    said = speaks(f"{TRUE} [1].")
    bold = await GroundedGenerator(said, checker=Surer(), refusal=Risk(0.6)).generate(asked())
    careful = await GroundedGenerator(said, checker=Surer(), refusal=Risk(kept())).generate(asked())
    assert bold.finish_reason is FinishReason.COMPLETE
    assert careful.finish_reason is FinishReason.REFUSED
