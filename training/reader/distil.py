"""Teaches a network of all layers and hands what it knows to its first ones, in minutes of a GPU.

    python distil.py DATA KEPT [--teacher 4] [--student 4] [--layers 8] [--written FOLDER]

``KEPT/backbone.npz`` are all of mpnet.py's layers (``--layers 12``), ``KEPT/groups.jsonl`` is rerank_groups.py's. The teacher
reads rows and groups as `train.py` does, in larger batches. Then its first layers go on alone: they are asked for the teacher's
last states and for what its heads say (Hinton et al. 2015, arXiv:1503.02531), of rows whose label is known and of as many
that nobody wrote, with words of the claim exchanged, taken out or brought from the evidence (Jiao et al. 2020,
arXiv:1909.10351). A GPU reads each written pair many times over, so pairs that others labelled take a larger share than
`material.SHARES` gives them. ``KEPT/teacher.pt`` and ``KEPT/reader/average.pt`` are written at the end.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import pickle
import random
import time
from pathlib import Path

import material
import numpy as np
import torch
import torch.nn.functional as F
from asking import LONGEST, WEIGHT, drawn, held_aside
from material import Stream, gather
from network import END, Reader, batch, load, sequence
from tokenizers import Tokenizer
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from train import batches, loss_of, marks

SHARES = {
    "twins": 0.06, "written": 0.26, "twin_pairs": 0.03, "mnli": 0.10, "snli": 0.06, "wiki_nli_protocols": 0.10,
    "sad_wiki": 0.04, "fever_rte": 0.04, "conj_nli": 0.015, "scone": 0.004, "folio": 0.003, "wikires": 0.02,
    "tabfact_pairs": 0.01, "summedits": 0.02, "fool_me_twice": 0.02, "squad2": 0.03, "clapnq": 0.004, "xquad": 0.02,
    "asked": 0.05, "policies": 0.012,
}  # fmt: skip
POOL, TOKENS, GROUPS, EVERY = (4096, 24_000, 64, 4)  # so many groups every so many batches
HARD = 0.4  # what a known label weighs beside the teacher's word


class Batches(IterableDataset):
    """Endless batches as tensors, other ones from each process; with ``changed``, each row also as nobody wrote it."""

    def __init__(self, sets: dict, groups: list[dict], tokenizer: Path, tokens: int, changed: bool) -> None:
        self.sets, self.groups, self.tokenizer, self.tokens, self.changed = (sets, groups, tokenizer, tokens, changed)

    def __iter__(self):
        told = get_worker_info()
        own = (told.id if told else 0) + (1000 if self.changed else 0)
        stream, dice, number, step = (Stream(self.sets, seed=own), random.Random(own), 0, own)
        tokenizer = Tokenizer.from_file(str(self.tokenizer))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        pieces = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
        while True:
            for rows in batches(stream, number, tokenizer, self.tokens // (2 if self.changed else 1), POOL):
                made = [(ids, split) for ids, split, *_ in rows]
                if self.changed:
                    made += [changed(ids, split, dice) for ids, split in made]
                ids, mask, kinds = even(*batch(made))
                y = torch.tensor([one[2].label for one in rows])
                asked = torch.tensor([float(one[2].answers) for one in rows])
                step += 1
                groups = None if step % EVERY else asked_of(self.groups, dice, pieces)
                yield ids, mask, kinds, y, asked, marks(rows, ids.shape[1]), groups
            number += 1


def even(ids, mask, kinds):
    """Padded to a multiple of eight, which the fused attention wants of its bias."""
    more = -ids.shape[1] % 8
    return (F.pad(ids, (0, more), value=1), F.pad(mask, (0, more)), F.pad(kinds, (0, more)))


def changed(ids: list[int], split: int, dice: random.Random) -> tuple[list[int], int]:
    """A sequence with some of its pieces exchanged, taken out or brought from the other side."""
    claim, evidence = ids[1 : split - 2], ids[split:-1]

    def stretch(of: list[int], most: int) -> tuple[int, int]:
        start = dice.randrange(len(of))
        return start, min(len(of), start + dice.randint(1, most))

    for _ in range(dice.randint(1, 3)):
        if not claim or not evidence:
            break
        way = dice.random()
        if way < 0.4:
            (a, b), (c, d) = stretch(claim, 3), stretch(evidence, 4)
            claim = claim[:a] + evidence[c:d] + claim[b:]
        elif way < 0.6:
            a, b = stretch(claim, 4)
            c, d = stretch(claim, 4)
            if b <= c:
                claim = claim[:a] + claim[c:d] + claim[b:c] + claim[a:b] + claim[d:]
        elif way < 0.75:
            a, b = stretch(claim, 4)
            claim = claim[:a] + claim[b:] or claim
        else:
            a, b = stretch(evidence, max(2, len(evidence) // 4))
            evidence = evidence[:a] + evidence[b:] or evidence
    return [ids[0], *claim[:126], END, END, *evidence, END][:256], min(len(claim), 126) + 3


def asked_of(groups: list[dict], dice: random.Random, pieces):
    """Some groups' sequences in three batches of like length, and how they belong together: for each sequence whether it
    answers and its weight, and a table (groups, most) of places, the one that answers first, with the groups' weights."""
    sequences, labels, heavy, table, weights = [], [], [], [], []
    for group in dice.sample(groups, GROUPS):
        right, wrong = drawn(group, dice)
        weight, count = WEIGHT[group["set"]], len(right) + len(wrong)
        first, question = len(sequences), pieces(group["question"])
        sequences += [sequence(question, pieces(text), LONGEST) for text in (*right, *wrong)]
        labels += [1.0] * len(right) + [0.0] * len(wrong)
        heavy += [2 * weight / max(1, count)] * count
        table.append([*range(first, first + count), *[-1] * (5 - count)])
        weights.append(weight if right and wrong else 0.0)
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i][0]))
    third = -(-len(order) // 3)
    parts = [even(*batch([sequences[i] for i in order[at : at + third]])) for at in range(0, len(order), third)]
    place = torch.empty(len(order), dtype=torch.long)
    place[torch.tensor(order)] = torch.arange(len(order))
    return (parts, place, torch.tensor(labels), torch.tensor(heavy), torch.tensor(table), torch.tensor(weights))


def to(device: str, made):
    """The same, on the device."""
    if isinstance(made, torch.Tensor):
        return made.to(device)
    return tuple(to(device, one) for one in made) if isinstance(made, list | tuple) else made


def read(reader: Reader, ids, mask, kinds):
    """The last states, and what the heads say."""
    states = reader.encoder(ids, mask, kinds)
    return states, reader.heads(states, mask, kinds)


def loss_of_asked(said, labels, heavy, table, weights):
    """As `asking.loss_of_groups`, of the answers' logits."""
    loss = F.binary_cross_entropy_with_logits(said, labels, weight=heavy, reduction="sum")
    logs = said[table.clamp(min=0)].masked_fill(table < 0, -1e4).log_softmax(-1)
    return (loss - (weights * logs[:, 0]).sum()) / len(table)


def as_taught(ours, theirs, mask, second):
    """How far one network's states and words are from another's. ``second`` marks the pieces of the evidence."""
    states, (ways, answers, doubts, points) = ours
    wanted, (their_ways, their_answers, their_doubts, their_points) = theirs
    loss = F.kl_div(ways.log_softmax(-1), their_ways.log_softmax(-1), log_target=True, reduction="batchmean")
    loss = loss + F.binary_cross_entropy_with_logits(answers, their_answers.sigmoid())
    for said, told, of in ((doubts, their_doubts, mask - second), (points, their_points, second)):
        apart = F.binary_cross_entropy_with_logits(said, told.sigmoid(), reduction="none")
        loss = loss + 0.3 * (apart * of).sum() / of.sum().clamp(min=1.0)
    apart = ((states.float() - wanted.float()) ** 2).mean(-1)
    return loss, (apart * mask).sum() / mask.sum()


def teach(reader: Reader, loader, minutes: float, rate: float, device: str, log, teacher: Reader | None = None) -> None:
    """Trains in place for so long: the rate rises over a twentieth of the time and falls to nothing at its end."""
    reader.train()
    trained = [w for w in reader.parameters() if w.requires_grad]
    groups = [
        {"params": [w for w in trained if w.ndim > 1], "weight_decay": 0.01},
        {"params": [w for w in trained if w.ndim < 2], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), eps=1e-6, fused=device != "cpu")
    kind = torch.device(device).type
    began, step, seen, pieces, waited, closeness = time.time(), 0, 0, 0, 0.0, ""
    ready = began
    for made in loader:
        part = (time.time() - began) / (60 * minutes)
        if part >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 100, part / 0.05 + 0.01) * (1 - part)
        waited += time.time() - ready
        ids, mask, kinds, y, asked, marked, groups = to(device, made)
        with torch.autocast(kind, torch.bfloat16):
            ours = read(reader, ids, mask, kinds)
            if teacher is not None:
                with torch.no_grad():
                    theirs = read(teacher, ids, mask, kinds)
        loss, _ = loss_of([one[: len(y)] for one in ours[1]], y, asked, *marked)
        if teacher is not None:
            soft, apart = as_taught(ours, theirs, mask, kinds * mask)
            loss = HARD * loss + soft + apart
            closeness = f" soft {soft.item():.3f} apart {apart.item():.4f}" if step % 100 == 99 else ""
        if groups is not None:
            parts, place, *told = groups
            with torch.autocast(kind, torch.bfloat16):
                said = torch.cat([read(reader, *one)[1][1] for one in parts])[place]
                ranked = loss_of_asked(said, *told)
                if teacher is not None:
                    with torch.no_grad():
                        meant = torch.cat([read(teacher, *one)[1][1] for one in parts])[place].sigmoid()
                    ranked = HARD * ranked + 2 * F.binary_cross_entropy_with_logits(said, meant)
            loss = loss + ranked
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        step, seen, pieces = step + 1, seen + len(ids), pieces + ids.numel()
        if step % 100 == 0:
            took = time.time() - began
            log(f"step {step} rows {seen} loss {loss.item():.3f}{closeness} {seen / took:.0f} rows/s {pieces / took:.0f} pieces/s {took:.0f} s, waited {waited:.0f}")  # fmt: skip
        ready = time.time()
    log(f"ends after {step} steps, {seen} rows")


