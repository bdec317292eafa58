import json
import os

import pytest

from tests.assistants.security.conftest import EXAMPLES
from tests.commands import run

QUESTION = "Which of our S3 findings break HIPAA, and what do I fix first?"


@pytest.fixture
def footnoted(tmp_path):
    """The command in a process of its own, on a database of this test's own."""

    def footnoted(*arguments, **environment):
        env = {name: value for name, value in os.environ.items() if not name.startswith(("FOOTNOTED_", "DATABASE_"))}
        env |= {"XDG_DATA_HOME": str(tmp_path), "NO_COLOR": "1", "COLUMNS": "200", **environment}
        return run(*arguments, env=env)

    return footnoted


def test_import_then_advise(footnoted, tmp_path):
    """The two commands of the front page: findings go in, an expert's answer comes out, with its sources."""
    done = footnoted("findings", "import", EXAMPLES / "prowler.ocsf.json", EXAMPLES / "security-hub.json")
    assert done.returncode == 0, done.stderr
    assert "prowler.ocsf.json: 10 findings (10 new" in done.stdout
    assert (tmp_path / "footnoted" / "footnoted.db").exists()
    told = footnoted("advise", QUESTION)
    assert told.returncode == 0, told.stderr
    assert "**2 open findings** on 1 resource (Prowler 2): 🔴 1 critical, 🟡 1 medium." in told.stdout
    assert "Sources" in told.stdout
    assert "finding s3_bucket_public_access" in told.stdout
    assert footnoted("advise", "What is the weather?").returncode == 3


def test_list_filters_and_its_exit_status(footnoted):
    """0 with findings, 3 without, 2 for what is no severity; JSON for programs."""
    footnoted("findings", "import", EXAMPLES / "prowler.ocsf.json")
    found = footnoted("findings", "list", "--service", "s3", "--framework", "HIPAA", "--json")
    told = json.loads(found.stdout)
    assert told["total"] == 3
    assert {one["service"] for one in told["findings"]} == {"s3"}
    assert footnoted("findings", "list", "--service", "sqs").returncode == 3
    wrong = footnoted("findings", "list", "--severity", "purple")
    assert (wrong.returncode, "choose critical" in wrong.stderr) == (2, True)
    assert footnoted("findings", "list", "--tenant", "bakery").returncode == 3


def test_bad_records_are_named_by_their_line(footnoted, tmp_path):
    """The rest is kept; status 1 says that some were not."""
    broken = tmp_path / "broken.json"
    broken.write_text((EXAMPLES / "prowler.ocsf.json").read_text().replace('"High"', "High", 1))
    done = footnoted("findings", "import", broken)
    assert done.returncode == 1
    assert "9 findings" in done.stdout
    assert "line " in done.stderr
    assert "not JSON" in done.stderr
    report = json.loads(footnoted("findings", "import", broken, "--json").stdout)[0]
    assert (report["unchanged"], report["skipped"]) == (9, 1)


@pytest.mark.parametrize(
    ("name", "content", "words"), [("no.json", None, "no such file"), ("page.html", "<html>", "known format")]
)
def test_files_that_cannot_be_read(footnoted, tmp_path, name, content, words):
    """Status 2 and one line that says why."""
    path = tmp_path / name
    if content:
        path.write_text(content)
    done = footnoted("findings", "import", path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_none_costs_only_itself(footnoted, tmp_path):
    """Beside one that was kept it is something left out, status 1, in whichever order they are named."""
    page = tmp_path / "page.html"
    page.write_text("<html>")
    for files in ([EXAMPLES / "prowler.csv", page], [page, EXAMPLES / "prowler.csv"]):
        done = footnoted("findings", "import", *files)
        assert (done.returncode, "known format" in done.stderr) == (1, True)
    assert footnoted("findings", "import", page, page).returncode == 2


def test_knowledge_is_imported(footnoted):
    """A catalogue, a map, checks; status 2 for what is none."""
    done = footnoted("kb", "import", EXAMPLES / "catalog.oscal.json", EXAMPLES / "compliance.prowler.json")
    assert done.returncode == 0, done.stderr
    assert "catalog.oscal.json: 2 entries (2 new" in done.stdout
    assert footnoted("kb", "import", EXAMPLES / "prowler.csv").returncode == 2


def test_advice_as_json_and_with_a_document(footnoted, tmp_path):
    """Everything computed is there; a document of the question's own is cited."""
    footnoted("findings", "import", EXAMPLES / "prowler.ocsf.json")
    policy = tmp_path / "policy.md"
    policy.write_text("Backups of the patient database are kept for 35 days in a second Region.")
    done = footnoted("advise", "According to the document, how long are backups kept?", "--document", policy, "--json")
    told = json.loads(done.stdout)
    assert "35 days" in told["response"]["response"]
    assert "document" in {one["kind"] for one in told["citations"]}


def test_the_database_is_heeded(footnoted, tmp_path):
    """``DATABASE_URL`` says where findings are kept."""
    url = f"sqlite:///{tmp_path}/elsewhere.db"
    footnoted("findings", "import", EXAMPLES / "prowler.ocsf.json", DATABASE_URL=url)
    assert footnoted("findings", "list", DATABASE_URL=url).returncode == 0
    assert footnoted("findings", "list").returncode == 3
    assert footnoted("findings", "list", DATABASE_URL="nonsense").returncode == 2
