"""Requests to engines on a real server: addresses, credentials, and all kinds of bad answers."""

from __future__ import annotations

import base64
import socket
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from campaigns.engines import engine_client
from campaigns.engines.credentials import REMOVED
from campaigns.engines.engine_client import EngineTrouble, ask, is_allowed_host, version_of_engine
from campaigns.models import Campaign, EngineConnection
from tests.campaigns.engines.fake_engines import (
    INDEX,
    SPEAKS,
    FakeEngine,
    Handler,
    Misbehaviour,
    elasticsearch,
    ranked,
    running,
    saying,
    sending,
)
from tests.campaigns.engines.queries import SECRET, connected, saved
from tests.campaigns.notifications.webhooks.test_addresses import certificate

pytestmark = pytest.mark.django_db

VALUES = {"topic.title": "wings flow"}
BODY = {"query": {"match": {"body": "wings flow"}}, "size": 5}
WHOLE = elasticsearch("/n/_search", BODY)
VERSIONS = {"elasticsearch": "9.1.0", "solr": "9.8.1", "vespa": "8.500.10", "anserini": "v1"}


@pytest.mark.parametrize("kind", SPEAKS)
def test_every_kind_answers_its_hits_in_order(campaign: Campaign, kind: str) -> None:
    with running(kind) as engine:
        connection = connected(campaign, engine)
        version = saved(connection)
        reply = ask(connection, version, VALUES)
        prefix = "id:news:news::" if kind == "vespa" else ""
        expected = ranked("wings flow", 5)
        assert [hit.id for hit in reply.hits] == [prefix + id for id, _, _ in expected]
        assert [hit.score for hit in reply.hits] == [score for _, score, _ in expected]
        assert [hit.text for hit in reply.hits] == [row["body"] for _, _, row in expected]
        assert (reply.total, reply.duplicates) == (None if kind == "anserini" else 5, 0)
        assert version_of_engine(connection) == VERSIONS[kind]


def test_stored_search_templates_of_elasticsearch(campaign: Campaign, engine: FakeEngine) -> None:
    connection = connected(campaign, engine)
    template = {"id": "mine", "params": {"query_string": "{{topic.title}}", "size": "{{k}}"}}
    version = saved(connection, path="/news/_search/template", template=template)
    assert [hit.id for hit in ask(connection, version, VALUES).hits] == [
        r[0] for r in ranked("wings flow", 5)
    ]
    assert engine.asked[-1][1] == {"id": "mine", "params": {"query_string": "wings flow", "size": 5}}


def trouble(connection: EngineConnection, **wish: Any) -> EngineTrouble:
    version = saved(connection, mapping={"title": "_source.title", "text": "_source.body"}, **wish)
    with pytest.raises(EngineTrouble) as raised:
        ask(connection, version, VALUES)
    return raised.value


def truncated(handler: Handler) -> None:
    sending(200, b'{"hits": {"hits": [', Content_Length="1000")(handler)


def cut_json(handler: Handler) -> None:
    sending(200, b'{"hits": {"hits": [')(handler)


def huge(handler: Handler) -> None:
    sending(200, b'{"hits": "' + b"x" * 10_000_001 + b'"}')(handler)


def looping(handler: Handler) -> None:
    sending(302, b"", Location=handler.path)(handler)


SHARDS = {**WHOLE, "_shards": {"total": 2, "failed": 1}}
MISBEHAVIOURS: list[tuple[Misbehaviour, str, bool]] = [
    (
        saying(200, {"error": {"reason": "no such index [news]"}}),
        "the engine reports: no such index [news]",
        True,
    ),
    (saying(200, SHARDS), "1 of 2 shards failed", True),
    (sending(200, b"<html><h1>Sign in</h1>", "text/html"), "answered with a page (HTML)", False),
    (truncated, "not whole: the answer ended early", True),
    (cut_json, "is no JSON, or ends early", True),
    (huge, "more than 10,000,000 bytes", False),
    (looping, "answered 302: redirects are not followed", False),
    (saying(200, {"hits": {"hits": [{"_score": 1}]}}), "hit 1 has no ID at “_id”", False),
    (saying(200, {"items": []}), "no list of hits at “hits.hits”", False),
    (saying(401, {"error": {"reason": "bad key"}}), "refused the credentials (401): bad key", False),
    (
        saying(403, {"error": {"type": "security_exception"}}),
        "do not allow this search (403): security",
        False,
    ),
    (sending(404, b"not found", "text/plain"), "nothing at this path (404)", False),
    (saying(429, {}, Retry_After="7"), "wants fewer requests (429)", True),
    (sending(503, b"<html>busy"), "answered 503", True),
    (saying(400, {"error": {"reason": "Result window is too large"}}), "Result window is too large", False),
    (lambda handler: handler.connection.shutdown(socket.SHUT_RDWR), "does not answer", True),
    (sending(200, b"[" * 200_000), "is no JSON", True),
]


@pytest.mark.parametrize(("misbehave", "said", "passing"), MISBEHAVIOURS)
def test_every_bad_answer_is_a_sentence(
    campaign: Campaign, engine: FakeEngine, misbehave: Misbehaviour, said: str, passing: bool
) -> None:
    engine.misbehave = misbehave
    found = trouble(connected(campaign, engine))
    assert said in str(found)
    assert found.passing is passing
    assert found.retry_after == (7 if "429" in said else None)


