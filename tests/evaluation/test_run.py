"""Cases are asked and graded, through real providers over real HTTP; an error costs its own case."""

import json

import pytest

from footnoted import GroundedGenerator
from footnoted.errors import SourceError
from footnoted.evaluation import Report, as_page, compare, evaluate, read_cases, summarise
from footnoted.testing import Reply, ScriptedLLM


async def _report(cases, generator, **options):
    return summarise(await evaluate(cases, generator, **options), name="policies", provider="test")


async def test_right_answers_and_right_refusals_are_all_counted(cases_file, extractive):
    """Both answerable questions met their evidence and the third was refused: everything is 1."""
    report = await _report(read_cases(cases_file), extractive)
    assert {name: report.metrics[name].value for name in ("right", "evidence", "refusal_balanced", "finished")} == {
        "right": 1.0,
        "evidence": 1.0,
        "refusal_balanced": 1.0,
        "finished": 1.0,
    }
    assert report.metrics["citation_precision"].value == 1.0
    assert report.failing == []


async def test_a_wrong_citation_costs_precision_and_a_missing_one_recall(cases_file):
    """Two claims shown: one cites the flood passage for the excess, one cites nothing: precision 0, recall 1/2."""
    case = read_cases(cases_file)[0]
    text = "The excess is £75 for a repair [2]. Claims are paid within 10 days."
    async with ScriptedLLM(Reply(text=text)) as llm:
        generator = GroundedGenerator("openai", api_key="k", base_url=llm.url("openai"), model="m", checking="off")
        async with generator:
            report = await _report([case], generator)
    assert report.metrics["citation_precision"].value == 0.0
    assert report.metrics["citation_recall"].value == 0.5


async def test_a_provider_that_fails_costs_its_cases_only(cases_file):
    """Every case is there, with the error's class and words, and counts as wrong where a right answer is known."""
    async with ScriptedLLM(Reply(status=401)) as llm:
        async with GroundedGenerator("openai", api_key="k", base_url=llm.url("openai"), model="m") as generator:
            report = await _report(read_cases(cases_file), generator)
    assert [each.error.type for each in report.cases] == ["ProviderRejected"] * 3
    assert report.metrics["right"].value == 0.0
    assert report.metrics["finished"].value == 0.0
    assert len(report.failing) == 3


async def test_a_saved_report_is_read_back_the_same(cases_file, extractive, tmp_path):
    """JSON is the whole of it."""
    report = await _report(read_cases(cases_file), extractive)
    path = tmp_path / "run.json"
    path.write_text(report.model_dump_json(), encoding="utf-8")
    assert Report.read(path) == report


@pytest.mark.parametrize("content", ["{}", "no json", '{"name": 3}'])
def test_what_is_no_report_is_said_to_be_none(tmp_path, content):
    """The message says how to make one."""
    path = tmp_path / "run.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(SourceError, match="footnoted eval"):
        Report.read(path)


async def test_a_difference_is_real_only_when_its_interval_says_so(cases_file, extractive):
    """The same run twice differs in nothing; one that gets everything wrong is really worse."""
    cases = [
        case.model_copy(update={"id": f"{case.id}{copy}"}) for copy in range(4) for case in read_cases(cases_file)[:2]
    ]
    good = await _report(cases, extractive)
    async with ScriptedLLM(Reply(status=401)) as llm:
        async with GroundedGenerator("openai", api_key="k", base_url=llm.url("openai"), model="m") as generator:
            bad = await _report(cases, generator)
    assert not any(each.real for each in compare(good, good).metrics.values())
    against = compare(good, bad)
    assert against.metrics["right"].real
    assert against.metrics["right"].change.value == -1.0
    assert sorted(against.broke) == sorted(case.id for case in cases)


async def test_runs_of_other_cases_are_not_compared(cases_file, extractive):
    """Figures of different questions say nothing about each other."""
    cases = read_cases(cases_file)
    report = await _report(cases[:2], extractive)
    other = await _report([case.model_copy(update={"question": "Else?"}) for case in cases[:2]], extractive)
    with pytest.raises(SourceError, match="another question"):
        compare(report, other)
    with pytest.raises(SourceError, match="share 0"):
        compare(report, summarise([], name="none"))


async def test_the_page_runs_nothing_of_what_a_case_says(tmp_path, extractive):
    """Questions, titles, sources and ids with markup stand in it as text."""
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    path = tmp_path / "hostile.jsonl"
    line = {
        "id": hostile,
        "question": f"What is the excess {hostile}?",
        "passages": [{"title": hostile, "text": f"The excess is £75 {hostile}."}],
        "answerable": True,
        "evidence": [hostile],
    }
    path.write_text(json.dumps(line) + "\n" + json.dumps(line | {"id": "b"}), encoding="utf-8")
    report = await _report(read_cases(path), extractive)
    page = as_page(report.model_copy(update={"name": hostile}), compare(report, report))
    assert "<script" not in page
    assert "<img" not in page
    assert "default-src 'none'" in page
    assert "&lt;script&gt;" in page


async def test_the_page_marks_the_cited_words(cases_file, extractive):
    """Each citation's exact words stand marked in their source."""
    report = await _report(read_cases(cases_file), extractive)
    page = as_page(report)
    assert page.count("<mark>") >= 2
    assert page.count("<svg") == 3
    assert "<mark>The excess is £75 for a repair and £115 for a replacement.</mark>" in page


def test_an_empty_run_has_a_page_too():
    """Nothing was asked; nothing divides by zero."""
    report = summarise([], name="nothing")
    assert "0 cases" in as_page(report)
    assert report.calibration_error is None
