"""Sources and requests the tests of the hall share."""

from uuid import UUID

import pytest

from footnoted import GenerationConfig, GenerationRequest, SourceContext

CAR = "Windscreen cover. The excess is £75 for a repair. A replacement costs you £115. Racing is excluded."
HOME = "Contents cover. Theft of contents is covered up to £40,000. The excess for theft is £250."


def chunk(number, text, **metadata):
    return SourceContext(
        chunk_id=UUID(int=number),
        document_id=UUID(int=100 + number),
        content=text,
        metadata={"title": f"Policy {number}", **metadata},
        relevance_score=1 / number,
    )


@pytest.fixture
def context():
    return [chunk(1, CAR), chunk(2, HOME)]


@pytest.fixture
def asked(context):
    def make(query="What is the windscreen excess?", *, sources=None, history=(), instructions=None, **config):
        return GenerationRequest(
            query=query,
            context=context if sources is None else sources,
            config=GenerationConfig(**config),
            conversation_history=list(history),
            system_instructions=instructions,
        )

    return make
