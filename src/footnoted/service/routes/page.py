"""Serves the page, its files and a readable view of the API. Matches whatever no other route did."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from footnoted.service.faults import not_found

router = APIRouter(include_in_schema=False)
FOLDER = Path(str(files("footnoted.service").joinpath("web")))
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
    ".json": "application/json",
}


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """Every route with its fields, without a script."""
    document = request.app.openapi()
    rows = [
        f"<section><h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(said.get('description', ''))}</p>"
        f"{_fields(said, document)}</section>"
        for path, methods in document["paths"].items()
        for method, said in methods.items()
    ]
    title = f"{escape(document['info']['title'])} {escape(document['info']['version'])}"
    return HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f'<body><main><h1>{title}</h1><p><a href="/openapi.json">openapi.json</a></p>{"".join(rows)}</main></html>'
    )


@router.get("/")
async def page(request: Request) -> Response:
    """The page."""
    return _file("index.html", request)


@router.get("/admin")
async def admin(request: Request) -> Response:
    """The administrators' page; what it shows, the service tells administrators alone."""
    return _file("admin.html", request)


@router.get("/{name:path}")
async def page_file(name: str, request: Request) -> Response:
    """One of the page's files; 405 where a route has this address for other methods."""
    others = [route.methods for route in request.app.state.routes if route.matches(request.scope)[0] is Match.PARTIAL]
    if others:
        raise HTTPException(405, headers={"Allow": ", ".join(sorted(set().union(*others)))})
    return _file(name, request)


def _file(name: str, request: Request) -> Response:
    request.scope["footnoted.page"] = True
    path = (FOLDER / name).resolve() if "\x00" not in name and len(name) < 200 else FOLDER
    kind = KINDS.get(path.suffix)
    if kind is None or not path.is_relative_to(FOLDER.resolve()) or not path.is_file():
        raise not_found("there is nothing here")
    stat = path.stat()
    tag = f'"{stat.st_mtime_ns:x}-{stat.st_size:x}"'
    headers = {"Cache-Control": "no-cache", "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(path.read_bytes(), media_type=kind, headers=headers)


def _fields(said: dict[str, Any], document: dict[str, Any]) -> str:
    told = [
        (field["name"], field["in"], field.get("description", "") or _type(field.get("schema", {})))
        for field in said.get("parameters", [])
    ]
    for body in said.get("requestBody", {}).get("content", {}).values():
        schema = _followed(body.get("schema", {}), document)
        told += [
            (name, "body", _type(_followed(field, document))) for name, field in schema.get("properties", {}).items()
        ]
    if not told:
        return ""
    rows = "".join(f"<tr><td><code>{escape(n)}</code><td>{escape(where)}<td>{escape(what)}" for n, where, what in told)
    return f"<table><tr><th>field<th>in<th>what{rows}</table>"


def _followed(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = document.get("components", {}).get("schemas", {}).get(name, schema)
    return found


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(filter(None, (_type(choice) for choice in schema["anyOf"])))
    kind = str(schema.get("description") or schema.get("type") or schema.get("$ref", "").rpartition("/")[2])
    return f"{kind}: {', '.join(map(str, schema['enum']))}" if "enum" in schema else kind
