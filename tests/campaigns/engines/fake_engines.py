"""A real server on this machine that answers as the documentation of each engine says, and misbehaves on
request. Its index is a dictionary; a document scores by the query's words in it."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Handler = BaseHTTPRequestHandler
Misbehaviour = Callable[[Handler], object]

INDEX = {
    f"doc-{number:02}": {
        "title": f"Title {number}",
        "body": f"text about {'wings ' * (1 + number % 7)}and {'flow ' * (1 + number % 5)}{number}",
        "year": str(1950 + number),
    }
    for number in range(1, 41)
}
ELASTICSEARCH: dict[str, Any] = {"match": {"body": "{{topic.title}}"}}


def ranked(query: str, size: int) -> list[tuple[str, float, dict[str, str]]]:
    words = query.lower().split()
    scored = [
        (sum(fields["body"].split().count(word) for word in words) + int(id[4:]) / 1000, id)
        for id, fields in INDEX.items()
    ]
    best = sorted((row for row in scored if row[0] >= 1), reverse=True)[:size]
    return [(id, score, INDEX[id]) for score, id in best]


def elasticsearch(path: str, body: Any) -> Any:
    if path == "/":
        return {"name": "node", "version": {"number": "9.1.0"}, "tagline": "You Know, for Search"}
    wish = body["params"] if path.endswith("/template") else {**body, "query_string": _match(body["query"])}
    rows = ranked(wish["query_string"], wish["size"])
    hits = [{"_index": "news", "_id": id, "_score": score, "_source": row} for id, score, row in rows]
    return {
        "took": 3,
        "timed_out": False,
        "_shards": {"total": 2, "successful": 2, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": len(hits), "relation": "eq"}, "max_score": 9.0, "hits": hits},
    }


def _match(query: Any) -> str:
    return str(query["match"]["body"])


def solr(path: str, body: Any) -> Any:
    if path == "/admin/info/system":
        return {"responseHeader": {"status": 0}, "lucene": {"solr-spec-version": "9.8.1"}}
    rows = ranked(body["query"], body["limit"])
    docs = [
        {"id": id, "title": [row["title"]], "body": row["body"], "score": score} for id, score, row in rows
    ]
    header = {"status": 0, "QTime": 2}
    return {"responseHeader": header, "response": {"numFound": len(docs), "start": 0, "docs": docs}}


def vespa(path: str, body: Any) -> Any:
    if path == "/state/v1/version":
        return {"version": "8.500.10"}
    rows = ranked(body["query"], body["hits"])
    children = [
        {"id": f"id:news:news::{id}", "relevance": score, "source": "news", "fields": row}
        for id, score, row in rows
    ]
    root: dict[str, Any] = {
        "id": "toplevel",
        "relevance": 1.0,
        "fields": {"totalCount": len(rows)},
        "coverage": {
            "coverage": 100,
            "documents": 40,
            "full": True,
            "nodes": 1,
            "results": 1,
            "resultsFull": 1,
        },
    }
    return {"root": root | ({"children": children} if children else {})}


def anserini(path: str, body: Any) -> Any:
    if path == "/openapi.json":
        return {"openapi": "3.1.0", "info": {"title": "Pyserini REST API", "version": "v1"}}
    rows = ranked(body["query"], int(body["hits"]))
    found = [
        {"docid": id, "score": score, "rank": rank, "doc": {"id": id, "contents": row["body"]}}
        for rank, (id, score, row) in enumerate(rows, start=1)
    ]
    return {"api": "v1", "index": "news", "query": {"text": body["query"]}, "candidates": found}


SPEAKS: dict[str, Callable[[str, Any], Any]] = {
    "elasticsearch": elasticsearch,
    "solr": solr,
    "vespa": vespa,
    "anserini": anserini,
}
QUERIES: dict[str, dict[str, Any]] = {
    "elasticsearch": {"path": "/news/_search", "template": {"query": ELASTICSEARCH}},
    "solr": {"path": "/news/query", "template": {"query": "{{topic.title}}"}},
    "vespa": {"path": "/search/", "template": {"yql": "select * from news", "query": "{{topic.title}}"}},
    "anserini": {"path": "/v1/news/search", "template": {"query": "{{topic.title}}"}},
}


def sending(status: int, content: bytes, kind: str = "application/json", **headers: str) -> Misbehaviour:
    """Answer with this, whatever was asked."""

    def send(handler: Handler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return send


def saying(status: int, answer: Any, **headers: str) -> Misbehaviour:
    return sending(status, json.dumps(answer).encode(), **headers)


class FakeEngine:
    """`misbehave`: answer to the next requests, or None for good behaviour; a list is used up first."""

    def __init__(self, kind: str, context: ssl.SSLContext | None = None) -> None:
        self.kind = kind
        self.asked: list[tuple[str, Any, dict[str, str]]] = []
        self.misbehave: Misbehaviour | None = None
        self.once: list[Misbehaviour | None] = []
        engine = self

        class Answering(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                engine.answer(self, parts.path, {k: v[0] for k, v in parse_qs(parts.query).items()})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                engine.answer(self, self.path, body)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A client that hung up is no trouble of the test's."""

        self._server = Server(("127.0.0.1", 0), Answering)
        self.port = self._server.server_address[1]
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.port}"
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, handler: Handler, path: str, body: Any) -> None:
        version = path in ("/", "/admin/info/system", "/state/v1/version", "/openapi.json")
        if not version:
            self.asked.append((path, body, dict(handler.headers)))
        reply = self.once.pop(0) if self.once and not version else self.misbehave
        if reply is None:
            reply = saying(200, SPEAKS[self.kind](path, body))
        reply(handler)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def running(kind: str, context: ssl.SSLContext | None = None) -> Iterator[FakeEngine]:
    engine = FakeEngine(kind, context)
    try:
        yield engine
    finally:
        engine.close()
