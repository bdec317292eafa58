"""Makes requests a hair away from right ones, byte by byte, the same for the same seed."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

SOURCES = [{"id": "car", "title": "Car", "text": "The windscreen excess is £75 for a repair. Glass is covered."}]
_QUESTION = "What is the windscreen excess?"
_OPENAI = {"model": "footnoted", "footnoted": {"sources": SOURCES}}
# Bodies that reach further than the smallest that fits: by path, in the words of docs/http.md.
BODIES: dict[str, dict[str, Any]] = {
    "/api/v1/answers": {
        "question": _QUESTION,
        "sources": SOURCES,
        "conversation_id": "{conversation_id}",
        "config": {"citation_style": "numbered", "max_tokens": 200, "output_format": "markdown", "mode": "grounded"},
        "history": [["Do you insure cars?", "Yes [1]."]],
        "instructions": "Be brief.",
        "reader": "keep",
    },
    "/api/v1/chat/message": {
        "message": _QUESTION,
        "conversation_id": "{conversation_id}",
        "passages": 4,
        "history": [],
    },
    "/api/v1/chat/ui": {
        "id": "c",
        "messages": [{"id": "m", "role": "user", "parts": [{"type": "text", "text": _QUESTION}]}],
        "footnoted": {"sources": SOURCES},
    },
    "/api/v1/verify": {"answer": "The excess is £75. Racing is covered.", "sources": SOURCES},
    "/api/v1/feedback": {"answer_id": "{answer_id}", "rating": "up", "comment": "right", "wrong_citation": 1},
    "/api/v1/insurance/message": {"message": _QUESTION, "conversation_id": "{conversation_id}"},
    "/api/v1/advice/message": {"message": "What does HIPAA ask of S3?", "conversation_id": "{conversation_id}"},
    "/api/v1/documents/url": {"url": "https://example.org/policies/car.html?a=b#c"},
    "/v1/chat/completions": {**_OPENAI, "messages": [{"role": "user", "content": _QUESTION}], "max_tokens": 100},
    "/v1/responses": {**_OPENAI, "input": _QUESTION, "instructions": "Be brief.", "max_output_tokens": 100},
}
for _path in ("/api/v1/answers", "/api/v1/chat/message", "/api/v1/insurance/message", "/api/v1/advice/message"):
    BODIES[_path.removesuffix("/message") + "/stream"] = BODIES[_path]
_FINDINGS = io.StringIO()
csv.writer(_FINDINGS, delimiter=";").writerows(
    [["CHECK_ID", "STATUS", "SEVERITY", "RESOURCE_UID", "SERVICE_NAME"], ["s3_public", "FAIL", "high", "arn:b", "s3"]]
)
FILES = {
    "/api/v1/documents": [
        ("car.md", b"# Car policy\n\nThe windscreen excess is \xc2\xa375.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
        ("car.txt", "The windscreen excess is 75 pounds.\r\nGlass is covered – always.\n".encode()),
    ],
    "/api/v1/findings": [
        ("scan.csv", _FINDINGS.getvalue().encode()),
        ("scan.json", json.dumps([{"finding_info": {"uid": "1"}, "status_code": "FAIL", "severity": "High"}]).encode()),
    ],
    "/api/v1/kb": [("kb.json", json.dumps({"catalog": {"uuid": "1", "metadata": {"title": "T"}}}).encode())],
}
# Those a child process reads, at seconds each: for the long run.
DEAR_FILES = {
    "/api/v1/documents": [
        ("car.html", b"<html><h1>Car</h1><table><tr><th>a<td>b</table><p>The excess is 75.</p></html>"),
        ("car.pdf", b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"),
        ("car.docx", b"PK\x03\x04\x14\x00\x00\x00\x08\x00word/document.xml"),
        ("car.csv", b"cover,excess\nglass,75\n"),
    ]
}
TOKENS = [
    *(
        b'"\\ud800"',
        b'"\\udfff\\ud800"',
        b'"\\u0000"',
        b"\x00",
        b"\xff",
        b"\xfe\xff",
        b"\xed\xa0\x80",
        b"\xc3",
        b"\r",
        b"\n",
    ),
    *(b"1e999", b"-1e999", b"-0", b"-1", b"9" * 400, b"0." + b"0" * 400 + b"1", b"NaN", b"Infinity", b"1e-400"),
    *(
        b"null",
        b"true",
        b"[]",
        b"{}",
        b'""',
        b"[[]]",
        b'{"":""}',
        b"[null]",
        b'"\\',
        b'"',
        b"{",
        b"]",
        b",",
        b":",
        b"//",
    ),
    *(
        b'"' + b"a" * 9_000 + b'"',
        b"[" * 30 + b"]" * 30,
        b"[" * 3_000,
        b'{"a":' * 300,
        b'"\xf0\x9f\x8e\x88"',
        b'"\xe2\x80\xae"',
    ),
    *(b'"../../etc/passwd"', b'"%00"', b'"\'; DROP TABLE x;--"', b'"{{7*7}}"', b'"${x}"', b'"footnoted"', b'"content"'),
]
HEADERS: list[tuple[bytes, bytes]] = [
    *(
        (b"Last-Event-ID", each)
        for each in (b"4", b"-1", b"\xb2", b"9" * 30, b"1e9", b"", b"\xff\x00", b"1, 2", b"s_4b")
    ),
    *(
        (b"Content-Type", each)
        for each in (b"", b"text/plain", b"application/json; charset=utf-7", b"multipart/form-data")
    ),
    *((b"Content-Type", each) for each in (b"multipart/form-data; boundary=", b"multipart/form-data; boundary=\xff")),
    (b"Content-Type", b"application/x-www-form-urlencoded"),
    *((b"Content-Encoding", each) for each in (b"gzip", b"br", b"\xff")),
    *(
        (b"Authorization", each)
        for each in (b"", b"Bearer", b"Bearer ", b"Basic \xff", b"Bearer a.b.c", b"Bearer " + b"x" * 9_000)
    ),
    *((b"X-API-Key", each) for each in (b"", b"\xff\xfe", b"fn_x_y", b"a.b.c")),
    *((b"X-Request-Id", each) for each in (b"", b"\xff", b"a" * 300, b"x\ty", b"%0d%0a")),
    *((b"traceparent", each) for each in (b"", b"00-\xff-0-0", b"00-" + b"0" * 32 + b"-" + b"0" * 16 + b"-01", b"-")),
    *((b"tracestate", each) for each in (b"=", b"a=" + b"b" * 600, b"\xff=\xff")),
    *((b"Host", each) for each in (b"", b"[::1", b"evil.test", b"localhost:99999", b"\xff")),
    *((b"Origin", each) for each in (b"null", b"https://evil.test", b"\xff")),
    *((b"Accept", each) for each in (b"", b"text/event-stream;q=\xff")),
    *((b"Expect", each) for each in (b"100-continue", b"200-ok")),
    *((b"Range", each) for each in (b"bytes=0-", b"bytes=-1--1")),
    *((b"If-None-Match", each) for each in (b"*", b'W/"\xff"')),
    *((b"Cookie", each) for each in (b"=", b"a=\xff; " * 200)),
    *((b"Upgrade", each) for each in (b"websocket", b"h2c")),
    *((b"X-Forwarded-For", each) for each in (b"\xff", b"127.0.0.1, ::1")),
    (b"X-Long", b"y" * 30_000),
    (b"Transfer-Encoding", b"chunked"),
    (b"Transfer-Encoding", b"gzip, chunked"),
    (b"Content-Length", b"-1"),
    (b"Content-Length", b"9" * 40),
    (b"Content-Length", b"\xb2"),
]
_IN_PATH = [
    b"%00",
    b"%ff",
    b"%ed%a0%80",
    b"..",
    b"%2e%2e%2f",
    b"\xff",
    b"%",
    b"%zz",
    b"a" * 5_000,
    b"",
    b"-1",
    b"s_",
    b"%0d%0a",
]
_IN_QUERY = [
    b"-1",
    b"1e999",
    b"9" * 5_000,
    b"%00",
    b"%ff",
    b"%ed%a0%80",
    b"",
    b"a&a",
    b"[]",
    b"null",
    b"%F0%9F%8E%88",
    b";",
    b"2147483648",
]
_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null')


@dataclass(frozen=True)
class Sent:
    """A request as bytes; ``operation`` is the method and path it began as."""

    operation: str
    method: bytes
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes = b""
    framed: bool = True  # with the length that it has
    leaves: bool = False  # before the answer
    trail: tuple[str, ...] = field(default=(), compare=False)

    def wire(self) -> bytes:
        """What goes over the connection, which is closed after it."""
        headers = [*self.headers, (b"Connection", b"close")]
        if self.framed and (self.body or self.method != b"GET"):
            headers.append((b"Content-Length", b"%d" % len(self.body)))
        head = b"".join(b"%s: %s\r\n" % each for each in headers)
        return b"%s %s HTTP/1.1\r\n%s\r\n%s" % (self.method, self.target, head, self.body)


def operations(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Method and path of everything in an OpenAPI document; what deletes comes last."""
    found = [(method.upper(), path) for path, kinds in document["paths"].items() for method in kinds]
    return sorted(found, key=lambda each: (each[0] == "DELETE", each[1].count("{") == 0, each[1]))


