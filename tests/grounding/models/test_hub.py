"""Models by name: downloaded once from a hub (a real one on loopback), found again without it, errors that help."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from footnoted.testing import closed_port
from tests.grounding.models import tiny

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ASK = """
import json, sys
from footnoted.errors import ConfigurationError
from footnoted.grounding.models import EntailmentModel
from footnoted.types import Source
source = Source("1", "The windscreen glass excess is 75 pounds. You must pay it for a repair.")
told = []
for name, wishes in json.loads(sys.argv[1]):
    try:
        model = EntailmentModel.load(name, exact_first=False, **wishes)
        claims = "You pay 75 pounds for repair.", "You pay 80 pounds for repair."
        told.append([model.check(claim, [source]).ruling for claim in claims])
    except ConfigurationError as error:
        told.append(str(error))
print(json.dumps(told))
"""


class Hub:
    """A folder of repositories, served as huggingface.co serves files: by HEAD and GET, with commit and ETag."""

    def __init__(self, root):
        self.asked = []
        hub = self

        class Answers(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self):
                self._answer(body=False)

            def do_GET(self):
                self._answer(body=True)

            def _answer(self, *, body):
                hub.asked.append(f"{self.command} {self.path}")
                path = self.path.partition("?")[0].strip("/")
                repo, _, rest = path.partition("/resolve/")
                revision, _, name = rest.partition("/")
                data, status, headers = b"", 200, {"X-Repo-Commit": COMMIT}
                if not (root / repo).is_dir() or not rest:
                    status, headers = 404, {"X-Error-Code": "RepoNotFound"}
                elif revision not in ("main", COMMIT):
                    status, headers = 404, {"X-Error-Code": "RevisionNotFound"}
                elif not (root / repo / name).is_file():
                    status, headers = 404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT}
                else:
                    data = (root / repo / name).read_bytes()
                    headers["ETag"] = f'"{hashlib.sha256(data).hexdigest()}"'
                self.send_response(status)
                for key, value in headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if body:
                    self.wfile.write(data[: len(data) // 2] if "cut" in repo and name.endswith(".onnx") else data)
                    self.close_connection = True

            def log_message(self, *_):
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def hub(tmp_path):
    """Repositories: one whole, one that breaks off, a known one without a network, and somebody's network for it."""
    root = tmp_path / "hub"
    tiny.folder(root / "someone/tiny", file="onnx/model.onnx")
    tiny.folder(root / "lytang/MiniCheck-RoBERTa-Large", pair=False, labels=("LABEL_0", "LABEL_1"))
    (root / "lytang/MiniCheck-RoBERTa-Large/model.onnx").unlink()
    tiny.folder(root / "someone/cut", file="onnx/model.onnx")
    tiny.folder(root / "someone/minicheck-onnx", pair=False, labels=("LABEL_0", "LABEL_1"))
    with Hub(root) as served:
        yield served


@pytest.fixture
def ask(tmp_path):
    """Load and check in a child, as its environment says: for each (name, wishes) the verdicts, or the error."""

    def run(*cases, endpoint, offline=False):
        env = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
        env |= {"HF_ENDPOINT": endpoint, "HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        env |= {"HF_HUB_DISABLE_TELEMETRY": "1", **({"HF_HUB_OFFLINE": "1"} if offline else {})}
        done = subprocess.run(
            [sys.executable, "-c", ASK, json.dumps(cases)],
            env=env,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


RIGHT = ["supported", "unsupported"]


def test_a_repository_is_downloaded_once_and_works_offline(hub, ask, tmp_path):
    """Into the folder asked for; the second time, without network, no request is made."""
    cache = str(tmp_path / "models")
    assert ask(["someone/tiny", {"cache_dir": cache}], endpoint=hub.url) == [RIGHT]
    assert any("GET" in one and "onnx/model.onnx" in one for one in hub.asked)
    assert (tmp_path / "models").is_dir()
    before = len(hub.asked)
    pinned = ["someone/tiny", {"cache_dir": cache, "revision": COMMIT}]
    assert ask(pinned, endpoint=hub.url, offline=True) == [RIGHT]
    assert len(hub.asked) == before


def test_a_known_name_says_that_its_repository_has_no_network(hub, ask):
    """And how to make one, or where to say that somebody else's is."""
    said, right = ask(["minicheck", {}], ["minicheck", {"repo": "someone/minicheck-onnx"}], endpoint=hub.url)
    assert "lytang/MiniCheck-RoBERTa-Large holds no ONNX file" in said
    assert "optimum-cli export onnx" in said
    assert "repo=" in said
    assert right == RIGHT


def test_what_the_hub_does_not_have_is_said(hub, ask):
    """No repository, no revision, no such file, half a network: each by its name, none a pass."""
    repo, revision, file, cut = ask(
        ["someone/else", {}],
        ["someone/tiny", {"revision": "v9"}],
        ["someone/tiny", {"file": "big.onnx"}],
        ["someone/cut", {}],
        endpoint=hub.url,
    )
    assert "someone/else" in repo
    assert "'v9'" in revision
    assert "big.onnx" in file
    assert "cannot be asked" in cut


def test_without_a_network_it_says_what_to_do(ask):
    """An error at loading, never a model that passes everything."""
    (said,) = ask(["someone/tiny", {}], endpoint=closed_port(), offline=True)
    assert "cannot be asked" in said
    assert "HF_HUB_OFFLINE" in said
