"""The reader in torch: claim and evidence are one sequence of pieces, and heads say what the evidence makes of the claim.

A BERT or MPNet encoder whose word table is frozen (it keeps the other languages where they are), and five heads over it: the
three ways of entailment, whether the evidence answers a question, a doubt for each piece of the claim, and for each piece
of the evidence whether it belongs to the sentence that answers.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

START, PAD, END = 0, 1, 2  # XLM-R's pieces
LONGEST = 320  # pieces of one sequence that a network with nearness may be given
DROPPED = 0.1  # of what a layer adds, while training: the twins are read several times over


@cache
def _kept() -> torch.Tensor:
    """Whether a number is kept, drawn once: drawing anew takes a quarter of a step on a CPU."""
    return (torch.rand(1 << 24) >= DROPPED).float() / (1 - DROPPED)


def dropped(x: torch.Tensor, training: bool) -> torch.Tensor:
    """Dropout (Srivastava et al. 2014); on a CPU its mask is a random stretch of one long one."""
    if not training or not DROPPED:
        return x
    if x.is_cuda:
        return F.dropout(x, DROPPED)
    start = int(torch.randint(len(_kept()) - x.numel(), ()))
    return x * _kept()[start : start + x.numel()].view(x.shape).to(x.dtype)


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, inner: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)

    def forward(self, x, bias):
        b, n, w = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        if x.is_cuda:
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
        else:  # on a CPU the fused attention's backward pass costs fifteen times its forward
            scores = torch.matmul(q * (w // self.heads) ** -0.5, k.transpose(-1, -2))
            with torch.autocast("cpu", enabled=False):  # which would copy the scores to 32 bits and back
                shares = (scores + bias.to(scores.dtype)).softmax(-1)
            a = torch.matmul(shares, v)
        x = self.norm1(x + dropped(self.out(a.transpose(1, 2).reshape(b, n, w)), self.training))
        return self.norm2(x + dropped(self.down(F.gelu(self.up(x))), self.training))


def near_buckets(longest: int, buckets: int) -> torch.Tensor:
    """Which bucket of nearness each piece (row) puts each other (column) into, (longest, longest): MPNet's, which are
    T5's (Raffel et al. 2020): half of them for either side, exact up to a quarter, then by the logarithm up to 128."""
    place = torch.arange(longest)
    apart = place[:, None] - place[None, :]
    half, exact = buckets // 2, buckets // 4
    far = exact + (torch.log(apart.abs().clamp(min=1) / exact) / math.log(128 / exact) * (half - exact)).long()
    return torch.where(apart.abs() < exact, apart.abs(), far.clamp(max=half - 1)) + half * (apart < 0)


class Encoder(nn.Module):
    """ids (b, n), mask (b, n) of 0 and 1, kinds (b, n) -> states (b, n, width).

    A shape with ``near`` has a bias on attention by how far apart two pieces stand, the same in all layers (MPNet,
    Song et al. 2020, arXiv:2004.09297).
    """

    def __init__(self, shape: dict) -> None:
        super().__init__()
        width = shape["width"]
        self.word = nn.Embedding(shape["vocabulary"], width)
        self.place = nn.Embedding(shape["places"], width)
        self.kind = nn.Embedding(shape["types"], width)
        self.norm = nn.LayerNorm(width, shape["epsilon"])
        self.near = nn.Embedding(shape["near"], shape["heads"]) if shape.get("near") else None
        if self.near:
            self.register_buffer("buckets", near_buckets(LONGEST, shape["near"]), persistent=False)
        self.layers = nn.ModuleList(
            Layer(width, shape["heads"], shape["inner"], shape["epsilon"]) for _ in range(shape["layers"])
        )

    def forward(self, ids, mask, kinds):
        return self.states(self.word(ids), mask, kinds)

    def below(self, words, mask, kinds):
        """What the first layer is given of word vectors (b, n, width): the states, and the bias on attention."""
        places = self.place(torch.arange(words.shape[1], device=words.device))
        x = self.norm(words + places + self.kind(kinds))
        bias = ((1.0 - mask) * -1e4)[:, None, None, :].to(x.dtype)
        if self.near:
            n = words.shape[1]
            bias = bias + self.near(self.buckets[:n, :n]).permute(2, 0, 1)[None].to(x.dtype)
        return x, bias

    def states(self, words, mask, kinds):
        """From word vectors (b, n, width) on."""
        x, bias = self.below(words, mask, kinds)
        for layer in self.layers:
            x = layer(x, bias)
        return x


