"""The loss of questions: of what comes near, which sentence answers, and does any?

From each group of `rerank_groups.py` one sentence that answers and up to four that do not are drawn, the likelier the
nearer; the loss is the cross entropy over the group (which one) and that of each alone (whether at all), as the head serves
both. A twelfth of the questions is never taught.
"""

from __future__ import annotations

import random
import zlib

import torch
import torch.nn.functional as F
from network import Reader, batch, sequence

WEIGHT = {"asked": 1.5, "policies": 1.5, "clapnq8": 1.0, "squad2": 0.6, "squad8": 0.6, "xquad": 0.5, "across": 0.5}
AT_ONCE, LONGEST, TOGETHER = 8, 192, 12
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
