"""Trained weights in; the files of a reader that the package opens out.

    python export.py KEPT OUT [--weights FILE]

`reader.onnx` takes word vectors (b, n, 384) and what is padding and what is evidence, and gives the three ways, whether
the evidence answers, and a doubt for each piece; its matrices are int8 per output channel (a default quantisation loses
points that this keeps). `words.q4` is the frozen word table in the 4 bits it came in, read row by row from the disk.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
from network import load, sequence
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn


class Exported(nn.Module):
    """The reader from word vectors on, its outputs as probabilities."""

    def __init__(self, reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, words, mask, kinds):
        states = self.reader.encoder.states(words, mask, kinds)
        ways, answers, doubts = self.reader.heads(states, mask, kinds)
        return ways.softmax(-1), answers.sigmoid(), doubts.sigmoid()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--weights", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    reader = load(options.kept, options.weights or options.kept / "reader" / "average.pt").eval()
    rows = [sequence([10, 11, 12], [20, 21, 22, 23], 64), sequence([10], [20, 21], 64)]
    longest = max(len(ids) for ids, _ in rows)
    words = torch.randn(2, longest, reader.shape["width"])
    mask, kinds = torch.ones(2, longest), torch.zeros(2, longest, dtype=torch.long)
    mask[1, len(rows[1][0]) :] = 0
    for k, (ids, split) in enumerate(rows):
        kinds[k, split : len(ids)] = 1
    model = Exported(reader)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        axes = {"words": {0: "b", 1: "n"}, "mask": {0: "b", 1: "n"}, "kinds": {0: "b", 1: "n"}, "ways": {0: "b"}, "answers": {0: "b"}, "doubts": {0: "b", 1: "n"}}  # fmt: skip
        torch.onnx.export(
            model, (words, mask, kinds), str(plain), input_names=["words", "mask", "kinds"],
            output_names=["ways", "answers", "doubts"], dynamic_axes=axes, opset_version=17, dynamo=False,
        )  # fmt: skip
        import onnxruntime

        said = onnxruntime.InferenceSession(str(plain)).run(
            None, {"words": words.numpy(), "mask": mask.numpy(), "kinds": kinds.numpy()}
        )
        with torch.no_grad():
            meant = model(words, mask, kinds)
        for a, b in zip(said, meant, strict=True):
            assert np.allclose(a, b.numpy(), atol=1e-4), np.abs(a - b.numpy()).max()
        quantize_dynamic(
            str(plain),
            str(options.out / "reader.onnx"),
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
    shutil.copy(options.kept / "tokenizer.json", options.out)
    shutil.copy(options.kept / "words.q4", options.out)
    print(json.dumps({f.name: f.stat().st_size for f in sorted(options.out.iterdir())}))


if __name__ == "__main__":
    main()
