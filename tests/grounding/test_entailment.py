"""The small network beside the encoder: what it reads, that it is needed, and that it never fails open."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from footnoted.encoder import Encoder, EncoderUnavailable
from footnoted.encoder.entailment import MARKS, NETWORK, Comparing, marks
from footnoted.grounding import Checker
from footnoted.grounding.calibration import sureness
from footnoted.types import Source

SAID = "The company was bought by a rival in 2015 for two million dollars."


def carried(claim: str, evidence: str) -> float:
    mine, theirs = Encoder.load().encode([claim, evidence])
    told = Comparing.load().read(mine, [theirs])
    return told.carried - max(told.contradicted, told.neither)


def test_a_denial_is_less_carried_than_what_it_denies():
    """Turned, exchanged or made up, a sentence is less carried than the one that says what the source says."""
    right = carried("A rival bought the company in 2015.", SAID)
    assert right > carried("A rival never bought the company in 2015.", SAID)
    assert right > carried("The harbour museum opens at nine.", SAID)


def test_it_tells_a_doubt_for_every_token():
    """One number a token of the claim, and none where there is no evidence to doubt by."""
    mine, theirs = Encoder.load().encode(["A rival bought the company.", SAID])
    assert Comparing.load().read(mine, [theirs]).doubts.shape == (len(mine.offsets),)
    alone = Comparing.load().read(mine, [])
    assert alone.neither > alone.carried
    assert alone.doubts.shape == (len(mine.offsets),)


def test_marks_say_what_stands_on_the_other_side():
    """Of each token: whether it does, with the next, with the one before."""
    found = marks(np.array([1, 2, 3], dtype=np.int32), np.array([2, 3, 9], dtype=np.int32))
    assert found.shape == (3, MARKS)
    assert found.tolist() == [[0, 0, 0], [1, 1, 0], [1, 0, 1]]


@pytest.mark.parametrize("damage", ["missing", "cut", "sums"])
def test_without_the_network_nothing_is_supported_by_the_model(tmp_path, damage):
    """A network that is missing or damaged leaves what words alone do not decide not_checked, and says why."""
    for name in ("network.onnx", "sha256.json"):
        shutil.copy(NETWORK / name, tmp_path / name)
    if damage == "missing":
        (tmp_path / "network.onnx").unlink()
    elif damage == "cut":
        (tmp_path / "network.onnx").write_bytes((NETWORK / "network.onnx").read_bytes()[:1000])
    else:
        (tmp_path / "sha256.json").write_text(json.dumps({}))
    with pytest.raises(EncoderUnavailable):
        Comparing(tmp_path)
    verdict = Checker(network=tmp_path).check("Some rival took the firm over.", [Source(id="s", text=SAID)])
    assert verdict.ruling in ("not_checked", "unsupported")
    assert verdict.ruling == "unsupported" or "network" in verdict.reason


def test_confidence_falls_with_every_doubtful_claim():
    """An answer is as sure as its claims: none is sure, one without a score is not, more claims are not surer."""
    assert sureness([]) == 1.0
    assert sureness([0.9, None]) == 0.0
    assert 0 < sureness([0.2]) < sureness([0.9]) < 1
    assert sureness([0.9, 0.2]) < sureness([0.9, 0.9])