def right(
    document: dict[str, Any], method: str, path: str, known: dict[str, str], dice: random.Random, *, dear: bool = False
) -> Sent:
    """A request that fits: ids of things that are there, a body of ours or the smallest that the schema allows."""
    operation = document["paths"][path][method.lower()]
    told = re.sub(r"\{(\w+)\}", lambda name: quote(known.get(name[1], "0")), path)
    asked = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
    given = [
        f"{each['name']}={quote(str(_least(document, each['schema'], known)))}" for each in asked if dice.random() < 0.7
    ]
    target = told + ("?" + "&".join(given) if given else "")
    headers = [(b"Host", b"127.0.0.1"), (b"Authorization", b"Bearer any")]
    content = operation.get("requestBody", {}).get("content", {})
    body = b""
    if "multipart/form-data" in content:
        kinds = FILES[path] + (DEAR_FILES.get(path, []) if dear else [])
        name, data = dice.choice(kinds)
        boundary = b"b0undary"
        headers.append((b"Content-Type", b"multipart/form-data; boundary=" + boundary))
        body = _form(boundary, name, data + b"%d" % dice.randrange(10**9), dice)
    elif content:
        value = BODIES.get(path) or _least(document, content["application/json"]["schema"], known)
        headers.append((b"Content-Type", b"application/json"))
        body = re.sub(
            r"\{(\w+)\}", lambda name: known.get(name[1], name[0]), json.dumps(value, ensure_ascii=False)
        ).encode()
    if "stream" in path and method == "GET":
        headers.append((b"Last-Event-ID", b"%d" % dice.randrange(4)))
    return Sent(f"{method} {path}", method.encode(), target.encode(), tuple(headers), body)


