"""Entailment pairs in; the token states of every text in them out, as the shipped int8 encoder sees them.

    python training/read_pairs.py DATA OUT [--part 0/2]

Texts are read in shards; a run that was stopped goes on with the next one, and runs with different parts share
the work. ``train_network.py`` reads what this leaves in OUT: some 6 GB.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path

import numpy as np
import onnxruntime
from onnx.utils import extract_model
from pairs_data import pairs
from tokenizers import Tokenizer

from footnoted.encoder.encoder import _CLS, _SEP, WEIGHTS
from footnoted.encoder.sessions import open_session

SHARD = 10_000


def texts_of(data: Path, out: Path) -> list[str]:
    """Every text of the pairs once, in the order of the pairs; the pairs themselves go to ``pairs.pickle``."""
    kept = out / "pairs.pickle"
    if not kept.exists():
        found = pairs(data)
        order: dict[str, int] = {}
        told = []
        for pair in found:
            numbers = [order.setdefault(text, len(order)) for text in (pair.claim, *pair.evidence)]
            told.append((pair.set, numbers[0], tuple(numbers[1:]), pair.label, pair.aside))
        made = kept.with_suffix(".part")
        made.write_bytes(pickle.dumps((told, [*order])))
        made.rename(kept)
    return pickle.loads(kept.read_bytes())[1]


def session(out: Path) -> onnxruntime.InferenceSession:
    """The shipped encoder up to the layer whose states are kept: what lies above is not needed here."""
    lower = out / "states.onnx"
    extract_model(str(WEIGHTS / "model.onnx"), str(lower), ["input_ids", "attention_mask"], ["states"])
    return open_session(lower)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--part", default="0/1", help="which of how many processes this is")
    parser.add_argument("--texts", type=int, default=400_000, help="read no more; pairs with others are left out")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    texts = texts_of(options.data, options.out)[: options.texts]
    mine, of = map(int, options.part.split("/"))
    run = session(options.out)
    tokenizer = Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
    print(len(texts), "texts", flush=True)
    for number, start in enumerate(range(0, len(texts), SHARD)):
        target = options.out / f"states-{number:03}.npy"
        if target.exists() or number % of != mine:
            continue
        states, ids = [], []
        for text in texts[start : start + SHARD]:
            row = np.asarray([[_CLS, *tokenizer.encode(text, add_special_tokens=False).ids[:254], _SEP]])
            states.append(run.run(None, {"input_ids": row, "attention_mask": np.ones_like(row)})[0][0].astype("f2"))
            ids.append(row[0].astype("i4"))
        np.save(target.with_suffix(".part.npy"), np.concatenate(states))
        np.savez(target.with_suffix(".npz"), ids=np.concatenate(ids), lengths=[len(one) for one in ids])
        target.with_suffix(".part.npy").rename(target)
        print(target.name, flush=True)


if __name__ == "__main__":
    main()
