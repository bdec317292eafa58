"""A response in; whether it is what the service's own OpenAPI document says of it."""

import functools
import re

import jsonschema_rs


@functools.cache
def document():
    """The document of a service with everything installed."""
    from footnoted.service.app import create_app
    from footnoted.service.settings import Settings

    return create_app(Settings()).openapi()


@functools.cache
def _paths():
    """Each path as a pattern, those with fewer parameters first."""
    paths = sorted(document()["paths"], key=lambda path: path.count("{"))
    return [(re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))), path) for path in paths]


@functools.cache
def _validator(name):
    return jsonschema_rs.validator_for({"$ref": name, "components": document()["components"]})


def as_documented(method: str, path: str, status: int, body) -> bool:
    """Whether this was held against a schema; fails the test when it is not what that says."""
    bare = path.partition("?")[0]
    operation = next(
        (document()["paths"][path].get(method.lower()) for form, path in _paths() if form.fullmatch(bare)), None
    )
    if operation is None:
        return False
    told = operation["responses"].get(str(status))
    assert told is not None, f"{method} {path} answers {status}, which its document does not know: {body}"
    schema = told.get("content", {}).get("application/json", {}).get("schema", {})
    if "$ref" not in schema:
        return False
    for error in _validator(schema["$ref"]).iter_errors(body):
        where = "/".join(map(str, error.instance_path))
        raise AssertionError(f"{method} {path} {status} is not {schema['$ref']}: {where}: {error.message[:500]}")
    return True