def wronged(sent: Sent, dice: random.Random) -> Sent:
    """The same with one to four things done to its bytes."""
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 4))):
        bodily = [*_BODILY] * 4 if sent.body else []
        way = dice.choice([*bodily, _header, _header, _header, _target, _target, _target, _method, _leaving])
        sent = replace(way(sent, dice), trail=(*sent.trail, way.__name__.strip("_")))
    return sent


def large(sent: Sent) -> Iterator[Sent]:
    """Bodies of a size that is dear: 400,000 unknown fields, 100,000 levels, numbers without end, a long string."""
    inside = sent.body.rstrip()[:-1]
    for more in (
        b",".join(b'"k%d":%d' % (n, n) for n in range(400_000)),
        b'"x":' + b"[" * 100_000 + b"]" * 100_000,
        b'"x":' + b"9" * 2_000_000,
        b'"x":"' + b"\\ud800" * 200_000 + b'"',
    ):
        yield replace(sent, body=inside + b"," + more + b"}", trail=("large",))


def _form(boundary: bytes, name: str, data: bytes, dice: random.Random) -> bytes:
    told = name.encode()
    parts = [b'Content-Disposition: form-data; name="file"; filename="%s"\r\n\r\n%s' % (told, data)]
    if dice.random() < 0.5:
        parts.append(b'Content-Disposition: form-data; name="conversation_id"\r\n\r\nfuzz')
    return b"".join(b"--%s\r\n%s\r\n" % (boundary, part) for part in parts) + b"--%s--\r\n" % boundary


