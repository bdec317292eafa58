"""Torch networks become the files that `footnoted.models` opens: int8 networks, the word table, the tokenizer, their sums.

    python files.py KEPT OUT --reader FILE --data DATA      the encoder and the reader for every language, of backbone.py's weights
    python files.py KEPT OUT --english FILE --data DATA     the reader for English, of mpnet.py's

Without ``--data`` a reader's weights are taken as they are, for those that `again.py` read: they are rounded.

A network takes word vectors (b, n, width) instead of numbers of pieces, because the word table is shared, stays in
4 bits, and is read row by row from the disk. Matrices are int8 per output channel with seven-bit weights
(``reduce_range``), whose sums cannot overflow on processors without VNNI. A reader's take one of `LEVELS` steps either side
of nothing, rounded so that it goes on saying what it said (`rounding`): they compute as fast, and compressed they are half as large.
Activations are rounded row by row (`ByRows`): by the whole text, as the quantiser does by itself, took 1.2 points of AUROC.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from material import Stream, gather
from network import LONGEST, Layer, batch, load, sequence
from onnxruntime.quantization import QuantType, quantize_dynamic
from rounding import round_layers
from tokenizers import Tokenizer
from torch import nn

LEVELS = 12  # of the 64 that seven bits have
READ, AT_ONCE = 192, 16  # rows of the training by which the rounding is chosen, and how many are read together


class ByRows(nn.Module):
    """A linear layer each of whose inputs is brought to a largest value of one first, and what comes out back again.

    Dynamic quantisation gives all pieces of a text one scale for their activations, and a single large one (the first
    piece of a text has forty times the others') takes the rest half their steps: probabilities moved by 0.12. Scaling by
    rows commutes with the product, so nothing else changes (per-token quantisation: Yao et al. 2022, arXiv:2206.01861).
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.weight = nn.Parameter(linear.weight.T.contiguous(), requires_grad=False)
        self.bias = linear.bias

    def forward(self, x):
        most = x.abs().amax(-1, keepdim=True).clamp(min=1e-8)
        return torch.matmul(x / most, self.weight) * most + self.bias


def by_rows(network: nn.Module) -> nn.Module:
    """A copy of the network whose layers' matrices multiply `ByRows`."""
    made = copy.deepcopy(network)
    for layer in [module for module in made.modules() if isinstance(module, Layer)]:
        for name, child in list(layer.named_children()):
            if isinstance(child, nn.Linear):
                setattr(layer, name, ByRows(child))
    return made


class Embedding(nn.Module):
    """Word vectors, mask -> one vector of length one a text: the mean of its states (Wang et al. 2024)."""

    def __init__(self, encoder) -> None:
        super().__init__()
        self.encoder = by_rows(encoder)

    def forward(self, words, mask):
        kinds = torch.zeros(words.shape[:2], dtype=torch.long)
        states = self.encoder.states(words, mask, kinds)
        mean = (states * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        return mean / mean.norm(dim=-1, keepdim=True)


class Reading(nn.Module):
    """Word vectors, mask, kinds -> the three ways, whether it answers, a doubt a piece; all probabilities."""

    def __init__(self, reader) -> None:
        super().__init__()
        self.reader = by_rows(reader)

    def forward(self, words, mask, kinds):
        states = self.reader.encoder.states(words, mask, kinds)
        ways, answers, doubts, _ = self.reader.heads(states, mask, kinds)
        return ways.softmax(-1), answers.sigmoid(), doubts.sigmoid()


def reachable(network: nn.Module) -> nn.Module:
    """The network without places that no text it is given reaches."""
    network.encoder.place = nn.Embedding.from_pretrained(network.encoder.place.weight[:LONGEST].clone())
    return network


def rounded(network: nn.Module, kept: Path, data: Path, *, english: bool) -> nn.Module:
    """The network, its layers' matrices rounded to `LEVELS`."""
    tokenizer = Tokenizer.from_file(str(kept / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    units = Stream(gather(data, Path(__file__).parent.parent / "twins", english=english)).pool(0, READ)
    texts = [
        [tokenizer.encode(text, add_special_tokens=False).ids for text in row[:2]] for unit in units for row in unit
    ]
    rows = sorted((sequence(claim, evidence, LONGEST) for claim, evidence in texts), key=lambda row: len(row[0]))
    round_layers(network.encoder, [batch(rows[at : at + AT_ONCE]) for at in range(0, len(rows), AT_ONCE)], LEVELS)
    return network


def write(model: nn.Module, example: dict[str, torch.Tensor], outputs: list[str], to: Path) -> None:
    """The network as int8 ONNX. Fails if the file before quantisation says something else than torch."""
    model.eval()
    sizes = {0: "b", 1: "n"}
    axes = dict.fromkeys(example, sizes) | {name: sizes if name == "doubts" else {0: "b"} for name in outputs}
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        torch.onnx.export(
            model, tuple(example.values()), str(plain), input_names=list(example), output_names=outputs,
            dynamic_axes=axes, opset_version=17, dynamo=False,
        )  # fmt: skip
        said = onnxruntime.InferenceSession(str(plain)).run(None, {n: t.numpy() for n, t in example.items()})
        with torch.no_grad():
            meant = model(*example.values())
        for ours, theirs in zip(said, meant if isinstance(meant, tuple) else (meant,), strict=True):
            if not np.allclose(ours, theirs.numpy(), atol=1e-4):
                raise SystemExit(f"{to.name}: ONNX and torch differ by {np.abs(ours - theirs.numpy()).max()}")
        small = Path(folder) / "small.onnx"
        quantize_dynamic(
            str(plain), str(small), op_types_to_quantize=["MatMul"], per_channel=True, reduce_range=True,
            weight_type=QuantType.QInt8,
        )  # fmt: skip
        options = onnxruntime.SessionOptions()  # what helps on every processor is done here, not at each opening
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = str(to)
        onnxruntime.InferenceSession(str(small), options, providers=["CPUExecutionProvider"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--reader", type=Path, help="the weights of `train.py`")
    parser.add_argument("--english", type=Path, help="the weights of `train.py --english`")
    parser.add_argument(
        "--data",
        type=Path,
        help="the shared data, by which a reader's weights are rounded: without it they are taken as they are",
    )
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    plain = load(options.kept, options.english).eval()
    words, mask, kinds = torch.randn(2, 9, plain.shape["width"]), torch.ones(2, 9), torch.zeros(2, 9, dtype=torch.long)
    mask[1, 5:] = 0
    kinds[0, 4:], kinds[1, 3:5] = 1, 1
    example = {"words": words, "mask": mask, "kinds": kinds}
    told = ["ways", "answers", "doubts"]
    if options.english:
        made = rounded(plain, options.kept, options.data, english=True) if options.data else plain
        write(Reading(reachable(made)), example, told, options.out / "reader.onnx")
    else:
        write(Embedding(plain.encoder), {"words": words, "mask": mask}, ["whole"], options.out / "encoder.onnx")
    if options.reader:
        reader = load(options.kept, options.reader).eval()
        made = rounded(reader, options.kept, options.data, english=False) if options.data else reader
        write(Reading(made), example, told, options.out / "reader.onnx")
    shutil.copy(options.kept / "tokenizer.json", options.out)
    shutil.copy(options.kept / "words.q4", options.out)
    sums = {
        f.name: hashlib.sha256(f.read_bytes()).hexdigest()
        for f in sorted(options.out.iterdir())
        if f.suffix in (".onnx", ".q4") or f.name == "tokenizer.json"
    }
    (options.out / "sha256.json").write_text(json.dumps(sums, indent=1) + "\n")
    print({f.name: f.stat().st_size for f in sorted(options.out.iterdir())})


if __name__ == "__main__":
    main()
