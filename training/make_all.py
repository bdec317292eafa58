"""The shared data in; the network, the classifier, the calibration and the risk curve of the check out, in one go.

    python -m venv ../fit && ../fit/bin/pip install -e . torch==2.13.0 scikit-learn onnx
    OMP_NUM_THREADS=1 ../fit/bin/python training/make_all.py ../shared/data ../fit/kept [--write]

About an hour and a half of one core: 10 minutes to read the pairs, 36 to train, 10 to weigh the labelled claims, 30 to
tune; with more threads than free cores the fits take many times as long. ``python benchmarks/extractive.py --fit`` then
fits what tells whether a question is answered to the new network. Seeds are fixed and each step keeps what it made in
the second folder, so a run that was stopped goes on. Without ``--write`` nothing in the package is touched and the
classifier, which needs no more than a minute, is not fitted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def run(script: str, *given: str | Path) -> None:
    """One step, its output as it comes; stops everything if it fails."""
    print(f"== {script} {' '.join(map(str, given))}", flush=True)
    subprocess.run([sys.executable, str(HERE / script), *map(str, given)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path, help="a folder for what the steps leave for one another: some 6 GB")
    parser.add_argument("--write", action="store_true", help="replace what ships in the package")
    options = parser.parse_args()
    pairs = options.kept / "pairs"
    run("read_pairs.py", options.data, pairs)
    run("train_network.py", pairs)
    run("weigh_claims.py", options.data, options.kept)
    run("tune_network.py", options.data, options.kept)
    if not options.write:
        run("export_network.py", options.kept)
        return
    run("export_network.py", options.kept, "--write")
    run("fit_classifier.py", options.data, options.kept, "--write")
    run("fit_risk.py", options.data, "--write")
    run("fit_doubtful.py", options.data, "--write")


if __name__ == "__main__":
    main()