@torch.no_grad()
def looked_at(reader: Reader, tried: dict, groups: list[dict], tokenizer: Path, device: str) -> str:
    """What it tells on the claims to choose by, and on the questions that are never taught."""
    from measure import auroc

    reader.eval()
    kind = torch.device(device).type

    def said(rows: list[tuple[list[int], int]]):
        order = sorted(range(len(rows)), key=lambda i: len(rows[i][0]))
        ways, answers = np.zeros(len(rows)), np.zeros(len(rows))
        for at in range(0, len(order), 128):
            some = order[at : at + 128]
            with torch.autocast(kind, torch.bfloat16):
                w, a, *_ = reader(*to(device, even(*batch([rows[i] for i in some]))))
            ways[some] = (w[:, 2] - w[:, :2].logsumexp(-1)).cpu().numpy()
            answers[some] = a.cpu().numpy()
        return ways, answers

    lines = []
    for name, (rows, owner, told) in tried.items():
        labels, least = np.array(told), np.full(len(told), np.inf)
        np.minimum.at(least, np.array(owner), said(rows)[0])
        limit = np.quantile(least[labels == 0], 0.95)
        true, false = (least[labels == 1], least[labels == 0])  # told in turn: a true one, then its twin
        won = 100 * np.mean((true > false) + 0.5 * (true == false))
        lines.append(
            f"{name}: AUROC {auroc(labels, least):.1f} won {won:.1f} ticked at 5 % {100 * np.mean(true > limit):.1f}"
        )
    own = Tokenizer.from_file(str(tokenizer))
    own.no_padding()
    own.no_truncation()
    pieces = lambda text: own.encode(text, add_special_tokens=False).ids
    for name in WEIGHT:
        of = [group for group in groups if group["set"] == name and any(group["answers"])]
        if of:
            rows = [
                sequence(pieces(group["question"]), pieces(text), LONGEST) for group in of for text in group["texts"]
            ]
            answers, at, first = said(rows)[1], 0, []
            for group in of:
                those = answers[at : at + len(group["texts"])]
                at += len(group["texts"])
                first.append(group["answers"][int(those.argmax())])
            labels = [answer for group in of for answer in group["answers"]]
            lines.append(
                f"{name}: first {100 * np.mean(first):.1f} of {len(first)}, AUROC {auroc(labels, answers):.1f}"
            )
    return "; ".join(lines)


