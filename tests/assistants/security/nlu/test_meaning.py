"""Questions without a cue: told by their meaning where it is sure enough, by the rules where it is not or cannot run."""

import numpy as np
import pytest

from footnoted.assistants.security.nlu import INTENTS, understand
from footnoted.assistants.security.nlu.meaning import WEIGHTS, intent_by_meaning, meant_by
from footnoted.encoder import Encoder, EncoderUnavailable


def test_the_weights_are_a_column_an_intent():
    """384 numbers of the encoder and one that is always there; small enough to ship."""
    with np.load(WEIGHTS) as kept:
        assert kept["weights"].shape == (385, len(INTENTS))
    assert WEIGHTS.stat().st_size < 50_000


def test_the_likelihoods_are_those_of_intents():
    """A probability each; no question is about a document unless it says so."""
    meant = meant_by("Put our worst exposures in a line, nastiest at the front")
    assert meant.intent in INTENTS
    assert meant.intent != "document"
    assert 0 < meant.probability <= 1
    assert 0 <= meant.other <= 1


def test_words_no_rule_knows_still_mean_something():
    """No cue stands in it, and yet it does not ask for a list."""
    assert understand("I need the recipe that plugs S3").intent == "remediate"


def test_how_things_stand_is_looked_up_and_not_explained():
    """A question of yes or no about a service asks for what was found there."""
    assert intent_by_meaning("Are database snapshots public?", "list") == "list"


@pytest.mark.parametrize(
    "text", ["A nice wine for tonight", "Bonsai pruning in spring", "🙂", "ok", "", "lorem ipsum dolor"]
)
def test_what_asks_nothing_here_stays_so(text):
    """Small talk becomes no question about findings."""
    assert understand(text).intent == "other"


def test_without_the_encoder_the_rules_stand_alone(monkeypatch):
    """Whoever installed less is understood as before."""
    monkeypatch.setattr(Encoder, "load", classmethod(lambda *_: (_ for _ in ()).throw(EncoderUnavailable("none"))))
    assert meant_by("I need the recipe that plugs S3") is None
    assert understand("I need the recipe that plugs S3").intent == "list"
    assert understand("A nice wine for tonight").intent == "other"
