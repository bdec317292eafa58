"""Everything that ships of the reader, from the pinned package to the model card, in one command that resumes.

    python training/make_all.py DATA KEPT [--rows 200000] [--threads 1] [--half] [--device cuda] [--from STEP] [--list]

Each step leaves its stamp in ``KEPT/made.json``: its command, its script and the step before it. A step is done again
where one of these changed, and whatever follows it; the training goes on from its own checkpoint wherever it was cut
off. Nothing of the package is replaced before the step ``install``. Needs what the head of ``training/reader`` asks for
(torch, onnx, tokenizers, scikit-learn) beside the package itself; half an hour and a day of one core, or minutes of a GPU.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WEIGHTS = ROOT / "src" / "footnoted" / "models" / "weights"


@dataclass(frozen=True)
class Step:
    """A script with its arguments, and what it is for."""

    name: str
    what: str
    command: tuple[str, ...]


def steps(options: argparse.Namespace) -> list[Step]:
    """The whole way, in order."""
    data, kept, english = str(options.data), str(options.kept), str(options.kept / "english")
    reader = HERE / "reader"
    fast = [*(["--half"] if options.half else []), "--device", options.device, "--threads", str(options.threads)]
    weights = str(options.kept / "reader" / "average.pt")
    own = str(options.kept / "english" / "reader" / "average.pt")

    def step(name: str, what: str, script: Path, *arguments: str) -> Step:
        return Step(name, what, (str(script.relative_to(ROOT)), *arguments))

    train = [data, kept, "--until", str(options.rows), *fast]
    taught = [
        data,
        english,
        "--english",
        "--groups",
        "5",
        "--rate",
        "3e-5",
        "--tokens",
        "4096",
        "--until",
        str(options.rows),
        *fast,
    ]
    on_gpu = options.device != "cpu"  # a network of all layers can be taught there, from which its first ones learn
    layers = "12" if on_gpu else "8"
    return [
        step("backbone", "any language: the pinned weights, dequantised, their vocabulary pruned", reader / "backbone.py", kept, "--data", data, "--pieces", "100000"),
        step("training", "claims and questions, from the last checkpoint on", reader / "train.py", *train),
        step("mpnet", "English: the pinned weights, layer by layer", reader / "mpnet.py", english, "--layers", layers),
        step("nearest", "English questions beside what comes near", HERE / "rerank_groups.py", data, english, "--english"),
        step("teacher", "claims and questions: twelve layers, then eight of them", reader / "distil.py", data, english, "--device", options.device)
        if on_gpu
        else step("reader", "claims and questions, from the last checkpoint on", reader / "train.py", *taught),
        step("files", "int8 networks", reader / "files.py", kept, str(options.kept / "files"), "--reader", weights, "--data", data),
        step("install", "and those for English, into the package", reader / "files.py", english, str(options.kept / "files" / "english"), "--english", own, "--data", data),
        step("gate", "thresholds and their promise", reader / "fit_gate.py", data, "--write"),
        step("confidence", "how sure an answer is", ROOT / "benchmarks" / "confidence.py", "--data", data, "--write"),
        step("relevance", "what orders sentences, and when to refuse", HERE / "fit_relevance.py", "--data", data, "--kept", kept, "--write"),
        step("clauses", "which clauses of a policy decide", HERE / "fit_clauses.py", "--data", data, "--write"),
        step("threads", "when a community's bot speaks", HERE / "fit_threads.py"),
        step("measure", "what a tick is worth", ROOT / "benchmarks" / "truth.py", "--data", data, "--part", "tried", "--json", str(options.kept / "truth.json")),
        step("card", "docs/reader.md", reader / "card.py", kept),
    ]  # fmt: skip


def digest(step: Step, before: str) -> str:
    """What a stamp says: the step, its script's text and the step before."""
    told = "\0".join([*step.command, (ROOT / step.command[0]).read_text(encoding="utf-8"), before])
    return hashlib.sha256(told.encode()).hexdigest()


def install(made: Path) -> None:
    """The new networks into the package; the encoder stays, whose vectors lie in people's indexes."""
    shutil.copy(made / "reader.onnx", WEIGHTS)
    shutil.copytree(made / "english", WEIGHTS / "english", dirs_exist_ok=True)
    named = [*sorted(WEIGHTS.glob("*.onnx")), WEIGHTS / "tokenizer.json", WEIGHTS / "words.q4"]
    sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in named}
    (WEIGHTS / "sha256.json").write_text(json.dumps(sums, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--rows", type=int, default=200_000, help="rows of training in all")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--half", action="store_true", help="bfloat16 on a processor that has it")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--from", dest="begin", help="do this step and what follows again")
    parser.add_argument("--list", action="store_true", help="only say which steps are done")
    options = parser.parse_args()
    options.data, options.kept = options.data.resolve(), options.kept.resolve()
    options.kept.mkdir(parents=True, exist_ok=True)
    way, console = steps(options), Console()
    if options.begin and options.begin not in [step.name for step in way]:
        parser.error(f"no step {options.begin!r}; there are {', '.join(step.name for step in way)}")
    stamps_file = options.kept / "made.json"
    stamps: dict[str, str] = json.loads(stamps_file.read_text()) if stamps_file.exists() else {}
    paths = [ROOT / "src", HERE, HERE / "reader", ROOT / "benchmarks"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "OMP_NUM_THREADS": str(options.threads)}
    before, forced = "", False
    for step in way:
        forced |= step.name == options.begin
        before = digest(step, before)
        if stamps.get(step.name) == before and not forced:
            console.print(f"[green]✓[/] {step.name:11} {step.what}", highlight=False)
            continue
        console.print(f"[yellow]•[/] {step.name:11} {step.what}", highlight=False)
        if options.list:
            continue
        began = time.monotonic()
        code = subprocess.run([sys.executable, *step.command], cwd=ROOT, env=environment, check=False).returncode
        if code:
            console.print(f"[red]✗[/] {step.name} ended with {code}; the same command goes on from here")
            raise SystemExit(code)
        if step.name == "install":
            install(options.kept / "files")
        stamps[step.name] = before
        stamps_file.write_text(json.dumps(stamps, indent=1) + "\n")
        console.print(f"[green]✓[/] {step.name:11} {time.monotonic() - began:.0f} s", highlight=False)


if __name__ == "__main__":
    main()
