"""The reader, taught on with questions: of what comes near, which sentence answers, and does any? `reranker.onnx`'s weights.

    python rerank.py KEPT READER.pt OUT.pt [--epochs 1.7] [--rate 3e-5] [--threads 1]

``KEPT/groups.jsonl`` is of `rerank_groups.py`. From each question's group one sentence that answers and up to four that do
not are drawn, the likelier the nearer; the loss is the cross entropy over the group (which one) and that of each alone
(whether at all), as the head serves both. A twelfth of the questions is held out, and told.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import zlib
from pathlib import Path

import torch
import torch.nn.functional as F
from network import Reader, batch, load, sequence
from tokenizers import Tokenizer

WEIGHT = {"asked": 1.5, "policies": 1.5, "clapnq8": 1.0, "squad2": 0.6, "squad8": 0.6, "xquad": 0.5, "across": 0.5}
WARM, AT_ONCE, LONGEST, TOGETHER = 100, 8, 192, 12
NEARER = 0.35  # of the exponential by which nearer sentences are drawn more often


def drawn(group: dict, dice: random.Random) -> tuple[list[str], list[str]]:
    """A sentence that answers, if there is one, and some that do not."""
    right = [text for text, answers in zip(group["texts"], group["answers"], strict=True) if answers]
    wrong = [text for text, answers in zip(group["texts"], group["answers"], strict=True) if not answers]
    places = {min(int(dice.expovariate(NEARER)), len(wrong) - 1) for _ in range(4 if right else 2)} if wrong else set()
    return [dice.choice(right)] if right else [], [wrong[place] for place in sorted(places)]


def answers_of(reader: Reader, pairs: list[tuple[list[int], int]]) -> torch.Tensor:
    """The logits of sequences, read in stretches of like length."""
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]))
    said: dict[int, torch.Tensor] = {}
    with torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(order), TOGETHER):
            some = order[start : start + TOGETHER]
            said |= dict(zip(some, reader(*batch([pairs[i] for i in some]))[1], strict=True))
    return torch.stack([said[i] for i in range(len(pairs))])


def loss_of_groups(reader: Reader, groups: list[dict], dice: random.Random, pieces) -> torch.Tensor:
    """The summed loss of some questions: which sentence of each answers, and whether each does."""
    pairs, parts, labels, heavy = [], [], [], []
    for group in groups:
        right, wrong = drawn(group, dice)
        weight, count = WEIGHT[group["set"]], len(right) + len(wrong)
        parts.append((len(pairs), count, weight if right and wrong else 0.0))
        pairs += [sequence(pieces(group["question"]), pieces(text), LONGEST) for text in (*right, *wrong)]
        labels += [1.0] * len(right) + [0.0] * len(wrong)
        heavy += [2 * weight / max(1, count)] * count
    said = answers_of(reader, pairs)
    loss = F.binary_cross_entropy_with_logits(said, torch.tensor(labels), weight=torch.tensor(heavy), reduction="sum")
    for start, count, weight in parts:
        if weight:
            loss = loss + weight * F.cross_entropy(said[None, start : start + count], torch.zeros(1, dtype=torch.long))
    return loss


def held_aside(group: dict) -> bool:
    """Whether a group is of the twelfth that is never taught."""
    return zlib.crc32(group["question"].encode()) % 12 == 0


@torch.no_grad()
def held_out(reader: Reader, groups: list[dict], pieces) -> None:
    """Prints, by set, how often the best is right, and how often an answered question's best is over a near miss's."""
    reader.eval()
    found: dict[str, tuple[list[bool], list[float], list[float]]] = {}
    for group in groups:
        asked = pieces(group["question"])
        said = answers_of(reader, [sequence(asked, pieces(text), LONGEST) for text in group["texts"]])
        first, over, under = found.setdefault(group["set"], ([], [], []))
        if any(group["answers"]):
            first.append(group["answers"][int(said.argmax())])
        (over if any(group["answers"]) else under).append(float(said.max()))
    for name, (first, over, under) in found.items():
        won = sum((a > b) + 0.5 * (a == b) for a in over for b in under) / max(1, len(over) * len(under))
        print(f"  {name}: first {sum(first)} of {len(first)}, AUROC {won:.3f} over {len(under)} misses", flush=True)
    reader.train()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path)
    parser.add_argument("reader", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=float, default=1.7)
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(3)
    dice = random.Random(3)
    every = [json.loads(line) for line in (options.kept / "groups.jsonl").open(encoding="utf-8")]
    groups = [group for group in every if not held_aside(group)]
    held = [group for group in every if held_aside(group)]
    tokenizer = Tokenizer.from_file(str(options.kept / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def pieces(text: str) -> list[int]:
        return tokenizer.encode(text, add_special_tokens=False).ids

    reader = load(options.kept, options.reader).train()
    trained = [weight for weight in reader.parameters() if weight.requires_grad]
    plain = [{"params": [w for w in trained if w.ndim == 1], "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(
        [{"params": [w for w in trained if w.ndim > 1], "weight_decay": 0.01}, *plain],
        lr=options.rate,
        betas=(0.9, 0.98),
        eps=1e-6,
    )
    total, order, told, began = int(options.epochs * len(groups) / AT_ONCE), [], 0.0, time.monotonic()
    for step in range(total):
        if len(order) < AT_ONCE:
            order = dice.sample(groups, len(groups))
        rate = options.rate * min(1.0, (step + 1) / WARM) * max(0.02, 1 - step / total)
        for params in optimiser.param_groups:
            params["lr"] = rate
        loss = loss_of_groups(reader, [order.pop() for _ in range(AT_ONCE)], dice, pieces)
        optimiser.zero_grad()
        (loss / AT_ONCE).backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        told += float(loss.detach()) / AT_ONCE
        if (step + 1) % 100 == 0:
            left = (time.monotonic() - began) / (step + 1) * (total - step - 1)
            print(f"{step + 1} of {total}: loss {told / 100:.3f}, {left / 60:.0f} minutes left", flush=True)
            told = 0.0
    held_out(reader, held, pieces)
    torch.save({name: w for name, w in reader.state_dict().items() if name != "encoder.word.weight"}, options.out)


if __name__ == "__main__":
    main()
