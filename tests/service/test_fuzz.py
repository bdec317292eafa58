"""schemathesis over the service's own OpenAPI document: whatever is sent, no 500."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from footnoted.service.app import create_app
from footnoted.service.settings import Settings

SCHEMA = schemathesis.openapi.from_dict(create_app(Settings()).openapi())
QUICK = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def target(keyed, keys):
    return keyed.url, {"Authorization": f"Bearer {keys[1]['bob']}"}


@SCHEMA.parametrize()
@QUICK
def test_nothing_that_is_sent_gives_500(case, target):
    """Fitting and unfitting parameters, bodies and forms: an answer or a fault, in words."""
    url, headers = target
    response = case.call(base_url=url, headers=headers, timeout=30)
    assert response.status_code != 500, f"{case.method} {case.path}: {response.text}"
    if response.status_code >= 400:
        assert response.json()["error"]["message"]
