"""The process's checker and encoder, loaded before the first clock runs."""

import pytest

from footnoted.answering.generator import shipped_checker
from footnoted.assistants.insurance import ResponseGenerationAgent, ResponseRequest
from footnoted.types import Source
from tests.assistants.insurance.policies import EXCESS


@pytest.fixture(scope="session", autouse=True)
def loaded():
    """What a server has done long before its second customer."""
    shipped_checker().check("Glass is insured up to £75.", [Source("a", EXCESS.content)])
    asked = ResponseRequest(original_query="What is the windscreen excess?", context_chunks=[EXCESS])
    ResponseGenerationAgent(timeout=60.0).generate_response(asked)
