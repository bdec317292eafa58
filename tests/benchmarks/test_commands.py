"""Each benchmark is a command that says what it measures."""

import json
import subprocess
import sys

from .conftest import BENCHMARKS

# All in one process: what each imports is shared, so that this stays a matter of seconds.
ASKING = """
import contextlib, io, json, runpy, sys
for name in json.loads(sys.argv[1]):
    sys.argv = [name, "--help"]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(name, run_name="__main__")
        status = "ran on"
    except SystemExit as left:
        status = left.code or 0
    print(json.dumps([name.rpartition("/")[2], status, said.getvalue()]))
"""


def test_every_benchmark_answers_help():
    """Usage and the words of the file's own docstring, exit status 0."""
    names = sorted(path.name for path in BENCHMARKS.glob("[a-z]*.py"))
    done = subprocess.run(
        [sys.executable, "-c", ASKING, json.dumps([str(BENCHMARKS / name) for name in names])],
        check=False,
        cwd=BENCHMARKS,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = {name: (status, said) for name, status, said in map(json.loads, done.stdout.splitlines())}
    assert set(told) == set(names)
    assert {name: status for name, (status, _) in told.items() if status != 0} == {}
    for name, (_, said) in told.items():
        assert said.startswith("usage: "), name
        first = (BENCHMARKS / name).read_text(encoding="utf-8").partition('"""')[2].split("\n")[0]
        assert first[:40] in said, name


def test_an_unknown_part_or_peer_is_named():
    """A slip of the finger costs no hour."""
    done = subprocess.run(
        [sys.executable, "peers.py", "fautls", "--only", "opnai"],
        check=False,
        cwd=BENCHMARKS,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "unknown: fautls, opnai" in done.stderr