def _least(document: dict[str, Any], schema: dict[str, Any], known: dict[str, str]) -> Any:
    """The smallest value that a schema allows."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return _least(document, schema[several][0], known)
    if "const" in schema or "default" in schema:
        return schema.get("const", schema.get("default"))
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            wanted = schema.get("properties", {})
            return {name: _least(document, wanted[name], known) for name in schema.get("required", ())}
        case "array":
            return [_least(document, schema["items"], known)] * schema.get("minItems", 0)
        case "string":
            return known["document_id"] if schema.get("format") == "uuid" else "fuzz"
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
    return None


def _place(data: bytes, dice: random.Random) -> tuple[int, int]:
    start = dice.randrange(len(data) + 1)
    return start, min(len(data), start + dice.choice((1, 1, 2, 4, 16, 64)))


def _flip(sent: Sent, dice: random.Random) -> Sent:
    data = bytearray(sent.body or b"\0")
    data[dice.randrange(len(data))] = dice.randrange(256)
    return replace(sent, body=bytes(data))


def _insert(sent: Sent, dice: random.Random) -> Sent:
    start, _ = _place(sent.body, dice)
    return replace(sent, body=sent.body[:start] + dice.choice(TOKENS) + sent.body[start:])


def _drop(sent: Sent, dice: random.Random) -> Sent:
    start, end = _place(sent.body, dice)
    return replace(sent, body=sent.body[:start] + sent.body[end:])


def _repeat(sent: Sent, dice: random.Random) -> Sent:
    start, end = _place(sent.body, dice)
    return replace(sent, body=sent.body[:end] + sent.body[start:end] * dice.choice((1, 3, 400)) + sent.body[end:])


def _cut(sent: Sent, dice: random.Random) -> Sent:
    start, _ = _place(sent.body, dice)
    return replace(sent, body=sent.body[:start])


def _value(sent: Sent, dice: random.Random) -> Sent:
    found = list(_VALUE.finditer(sent.body))
    if not found:
        return _insert(sent, dice)
    at = dice.choice(found)
    return replace(sent, body=sent.body[: at.start()] + dice.choice(TOKENS) + sent.body[at.end() :])


def _within(sent: Sent, dice: random.Random) -> Sent:
    """Something odd in the midst of a string, which stays one."""
    found = [each for each in _VALUE.finditer(sent.body) if each[0].startswith(b'"')]
    if not found:
        return _insert(sent, dice)
    at = dice.choice(found)
    odd = dice.choice(
        (
            b"\\ud800",
            b"\\u0000",
            b"\\r\\u2028",
            b"\xe2\x80\xae",
            b"\\udc00\\ud83d",
            b"\xef\xbf\xbf",
            b"\\u001b[2J",
            b"\xf3\xa0\x80\x81",
        )
    )
    return replace(sent, body=sent.body[: at.end() - 1] + odd + sent.body[at.end() - 1 :])


def _another_encoding(sent: Sent, dice: random.Random) -> Sent:
    text = sent.body.decode("utf-8", "replace")
    return replace(
        sent, body=text.encode(dice.choice(("utf-16", "utf-32", "latin-1", "utf-8-sig", "utf-7")), "replace")
    )


def _lying(sent: Sent, dice: random.Random) -> Sent:
    """A length that is not the body's, or a body in pieces that are none."""
    if dice.random() < 0.5:
        length = (b"Content-Length", b"%d" % max(0, len(sent.body) + dice.choice((-5, -1, 1, 50))))
        return replace(sent, headers=(*sent.headers, length), framed=False)
    pieces = b"%x\r\n%s\r\n%s" % (
        len(sent.body),
        sent.body,
        dice.choice((b"0\r\n\r\n", b"zz\r\n", b"", b"-1\r\n\r\n", b"ffffffffffffffffff\r\n")),
    )
    return replace(sent, headers=(*sent.headers, (b"Transfer-Encoding", b"chunked")), body=pieces, framed=False)


def _header(sent: Sent, dice: random.Random) -> Sent:
    name, value = dice.choice(HEADERS)
    kept = tuple(each for each in sent.headers if each[0] != name or dice.random() < 0.2)
    framed = sent.framed and name not in (b"Content-Length", b"Transfer-Encoding")
    return replace(sent, headers=(*kept, (name, value)), framed=framed)


def _target(sent: Sent, dice: random.Random) -> Sent:
    path, mark, query = sent.target.partition(b"?")
    if query and dice.random() < 0.6:
        parts = query.split(b"&")
        at = dice.randrange(len(parts))
        parts[at] = parts[at].partition(b"=")[0] + b"=" + dice.choice(_IN_QUERY)
        return replace(sent, target=path + mark + b"&".join(parts))
    steps = path.split(b"/")
    at = dice.randrange(1, len(steps)) if len(steps) > 1 else 0
    steps[at] = dice.choice(_IN_PATH) if dice.random() < 0.7 else steps[at] + dice.choice(_IN_PATH)
    return replace(sent, target=b"/".join(steps) + mark + query)


def _leaving(sent: Sent, dice: random.Random) -> Sent:
    return replace(sent, leaves=True)


def _method(sent: Sent, dice: random.Random) -> Sent:
    return replace(
        sent,
        method=dice.choice((b"GET", b"HEAD", b"OPTIONS", b"PUT", b"PATCH", b"TRACE", b"get", b"X\xff", b"CONNECT")),
    )


_BODILY: tuple[Callable[[Sent, random.Random], Sent], ...] = (
    _flip, _insert, _drop, _repeat, _cut, _value, _value, _value, _within, _within, _another_encoding, _lying,
)  # fmt: skip
