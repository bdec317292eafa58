"""The OpenAPI document: every operation says what it tells, and what it tells is that."""

from tests.service.schemas import as_documented, document

NO_JSON = {"text/event-stream", "text/plain", "text/markdown", "text/html", "image/png"}


def test_every_operation_says_what_it_tells():
    """Each has a response with a schema of its own, or another media type, or says that nothing follows; and its errors."""
    for path, operations in document()["paths"].items():
        for method, operation in operations.items():
            where = f"{method} {path}"
            good = {status: told for status, told in operation["responses"].items() if status.startswith("2")}
            assert good, where
            for told in good.values():
                kinds = told.get("content", {})
                assert kinds or "204" in good, where
                assert (
                    not kinds or "$ref" in kinds.get("application/json", {}).get("schema", {}) or set(kinds) & NO_JSON
                ), where
            if path.startswith(("/api/", "/v1/")):
                for status in ("400", "401", "422", "429", "503"):
                    assert "$ref" in operation["responses"][status]["content"]["application/json"]["schema"], where


async def test_what_is_told_is_what_the_document_says(client):
    """A walk through the service; beside it, every request of this room's tests is held against the document."""
    status, added = await client.upload(
        "# Car policy\n\nThe windscreen excess is £75 for a repair. Glass is covered.\n"
    )
    assert status == 201
    asked = {"message": "What is the windscreen excess?", "conversation_id": "schemas"}
    _, answer = await client.json("POST", "/api/v1/chat/message", asked)
    _, text = await client.json("GET", f"/api/v1/documents/{added['id']}/text")
    chunk = answer["sources"][0]["chunk_id"]
    walk = [
        ("GET", "/healthz", None),
        ("GET", "/readyz", None),
        ("GET", "/api/v1/session", None),
        ("GET", "/api/v1/assistants", None),
        ("GET", "/api/v1/overview", None),
        ("GET", "/api/v1/documents", None),
        ("GET", f"/api/v1/documents/{added['id']}", None),
        ("GET", f"/api/v1/documents/{added['id']}/text", None),
        ("GET", f"/api/v1/documents/{added['id']}/places?start=0&end={len(text['text'])}", None),
        ("GET", f"/api/v1/sources/{chunk}", None),
        ("GET", f"/api/v1/answers/{answer['answer_id']}", None),
        ("GET", "/api/v1/conversations", None),
        ("GET", "/api/v1/conversations/schemas", None),
        ("PATCH", "/api/v1/conversations/schemas", {"title": "Another"}),
        ("PUT", "/api/v1/conversations/schemas/share", None),
        ("POST", "/api/v1/feedback", {"answer_id": answer["answer_id"], "rating": "up"}),
        ("GET", "/api/v1/feedback", None),
        ("POST", "/api/v1/verify", {"answer": "Glass is covered.", "sources": [{"text": "Glass is covered."}]}),
        ("POST", "/api/v1/insurance/message", {"message": "What is the windscreen excess?"}),
        ("GET", "/api/v1/insurance/outcomes", None),
        ("POST", "/api/v1/advice/message", {"message": "What does HIPAA ask of S3?"}),
        ("GET", "/api/v1/findings", None),
        ("GET", "/api/v1/kb", None),
        ("GET", "/api/v1/kb?framework=hipaa", None),
        ("GET", "/v1/models", None),
        ("POST", "/v1/chat/completions", {"model": "footnoted", "messages": [{"role": "user", "content": "excess?"}]}),
        ("POST", "/v1/responses", {"model": "footnoted", "input": "What is the windscreen excess?"}),
        ("DELETE", "/api/v1/conversations", None),
    ]
    for method, path, body in walk:
        status, told = await client.json(method, path, body)
        assert status in (200, 201), (path, told)
        assert as_documented(method, path, status, told), path
    for method, path, body in [
        ("GET", "/api/v1/documents/00000000-0000-4000-8000-000000000000", None),
        ("POST", "/api/v1/chat/message", {"message": ""}),
        ("POST", "/v1/chat/completions", {}),
    ]:
        status, told = await client.json(method, path, body)
        assert status == (400 if path.startswith("/v1/") else 404 if body is None else 422), told
        assert as_documented(method, path, status, told), path
