"""Which words a model is given, and whose."""

import pytest

from footnoted.contract import GenerationMode, OutputFormat
from footnoted.errors import ConfigurationError
from footnoted.prompting.templates import PromptTemplates, choose, get_template, instructions


@pytest.mark.parametrize(
    ("question", "mode", "expected"),
    [
        ("What is the excess?", GenerationMode.GROUNDED, "grounded"),
        ("What is the excess?", GenerationMode.SIMPLE, "simple"),
        ("What is the excess?", GenerationMode.CONVERSATIONAL, "conversational"),
        ("Why do claims fail?", GenerationMode.ANALYTICAL, "analytical"),
        ("Compare home and travel theft cover", GenerationMode.ANALYTICAL, "comparison"),
        ("What is the difference between gold and silver?", GenerationMode.GROUNDED, "comparison"),
        ("Summarise the exclusions", GenerationMode.GROUNDED, "summarization"),
        ("Compare them", GenerationMode.SIMPLE, "simple"),
    ],
)
def test_the_template_follows_mode_and_question(question, mode, expected):
    """Grounded and analytical questions that compare or summarise get the template for it."""
    assert choose(question, mode, has_sources=True) == expected


def test_without_sources_the_model_is_told_so():
    """No sources, no grounded template, whatever the mode."""
    assert choose("Anything", GenerationMode.GROUNDED, has_sources=False) == "no_context"


@pytest.mark.parametrize("name", ["grounded", "analytical", "comparison", "summarization", "simple", "conversational"])
def test_every_grounded_template_cites_refuses_and_distrusts(name):
    """Each asks for bracketed numbers, names the refusal word, and calls sources data."""
    text = instructions(name, output_format=OutputFormat.MARKDOWN)
    assert "[2]" in text
    assert "NO_ANSWER" in text
    assert "data" in text
    assert "$" not in text


def test_each_format_has_its_own_words():
    """Bullets, plain and Markdown are asked for differently."""
    texts = {instructions("grounded", output_format=form) for form in OutputFormat}
    assert len(texts) >= 3


def test_a_structured_reply_is_not_asked_for_markers():
    """Fields carry the sources there, so markers would only cost tokens."""
    assert "[2]" not in instructions("grounded", output_format=OutputFormat.MARKDOWN, structured=True)


def test_a_folder_of_ones_own_replaces_the_shipped_words(tmp_path):
    """A file of the same name wins; the rest stays shipped."""
    (tmp_path / "grounded.md").write_text("Speak as Harbour Mutual.\n$cite\n$format")
    text = instructions("grounded", output_format=OutputFormat.BULLETS, directory=tmp_path)
    assert text.startswith("Speak as Harbour Mutual.\n")
    assert '"- "' in text
    assert "Harbour" not in instructions("simple", output_format=OutputFormat.BULLETS, directory=tmp_path)


def test_an_unknown_variable_is_named(tmp_path):
    """A template that asks for something that does not exist fails with both names."""
    (tmp_path / "grounded.md").write_text("$citations please")
    with pytest.raises(ConfigurationError, match=r"\$citations; it may use \$cite, \$format"):
        instructions("grounded", output_format=OutputFormat.PLAIN, directory=tmp_path)


@pytest.mark.parametrize("name", ["nonsense", "../grounded", ""])
def test_an_unknown_template_lists_the_known(name):
    """The error names what there is; a path out of the folder is just unknown."""
    with pytest.raises(ConfigurationError, match="comparison"):
        instructions(name, output_format=OutputFormat.PLAIN)


def test_templates_are_had_by_name(tmp_path):
    """One a purpose, as it stands in its file; a folder's own comes first and may hold more."""
    (tmp_path / "comparison.md").write_text("Side by side. $cite")
    (tmp_path / "minutes.md").write_text("Write minutes.")
    own = PromptTemplates(tmp_path)
    purposes = {"grounded", "analytical", "comparison", "summarization", "no_context"}
    assert purposes < set(PromptTemplates().names) < set(own.names)
    assert all(get_template(name) == PromptTemplates().get_template(name) for name in purposes)
    assert own.get_template("comparison") == get_template("comparison", directory=tmp_path) == "Side by side. $cite"
    assert own.get_template("summarization") == get_template("summarization")


def test_the_former_name_of_summarization_works_for_one_more_version(tmp_path):
    """Asked for by its old name, or kept under it in a folder, it is found, with a warning that names the new one."""
    with pytest.warns(DeprecationWarning, match="summarization"):
        assert get_template("summary") == get_template("summarization")
    (tmp_path / "summary.md").write_text("In brief.")
    with pytest.warns(DeprecationWarning, match=r"summarization\.md"):
        assert get_template("summarization", directory=tmp_path) == "In brief."
