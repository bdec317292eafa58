"""Labelled claims beside their evidence (`weigh_claims.py`) in; the network tuned on them out, ``KEPT/tuned.pt``.

    python training/tune_network.py DATA KEPT [--fold 0]

It starts from what `train_network.py` left. What the classifier is fitted on must not be what the network knows by
heart, so there are five runs, each of which leaves a fold of the documents out and keeps its readings of it in
``KEPT/read-<fold>.npz``; none sees the documents kept aside. The run that leaves out these alone is the one that ships.

Beside each claim's label the network is told which of its words are wrong, where that is known, and that a true
sentence is to score above its edited twin. Sentences edited by rule (`edits.py`) stand beside those people edited.
The weights are then taken half-way between those it started from and those it was tuned to, which knows both what
the pairs taught and what the claims did (Wortsman et al., CVPR 2022, "Robust fine-tuning of zero-shot models").
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from claims_data import Record, alike, balance, records
from edits import edited
from network import Network
from torch.nn import functional
from train_network import auroc, carried, padded
from weigh_claims import Row, Tokens, kept

from footnoted.encoder import Encoder
from footnoted.encoder.entailment import Entailment, marks
from footnoted.grounding.features import as_read

BATCH, POOL = 64, 40  # as in `train_network.py`
EPOCHS = 3
RATE = 3e-4
WARM = 60
DROP = 0.2
TUNED = 0.5  # how far each weight goes from where it started to where it was tuned to
DECAY = 0.05
DOUBTS, TWINS = 0.5, 0.5  # what the words and the twins weigh in the loss beside the labels
MADE = 0.06  # what the sentences edited by rule weigh beside all others
AMID = 0.5  # how often a sentence that was also weighed among passages about something else is shown so
ALIKE = 0.5  # share of words two sentences must have in common to be twins


@dataclass(frozen=True, slots=True)
class Example:
    """A claim beside its evidence, what is known of it, and which example is its true twin (-1: none).

    ``amid`` is its evidence when passages about something else stood around.
    """

    claim: Tokens
    evidence: Tokens
    label: int
    doubts: np.ndarray
    fold: int
    weight: float
    twin: int = -1
    amid: Tokens | None = None


def examples(found: list[Record], rows: list[Row]) -> list[Example]:
    """Every row without passages about something else whose label is known, then the edits of the true ones."""
    plain = [place for place, row in enumerate(rows) if row.twin < 0 and row.label >= 0]
    names = np.array([found[rows[place].record].set for place in plain])
    weights = balance(names, np.array([rows[place].label for place in plain]))
    texts = [found[rows[place].record].sentences[rows[place].sentence] for place in plain]
    docs = [found[rows[place].record].doc for place in plain]
    labels = [rows[place].label for place in plain]
    twins = _twins(texts, docs, labels, [name in ("summedits", "bump") for name in names])
    amid = {row.twin: row.evidence for row in rows if row.twin >= 0}
    made = []
    for number, place in enumerate(plain):
        row, fold, twin = rows[place], found[rows[place].record].fold, twins.get(number, -1)
        made.append(
            Example(row.claim, row.evidence, row.label, row.doubts, fold, weights[number], twin, amid.get(place))
        )
    return made + _edits(found, rows, plain, made)


def _twins(texts: list[str], docs: list[str], labels: list[int], asked: list[bool]) -> dict[int, int]:
    """Of each wrong sentence the true one of its document that is most like it."""
    true: dict[str, list[int]] = defaultdict(list)
    for number, doc in enumerate(docs):
        if labels[number] == 1:
            true[doc].append(number)
    found = {}
    for number, doc in enumerate(docs):
        if labels[number] == 0 and asked[number]:
            share, best = max(((alike(texts[number], texts[other]), other) for other in true[doc]), default=(0.0, -1))
            if share > ALIKE:
                found[number] = best
    return found


def _edits(found: list[Record], rows: list[Row], plain: list[int], made: list[Example]) -> list[Example]:
    """True sentences made wrong by rule, weighed against the evidence of the true ones."""
    encoder, dice = Encoder(threads=1), random.Random(3)
    wrong: list[tuple[int, Tokens, np.ndarray]] = []
    for number, place in enumerate(plain):
        row, record = rows[place], found[rows[place].record]
        if row.label != 1 or record.set == "wice_spans" or record.fold == 0:
            continue
        evidence = " ".join(source.text for source in record.sources)[:4000]
        for edit in edited(record.sentences[row.sentence], evidence, dice):
            told = encoder.encode([edit.text])[0]
            doubts = np.zeros(len(told.ids), dtype=np.float32)
            doubts[[0, -1]] = -1
            for token, (start, end) in enumerate(told.offsets):
                if start < edit.end and edit.start < end:
                    doubts[token + 1] = 1
            wrong.append((number, Tokens(told.ids, told.states), doubts))
    weight = MADE * sum(one.weight for one in made) / max(1, len(wrong))
    return [
        Example(claim, made[number].evidence, 0, doubts, made[number].fold, weight, number)
        for number, claim, doubts in wrong
    ]


def _collated(chosen: list[tuple[Tokens, Tokens]]) -> list[torch.Tensor]:
    return padded(
        [
            (c.ids, c.states, e.ids, e.states, marks(c.ids, e.ids), marks(e.ids, c.ids))
            for c, e in chosen
        ]
    )  # fmt: skip


def loss_of(network: Network, made: list[Example], part: list[int], rng: np.random.Generator) -> torch.Tensor:
    """Of a batch: its labels, its words, and the order of its twins."""
    behind = [number for number, place in enumerate(part) if made[place].twin >= 0]
    all_of = [made[place] for place in part] + [made[made[part[number]].twin] for number in behind]
    beside = [one.amid if one.amid is not None and rng.random() < AMID else one.evidence for one in all_of]
    logits, doubts = network(*_collated([(one.claim, shown) for one, shown in zip(all_of, beside, strict=True)]))
    scores = carried(logits)
    labels = torch.tensor([float(made[place].label) for place in part])
    told = torch.full(doubts.shape, -1.0)
    for number, one in enumerate(all_of):
        told[number, : len(one.doubts)] = torch.from_numpy(one.doubts)
    loss = functional.binary_cross_entropy_with_logits(scores[: len(part)], labels)
    known = told >= 0
    if known.any():
        loss = loss + DOUBTS * functional.binary_cross_entropy_with_logits(doubts[known], told[known])
    if behind:
        loss = loss + TWINS * functional.softplus(scores[behind] - scores[len(part) :]).mean()
    return loss


def tuned(start: Path, made: list[Example], fold: int) -> Network:
    """The network tuned on all folds but this one and the one kept aside."""
    torch.manual_seed(fold)
    rng = np.random.default_rng(fold)
    network, began = Network(drop=DROP), torch.load(start, weights_only=True)["network"]
    network.load_state_dict(began)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    seen = np.array([place for place, one in enumerate(made) if one.fold not in (0, fold)])
    drawn = np.array([made[place].weight for place in seen])
    steps, step, total = len(seen) // BATCH * EPOCHS, 0, 0.0
    network.train()
    while step < steps:
        pool = rng.choice(seen, size=BATCH * POOL, p=drawn / drawn.sum())
        pool = sorted(pool, key=lambda place: len(made[place].evidence.ids) + 2 * len(made[place].claim.ids))
        parts = [[int(place) for place in pool[at : at + BATCH]] for at in range(0, len(pool), BATCH)]
        rng.shuffle(parts)
        for part in parts[: steps - step]:
            for group in optimizer.param_groups:
                group["lr"] = RATE * min((step + 1) / WARM, 0.5 * (1 + np.cos(np.pi * step / steps)) + 0.01)
            loss = loss_of(network, made, part, rng)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            step, total = step + 1, total + float(loss.detach())
            if step % 50 == 0:
                print(f"fold {fold} step {step} of {steps} loss {total / 50:.3f}", flush=True)
                total = 0.0
    ended = network.state_dict()
    network.load_state_dict({name: torch.lerp(began[name], ended[name], TUNED) for name in began})
    return network.eval()


def readings(network: Network, rows: list[Row]) -> np.ndarray:
    """What the network reads of each row (n, 4), in the order of ``READ``."""
    order = sorted(range(len(rows)), key=lambda place: len(rows[place].evidence.ids) + 2 * len(rows[place].claim.ids))
    found = np.zeros((len(rows), 4))
    with torch.no_grad():
        for at in range(0, len(order), BATCH):
            part = order[at : at + BATCH]
            logits, doubts = network(*_collated([(rows[place].claim, rows[place].evidence) for place in part]))
            for number, place in enumerate(part):
                mine = doubts[number, 1 : len(rows[place].claim.ids) - 1].numpy()
                found[place] = as_read(Entailment(*map(float, logits[number]), mine))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument(
        "--fold", type=int, action="append", help="only the run that leaves this one out; may be repeated"
    )
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    found, rows = records(options.data), kept(options.kept)
    made = examples(found, rows)
    for fold in options.fold or range(5):
        target = options.kept / f"read-{fold}.npz"
        if target.exists():
            continue
        network = tuned(options.kept / "pairs" / "network.pt", made, fold)
        mine = np.array([place for place, row in enumerate(rows) if found[row.record].fold == fold])
        read = readings(network, [rows[place] for place in mine])
        if fold == 0:
            torch.save({"network": network.state_dict()}, options.kept / "tuned.pt")
        np.savez(target, places=mine, read=read)
        known = np.array([rows[place].label for place in mine])
        print(
            f"fold {fold}: AUROC of carried, sentences: {100 * auroc(read[known >= 0, 0], known[known >= 0] == 1):.1f}"
        )


if __name__ == "__main__":
    main()
