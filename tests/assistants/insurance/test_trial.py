"""A trial over HTTP: each customer their variant, outcomes counted, feedback shown by variant and by section."""

import asyncio
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from footnoted.assistants.insurance import CitationStyle
from footnoted.assistants.insurance.desk import Manner
from footnoted.assistants.insurance.outcomes import Outcomes
from footnoted.assistants.insurance.variants import Variant, read_experiment
from footnoted.errors import ConfigurationError
from footnoted.store import Database
from tests.commands import run
from tests.service.replicas import Client, Replica, start

POLICIES = Path(__file__).parents[3] / "examples" / "policies"
TRIAL = {
    "name": "tone",
    "variants": [{"name": "plain"}, {"name": "inline", "citation_style": "inline", "passages": 4}],
}
QUESTION = "Am I covered for a cracked windscreen?"


@pytest.fixture(scope="module")
def replica(tmp_path_factory):
    """One `footnoted serve` that compares two ways of citing."""
    folder = tmp_path_factory.mktemp("trial")
    (folder / "tone.json").write_text(json.dumps(TRIAL), encoding="utf-8")
    made = Replica(folder, "trial", provider="extractive", insurance_experiment=folder / "tone.json")
    asyncio.run(start(made))
    yield made
    made.stop()


async def command(*arguments):
    """What the `footnoted` command prints."""
    env = {**os.environ, "COLUMNS": "200", "PYTHONUTF8": "1"}
    done = await asyncio.to_thread(run, *arguments, env=env)
    done.check_returncode()
    return done.stdout


async def ask(client, customer, **wishes):
    """One message of a customer."""
    body = {"message": QUESTION, "customer": customer, **wishes}
    status, told = await client.json("POST", "/api/v1/insurance/message", body)
    assert status == 200
    return told


async def test_a_trial_from_question_to_table(replica, tmp_path):
    """Six customers asked, three rated, one citation marked wrong: counted over HTTP and by the command alike."""
    async with Client(replica.url) as client:
        status, _ = await client.upload((POLICIES / "car" / "comprehensive.md").read_bytes(), "comprehensive.md")
        assert status in (200, 201)
        told = {f"c{n}": await ask(client, f"c{n}") for n in range(6)}
        again = await ask(client, "c0")
        given = {name: one["insurance"]["variant"] for name, one in told.items()}
        assert set(given.values()) == {"plain", "inline"}
        assert again["insurance"]["variant"] == given["c0"]
        for name, one in told.items():
            assert ("(Source: " in one["response"]["response"]) is (given[name] == "inline")

        inline = next(name for name, variant in given.items() if variant == "inline")
        plain = await ask(client, inline, citation_style="numbered")
        assert "(Source: " not in plain["response"]["response"]  # the client's wish goes before the variant

        ratings = {"c0": ("up", None, ""), "c1": ("down", 1, "last year's excess"), "c2": ("down", None, "")}
        for name, (rating, wrong, comment) in ratings.items():
            body = {"answer_id": told[name]["answer_id"], "rating": rating, "comment": comment, "wrong_citation": wrong}
            assert (await client.json("POST", "/api/v1/feedback", body))[0] == 201
        status, found = await client.json("GET", "/api/v1/insurance/outcomes")
        assert status == 200
        _, other = await client.json("GET", "/api/v1/insurance/outcomes?experiment=another")
        assert other["variants"] == []
    assert found["experiment"] == "tone"
    assert [one["variant"] for one in found["variants"]] == ["inline", "plain"]
    assert sum(one["answers"] for one in found["variants"]) == 8
    assert sum(one["rated"] for one in found["variants"]) == 3
    assert sum(one["helpful"] for one in found["variants"]) == 1
    marked = found["sections"][0]
    assert (marked["wrong"], marked["comments"]) == (1, ["last year's excess"])
    assert marked["file"] == "comprehensive.md"
    assert marked["factor"] == pytest.approx(0.98)

    database = replica.env["FOOTNOTED_DATABASE_URL"]
    shown = await command("outcomes", "tone", "--database", database, "--json")
    assert json.loads(shown) == found
    table = await command("outcomes", "tone", "--database", database)
    assert "inline" in table
    assert "comprehensive.md" in table
    assert "No answers are kept" in await command("outcomes", "--database", f"sqlite:///{tmp_path}/new.db")


async def test_old_outcomes_are_let_go_of(tmp_path):
    """What is older than answers are kept goes with its citations and feedback; the rest stays."""
    from .test_outcomes import RESULT

    async with Database(f"sqlite:///{tmp_path}/old.db") as database:
        kept = Outcomes(database)
        await kept.prepare()
        answer = await kept.keep("acme", QUESTION, RESULT)
        await kept.rate("acme", answer, helpful=False, wrong=1)
        await kept.forget(datetime.now(UTC) - timedelta(days=1))
        assert len(await kept.by_section("acme")) == 1
        await kept.forget(datetime.now(UTC) + timedelta(seconds=1))
        assert await kept.by_section("acme") == []
        assert await kept.by_variant("acme", "") == []


def test_an_experiment_is_read_from_a_file(tmp_path):
    """Every wish of a variant, the defaults for the rest."""
    path = tmp_path / "trial.json"
    path.write_text(json.dumps(TRIAL), encoding="utf-8")
    trial = read_experiment(path)
    assert trial.name == "tone"
    assert trial.variants == (
        Variant("plain"),
        Variant("inline", Manner(citation_style=CitationStyle.INLINE, passages=4)),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file: Invalid JSON"),
        ('{"name": "tone"}', "variants: Field required"),
        ('{"name": "tone", "variants": []}', "needs variants"),
        ('{"name": "tone", "variants": [{"name": "a", "style": "rude"}]}', r"variants\.0\.style"),
        ('{"name": "tone", "variants": [{"name": "a", "tone": "x"}]}', r"variants\.0\.tone"),
        ('{"name": "tone", "variants": [{"name": "a", "weight": -1}]}', r"variants\.0\.weight"),
    ],
)
def test_a_file_that_does_not_hold_says_where(tmp_path, text, said):
    """The field and what is wrong with it."""
    path = tmp_path / "trial.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=said):
        read_experiment(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    """Its path, and why."""
    with pytest.raises(ConfigurationError, match=r"trial\.json cannot be read: No such file"):
        read_experiment(tmp_path / "trial.json")
