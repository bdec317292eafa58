"""The trained networks in; their ONNX files in the package out (``encoder/network/``), checked against the originals.

python training/export_network.py KEPT [--write]

The one tuned on labelled claims weighs claims; the one before that holds questions against sentences.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from network import MARKS, STATES, Network
from torch import Tensor, nn

from footnoted.encoder.entailment import NETWORK, QUESTIONS

NAMES = ("claim", "evidence", "claim_marks", "evidence_marks")


class One(nn.Module):
    """One claim at a time, so without padding or masks."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, claim: Tensor, evidence: Tensor, claim_marks: Tensor, evidence_marks: Tensor):
        masks = torch.ones_like(claim[:, :, 0]), torch.ones_like(evidence[:, :, 0])
        return self.network(claim, evidence, *masks, claim_marks, evidence_marks)


def example(claim: int, evidence: int) -> tuple[Tensor, ...]:
    """Inputs of these lengths."""
    shapes = (claim, STATES), (evidence, STATES), (claim, MARKS), (evidence, MARKS)
    return tuple(torch.randn(1, *shape) for shape in shapes)


def export(checkpoint: Path, folder: Path) -> None:
    """The trained network as ``folder/network.onnx``, with its checksum; raises where it differs from the original."""
    network = Network()
    network.load_state_dict(torch.load(checkpoint, weights_only=True)["network"])
    one = One(network.eval()).eval()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "network.onnx"
    torch.onnx.export(
        one,
        example(12, 40),
        str(path),
        input_names=[*NAMES],
        output_names=["logits", "doubts"],
        dynamic_axes={name: {1: name.split("_")[0] + "_length"} for name in NAMES} | {"doubts": {1: "claim_length"}},
        opset_version=17,
        dynamo=False,
    )
    onnx.checker.check_model(str(path))
    session = onnxruntime.InferenceSession(str(path))
    worst = 0.0
    for claim, evidence in ((3, 5), (25, 130), (60, 9)):
        given = example(claim, evidence)
        mine = session.run(None, {name: x.numpy() for name, x in zip(NAMES, given, strict=True)})
        with torch.no_grad():
            theirs = one(*given)
        worst = max(worst, *(float(np.abs(a - b.numpy()).max()) for a, b in zip(mine, theirs, strict=True)))
    assert worst < 1e-3, worst
    sums = {"network.onnx": hashlib.sha256(path.read_bytes()).hexdigest()}
    (folder / "sha256.json").write_text(json.dumps(sums, indent=1) + "\n")
    print(path, path.stat().st_size, "bytes; differs from the original by at most", worst)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--write", action="store_true", help="replace the networks that ship")
    options = parser.parse_args()
    export(options.kept / "tuned.pt", NETWORK if options.write else options.kept / "claims")
    export(options.kept / "pairs" / "network.pt", QUESTIONS if options.write else options.kept / "questions")


if __name__ == "__main__":
    main()
