"""Trains a reader on the stream of rows. Stops and goes on at any time.

    nice python train.py DATA KEPT [--written FOLDER] [--device cuda] [--finish ROWS]

On a core some four rows a second (half as many again with ``--frozen 6``), seven with ``--half`` where it has bfloat16 of
its own, eleven to fifteen where it has AMX, on a GPU thousands. Every few minutes ``KEPT/reader/state.pt`` holds all that
is needed to go on, and ``KEPT/reader/average.pt`` the running average of the weights, which is what ships. New twins are
taken in at the next start. ``--finish`` lets the rate fall to nothing over so many rows and ends.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import time
from pathlib import Path

import network
import numpy as np
import torch
import torch.nn.functional as F
from asking import AT_ONCE, held_aside, loss_of_groups
from material import CARRIED, NOT_CARRIED, QUESTION, Stream, gather
from network import batch, load, sequence
from tokenizers import Tokenizer

POOL = 1024  # rows drawn, sorted by length and cut into batches at once
LONGEST = 256  # pieces of one sequence
AVERAGED = 6000  # rows over which the running average of the weights forgets


def loss_of(said, y, asked, wrong, known, gold, pointed, pairs, *, smooth=0.03):
    """The losses together. ``y`` as in `material`; ``wrong``, ``known`` (b, n) for the doubts, ``gold``, ``pointed`` (b, n)
    for the pointers; ``pairs`` (p, 2) are the places of a true claim and of its false twin, of which the true one must
    score higher."""
    ways, answers, doubts, points = said
    logs = ways.log_softmax(-1)
    either = torch.logsumexp(logs[:, :2], -1)
    exact = logs.gather(1, y.clamp(max=2)[:, None])[:, 0] * (1 - smooth) + smooth * logs.mean(-1)
    claims = y != QUESTION
    entailed = -(torch.where(y == NOT_CARRIED, either, exact) * claims).sum() / len(y)
    answered = (F.binary_cross_entropy_with_logits(answers, asked, reduction="none") * ~claims).sum() / len(y)
    weight = torch.tensor(4.0, device=doubts.device)
    doubted = F.binary_cross_entropy_with_logits(doubts, wrong, reduction="none", pos_weight=weight)
    doubted = (doubted * known).sum() / known.sum().clamp(min=1.0)
    found = F.binary_cross_entropy_with_logits(points, gold, reduction="none", pos_weight=weight)
    found = (found * pointed).sum(1) / pointed.sum(1).clamp(min=1.0)
    margin = logs[:, 2] - either
    ranked = F.softplus(margin[pairs[:, 1]] - margin[pairs[:, 0]]).sum() * 2 / len(y)
    return entailed + answered + 0.3 * doubted + 0.5 * found.sum() / len(y) + ranked, entailed


def batches(stream: Stream, number: int, tokenizer: Tokenizer, tokens: int, pool: int = POOL):
    """A pool as padded batches of at most so many pieces, in mixed order."""
    units = stream.pool(number, pool)
    rows = [row for unit in units for row in unit]
    claims = iter(tokenizer.encode_batch([claim for claim, _, _ in rows], add_special_tokens=False))
    evidence = iter(tokenizer.encode_batch([text for _, text, _ in rows], add_special_tokens=False))
    ready = []
    for unit in units:
        made = []
        for _, _, row in unit:
            c, e = next(claims), next(evidence)
            ids, split = sequence(c.ids, e.ids, LONGEST)
            wrong = gold = None
            if row.wrong is not None or row.label == CARRIED:
                spans = row.wrong or ()
                wrong = [float(any(a < end and start < b for start, end in spans)) for a, b in c.offsets[: split - 3]]
            if row.gold is not None or (row.label == QUESTION and not row.answers):
                spans = row.gold or ()
                gold = [float(any(a < end and start < b for start, end in spans)) for a, b in e.offsets]
                gold = gold[: len(ids) - split - 1]
            made.append((ids, split, row, wrong, gold))
        ready.append(made)
    ready.sort(key=lambda unit: max(len(one[0]) for one in unit))
    cut, now = [], []
    for unit in ready:
        if now and (len(now) + len(unit)) * max(len(one[0]) for one in unit) > tokens:
            cut.append(now)
            now = []
        now.extend(unit)
    cut.append(now)
    random.Random(number).shuffle(cut)
    return cut


def marks(rows, width: int):
    """What is known of single pieces, (b, n) each: which of a claim's are ``wrong`` and where that is ``known``, which of the
    evidence's answer (``gold``) and where that is known (``pointed``); and the places (p, 2) of twins."""
    wrong, known, gold, pointed = (np.zeros((len(rows), width), np.float32) for _ in range(4))
    for k, (_, split, row, doubted, places) in enumerate(rows):
        if doubted is not None:
            wrong[k, 1 : 1 + len(doubted)] = doubted
            known[k, 1 : 1 + len(doubted)] = 1.0 if row.wrong else 0.3
        if places is not None:
            gold[k, split : split + len(places)] = places
            pointed[k, split : split + len(places)] = 1.0 if row.gold else 0.3
    twins = [(k, k + 1) for k, one in enumerate(rows[:-1]) if one[2].twin is not None and one[2].twin is rows[k + 1][2]]
    return (*map(torch.from_numpy, (wrong, known, gold, pointed)), torch.tensor(twins, dtype=torch.long).reshape(-1, 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--written", type=Path, default=Path(__file__).parent.parent / "twins")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tokens", type=int, default=3072, help="pieces a batch")
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--finish", type=int, default=0, help="let the rate fall over so many rows, then end")
    parser.add_argument(
        "--until", type=int, default=0, help="end at so many rows in all, the rate falling over the last third"
    )
    parser.add_argument(
        "--minutes", type=float, default=0, help="end after so long, the rate falling over the last third"
    )
    parser.add_argument("--english", action="store_true", help="what is in English alone")
    parser.add_argument(
        "--groups", type=int, default=0, help="after every so many steps one of KEPT/groups.jsonl (rerank_groups.py)"
    )
    parser.add_argument("--name", default="reader")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dropped", type=float, default=network.DROPPED, help="of what a layer adds, while training")
    parser.add_argument(
        "--frozen", type=int, default=0, help="the lowest layers that stay as they are (six: 1.5 times as fast)"
    )
    parser.add_argument("--half", action="store_true", help="bfloat16 on a processor that has it")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    out = options.kept / options.name
    out.mkdir(parents=True, exist_ok=True)
    device, network.DROPPED = options.device, options.dropped
    tokenizer = Tokenizer.from_file(str(options.kept / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    stream = Stream(gather(options.data, options.written, english=options.english))
    near, dice = [], random.Random(int(time.time()))
    if options.groups:
        told = map(json.loads, (options.kept / "groups.jsonl").open(encoding="utf-8"))
        near = [group for group in told if not held_aside(group)]
    print({name: len(rows) for name, rows in stream.sets.items()}, len(near), "groups", flush=True)
    reader = load(options.kept).to(device).train()
    trained = {name: w for name, w in reader.named_parameters() if w.requires_grad}
    if options.frozen:
        below = reader.encoder
        for module in (below.place, below.kind, below.norm, *below.layers[: options.frozen]):
            module.requires_grad_(False).eval()
    groups = []
    for head in (False, True):
        for plain in (False, True):
            own = [w for n, w in trained.items() if n.startswith("encoder.") != head and (w.ndim > 1) != plain]
            rate = max(options.rate, 2e-4) if head else options.rate
            groups.append({"params": own, "lr": rate, "base": rate, "weight_decay": 0.0 if plain else 0.01})
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-6, fused=True)
    seen, number, average = 0, 0, {n: w.detach().clone() for n, w in trained.items()}
    state = out / "state.pt"
    if state.exists():
        saved = torch.load(state, weights_only=True, map_location=device)
        for n, w in trained.items():
            w.data.copy_(saved["weights"][n])
            average[n].copy_(saved["average"][n] if saved.get("averaged") == AVERAGED else saved["weights"][n])
        optimiser.load_state_dict(saved["optimiser"])
        for group in optimiser.param_groups:
            group.update(fused=True, foreach=None)
        seen, number = saved["seen"], saved["number"]
        stream.drawn.update(saved["drawn"])
        print(f"goes on at {seen} rows", flush=True)
    elif (out / "average.pt").exists():  # made again from what ships (again.py)
        for n, values in torch.load(out / "average.pt", weights_only=True, map_location=device).items():
            trained[n].data.copy_(values)
            average[n].copy_(values)
        print("starts from the weights in average.pt", flush=True)

    def keep() -> None:
        whole = {
            "weights": {n: w.data for n, w in trained.items()},
            "average": average,
            "averaged": AVERAGED,
            "optimiser": optimiser.state_dict(),
            "seen": seen,
            "number": number,
            "drawn": dict(stream.drawn),
        }
        torch.save(whole, out / "state.new")
        (out / "state.new").replace(state)
        torch.save({n: w.cpu() for n, w in average.items()}, out / "average.new")
        (out / "average.new").replace(out / "average.pt")

    stopping = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(1))
    began, first, kept_at, run, right, order = time.time(), seen, time.time(), 0.7, 0.5, 2.0
    worked = time.process_time()
    with (out / "log.txt").open("a") as log:
        step = 0
        while not stopping:
            for rows in batches(stream, number, tokenizer, options.tokens):
                ids, mask, kinds = batch([(one[0], one[1]) for one in rows], device)
                y = torch.tensor([one[2].label for one in rows], device=device)
                asked = torch.tensor([float(one[2].answers) for one in rows], device=device)
                rate = min(1.0, (seen + 1) / 800)
                if options.finish:
                    rate *= max(0.0, 1 - (seen - first) / options.finish)
                if options.until:
                    rate *= min(1.0, max(0.0, 3 * (1 - seen / options.until)))
                if options.minutes:
                    rate *= min(1.0, max(0.0, 3 * (1 - (time.time() - began) / 60 / options.minutes)))
                for group in optimiser.param_groups:
                    group["lr"] = group["base"] * rate
                with torch.autocast(device.split(":")[0], torch.bfloat16, enabled=options.half or device != "cpu"):
                    said = reader(ids, mask, kinds)
                marked = (values.to(device) for values in marks(rows, ids.shape[1]))
                loss, entailed = loss_of(said, y, asked, *marked)
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(list(trained.values()), 1.0)
                optimiser.step()
                if near and step % options.groups == 0:
                    ranked = loss_of_groups(
                        reader,
                        dice.sample(near, AT_ONCE),
                        dice,
                        lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
                    )
                    optimiser.zero_grad(set_to_none=True)
                    (ranked / AT_ONCE).backward()
                    torch.nn.utils.clip_grad_norm_(list(trained.values()), 1.0)
                    optimiser.step()
                    order = 0.95 * order + 0.05 * ranked.item() / AT_ONCE
                seen += len(rows)
                step += 1
                with torch.no_grad():
                    part = min(0.5, max(len(rows) / AVERAGED, 1 / (step + 1) if first == 0 else 0.0))
                    torch._foreach_lerp_(list(average.values()), [w.data for w in trained.values()], part)
                run = 0.98 * run + 0.02 * entailed.item()
                claims = y != QUESTION
                if claims.any():
                    hit = ((said[0].softmax(-1)[:, 2] > 0.5) == (y == CARRIED))[claims].float().mean().item()
                    right = 0.98 * right + 0.02 * hit
                if step % 50 == 0:
                    took = time.time() - began
                    line = f"seen {seen} loss {run:.4f} right {right:.3f} order {order:.3f} {(seen - first) / took:.1f}/s {(seen - first) / (time.process_time() - worked):.1f}/cpu-s {took:.0f} s"
                    print(line, flush=True)
                    log.write(line + "\n")
                    log.flush()
                if (
                    stopping
                    or (options.finish and seen - first >= options.finish)
                    or (options.until and seen >= options.until)
                    or (options.minutes and time.time() - began >= 60 * options.minutes)
                ):
                    stopping.append(1)
                    break
            number += 1
            if time.time() - kept_at > 240 or stopping:
                keep()
                kept_at = time.time()
    print(f"ends at {seen} rows", flush=True)


if __name__ == "__main__":
    main()
