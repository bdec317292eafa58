"""What the advisor's page shows is run."""

import re

from tests.assistants.security.conftest import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text()


async def test_the_python_example_runs(tmp_path, capsys, monkeypatch):
    """As it stands, but for where the file is kept."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    code = code.replace("sqlite:///findings.db", f"sqlite:///{tmp_path}/findings.db")
    monkeypatch.chdir(ROOT)
    body = "async def example():\n" + "".join(f"    {line}\n" for line in code.splitlines())
    names = {}
    exec(compile(body, "docs/security.md", "exec"), names)  # noqa: S102
    await names["example"]()
    assert "🔴 [s3_bucket_public_access]" in capsys.readouterr().out


def test_the_files_it_names_are_there():
    """Every example path exists."""
    for path in set(re.findall(r"examples/findings/[\w.-]+", PAGE)):
        assert (ROOT / path).exists(), path
