"""Search engines by the API: from a connection to a run, what is refused, and that a secret is nowhere."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from campaigns.api.client import Client
from campaigns.collection.documents import store_documents
from campaigns.engines import pulling
from campaigns.exchange.bundles.writer import write_bundle
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, EngineConnection, EnginePull, EngineVersion, TokenScope
from campaigns.people import tokens
from config.embedded.processes import Child
from tests.campaigns.engines.fake_engines import QUERIES, FakeEngine, running, saying
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.campaigns.operations.everything import all_rows
from tests.plumbing.idle import wait_for

pytestmark = pytest.mark.django_db
SECRET = "a secret of ours & others’"
QUERY = {"name": "BM25", "depth": 5, **QUERIES["elasticsearch"]}


@pytest.fixture(autouse=True)
def nearby(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ENGINE_ALLOWED_HOSTS = ["127.0.0.1"]
    monkeypatch.setattr(pulling, "RETRY_PAUSES", (0.0, 0.0, 0.0))


@pytest.fixture
def engine() -> Iterator[FakeEngine]:
    with running("elasticsearch") as found:
        yield found


@pytest.fixture
def campaign() -> Campaign:
    found = make_campaign("Small", {"x": {"1": ["a"], "2": ["b"]}})
    found.topics.filter(number="1").update(title="wings")
    found.topics.filter(number="2").update(title="flow")
    return found


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "Small-ada")


def connection(engine: FakeEngine, **more: Any) -> dict[str, Any]:
    return {"name": "Engine", "kind": engine.kind, "url": engine.url, "rate": 100.0, **more}


def patch(api: Api, path: str, body: Any) -> Any:
    return api.client.patch(api.root + path, body, content_type="application/json")


def made(api: Api, engine: FakeEngine, **more: Any) -> str:
    reply = api.post("engines/", connection(engine, **more))
    assert reply.status_code == 201, reply.content
    return f"engines/{reply.json()['id']}/"


def test_from_a_connection_to_a_run(ada: Api, engine: FakeEngine) -> None:
    one = made(ada, engine)
    row = ada.get(one).json()
    assert ada.get("engines/").json()["results"] == [row]
    draft = {name: value for name, value in QUERY.items() if name != "name"}
    preview = ada.post(one + "preview/", {**draft, "topic": "1"}).json()
    assert preview["total"] == 5
    assert [hit["title"] for hit in preview["hits"]][:2] == ["Title 34", "Title 27"]
    saved = ada.post(one + "configurations/", QUERY)
    assert saved.status_code == 201
    configuration = saved.json()
    assert configuration["versions"][0]["mapping"]["text"] == "_source.body"
    assert ada.get(one + "configurations/").json()["results"] == [configuration]
    at = f"configurations/{configuration['id']}/"
    assert ada.get(at).json() == configuration
    assert ada.get(at + "hits/", topic="1").json()["hits"] == preview["hits"]
    pull = ada.post(at + "pulls/", {"tag": "live"})
    assert pull.status_code == 202
    there = f"pulls/{pull.json()['id']}/"
    assert (pull.json()["state"], pull.json()["topics"]) == ("running", 2)
    assert ada.post(there + "pause/").json()["state"] == "paused"
    assert ada.post(there + "resume/").json()["state"] == "running"
    pulling.run_pull(pull.json()["id"])
    done = ada.get(there).json()
    assert (done["state"], done["run"], done["answered"], done["hits"]) == ("done", "live", 2, 10)
    assert (done["engine_version"], done["retries"], done["problem"]) == ("9.1.0", 0, None)
    assert ada.get("pulls/").json()["results"] == [done]
    assert "live" in [run["run"] for run in ada.get("runs/").json()["results"]]
    assert ada.client.delete(ada.root + there).status_code == 204
    assert ada.client.delete(ada.root + one).status_code == 204
    assert ada.get("engines/").json()["results"] == []
    assert "live" in [run["run"] for run in ada.get("runs/").json()["results"]]


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"url": "http://search.example.org"}, "bad_url", "url"),
    ({"url": "https://10.0.0.1/"}, "bad_url", "url"),
    ({"url": "https://search.example.org/?key=1"}, "bad_url", "url"),
    ({"name": " "}, "invalid", "name"),
    ({"kind": "lucene"}, "invalid", "kind"),
    ({"scheme": "basic", "secret": "word", "login": ""}, "bad_credentials", "login"),
    ({"scheme": "header", "secret": "word", "login": "Host"}, "bad_credentials", "login"),
    ({"scheme": "bearer", "secret": ""}, "bad_credentials", "secret"),
    ({"scheme": "bearer", "secret": "two\nlines"}, "bad_credentials", "secret"),
    ({"scheme": "bearer", "secret": "word", "login": "ada"}, "bad_credentials", "login"),
    ({"secret": "word"}, "bad_credentials", "scheme"),
    ({"certificate": "-----BEGIN CERTIFICATE-----"}, "bad_certificate", "certificate"),
    ({"timeout": 61}, "invalid", "timeout"),
    ({"rate": 0}, "invalid", "rate"),
    ({"extra": 1}, "invalid", "extra"),
]


@pytest.mark.parametrize(("more", "code", "field"), BAD)
def test_bad_connections_are_refused_and_store_nothing(
    ada: Api, engine: FakeEngine, more: dict[str, Any], code: str, field: str
) -> None:
    one = made(ada, engine)
    before = EngineConnection.objects.values().get()
    for reply in (ada.post("engines/", connection(engine, name="other") | more), patch(ada, one, more)):
        if "kind" in more and reply.wsgi_request.method == "PATCH":
            continue
        assert reply.status_code == 400, more
        said = reply.json()
        assert (said["code"], said["errors"][0]["field"]) == (code, field)
    assert EngineConnection.objects.values().get() == before


BAD_QUERIES: list[tuple[dict[str, Any], str, str]] = [
    ({"path": "/news/_delete_by_query"}, "bad_query", "path"),
    ({"path": "news/_search"}, "bad_query", "path"),
    ({"path": "/news/_search?size=1"}, "bad_query", "path"),
    ({"method": "GET"}, "bad_query", "method"),
    ({"template": {"query": "wings"}}, "bad_template", "template"),
    ({"template": {"query": "{{topic.titel}}"}}, "bad_template", "template"),
    ({"template": []}, "invalid", "template"),
    ({"depth": 1001}, "invalid", "depth"),
    ({"mapping": {"ids": "x"}}, "bad_mapping", "mapping"),
    ({"mapping": {"id": 3}}, "bad_mapping", "mapping"),
    ({"mapping": {"fields": "year"}}, "bad_mapping", "mapping"),
]


@pytest.mark.parametrize(("more", "code", "field"), BAD_QUERIES)
def test_bad_queries_are_refused_before_the_engine_is_asked(
    ada: Api, engine: FakeEngine, more: dict[str, Any], code: str, field: str
) -> None:
    one = made(ada, engine)
    reply = ada.post(one + "configurations/", QUERY | more)
    assert (reply.status_code, reply.json()["code"]) == (400, code)
    assert reply.json()["errors"][0]["field"] == field
    assert engine.asked == []
    assert not EngineVersion.objects.exists()


def test_trouble_of_the_engine_is_a_conflict_and_stores_nothing(ada: Api, engine: FakeEngine) -> None:
    one = made(ada, engine)
    engine.misbehave = saying(200, {"hits": {"hits": []}})
    reply = ada.post(one + "configurations/", QUERY)
    assert (reply.status_code, reply.json()["code"]) == (409, "engine_trouble")
    assert "no list of hits" in reply.json()["detail"]
    assert not EngineVersion.objects.exists()


def test_another_host_needs_the_secret_again(ada: Api, engine: FakeEngine) -> None:
    """An organiser who does not know a secret cannot have it sent to themself."""
    one = made(ada, engine, scheme="bearer", secret=SECRET_ASCII)
    before = EngineConnection.objects.values().get()
    for wish in ({"url": "https://search.example.org"}, {"scheme": "header", "login": "X-Key"}):
        reply = patch(ada, one, wish)
        assert reply.status_code == 400
        assert reply.json()["errors"][0]["field"] == "secret"
    assert EngineConnection.objects.values().get() == before
    moved = patch(ada, one, {"url": "https://search.example.org", "secret": "new-one"})
    assert moved.status_code == 200
    assert patch(ada, one, {"scheme": "none"}).json()["scheme"] == "none"
    assert EngineConnection.objects.get().secret == ""


SECRET_ASCII = "token-that-nobody-may-see"


def test_only_organisers_of_the_campaign_reach_engines(ada: Api, engine: FakeEngine) -> None:
    one = made(ada, engine)
    configuration = ada.post(one + "configurations/", QUERY).json()
    pull = ada.post(f"configurations/{configuration['id']}/pulls/", {}).json()
    addresses = [one, f"configurations/{configuration['id']}/", f"pulls/{pull['id']}/", "engines/", "pulls/"]
    make_campaign("Other")
    for path in addresses:
        assert signed_in("Small-grace").get(ada.root + path).status_code == 403
        assert signed_in("Other-ada").get(ada.root + path).status_code == 404
    other = signed_in("Other-ada")
    for path in addresses[:3]:
        assert other.get(f"/api/v1/campaigns/other/{path}").status_code == 404
        assert other.delete(f"/api/v1/campaigns/other/{path}").status_code in (404, 405)
    assert EnginePull.objects.get().state == "running"


def test_a_secret_is_nowhere_but_sealed(
    ada: Api, campaign: Campaign, engine: FakeEngine, caplog: pytest.LogCaptureFixture
) -> None:
    """Every answer, page, table, the history, the bundle and the log, also where the engine repeats it."""
    caplog.set_level(logging.DEBUG)
    replies = [ada.post("engines/", connection(engine, scheme="basic", login="ada", secret=SECRET))]
    one = f"engines/{replies[0].json()['id']}/"
    replies += [ada.get("engines/"), ada.get(one), patch(ada, one, {"rate": 50.0})]
    replies.append(ada.post(one + "configurations/", QUERY))
    at = f"configurations/{replies[-1].json()['id']}/"
    repeated = [{"_id": "doc-1", "_source": {"title": f"about {SECRET}", "body": SECRET}}]
    engine.misbehave = saying(200, {"hits": {"hits": repeated}})
    replies.append(ada.get(at + "hits/", topic="1"))
    pull = ada.post(at + "pulls/", {})
    pulling.run_pull(pull.json()["id"])
    sent = engine.asked[-1][2]["Authorization"]
    engine.misbehave = saying(403, {"error": {"reason": f"{SECRET} or {sent} may not do this"}})
    replies.append(ada.get(at + "hits/", topic="1"))
    again = ada.post(at + "pulls/", {})
    pulling.run_pull(again.json()["id"])
    replies += [pull, again, ada.get("pulls/"), ada.get(at), ada.get("runs/")]
    for page in ("history/", "runs/", "", "exports/"):
        replies.append(ada.client.get(f"/campaigns/small/{page}"))
        assert replies[-1].status_code == 200, page
    with ZipFile(io.BytesIO(b"".join(write_bundle(campaign)))) as bundle:
        entries = [bundle.read(name).decode(errors="replace") for name in bundle.namelist()]
    outputs = [
        *(reply.content.decode() for reply in replies),
        json.dumps(all_rows(), ensure_ascii=False),
        *entries,
        caplog.text,
    ]
    problem = EnginePull.objects.get(state="failed").problem
    assert problem is not None
    assert "[removed]" in problem["detail"]
    for form in (SECRET, sent.removeprefix("Basic "), json.dumps(SECRET)[1:-1], "a secret of ours"):
        assert not any(form in output for output in outputs), form


@pytest.mark.django_db(transaction=True)
def test_this_products_own_search_through_the_generic_mapping(celery_worker: Child, live_site: str) -> None:
    """One campaign's collection is the engine of another one, asked by the real worker."""
    source = make_campaign("Source", {"x": {"1": ["a"]}})
    texts = [DocumentRecord(f"d{n}", f"Wings {n}", f"wings {'flow ' * n}") for n in range(1, 6)]
    store_documents(collection=source.collection, records=texts, file="texts")
    ada = User.objects.get(username="Source-ada")
    _, secret = tokens.make(user=ada, name="search", scopes=[TokenScope.READ])
    searched = Client(live_site, secret).campaign("source")
    path = searched.path + "documents/"
    wait_for(lambda: len(searched.client.get(path, search="wings")["results"]) == 5)
    target = make_campaign("Small", {"x": {"1": ["a"]}})
    target.topics.update(title="wings")
    _, own = tokens.make(user=User.objects.get(username="Small-ada"), name="script", scopes=TokenScope.values)
    campaign = Client(live_site, own).campaign("small")
    engine = campaign.add_engine(
        "Ours",
        "json",
        f"{live_site}/api/v1/campaigns/source",
        scheme="header",
        login="Authorization",
        secret=f"Token {secret}",
    )
    saved = campaign.save_configuration(
        engine["id"],
        "search",
        path="/documents/",
        template={"search": "{{topic.title}}", "limit": "{{k}}"},
        depth=5,
    )
    assert saved["versions"][0]["mapping"]["id"] == "docno"
    done = campaign.pull(saved["id"], tag="ours", progress=False)
    assert (done["state"], done["run"], done["hits"]) == ("done", "ours", 5)
