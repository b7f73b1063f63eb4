"""A site that is overloaded, hangs up or sends elsewhere: what is sent again, and what is not."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path

import pytest

from campaigns.api.client import Client, Judgment, Problem


@dataclass
class Site:
    """Gives the prepared answers, one answer a request: status, headers, body; or None to hang up."""

    address: str = ""
    answers: list[tuple[int, dict[str, str], bytes] | None] = field(default_factory=list)
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    # Seconds before each answer.
    takes: float = 0.0

    def will(self, status: int, body: object = None, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append((status, named, content))

    def will_hang_up(self) -> None:
        self.answers.append(None)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            site.asked.append((self.command, self.path, dict(self.headers), body))
            answer = site.answers.pop(0) if site.answers else None
            time.sleep(site.takes)
            if answer is None:
                self.close_connection = True
                return
            status, headers, content = answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = answer

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site.address = f"http://127.0.0.1:{server.server_port}"
        yield site
        server.shutdown()


def client_of(site: Site, waits: list[str] | None = None) -> Client:
    return Client(site.address, "secret", tries=3, retrying=(waits if waits is not None else []).append)


BUSY = {"code": "throttled", "detail": "too often", "errors": []}


def test_what_was_not_done_is_asked_again_as_late_as_the_site_wishes(site: Site) -> None:
    waits: list[str] = []
    site.will(429, BUSY, Retry_After="0")
    site.will(503, b"<html>busy</html>", Retry_After="0")
    site.will(200, {"status": "open"})
    client_of(site, waits).campaign("small").open()
    assert [path for _, path, _, _ in site.asked] == ["/api/v1/campaigns/small/open/"] * 3
    assert waits[0] == "too often; once more in 0.0 s"


def test_after_the_last_try_it_says_why(site: Site) -> None:
    for _ in range(3):
        site.will(429, BUSY, Retry_After="0")
    with pytest.raises(Problem) as refused:
        client_of(site).campaign("small").about()
    assert (refused.value.status, refused.value.code) == (429, "throttled")


def test_a_judgment_is_sent_again_with_its_id(site: Site) -> None:
    site.will_hang_up()
    site.will(201, {"judgment": {}})
    client_of(site).campaign("small").judge(Judgment("1", "a", 1))
    first, second = (json.loads(body)["id"] for _, _, _, body in site.asked)
    assert first == second


def test_what_could_be_done_twice_is_not_sent_again(site: Site, tmp_path: Path) -> None:
    site.will_hang_up()
    with pytest.raises(OSError, match="closed connection"):
        client_of(site).campaign("small").open()
    assert len(site.asked) == 1
    run = tmp_path / "x.run"
    run.write_text("1 Q0 a 1 1.0 x\n")
    site.will_hang_up()
    site.will(400, {"code": "invalid", "detail": "no file", "errors": []})
    with pytest.raises(OSError, match="closed connection"):
        client_of(site).campaign("small").upload("runs", run)
    uploads = [body for _, path, _, body in site.asked if path.endswith("/runs/") and body]
    assert len(uploads) == 1


def test_an_answer_that_breaks_off_is_asked_for_again(site: Site) -> None:
    for status in (201, 503):
        site.will(status, b'{"judgment"', Content_Length="100")
    site.will(201, {"judgment": {"grade": 1}})
    found = client_of(site).campaign("small").judge(Judgment("1", "a", 1))
    assert found["judgment"] == {"grade": 1}
    site.will(200, b'{"status"', Content_Length="100")
    with pytest.raises(ConnectionError, match="the answer broke off"):
        client_of(site).campaign("small").open()
    assert len(site.asked) == 4


def test_an_outage_of_the_database_may_have_come_after_the_commit(site: Site) -> None:
    away = {"code": "unavailable", "detail": "the database is away", "errors": []}
    site.will(503, away, Retry_After="0")
    with pytest.raises(Problem, match="the database is away"):
        client_of(site).campaign("small").open()
    site.will(503, away, Retry_After="0")
    site.will(201, {"judgment": {}})
    client_of(site).campaign("small").judge(Judgment("1", "a", 1))
    assert len(site.asked) == 3


def test_a_collection_is_sent_again_whole(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text('{"docno": "a"}\n')
    site.will_hang_up()
    site.will(400, {"code": "invalid", "detail": "no file", "errors": []})
    site.will(201, {"kind": "collection", "name": "docs.jsonl", "taken": {"documents": 1}, "noticed": []})
    (report,) = client_of(site).campaign("small").upload("collection", file)
    assert report.taken == {"documents": 1}
    bodies = [body for _, _, _, body in site.asked]
    assert bodies[0] == bodies[2]
    assert b'{"docno": "a"}\n' in bodies[0]


def test_the_token_goes_nowhere_else(site: Site) -> None:
    site.will(302, {}, Location="http://127.0.0.1:9/")
    with pytest.raises(Problem) as refused:
        client_of(site).campaign("small").about()
    assert refused.value.status == 302
    site.will(
        200, {"results": [{"slug": "a"}], "next": "http://elsewhere.example/api/v1/campaigns/?cursor=x"}
    )
    site.will(200, {"results": [{"slug": "b"}], "next": None})
    assert [row["slug"] for row in client_of(site).campaigns()] == ["a", "b"]
    assert [path for _, path, _, _ in site.asked][1:] == ["/api/v1/campaigns/", "/api/v1/campaigns/?cursor=x"]


def test_what_has_not_changed_is_not_read_again(site: Site) -> None:
    site.will(200, {"runs": []}, ETag='"7"')
    site.will(304, b"")
    client = client_of(site)
    assert (
        client.get("campaigns/small/intervals/") == client.get("campaigns/small/intervals/") == {"runs": []}
    )
    assert site.asked[1][2]["If-None-Match"] == '"7"'


def test_a_broken_stream_goes_on_where_it_was(site: Site) -> None:
    first = b'retry: 2000\n\nid: 7\nevent: status\ndata: {"status": "open"}\n\n'
    frame = first + b": still here\n\ndata: 1\n\nid: 8\nev"
    site.will(200, frame, Content_Type="text/event-stream")
    site.will(200, b"id: 8\nevent: judgment\ndata: {}\n\n", Content_Type="text/event-stream")
    stream = client_of(site).campaign("small").events(after=6)
    found = [(event.id, event.kind) for event in islice(stream, 3)]
    # What has no id, as a proxy may say it, leaves the last one as it is.
    assert found == [(7, "status"), (0, "message"), (8, "judgment")]
    assert [headers["Last-Event-Id"] for _, _, headers, _ in site.asked] == ["6", "7"]


def test_an_upload_waits_until_the_site_has_stored_it(site: Site, tmp_path: Path) -> None:
    site.takes = 0.5
    site.will(201, {"kind": "run", "name": "small", "taken": {}, "noticed": []})
    client = Client(site.address, "secret", tries=1, timeout=0.1)
    file = tmp_path / "small.run"
    file.write_text("1 Q0 a 1 9.5 small\n")
    assert client.campaign("small").upload_file("runs", file).name == "small"
    site.will(200, [])
    with pytest.raises(TimeoutError):
        client.get("campaigns/")
