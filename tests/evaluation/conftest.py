"""A small file of cases written for these tests, and a generator that answers them without a model."""

import json

import pytest

from footnoted import GroundedGenerator

EXCESS = "Windscreen cover. The excess is £75 for a repair and £115 for a replacement. Claims are paid within 10 days."
CASES = [
    {
        "id": "excess",
        "question": "What is the windscreen excess for a repair?",
        "passages": [
            {"title": "Car policy", "text": EXCESS},
            {"title": "Home", "text": "Floods are covered up to £9,000."},
        ],
        "answerable": True,
        "evidence": ["The excess is £75 for a repair and £115 for a replacement."],
        "answers": ["£75"],
    },
    {
        "id": "flood",
        "question": "Are floods covered?",
        "passages": [{"title": "Home", "text": "Floods are covered up to £9,000."}],
        "answerable": True,
        "evidence": ["Floods are covered up to £9,000."],
        "answers": ["£9,000"],
    },
    {
        "id": "moon",
        "question": "Who walked on the moon in 1969?",
        "passages": [{"title": "Car policy", "text": EXCESS}],
        "answerable": False,
    },
]


@pytest.fixture
def cases_file(tmp_path):
    path = tmp_path / "policies.jsonl"
    path.write_text("\n".join(json.dumps(case) for case in CASES), encoding="utf-8")
    return path


@pytest.fixture
async def extractive():
    async with GroundedGenerator("extractive") as generator:
        yield generator
