"""The example policies: real questions find the right section among the first three passages."""

import os
from pathlib import Path

import pytest

from footnoted.retrieval import Index, load

POLICIES = Path(__file__).parents[2] / "examples" / "policies"
DATA = Path(os.environ.get("FOOTNOTED_DATA") or Path(__file__).parents[3] / "shared" / "data")
DISCORD = DATA / "python-discord-docs"

# question → file and section it must find
ASKED = [
    ("What is the windscreen excess on car comprehensive?", "car/comprehensive.md", "3.2 Windscreen excess"),
    (
        "Is my windscreen covered with third party, fire and theft?",
        "car/third-party-fire-and-theft.md",
        "4. Windscreen",
    ),
    ("How long can I drive abroad with comprehensive cover?", "car/comprehensive.md", "7. Driving abroad"),
    ("Do I get a courtesy car while mine is repaired?", "car/comprehensive.md", "2.2 Repairs"),
    ("How much do you pay for personal belongings in the car?", "car/comprehensive.md", "5. Personal belongings"),
    ("What is the compulsory excess for a driver aged 18?", "car/comprehensive.md", "6. Excesses"),
    ("How far will you tow my car with Full Rescue?", "car/breakdown.html", "Levels of cover"),
    ("What happens if my car is a write-off?", "car/claims-guide.md", "write-off"),
    ("How long may one trip last on the annual policy?", "travel/annual-multi-trip.md", "2. Longest trip"),
    ("Is pregnancy covered on a single trip?", "travel/single-trip.md", "4. Medical treatment"),
    ("Can I go skiing with the annual multi-trip policy?", "travel/annual-multi-trip.md", "6. Winter sports"),
    ("Is a medical condition in band D covered?", "travel/medical-conditions.pdf", "2. How we screen"),
    ("Do I have to tell you about asthma?", "travel/medical-conditions.pdf", "1. Conditions"),
    ("What is the cooling off period for travel insurance?", "travel/key-facts.txt", "COOLING OFF"),
    ("How long may my home be unoccupied under contents select?", "home/contents-select.md", "1. Definitions"),
    ("What is the excess for escape of water on buildings insurance?", "home/buildings.md", "3. Excesses"),
    ("Is subsidence of my patio covered?", "home/buildings.md", "5. What is not covered"),
    ("Is a boiler older than ten years covered?", "home/home-emergency.docx", "2. What we pay"),
    ("How quickly does a tradesman arrive?", "home/home-emergency.docx", "4."),
    ("Can I pay monthly for home insurance?", "home/key-facts.html", "instalments"),
    ("Do I need two estimates for a repair?", "home/claims-guide.md", "What to send"),
    ("What does it cost to cancel a car policy later?", "general/cancelling-and-changing.md", "Cancelling later"),
    ("When can I go to the ombudsman?", "general/complaints.md", "Step 3"),
]


@pytest.fixture(scope="module")
def index() -> Index:
    """The index of all policies."""
    return Index.open(POLICIES, cache="off")


@pytest.mark.parametrize(("question", "file", "section"), ASKED)
def test_a_customers_question_finds_its_section(index, question, file, section):
    """The section that answers is among the first three passages."""
    hits = [(hit.metadata["file"], hit.metadata["section"]) for hit in index.search(question, 3)]
    assert any(found == file and section in where for found, where in hits), hits


def test_the_windscreen_question_has_its_answer_first(index):
    """The first thing a newcomer asks is answered by the first passage, and both amounts stand in it."""
    first = index.search("What is the windscreen excess?")[0]
    assert first.metadata["file"] == "car/comprehensive.md"
    assert "The windscreen excess is £75 when the glass is replaced by our approved repairer." in first.text


def test_every_policy_is_readable_and_sectioned(index):
    """No file is a problem; each has a title of its own and several sections, whatever its format."""
    loaded = load(POLICIES)
    assert loaded.problems == []
    assert len(loaded.documents) == len({document.title for document in loaded.documents}) >= 14
    assert {document.format for document in loaded.documents} == {"markdown", "text", "html", "docx", "pdf"}
    assert all(len(document.sections) >= 4 for document in loaded.documents)
    assert len({source.id for source in loaded.sources}) == len(loaded.sources) == index.count


# The pages of a real community, where they are at hand; a line of our own keeps the test alive elsewhere.
PAGES = [(POLICIES, "What is covered by home emergency?", "home-emergency.docx")]
if DISCORD.is_dir():
    PAGES += [
        (DISCORD, "How do I ask a good question?", "asking-good-questions.md"),
        (DISCORD, "How do I become a moderator?", "frequently-asked-questions.md"),
        (DISCORD, "How do I get the voice verified role?", "roles.md"),
        (DISCORD, "How do I set up environment variables for contributing?", "configure-environment-variables.md"),
        (DISCORD, "What is the off-topic channel etiquette?", "off-topic-etiquette.md"),
    ]


@pytest.mark.parametrize(("folder", "question", "file"), PAGES)
def test_the_right_page_is_found(folder, question, file, tmp_path_factory):
    """In documents nobody here wrote, too, the right page is among the first three passages."""
    index = Index.open(folder, cache=tmp_path_factory.getbasetemp() / "pages")
    assert index.problems == []
    hits = [hit.metadata["file"] for hit in index.search(question, 3)]
    assert any(hit.endswith(file) for hit in hits), hits