def to_choose_by(data: Path, written: Path, tokenizer: Path) -> dict:
    """The English claims of the part to choose by, as sequences: true and false in turn."""
    from evidence import Evidence, sentences
    from parts import part, twins, twins_written

    own, found = Tokenizer.from_file(str(tokenizer)), {}
    own.no_padding()
    own.no_truncation()
    for name, every in (("shared", twins(data)), ("written", twins_written(written, data))):
        pairs: dict[str, dict[int, dict]] = {}
        for row in every:
            if part(row["passage"]) == "tried" and row.get("lang", "en") == row.get("source_lang", "en") == "en":
                pairs.setdefault(row["pair"], {})[row["label"]] = row
        rows, owner, labels = [], [], []
        for both in pairs.values():
            if len(both) < 2:
                continue
            for label in (1, 0):
                evidence = Evidence([both[label]["passage"]])
                for sentence in [s for s in sentences(both[label]["claim"]) if len(s) > 12] or [both[label]["claim"]]:
                    texts = own.encode_batch([sentence, evidence.best(sentence, budget=110)], add_special_tokens=False)
                    rows.append(sequence(texts[0].ids, texts[1].ids, 320))
                    owner.append(len(labels))
                labels.append(label)
        found[name] = (rows, owner, labels)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--written", type=Path, default=Path(__file__).parent.parent / "twins")
    parser.add_argument("--teacher", type=float, default=4.0, help="minutes; 0 takes KEPT/teacher.pt")
    parser.add_argument("--student", type=float, default=4.0, help="minutes")
    parser.add_argument("--layers", type=int, default=8, help="of the student")
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="pieces a batch")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--unseen", action="store_true", help="without a look at what it tells")
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    began, kept, device = time.time(), options.kept, options.device
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True
    out = kept / "reader"
    out.mkdir(parents=True, exist_ok=True)

    def log(line: str) -> None:
        print(f"{time.time() - began:5.0f} {line}", flush=True)

    gathered = kept / "sets.pkl"  # half a minute of a machine without a GPU; made anew where a written pair is newer
    newest = max((file.stat().st_mtime for file in options.written.glob("*.jsonl")), default=0.0)
    if not gathered.exists() or gathered.stat().st_mtime < newest:
        tokenizer = kept / "tokenizer.json"
        tried = to_choose_by(options.data, options.written, tokenizer)
        with gathered.open("wb") as file:
            pickle.dump((gather(options.data, options.written, english=True), tried), file, 5)
    with gathered.open("rb") as file:
        sets, tried = pickle.load(file)
    groups = list(map(json.loads, (kept / "groups.jsonl").open(encoding="utf-8")))
    aside, near = ([g for g in groups if held_aside(g)], [g for g in groups if not held_aside(g)])
    log(f"{sum(map(len, sets.values()))} rows, {len(near)} groups")
    material.SHARES.update(SHARES)
    gc.freeze()

    def loader(changed: bool) -> DataLoader:
        rows = Batches(sets, near, kept / "tokenizer.json", options.tokens, changed)
        some = {"prefetch_factor": 8} if options.workers else {}
        return DataLoader(rows, batch_size=None, num_workers=options.workers, **some)

    teacher = load(kept).to(device)
    if teacher.encoder.near:
        teacher.encoder.near.requires_grad_(False)  # its gradient would have to be kept for each pair of pieces
    if options.teacher:
        teach(teacher, loader(False), options.teacher, options.rate, device, log)
        torch.save(
            {n: w.half() for n, w in teacher.state_dict().items() if n != "encoder.word.weight"}, kept / "teacher.pt"
        )
    else:
        teacher.load_state_dict(torch.load(kept / "teacher.pt", weights_only=True, map_location=device), strict=False)
    if not options.unseen:
        log(looked_at(teacher, tried, aside, kept / "tokenizer.json", device))
    if options.student:
        student = Reader(teacher.shape | {"layers": options.layers}).to(device)
        known = student.state_dict()
        student.load_state_dict({n: w for n, w in teacher.state_dict().items() if n in known})
        student.encoder.word.weight.requires_grad_(False)
        if student.encoder.near:
            student.encoder.near.requires_grad_(False)
        teacher.requires_grad_(False)
        teach(student, loader(True), options.student, options.rate, device, log, teacher.eval())
        torch.save(
            {n: w.cpu() for n, w in student.state_dict().items() if n != "encoder.word.weight"}, out / "average.pt"
        )
        if not options.unseen:
            log(looked_at(student, tried, aside, kept / "tokenizer.json", device))


if __name__ == "__main__":
    main()