def test_a_slow_engine_is_given_up_in_time(campaign: Campaign, engine: FakeEngine) -> None:
    over = threading.Event()
    engine.misbehave = lambda _: over.wait(60)
    found = trouble(connected(campaign, engine, timeout=1))
    over.set()
    assert "no whole answer in time" in str(found) or "no answer in time" in str(found)
    assert found.passing


def test_an_engine_that_is_away(campaign: Campaign, engine: FakeEngine) -> None:
    connection = connected(campaign, engine)
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        connection.url = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert "does not answer: " in str(trouble(connection))


def test_odd_hits_are_read_without_harm(campaign: Campaign, engine: FakeEngine) -> None:
    """Duplicate and numeric IDs, missing fields, fewer hits, NUL and half characters."""
    rows = [
        {"_id": 7, "_score": 3.5, "_source": {"title": "a\0", "body": "\ud800"}},
        {"_id": "7", "_score": 3.0},
        {"_id": "b"},
    ]
    connection = connected(campaign, engine)
    version = saved(connection)
    engine.misbehave = saying(200, {"hits": {"total": {"value": 3}, "hits": rows}})
    reply = ask(connection, version, VALUES)
    assert [(hit.id, hit.score, hit.title, hit.text) for hit in reply.hits] == [
        ("7", 3.5, "a\ufffd", "?"),
        ("b", None, "", ""),
    ]
    assert (reply.duplicates, reply.total) == (1, 3)


SCHEMES = [
    ("basic", "ada", "Authorization", "Basic " + base64.b64encode(f"ada:{SECRET}".encode()).decode()),
    ("bearer", "", "Authorization", "Bearer token-of-ours"),
    ("api-key", "", "Authorization", "ApiKey token-of-ours"),
    ("header", "X-API-Key", "X-API-Key", "token-of-ours"),
]


@pytest.mark.parametrize(("scheme", "login", "header", "value"), SCHEMES)
def test_credentials_are_sent_and_never_come_back(
    campaign: Campaign, engine: FakeEngine, scheme: str, login: str, header: str, value: str
) -> None:
    secret = SECRET if scheme == "basic" else "token-of-ours"
    connection = connected(campaign, engine, scheme=scheme, login=login, secret=secret)
    saved(connection)
    sent = {name.lower(): content for name, content in engine.asked[-1][2].items()}
    assert sent[header.lower()] == value
    assert secret not in connection.secret
    # An engine that repeats what it got, in its error as in a document.
    engine.misbehave = saying(401, {"error": {"reason": f"no access with {value} or {secret}"}})
    said = str(trouble(connection, name="Again", depth=6))
    assert secret not in said
    assert value.rpartition(" ")[2] not in said
    assert REMOVED in said


def test_credentials_that_cannot_be_read_any_more(
    campaign: Campaign, engine: FakeEngine, settings: Settings
) -> None:
    connection = connected(campaign, engine, scheme="bearer", secret="token-of-ours")
    settings.SECRET_KEY = "another"
    assert "SECRET_KEY was changed" in str(trouble(connection))


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("search.internal", True),
        ("a.example.org", True),
        ("example.com", False),
        ("11.0.0.1", False),
        ("localhost", False),
        ("fd00::1", True),
        ("", False),
    ],
)
def test_hosts_of_the_operators_list(settings: Settings, host: str, allowed: bool) -> None:
    settings.ENGINE_ALLOWED_HOSTS = ["127.0.0.1", "10.0.0.0/8", "search.internal", ".example.org", "fd00::/8"]
    assert is_allowed_host(host) is allowed


@pytest.fixture
def guarded(settings: Settings) -> None:
    settings.ENGINE_ALLOWED_HOSTS = []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://127.0.0.1:9200", "not on the public internet"),
        ("https://[::ffff:10.0.0.1]/", "not on the public internet"),
        ("https://0x7f000001/", "not on the public internet"),
        ("http://search.example.org", "asked by https"),
        ("https://ada:secret@search.example.org", "give credentials"),
        ("ftp://search.example.org", "begins with https"),
        ("https://[", "no address"),
    ],
)
def test_addresses_that_are_not_allowed(campaign: Campaign, guarded: None, url: str, said: str) -> None:
    connection = EngineConnection(campaign=campaign, kind="elasticsearch", url=url)
    with pytest.raises(EngineTrouble, match=said):
        engine_client._send(connection, "GET", "/")


def test_a_public_name_that_leads_home_is_refused(
    campaign: Campaign, guarded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: home)
    connection = EngineConnection(campaign=campaign, kind="solr", url="https://search.example.org")
    with pytest.raises(EngineTrouble, match="not on the public internet"):
        engine_client._send(connection, "GET", "/")


def test_certificates_must_be_trusted_and_valid(campaign: Campaign, tmp_path: Path) -> None:
    context = certificate(tmp_path, "127.0.0.1")
    with running("elasticsearch", context) as engine:
        connection = connected(campaign, engine)
        assert "certificate is not trusted: self-signed" in str(trouble(connection))
        connection.certificate = (tmp_path / "cert.pem").read_text()
        assert ask(connection, saved(connection, "other"), VALUES).hits[0].id in INDEX
    expired = certificate(tmp_path, "127.0.0.1", days=-1)
    with running("elasticsearch", expired) as engine:
        connection.url, connection.certificate = engine.url, (tmp_path / "cert.pem").read_text()
        assert "certificate has expired" in str(trouble(connection, name="third"))
