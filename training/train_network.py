"""Pairs and their token states in (`read_pairs.py`); the trained network's checkpoint out, ``OUT/network.pt``.

    python training/train_network.py OUT [--steps 5000]

Every so many steps everything is saved, and a run that was stopped goes on from there. Pairs kept aside are only
looked at.
"""

from __future__ import annotations

import argparse
import pickle
import time
from pathlib import Path

import numpy as np
import torch
from network import STATES, Network
from torch.nn import functional

from footnoted.encoder.entailment import MARKS, marks

BATCH = 64
POOL = 60  # batches that are sorted by length together, so that little is padding
RATE = 1.0e-3
WARM = 300
SAVE = 250
CUT = 128  # tokens of evidence beyond which a training example is cut
STRANGERS = 0.4  # the share of batches whose examples get a sentence or two about something else


class Shards:
    """All texts' ids and states; the states stay on disk."""

    def __init__(self, folder: Path) -> None:
        self.pairs, _ = pickle.loads((folder / "pairs.pickle").read_bytes())
        self._states, self._ids, self._starts = [], [], []
        for path in sorted(folder.glob("states-[0-9][0-9][0-9].npy")):
            told = np.load(path.with_suffix(".npz"))
            self._states.append(np.load(path, mmap_mode="r"))
            self._ids.append(told["ids"])
            self._starts.append(np.concatenate([[0], np.cumsum(told["lengths"])]))
        self._size = len(self._starts[0]) - 1
        self.texts = sum(len(starts) - 1 for starts in self._starts)
        self.pairs = [pair for pair in self.pairs if max(pair[1], *pair[2]) < self.texts]

    def text(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """``(ids, states)`` of one text."""
        shard, place = divmod(number, self._size)
        start, end = self._starts[shard][place : place + 2]
        return self._ids[shard][start:end], self._states[shard][start:end]

    def length(self, number: int) -> int:
        """Its tokens."""
        shard, place = divmod(number, self._size)
        return int(self._starts[shard][place + 1] - self._starts[shard][place])


def batches(shards: Shards, chosen: list[int], dice: np.random.Generator) -> list[np.ndarray]:
    """The pairs in an order of the dice, batches of like length."""
    order = dice.permutation(chosen)
    lengths = {i: sum(map(shards.length, shards.pairs[i][2])) + 2 * shards.length(shards.pairs[i][1]) for i in chosen}
    found = []
    for start in range(0, len(order) - BATCH, BATCH * POOL):
        pool = sorted(order[start : start + BATCH * POOL], key=lengths.__getitem__)
        parts = [np.array(pool[at : at + BATCH]) for at in range(0, len(pool) - BATCH + 1, BATCH)]
        dice.shuffle(parts)
        found += parts
    return found


def collate(shards: Shards, chosen: np.ndarray, dice: np.random.Generator | None) -> tuple[list[torch.Tensor], ...]:
    """A batch as the network takes it, and its labels. With dice, some batches get strangers among the evidence."""
    examples, labels = [], []
    strangers = dice is not None and dice.random() < STRANGERS
    for number in chosen:
        _, claim, evidence, label, _ = shards.pairs[number]
        numbers = list(evidence)
        if dice is not None and strangers:
            for _ in range(int(dice.integers(1, 3))):
                stranger = shards.pairs[int(dice.integers(len(shards.pairs)))][2][0]
                numbers.insert(int(dice.integers(dice.integers(0, 2), len(numbers) + 1)), stranger)
        ids, states = zip(*(shards.text(one) for one in numbers), strict=True)
        mine = shards.text(claim)
        theirs = np.concatenate(ids)[:CUT], np.concatenate(states)[:CUT]
        examples.append((*mine, *theirs, marks(mine[0], theirs[0]), marks(theirs[0], mine[0])))
        labels.append(label)
    return padded(examples), torch.tensor(labels)


def padded(examples: list[tuple[np.ndarray, ...]]) -> list[torch.Tensor]:
    """Ids, states, evidence ids, evidence states, marks and marks of each example, as the network takes a batch."""
    c, e = max(len(x[0]) for x in examples), max(len(x[2]) for x in examples)
    b = len(examples)
    claim, evidence = np.zeros((b, c, STATES), "f4"), np.zeros((b, e, STATES), "f4")
    c_mask, e_mask = np.zeros((b, c), "f4"), np.zeros((b, e), "f4")
    c_marks, e_marks = np.zeros((b, c, MARKS), "f4"), np.zeros((b, e, MARKS), "f4")
    for row, (i, s, j, t, m, n) in enumerate(examples):
        claim[row, : len(i)], c_mask[row, : len(i)], c_marks[row, : len(i)] = s, 1, m
        evidence[row, : len(j)], e_mask[row, : len(j)], e_marks[row, : len(j)] = t, 1, n
    return [torch.from_numpy(x) for x in (claim, evidence, c_mask, e_mask, c_marks, e_marks)]


def loss_of(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross entropy; where only "not carried" is known, either of the two will do."""
    told = functional.log_softmax(logits, dim=-1)
    wrong = torch.logsumexp(told[:, 1:], dim=1)
    exact = told.gather(1, labels.clamp(max=2)[:, None])[:, 0]
    return -torch.where(labels == 3, wrong, exact).mean()


def carried(logits: torch.Tensor) -> torch.Tensor:
    """The logit of carried against the two others."""
    return logits[:, 0] - torch.logsumexp(logits[:, 1:], dim=1)


def auroc(scores: np.ndarray, truth: np.ndarray) -> float:
    """The chance that a carried claim scores above one that is not."""
    ranks = scores.argsort().argsort()
    yes = truth.sum()
    return float((ranks[truth].sum() - yes * (yes - 1) / 2) / max(1, yes * (~truth).sum()))


def look(network: Network, shards: Shards, aside: list[int]) -> str:
    """AUROC of carried against not, by set, on pairs kept aside."""
    network.eval()
    scores, truth, names = [], [], []
    with torch.no_grad():
        for start in range(0, len(aside), BATCH):
            chosen = np.array(aside[start : start + BATCH])
            given, labels = collate(shards, chosen, None)
            scores.append(carried(network(*given)[0]).numpy())
            truth.append((labels == 0).numpy())
            names += [shards.pairs[number][0] for number in chosen]
    network.train()
    score, true, name = np.concatenate(scores), np.concatenate(truth), np.array(names)
    told_of = ("wiki_nli_protocols", "mnli", "fever_rte", "snli_cad", "wiki_refuted", "condaqa_yesno")
    parts = {one: (name == one) | ((one == "wiki_refuted") & np.char.startswith(name, "wiki_split")) for one in told_of}
    return "  ".join(f"{one} {100 * auroc(score[p], true[p]):.1f}" for one, p in parts.items() if p.any())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    shards = Shards(options.out)
    network = Network()
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.02)
    step, kept = 0, options.out / "network.pt"
    if kept.exists():
        saved = torch.load(kept, weights_only=True)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        step = saved["step"]
    seen = [number for number, pair in enumerate(shards.pairs) if not pair[4]]
    aside = [number for number, pair in enumerate(shards.pairs) if pair[4]][:4000]
    print(len(seen), "pairs,", sum(p.numel() for p in network.parameters()), "weights, at step", step, flush=True)
    each = len(batches(shards, seen, np.random.default_rng(0)))
    begun, total, order, epoch = time.time(), 0.0, [], -1
    while step < options.steps:
        if step // each != epoch:
            epoch = step // each
            order = batches(shards, seen, np.random.default_rng(epoch))
        given, labels = collate(shards, order[step % each], np.random.default_rng((1, step)))
        rate = RATE * float(min((step + 1) / WARM, 0.5 * (1 + np.cos(np.pi * step / options.steps)) + 0.01))
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = loss_of(network(*given)[0], labels)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        step += 1
        total += float(loss.detach())
        if step % 50 == 0:
            print(f"step {step} loss {total / 50:.3f} {(time.time() - begun) / 50:.2f} s a step", flush=True)
            begun, total = time.time(), 0.0
        if step % SAVE == 0 or step == options.steps:
            saved = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
            torch.save(saved, kept.with_suffix(".part"))
            kept.with_suffix(".part").rename(kept)
        if step % 1000 == 0 or step == options.steps:
            print(f"step {step} AUROC kept aside: {look(network, shards, aside)}", flush=True)
            begun = time.time()


if __name__ == "__main__":
    main()
