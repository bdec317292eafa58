"""schemathesis over the service's own OpenAPI document: whatever is sent, no 500."""

import pytest
from hypothesis import given

from tests.laws import tried


@pytest.fixture(scope="module")
def operations():
    """What the service's own document says it takes."""
    from schemathesis import openapi

    from footnoted.service.app import create_app
    from footnoted.service.settings import Settings

    return [found.ok() for found in openapi.from_dict(create_app(Settings()).openapi()).get_all_operations()]


@pytest.mark.parametrize("fitting", ["positive", "negative"])
def test_nothing_that_is_sent_gives_500(operations, fitting, keyed, keys):
    """Fitting and unfitting parameters, bodies and forms of every operation: an answer or a fault, in words."""
    import requests
    from hypothesis.errors import Unsatisfiable
    from schemathesis import GenerationMode

    headers = {"Authorization": f"Bearer {keys[1]['bob']}"}
    statuses: dict[str, set[int]] = {}
    with requests.Session() as session:
        for operation in operations:

            @tried(8)
            @given(operation.as_strategy(GenerationMode(fitting)))
            def holds(case):
                response = case.call(base_url=keyed.url, headers=headers, session=session, timeout=90)
                statuses.setdefault(case.operation.label, set()).add(response.status_code)
                assert response.status_code != 500, f"{case.method} {case.path}: {response.text}"
                if response.status_code >= 400:
                    assert response.json()["error"]["message"]

            try:
                holds()
            except Unsatisfiable:
                assert fitting == "negative", f"nothing fits {operation.label}"
    print(statuses)
    assert len(statuses) >= len(operations) * (1 if fitting == "positive" else 0.7)
