"""How many small faults, sown into three rooms one at a time, their tests notice: ``make mutants``.

``python -m tests.mutants [--each 20] [--seed 1] [--source SRC] [ROOM…]`` sows a seeded sample of cosmic-ray's mutations, each
into a copy of the sources, and runs the room's tests on it. A mutation that only annotations see is none.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parent.parent
ROOMS = {
    "citations": ("citations/*.py", ["tests/citations"]),
    "grounding/check": ("grounding/check.py", ["tests/grounding", "tests/answering/test_weighing.py"]),
    "service/replay": ("service/replay/*.py", ["tests/service/test_replay.py", "tests/service/test_answers.py"]),
}


@dataclass(frozen=True)
class Mutant:
    """One fault: the file, what is done to it, and where."""

    path: str
    operator: str
    occurrence: int
    line: int
    code: str


def sample(paths: list[Path], wanted: int, seed: int) -> tuple[list[Mutant], int]:
    """Mutations that change what runs, of a seeded order; and how many places there are in all."""
    import cosmic_ray.plugins
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.mutating import mutate_code

    operators = {name: cosmic_ray.plugins.get_operator(name) for name in cosmic_ray.plugins.operator_names()}
    places = [
        (path, name, occurrence, line)
        for path in paths
        for nodes in [list(ast_nodes(get_ast_from_path(path)))]
        for name, kind in operators.items()
        if not kind.arguments()
        for occurrence, line in enumerate(start[0] for node in nodes for start, _ in kind().mutation_positions(node))
    ]
    random.Random(seed).shuffle(places)
    found: list[Mutant] = []
    for path, name, occurrence, line in places:
        if len(found) == wanted:
            break
        source = path.read_text(encoding="utf-8")
        code = mutate_code(source, operators[name](), occurrence)
        if code is not None and _what_runs(code) not in (_what_runs(source), ""):
            found.append(Mutant(str(path), name.removeprefix("core/"), occurrence, line, code))
    return found, len(places)


def _what_runs(source: str) -> str:
    """The program less annotations and docstrings; nothing where it is no program."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(value=None)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    return ast.dump(tree)


class Field:
    """A copy of the sources in which one fault at a time is sown."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.source, self.copy = source, folder
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))

    def notices(self, mutant: Mutant | None, tests: list[str], patience: float) -> bool:
        """Whether the tests fail, or do not end, with the fault in place."""
        place = self.copy / Path(mutant.path).relative_to(self.source) if mutant else None
        try:
            if mutant is not None and place is not None:
                _forget(place)
                place.write_text(mutant.code, encoding="utf-8")
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
            env = {**os.environ, "PYTHONPATH": str(self.copy)}
            with subprocess.Popen(
                command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
            ) as running:
                try:
                    return running.wait(patience) != 0
                except subprocess.TimeoutExpired:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(running.pid, 9)
                    return True
        finally:
            if mutant is not None and place is not None:
                shutil.copyfile(mutant.path, place)
                _forget(place)


def _forget(place: Path) -> None:
    """No compiled module of another fault is taken for this one."""
    for each in (place.parent / "__pycache__").glob(f"{place.stem}.*"):
        each.unlink()


def sow(room: str, source: Path, each: int, seed: int) -> tuple[int, int]:
    """How many of a sample are noticed, and how many were sown."""
    pattern, tests = ROOMS[room]
    sown, places = sample(sorted((source / "footnoted").glob(pattern)), each, seed)
    with tempfile.TemporaryDirectory() as folder:
        fields: SimpleQueue[Field] = SimpleQueue()
        workers = min(2, len(sown))
        for number in range(workers):
            fields.put(Field(source, Path(folder, str(number))))
        started = time.monotonic()
        first = fields.get()
        if first.notices(None, tests, 1_200):
            raise SystemExit(f"{room}: its tests fail without any fault")
        fields.put(first)
        patience = 60 + 5 * (time.monotonic() - started)

        def noticed(mutant: Mutant) -> bool:
            field = fields.get()
            try:
                return field.notices(mutant, tests, patience)
            finally:
                fields.put(field)

        with ThreadPoolExecutor(workers) as pool:
            results = list(pool.map(noticed, sown))
    for mutant, seen in zip(sown, results, strict=True):
        if not seen:
            print(f"  nobody notices {Path(mutant.path).relative_to(source)}:{mutant.line} {mutant.operator}")
    took = time.monotonic() - started
    print(f"{room}: {sum(results)} of {len(sown)} noticed, of {places} places; {took:.0f} s", flush=True)
    return sum(results), len(sown)


def main() -> int:
    """Sow into the rooms named, or all; 0 where at least ``--least`` per cent are noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"some of {', '.join(ROOMS)}")
    parser.add_argument("--each", type=int, default=20, help="faults a room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=70, help="per cent that must be noticed")
    parser.add_argument("--source", type=Path, default=ROOT / "src", help="the sources, src/ by default")
    told = parser.parse_args()
    counts = [sow(room, told.source.resolve(), told.each, told.seed) for room in told.rooms or ROOMS]
    noticed, sown = (sum(column) for column in zip(*counts, strict=True))
    print(f"{noticed} of {sown} noticed: {100 * noticed / sown:.0f} %")
    return int(100 * noticed < told.least * sown)


if __name__ == "__main__":
    sys.exit(main())
