"""The reader's card says what was measured, and names what the reader cannot tell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

CARD = Path(__file__).parents[2] / "training" / "reader" / "card.py"


def card(folder, apart):
    """The card of a reader with these figures, by what it is asked."""
    shape = {"layers": 12, "width": 384, "vocabulary": 100_329}
    np.savez(folder / "backbone.npz", shape=json.dumps(shape))
    figures = {"English": {"AUROC": [72.6, 69.1, 75.7]}}
    truth = {"claims": 959, "part": "exam", "shared": 2_338, "figures": figures, "apart": apart}
    (folder / "truth.json").write_text(json.dumps(truth))
    subprocess.run([sys.executable, CARD, folder, "--out", folder / "card.md"], check=True, capture_output=True)
    return (folder / "card.md").read_text()


def test_a_group_it_loses_is_named_and_one_too_small_is_not_judged(tmp_path):
    """Under 60 % of pairs won it cannot tell; four pairs show nothing."""
    nan = float("nan")
    told = card(
        tmp_path,
        {
            "kind": {
                "role": [40, 51.0, 50.0, 10.0, 9.0],
                "time": [40, 81.0, 77.0, 30.0, 2.0],
                "scope": [4, 25.0, 20.0, nan, 0.0],
            }
        },
    )
    assert "| role | 40 | 51 | 50 | 10 | 9 |" in told
    assert "| scope | 4 | too few | too few | too few | too few |" in told
    cannot = told[told.index("What it cannot") :]
    assert "role (kind, 51 %)" in cannot
    assert "time" not in cannot.splitlines()[2]
    assert "scope" not in cannot.splitlines()[2]


def test_figures_and_parts_are_those_measured(tmp_path):
    """Of the exam, with its intervals; where no group is weak it says so."""
    told = card(tmp_path, {"kind": {"time": [40, 81.0, 77.0, 30.0, 2.0]}})
    assert "959 natural claims of the exam" in told
    assert "| AUROC | 72.6 [69.1, 75.7] |" in told
    assert "No group of 12 pairs or more is under 60 %" in told
