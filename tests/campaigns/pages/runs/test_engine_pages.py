"""The pages of search engines: connect, save a query, try it beside another one, pull, pause and resume."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from campaigns.engines import pulling
from campaigns.models import Campaign, EngineConnection, EnginePull, EngineVersion
from tests.campaigns.engines.fake_engines import FakeEngine, running, saying
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/engines/"
QUERY = {
    "act": "save",
    "query": "BM25",
    "path": "/news/_search",
    "template": '{"query": {"match": {"body": "{{topic.title}}"}}}',
    "depth": "5",
}


@pytest.fixture
def engine(settings: Settings) -> Iterator[FakeEngine]:
    settings.ENGINE_ALLOWED_HOSTS = ["127.0.0.1"]
    with running("elasticsearch") as found:
        yield found


@pytest.fixture
def campaign() -> Campaign:
    found = make_campaign("Small", {"x": {"1": ["a"], "2": ["b"]}})
    found.topics.filter(number="1").update(title="wings")
    found.topics.filter(number="2").update(title="flow")
    return found


@pytest.fixture
def ada(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def text(reply: Any) -> str:
    return str(reply.content.decode())


def connect(ada: Client, engine: FakeEngine, **more: str) -> str:
    form = {"act": "add", "name": "Products", "kind": "elasticsearch", "url": engine.url, "scheme": "none"}
    reply = ada.post(PAGE, form | more)
    assert reply.status_code == 302, text(reply)
    return str(reply["Location"])


def test_from_a_connection_to_a_run(ada: Client, engine: FakeEngine, campaign: Campaign) -> None:
    assert "No run has been pulled yet." in text(ada.get(PAGE))
    here = connect(ada, engine, scheme="bearer", secret="token-of-ours")
    assert "Products" in text(ada.get(PAGE))
    assert "Saved BM25, version 1." in text(ada.post(here, QUERY, follow=True))
    ada.post(here, QUERY | {"query": "Other", "depth": "7"})
    first, second = EngineVersion.objects.order_by("id")
    chosen = {"first": first.configuration_id, "second": second.configuration_id}
    tried = ada.post(here, {"act": "try", "topic": "1", **chosen})
    assert tried.status_code == 200
    assert "BM25 v1" in text(tried)
    assert "Other v1" in text(tried)
    assert text(tried).count("Title 34") == 2
    assert len(re.findall(r"<option[^>]*selected", text(tried))) >= 3
    assert ada.post(here, {"act": "pull", "configuration": first.configuration_id}).status_code == 302
    page = text(ada.get(PAGE))
    assert 'hx-trigger="every 2s"' in page
    pull = EnginePull.objects.get()
    assert "Paused." in text(ada.post(PAGE, {"act": "pause", "pull": pull.id}, follow=True))
    assert "The pull goes on." in text(ada.post(PAGE, {"act": "resume", "pull": pull.id}, follow=True))
    pulling.run_pull(pull.id)
    part = text(ada.get(f"{PAGE}pulls/"))
    assert "hx-trigger" not in part
    assert "2/2" in part
    run = campaign.runs.get(tag="BM25-v1")
    shown = text(ada.get(f"/campaigns/small/runs/{run.id}/"))
    assert "Pulled by Products: BM25 v1" in shown
    assert "9.1.0" in shown
    other = campaign.runs.get(tag="x")
    assert "Pulled by" not in text(ada.get(f"/campaigns/small/runs/{other.id}/"))
    assert "token-of-ours" not in shown + page + text(ada.get(here))
    assert "A run that it made stays." in text(
        ada.post(PAGE, {"act": "remove", "pull": pull.id}, follow=True)
    )
    assert ada.post(here, {"act": "remove"}).status_code == 302
    assert not EngineConnection.objects.exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"url": "https://10.0.0.1/"}, "10.0.0.1 is not on the public internet"),
        ({"kind": "lucene"}, "Select the kind of the engine"),
        ({"scheme": "basic", "secret": "word"}, "Give the user name"),
        ({"name": ""}, "A name has 1 to 100 printable characters"),
    ],
)
def test_refused_connections_keep_what_was_typed(
    ada: Client, engine: FakeEngine, more: dict[str, str], said: str
) -> None:
    form = {"act": "add", "name": "Typed", "kind": "solr", "url": engine.url, "scheme": "none"} | more
    reply = ada.post(PAGE, form)
    assert reply.status_code == 400
    assert said in text(reply)
    assert form["url"] in text(reply)
    assert not EngineConnection.objects.exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"template": "{"}, "The template is no JSON"),
        ({"mapping": "[]"}, "A template is a JSON object"),
        ({"depth": "0"}, "Between 1 and 1000 hits"),
        ({"path": "/news/_doc"}, "The path is one that searches, such as /news/_search"),
        ({"query": ""}, "A name has 1 to 100"),
    ],
)
def test_refused_queries_keep_what_was_typed(
    ada: Client, engine: FakeEngine, more: dict[str, str], said: str
) -> None:
    here = connect(ada, engine)
    reply = ada.post(here, QUERY | more)
    assert reply.status_code == 400
    assert said in text(reply)
    assert not EngineVersion.objects.exists()


def test_trouble_of_the_engine_stands_beside_the_other_query(ada: Client, engine: FakeEngine) -> None:
    here = connect(ada, engine)
    ada.post(here, QUERY)
    engine.misbehave = saying(403, {"error": {"reason": "not for you"}})
    configuration = EngineVersion.objects.get().configuration_id
    reply = ada.post(here, {"act": "try", "topic": "1", "first": configuration})
    assert "The credentials do not allow this search (403): not for you." in text(reply)
    assert ada.post(here, {"act": "try", "topic": "9", "first": configuration}).status_code == 400
    assert ada.post(here, {"act": "try", "topic": "1", "first": "999"}).status_code == 404
    assert ada.post(here, {"act": "other"}).status_code == 400


def test_pages_are_the_organisers(ada: Client, engine: FakeEngine) -> None:
    here = connect(ada, engine)
    make_campaign("Other")
    for path in (PAGE, here, f"{PAGE}pulls/"):
        assert signed_in("Small-grace").get(path).status_code == 403
        assert signed_in("Other-ada").get(path).status_code == 404
    foreign = here.replace("small", "other")
    assert signed_in("Other-ada").get(foreign).status_code == 404
    assert ada.post(f"{PAGE}pulls/").status_code == 405
    assert ada.post(PAGE, {"act": "pause", "pull": "1"}).status_code == 404