class Reader(nn.Module):
    """ids, mask, kinds as for `Encoder` -> ways (b, 3: contradicted, neither, carried), answers (b,), doubts and
    points (b, n)."""

    def __init__(self, shape: dict) -> None:
        super().__init__()
        width = shape["width"]
        self.shape = shape
        self.encoder = Encoder(shape)
        self.hidden = nn.Linear(3 * width, width)
        self.ways, self.answers = nn.Linear(width, 3), nn.Linear(width, 1)
        self.doubts, self.points = nn.Linear(width, 1), nn.Linear(width, 1)

    def forward(self, ids, mask, kinds):
        return self.heads(self.encoder(ids, mask, kinds), mask, kinds)

    def heads(self, states, mask, kinds):
        def mean(of):
            of = of[:, :, None].to(states.dtype)
            return (states * of).sum(1) / of.sum(1).clamp(min=1.0)

        second = kinds.to(mask.dtype) * mask
        pooled = torch.cat([states[:, 0], mean(mask - second), mean(second)], -1)
        hidden = torch.tanh(self.hidden(pooled))
        pieces = self.doubts(states)[:, :, 0].float(), self.points(states)[:, :, 0].float()
        return self.ways(hidden).float(), self.answers(hidden)[:, 0].float(), *pieces


def _layer(name: str) -> int:
    """Which layer a tensor of the encoder belongs to; -1 for what lies below them."""
    return int(name.split(".")[1]) if name.startswith("layers.") else -1


def load(kept: Path, weights: Path | None = None) -> Reader:
    """The reader on the backbone in `kept`, with trained weights where a file is given: of as many layers as that has."""
    found = np.load(kept / "backbone.npz")
    shape = json.loads(str(found["shape"]))
    trained = torch.load(weights, weights_only=True, map_location="cpu") if weights else {}
    if trained:
        shape["layers"] = 1 + max(_layer(name.removeprefix("encoder.")) for name in trained)
    own = [name for name in found.files if name != "shape" and _layer(name) < shape["layers"]]
    reader = Reader(shape)
    reader.encoder.load_state_dict({name: torch.from_numpy(found[name]) for name in own})
    if trained:
        missing, strange = reader.load_state_dict(trained, strict=False)
        if strange or set(missing) - {"encoder.word.weight", "points.weight", "points.bias"}:
            raise SystemExit(f"{weights}: not this reader's weights ({missing}, {strange})")
    reader.encoder.word.weight.requires_grad_(False)
    return reader


def sequence(claim: list[int], evidence: list[int], longest: int) -> tuple[list[int], int]:
    """<s> claim </s></s> evidence </s> with the evidence cut at the end; and where the second half begins."""
    claim = claim[: longest // 2]
    ids = [START, *claim, END, END]
    return [*ids, *evidence[: longest - len(ids) - 1], END], len(ids)


def batch(rows: list[tuple[list[int], int]], device: str = "cpu"):
    """Sequences -> ids, mask, kinds, padded to the longest."""
    n = max(len(ids) for ids, _ in rows)
    ids = np.full((len(rows), n), PAD, np.int64)
    mask, kinds = np.zeros((len(rows), n), np.float32), np.zeros((len(rows), n), np.int64)
    for k, (row, split) in enumerate(rows):
        ids[k, : len(row)], mask[k, : len(row)], kinds[k, split : len(row)] = row, 1, 1
    return tuple(torch.from_numpy(a).to(device) for a in (ids, mask, kinds))
